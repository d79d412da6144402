"""Jobs that want no two isomorphs: the same rows whichever chunk ends first, on both kinds of database.

What is stored is known beforehand: a position's number says which row it makes, and ``mill.class_of`` its class.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text, update

from sudokumill.grids.batch import digests, to_lines
from sudokumill.jobs import Choice, Distinct, JobKind, Part
from sudokumill.store.audit import audit
from sudokumill.store.models import FinalRow, JobState, Puzzle
from sudokumill.store.placing import place

KINDS = pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
ISOMORPH = {"distinct": Distinct.ISOMORPH}


def _table(kind: JobKind) -> type[FinalRow] | type[Puzzle]:
    return FinalRow if kind is JobKind.GENERATE else Puzzle


def _expected(
    mill: Any, content: list[int | None], new: bool, elsewhere: set[int], known: set[int]
) -> tuple[list[tuple[int, int]], dict[str, int]]:
    """What is delivered, and what the positions come to, said without any order of chunks."""
    best: dict[int, int] = {}
    counts = dict.fromkeys(("delivered", "repeated", "missed", "not_new", "failed"), 0)
    for position, number in enumerate(content):
        if number is None:
            counts["failed"] += 1
        elif number < 0:
            counts["missed"] += 1
        elif new and (number in elsewhere or mill.class_of(number) in known):
            counts["not_new"] += 1
        elif mill.class_of(number) in best:
            counts["repeated"] += 1
        else:
            best[mill.class_of(number)] = position
            counts["delivered"] += 1
    return [(position, content[position] or 0) for position in best.values()], counts


CASES = st.fixed_dictionaries(
    {
        "content": st.lists(st.none() | st.integers(-14, 14), min_size=2, max_size=24),
        "chunk_rows": st.integers(1, 6),
        "order": st.randoms(use_true_random=False),
        "new": st.booleans(),
        "elsewhere": st.sets(st.integers(0, 14), max_size=5),
        "unclassed": st.booleans(),
    }
)


@KINDS
@settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(case=CASES)
def test_no_order_of_chunks_decides_anything(
    new_mill: Callable[[], Any], kind: JobKind, case: dict[str, Any]
) -> None:
    mill = new_mill()
    try:
        content = [
            abs(number) if number is not None and kind is JobKind.GENERATE else number
            for number in case["content"]
        ]
        elsewhere = sorted(case["elsewhere"])
        known: set[int] = set()
        if elsewhere:
            mill.run(mill.place(len(elsewhere), kind, chunk_rows=50), lambda position: elsewhere[position])
            if kind is JobKind.LEVELS and not case["unclassed"]:
                known = {mill.class_of(number) for number in elsewhere}
            with mill.database.write() as connection:
                connection.execute(update(Puzzle).values(class_id=None) if not known else text("SELECT 1"))
        size = len(content)
        job = mill.place(size, kind, chunk_rows=case["chunk_rows"], max_attempts=size, new=case["new"], **ISOMORPH)
        held = mill.claims(job)
        case["order"].shuffle(held)
        for one in held:
            mill.finish(one, lambda position: content[position])
            mill.audit(job)
        wanted, counts = _expected(mill, content, case["new"], set(elsewhere), known)
        found = mill.progress(job)
        assert {name: getattr(found, name) for name in counts if name != "delivered"} | {
            "delivered": found.qualified
        } == counts
        assert mill.delivered(job) == wanted
        assert found.already == sum(number in elsewhere for _, number in wanted)
        mill.advance(job)
        assert mill.delivered(job) == wanted
        mill.audit(job)
    finally:
        mill.close()


@KINDS
def test_what_repeats_is_kept_as_stock(mill: Any, kind: JobKind) -> None:
    job = mill.place(4, kind, chunk_rows=3, max_attempts=12, **ISOMORPH)
    for one in mill.claims(job):
        mill.finish(one, lambda position: position)
    while not mill.advance(job).ended:
        mill.finish(mill.claim(job), lambda position: position)
    found = mill.progress(job)
    assert (found.state, found.delivered, found.missed) == (JobState.DONE, 4, 0)
    assert mill.delivered(job) == [(0, 0), (3, 3), (6, 6), (9, 9)]
    rows = sorted(mill.rows(_table(kind)), key=lambda row: row.position)
    assert len(rows) == found.delivered + found.repeated
    assert [row.position for row in rows if row.on_target] == [0, 3, 6, 9]
    ids = digests(to_lines(mill.finals[:4]))
    assert [row.class_id for row in rows] == [ids[row.position // 3] for row in rows]


def test_finals_without_the_order_have_no_class(mill: Any) -> None:
    mill.run(mill.place(4), lambda position: position)
    assert {(row.class_id, row.on_target) for row in mill.rows(FinalRow)} == {(None, True)}


@KINDS
def test_a_job_that_finds_no_more_classes_ends_and_says_so(mill: Any, kind: JobKind) -> None:
    job = mill.place(9, kind, chunk_rows=10, **ISOMORPH)
    found = mill.run(job, lambda position: position % 24)
    assert (found.state, found.delivered) == (JobState.INCOMPLETE, 8)
    assert "positions delivered nothing" in found.reason
    assert f"{found.repeated:,} repeated" in found.reason
    mill.audit(job)


@KINDS
@pytest.mark.parametrize("new", [False, True])
def test_chunks_that_end_at_the_same_moment(mill: Any, kind: JobKind, new: bool) -> None:
    job = mill.place(40, kind, chunk_rows=5, max_attempts=40, new=new, **ISOMORPH)
    held = mill.claims(job)
    assert len(held) == 8
    together = Barrier(len(held))

    def finish(one: Any) -> None:
        together.wait(30)
        mill.finish(one, lambda position: (position * 7) % 40)

    with ThreadPoolExecutor(len(held)) as pool:
        list(pool.map(finish, held))
    wanted, counts = _expected(mill, [(position * 7) % 40 for position in range(40)], new, set(), set())
    found = mill.progress(job)
    assert (found.qualified, found.repeated) == (counts["delivered"], counts["repeated"])
    assert mill.delivered(job) == wanted
    mill.audit(job)


def test_jobs_that_want_new_classes_at_the_same_moment(mill: Any) -> None:
    jobs = [mill.place(10, JobKind.LEVELS, chunk_rows=10, new=True, **ISOMORPH) for _ in range(3)]
    held = [mill.claim(job) for job in jobs]
    together = Barrier(len(held))

    def finish(index: int) -> None:
        together.wait(30)
        # of every class each job makes another puzzle
        mill.finish(held[index], lambda position: 3 * position + index)

    with ThreadPoolExecutor(len(held)) as pool:
        list(pool.map(finish, range(len(held))))
    delivered = [number for job in jobs for _, number in mill.delivered(job)]
    assert sorted(map(mill.class_of, delivered)) == list(range(10))
    for job in jobs:
        assert mill.progress(job).qualified + mill.progress(job).not_new == 10
        mill.audit(job)


# --- stock -----------------------------------------------------------------------------------------------


def _levels_from_stock(mill: Any, count: int, classify: Any = None) -> int:
    parts = {part: Choice(name="fake", version="1") for part in (Part.GENERATOR, Part.DIGGER)}
    spec = mill.spec(count, JobKind.LEVELS, from_stock=True, parts=parts, chunk_rows=3, **ISOMORPH)
    return place(mill.database, spec, classify=classify).id


def _store_stock(mill: Any) -> None:
    mill.run(mill.place(8, JobKind.LEVELS, max_attempts=8), lambda position: -1 - position)


def test_of_one_class_in_stock_one_is_taken_and_none_is_made(mill: Any) -> None:
    _store_stock(mill)  # numbers 1 .. 8, classes 0 0 1 1 1 2 2 2
    job = _levels_from_stock(mill, 6)
    assert mill.progress(job).stock == 3
    found = mill.run(job, lambda position: 2 * position)
    assert (found.state, found.delivered, found.stock) == (JobState.DONE, 6, 3)
    classes = [mill.class_of(number) for _, number in mill.delivered(job)]
    assert classes == [0, 1, 2, 3, 4, 5]
    assert found.repeated + found.surplus + 3 == found.tried - 3
    assert [position for position, _ in mill.delivered(job)] == [-3, -2, -1, 5, 6, 8]
    mill.audit(job)


def test_the_class_of_what_is_in_stock_is_found_when_it_is_not_known(mill: Any) -> None:
    _store_stock(mill)
    with mill.database.write() as connection:
        connection.execute(update(Puzzle).values(class_id=None))
    assert mill.progress(_levels_from_stock(mill, 6)).stock == 0

    def classify(puzzles: Any, solutions: Any) -> list[bytes | None]:
        numbers = [mill.numbers[line] for line in to_lines(solutions)]
        assert (puzzles[:, 9:] == solutions[:, 9:]).all()
        # of the last ones it cannot be found
        return [None if number > 6 else bytes([mill.class_of(number)]) * 16 for number in numbers]

    job = _levels_from_stock(mill, 6, classify)
    assert mill.progress(job).stock == 3
    assert [number for _, number in mill.delivered(job)] == [1, 3, 6]
    mill.audit(job)


# --- the audit -------------------------------------------------------------------------------------------


def _delivering(mill: Any, kind: JobKind) -> int:
    mill.run(mill.place(1, kind), lambda position: 0)
    job: int = mill.place(6, kind, chunk_rows=6, **ISOMORPH)
    assert mill.run(job, lambda position: 3 * position).already == 1
    return job


@KINDS
def test_the_audit_sees_two_rows_of_one_class(mill: Any, kind: JobKind) -> None:
    job = _delivering(mill, kind)
    table = _table(kind)
    with mill.database.write() as connection:
        first = connection.execute(select(table.class_id).where(table.position == 2)).scalar_one()
        connection.execute(update(table).where(table.job_id == job, table.position == 4).values(class_id=first))
    assert audit(mill.database, job, 0.0).broken == ("two rows of one class count for the job: positions 2 and 4",)


@KINDS
def test_the_audit_sees_a_class_that_is_missing(mill: Any, kind: JobKind) -> None:
    job = _delivering(mill, kind)
    table = _table(kind)
    with mill.database.write() as connection:
        connection.execute(update(table).where(table.job_id == job, table.position == 4).values(class_id=None))
    said = "the class of a row is not known, and the job wants each once: position 4"
    assert audit(mill.database, job, 0.0).broken == (said,)


@KINDS
def test_the_audit_sees_a_delivery_of_another_class(mill: Any, kind: JobKind) -> None:
    job = _delivering(mill, kind)
    table = _table(kind)
    with mill.database.write() as connection:
        connection.execute(update(table).where(table.job_id != job).values(class_id=bytes(range(16))))
    said = "a row has another class than the job delivered it for: position 0"
    assert audit(mill.database, job, 0.0).broken == (said,)


@KINDS
def test_the_audit_sees_rows_off_target_that_nobody_counts(mill: Any, kind: JobKind) -> None:
    job = mill.place(3, kind, chunk_rows=3, **ISOMORPH)
    mill.run(job, lambda position: 3 * position)
    table = _table(kind)
    with mill.database.write() as connection:
        connection.execute(update(table).where(table.position == 2).values(on_target=False))
    assert any("more rows off target than it counts" in line for line in audit(mill.database, job, 0.0).broken)
