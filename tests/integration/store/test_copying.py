"""Many rows into PostgreSQL at once: the same content as through SQLite, counted exactly, by several at a time."""

from __future__ import annotations

import multiprocessing
import shutil
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DataError

from sudokumill.contracts import SolveStatus
from sudokumill.errors import LeaseLostError, StoreError
from sudokumill.grids.batch import Grids, digests, to_lines
from sudokumill.grids.description import describe
from sudokumill.grids.symmetries import Symmetry
from sudokumill.jobs import JobKind, Source
from sudokumill.rows import Batch, LevelRows, Rows, SolutionRows
from sudokumill.store.copying import (
    copy_in,
    copy_rows,
    digits,
    flags,
    integers,
    merge,
    raw,
    small_integers,
    texts,
)
from sudokumill.store.database import Database
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.leases import Claim
from sudokumill.store.models import ChunkState, Delivery, FinalRow, Input, ItemFailure, Puzzle, Solution

Content = Callable[[int], int | None]

LICENCE = "CC BY-SA 4.0 (~ and others)"


ON_POSTGRESQL = pytest.mark.parametrize("new_mill", ["postgresql"], indirect=True)


@pytest.fixture
def both(tmp_path: Path, empty_file: Path, mill: Any) -> Iterator[list[Any]]:
    """A store in SQLite, and that in PostgreSQL."""
    path = tmp_path / "mill.db"
    shutil.copyfile(empty_file, path)
    other = type(mill)(Database(f"sqlite:///{path}"), mill.finals, mill.pace, path.unlink)
    yield [other, mill]
    other.close()


@pytest.fixture
def database(mill: Any) -> Database:
    made: Database = mill.database
    return made


def _parsed(content: memoryview) -> list[list[bytes | None]]:
    """Rows of a binary COPY by the letter of PostgreSQL's manual."""
    data = bytes(content)
    assert data[:19] == b"PGCOPY\n\xff\r\n\0" + bytes(8)
    at = 19
    rows: list[list[bytes | None]] = []
    while (count := struct.unpack_from(">h", data, at)[0]) != -1:
        at += 2
        row: list[bytes | None] = []
        for _ in range(count):
            length = struct.unpack_from(">i", data, at)[0]
            at += 4
            row.append(None if length < 0 else data[at : at + length])
            at += max(length, 0)
        rows.append(row)
    assert at + 2 == len(data)
    return rows


def test_the_layout_of_rows() -> None:
    null = np.array([False, True, False])
    fields = {
        "id": raw([bytes(16), b"\xff" * 16, b"\0\xff" * 8]),
        "word": texts(["", "four", "\u00e9"]),
        "same": texts(["all"]),
        "small": small_integers(np.array([1, 0, -2]), null),
        "great": integers(np.array([2**62, 0, -1])),
        "flag": flags(np.array([True, False, False]), null),
        "one": integers(np.array(7)),
    }
    rows = copy_rows(3, fields)
    assert rows.columns == tuple(fields)
    one = struct.pack(">q", 7)
    assert _parsed(rows.content) == [
        [bytes(16), b"", b"all", b"\0\1", struct.pack(">q", 2**62), b"\1", one],
        [b"\xff" * 16, b"four", b"all", None, bytes(8), None, one],
        [b"\0\xff" * 8, b"\xc3\xa9", b"all", b"\xff\xfe", b"\xff" * 8, b"\0", one],
    ]
    even = copy_rows(2, {"grid": digits(np.zeros((2, 81), dtype=np.uint8)), "n": integers(np.array([1, 2]))})
    assert [row[0] for row in _parsed(even.content)] == [b"0" * 81] * 2
    assert _parsed(copy_rows(0, {"id": raw([]), "word": texts([])}).content) == []


# --- the same content ----------------------------------------------------------------------------------------


def _levels(finals: Grids, start: int) -> LevelRows:
    """Puzzles with every symmetry and every NULL there can be."""
    count = len(finals)
    puzzles = finals.copy()
    for row in range(count):
        puzzles[row, : 2 + row % 70] = 0
    about = describe(puzzles)
    names = list(Symmetry)
    about = type(about)(**{**vars(about), "symmetry": [names[row % len(names)] for row in range(count)]})
    return LevelRows(
        positions=np.arange(start, start + count),
        finals=finals,
        puzzles=puzzles,
        on_target=np.arange(count) % 5 > 0,
        nodes=np.arange(count) * 10**9 - 1,
        minimal=(np.arange(count) % 3 - 1).astype(np.int8),
        descriptions=about,
    )


def _solutions(finals: Grids, start: int) -> SolutionRows:
    count = len(finals)
    statuses = [status.value for status in SolveStatus]
    return SolutionRows(
        positions=np.arange(start, start + count),
        counts=np.arange(count) % 3 * 10**14,
        nodes=np.arange(count) - 1,
        status=np.array([statuses[row % len(statuses)] for row in range(count)], dtype=np.uint8),
        solutions=finals,
    )


def _keep(mill: Any, held: Claim, rows: Rows, new: bool = False) -> None:
    made = Made(batches=[Batch(rows)], seconds=1.0, reached=held.stop)
    finish(
        mill.database,
        prepare(mill.database, held, made, versions={"generator": "fake==1"}, new=new, licence=LICENCE),
    )


def _content(mill: Any) -> list[list[tuple[Any, ...]]]:
    tables = (FinalRow, Puzzle, Solution, Delivery, Input, ItemFailure)
    kept = [sorted(map(tuple, mill.rows(table)), key=repr) for table in tables]
    counts = [
        (row.start, row.state, row.delivered, row.already, row.repeated, row.missed) for row in mill.chunks(1)
    ]
    return [*kept, sorted(counts)]


@ON_POSTGRESQL
@pytest.mark.parametrize("count", [1, 150])
def test_levels_are_the_same_in_either_database(both: list[Any], many_finals: Grids, count: int) -> None:
    for mill in both:
        job = mill.place(2 * count, JobKind.LEVELS, chunk_rows=count)
        first, second = mill.claims(job)
        _keep(mill, second, _levels(many_finals[:count], second.start))
        # a third of its rows is new, the rest goes to these lower positions
        _keep(mill, first, _levels(many_finals[count // 3 : count // 3 + count], first.start))
        again = mill.place(count, JobKind.LEVELS, chunk_rows=count)
        _keep(mill, mill.claim(again), _levels(many_finals[:count], 0))
    ours, theirs = (_content(mill) for mill in both)
    assert ours == theirs
    assert len(ours[1]) >= count


@ON_POSTGRESQL
@pytest.mark.parametrize("count", [1, 150])
def test_solutions_and_inputs_are_the_same_in_either_database(
    both: list[Any], many_finals: Grids, count: int
) -> None:
    grids = many_finals[:count]
    for mill in both:
        for lines in (None, np.arange(count) * 2 + 1):
            job = mill.place(
                count, JobKind.SOLVE, source=Source.FILE, size=count, chunk_rows=count,
                inputs=[grids[:100], grids[100:]], lines=lines,
            )  # fmt: skip
            _keep(mill, mill.claim(job), _solutions(grids, 0))
    ours, theirs = (_content(mill) for mill in both)
    assert ours == theirs
    assert len(ours[2]) == len(ours[4]) == 2 * count


@ON_POSTGRESQL
def test_a_chunk_of_nothing_but_errors(both: list[Any]) -> None:
    for mill in both:
        for kind in (JobKind.GENERATE, JobKind.LEVELS):
            job = mill.place(4, kind, chunk_rows=4)
            mill.finish(mill.claim(job), lambda _: None)
            assert mill.progress(job).failed == 4
    assert _content(both[0]) == _content(both[1])


# --- merging -------------------------------------------------------------------------------------------------


def _final_rows(ids: list[bytes], position: int = 0) -> Any:
    count = len(ids)
    fields = {
        "id": raw(ids),
        "digits": digits(np.ones((count, 81), dtype=np.uint8)),
        "job_id": integers(np.array(1)),
        "chunk_id": integers(np.array(1)),
        "position": integers(np.arange(position, position + count)),
    }
    return copy_rows(count, fields)


def _numbered(numbers: range) -> list[bytes]:
    return [number.to_bytes(16, "big") for number in numbers]


def _stored(connection: Connection) -> dict[bytes, int]:
    rows = connection.execute(text("SELECT uuid_send(id) AS id, position FROM final"))
    return {bytes(row.id): row.position for row in rows}


@ON_POSTGRESQL
def test_merged_rows_are_counted_exactly(database: Database) -> None:
    steps = [
        (range(0), 0),
        (range(5, 6), 1),
        (range(5, 6), 0),
        (range(50_000), 49_999),
        (range(50_000), 0),
        (range(49_990, 50_010), 10),
    ]
    for numbers, new in steps:
        with database.write() as connection:
            assert merge(connection, "final", _final_rows(_numbered(numbers))) == new
    with database.read() as connection:
        assert sorted(_stored(connection)) == _numbered(range(50_010))


@ON_POSTGRESQL
def test_ids_are_any_bytes_and_the_first_of_two_stays(database: Database) -> None:
    ids = [bytes(16), bytes(16), b"\0" + b"\xff" * 15, b"PGCOPY\n\xff\r\n\0\\N\t\r\n", b"\xff" * 16]
    with database.write() as connection:
        assert merge(connection, "final", _final_rows(ids)) == 4
    with database.read() as connection:
        assert _stored(connection) == {ids[0]: 0, ids[2]: 2, ids[3]: 3, ids[4]: 4}


@ON_POSTGRESQL
def test_what_is_rolled_back_leaves_nothing(database: Database) -> None:
    def lose() -> None:
        with database.write() as connection:
            merge(connection, "final", _final_rows(_numbered(range(10))))
            raise LeaseLostError(chunk=1)

    for _ in range(3):
        with pytest.raises(LeaseLostError):
            lose()
    with database.write() as connection:
        assert merge(connection, "final", _final_rows(_numbered(range(5, 8)))) == 3
    with database.read() as connection:
        assert sorted(_stored(connection)) == _numbered(range(5, 8))


@ON_POSTGRESQL
def test_a_refused_copy_is_an_error_of_the_store(database: Database) -> None:
    rows = copy_rows(1, {"id": raw([bytes(16)]), "digits": texts(["1" * 82])})
    with pytest.raises(StoreError, match="too long") as caught, database.write() as connection:
        copy_in(connection, "final", rows)
    assert isinstance(caught.value.__cause__, DataError)
    with database.write() as connection:
        assert merge(connection, "final", _final_rows([bytes(16)])) == 1


# --- several at a time ---------------------------------------------------------------------------------------


def _deadlocks(database: Database) -> int:
    """How many the server has met in this database; each connection tells when it ends."""
    database.dispose()
    with database.read() as connection:
        counted = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(connection.execute(counted).scalar_one())


def _url(mill: Any) -> str:
    url: str = mill.database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return url


def _while_locked(url: str, locks: list[str], then: Callable[[psycopg.Connection[Any]], None]) -> None:
    with psycopg.connect(url) as other:
        for statement in locks:
            other.execute(statement.encode())
        then(other)
        other.rollback()


@ON_POSTGRESQL
def test_storing_does_not_wait_for_whoever_steers_the_job(mill: Any) -> None:
    mill.run(mill.place(3), lambda position: position)
    job = mill.place(4, chunk_rows=4)
    held = mill.claim(job)

    def store(_: psycopg.Connection[Any]) -> None:
        # rows of its own, of another job, a repeat and an error: all that is ever stored
        mill.finish(held, {0: 0, 1: 9, 2: 9, 3: None}.__getitem__)

    _while_locked(_url(mill), [f"UPDATE job SET state = 'paused' WHERE id = {job}"], store)
    (chunk,) = mill.chunks(job)
    assert (chunk.state, chunk.delivered, chunk.already, chunk.repeated, chunk.failed) == ("done", 2, 1, 1, 1)


@ON_POSTGRESQL
def test_a_deadlock_is_tried_again(mill: Any) -> None:
    before = _deadlocks(mill.database)
    job = mill.place(4, chunk_rows=4)
    held = mill.claim(job)
    line = to_lines(mill.finals[2:3])
    key = digests(line)[0].hex()
    storing = Thread(target=mill.finish, args=(held, lambda position: position))

    def cross(other: psycopg.Connection[Any]) -> None:
        storing.start()
        with psycopg.connect(_url(mill), autocommit=True) as look:
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while look.execute(waiting.encode()).fetchall() == [(0,)]:
                time.sleep(0.01)
        # now each waits for the other, and the server ends the one that is less patient
        other.execute(f"UPDATE chunk SET attempt = attempt WHERE id = {held.chunk}".encode())

    insert = f"INSERT INTO final VALUES ('{key}', '{line[0]}', 99, 99, 0)"
    _while_locked(_url(mill), ["SET deadlock_timeout = '60s'", insert], cross)
    storing.join()
    assert [(chunk.state, chunk.delivered) for chunk in mill.chunks(job)] == [(ChunkState.DONE, 4)]
    while _deadlocks(mill.database) == before:
        time.sleep(0.01)
    assert _deadlocks(mill.database) == before + 1


def _rows_of(held: Claim) -> Content:
    """200 of 300 rows for a chunk of 200 positions; a tenth of those is in no job before."""
    return lambda position: position * 7 % 300 + held.job * 27 - 27


def _store_all(mill: Any, url: str, claims: list[Claim], together: Any, said: Any) -> None:
    """Stores chunks one after another, each at the same moment as the other process stores its own."""
    mill.database = Database(url)
    try:
        for held in claims:
            together.wait()
            mill.finish(held, _rows_of(held))
            mill.advance(held.job)
        said.put(None)
    except BaseException as error:
        said.put(repr(error))
        raise
    finally:
        mill.database.dispose()


@pytest.mark.slow
@ON_POSTGRESQL
def test_two_processes_with_rows_in_common_never_wait_in_a_circle(mill: Any) -> None:
    before = _deadlocks(mill.database)
    shares: list[list[Claim]] = [[], []]
    for number in range(100):
        kind = (JobKind.GENERATE, JobKind.LEVELS)[number % 2]
        # each process has one of a job's two chunks, now the lower and now the higher; 100 rows are in both
        for share, held in enumerate(mill.claims(mill.place(400, kind, chunk_rows=200))):
            shares[(share + number // 2) % 2].append(held)
    mill.database.dispose()
    fork = multiprocessing.get_context("fork")
    together, said = fork.Barrier(2, timeout=60), fork.Queue()
    processes = [
        fork.Process(target=_store_all, args=(mill, _url(mill), share, together, said)) for share in shares
    ]
    for process in processes:
        process.start()
    assert [said.get(timeout=120) for _ in processes] == [None, None]
    for process in processes:
        process.join()
    for held in shares[0]:
        found = mill.progress(held.job)
        assert (found.delivered, found.repeated) == (300, 100)
    assert _deadlocks(mill.database) == before
