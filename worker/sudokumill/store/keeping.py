"""Keeping what a chunk made: all its rows and its end in one transaction, under its lease.

A row's id comes from its digits and is unique. So a row that is there already needs a second look:

    whose is it          and so this position ...
    ------------------   ------------------------------------------------------------------
    this one's           (the chunk ran before) is delivered, as then
    this job's, lower    repeats it
    this job's, higher   takes it over: which chunk ended first must not decide what is delivered
    another job's        delivers it by a row in ``delivery``, or with "new" does not count
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Table, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sudokumill.contracts import SolveStatus
from sudokumill.errors import LeaseLostError
from sudokumill.grids.batch import digests, to_lines
from sudokumill.rows import Batch, FinalRows, ItemError, LevelRows, ReportSum, SolutionRows, merge
from sudokumill.store.database import Database
from sudokumill.store.leases import Claim, Hold, held_by
from sudokumill.store.models import (
    Base,
    Chunk,
    ChunkState,
    Delivery,
    FinalRow,
    ItemFailure,
    Puzzle,
    Solution,
)
from sudokumill.store.placing import NO_COUNTS

_SLICE: Final = 10_000
"""Ids that are looked up at a time: below SQLite's 32,766 parameters."""

_Row = tuple[Any, ...]


@dataclass
class Made:
    """What a chunk has made so far: batches, and the time that the line took."""

    batches: list[Batch] = field(default_factory=list)
    seconds: float = 0.0
    reached: int = 0
    """The position after the last one that was tried."""

    def add(self, batch: Batch, seconds: float, reached: int) -> None:
        """Takes in one batch."""
        self.batches.append(batch)
        self.seconds += seconds
        self.reached = reached


@dataclass(frozen=True)
class _Counts:
    delivered: int = 0
    already: int = 0
    repeated: int = 0
    missed: int = 0
    not_new: int = 0
    failed: int = 0


def finish(
    database: Database,
    held: Claim,
    made: Made,
    *,
    versions: dict[str, str],
    new: bool,
    licence: str,
    rest: Hold = Hold.GO_ON,
) -> None:
    """Stores what a chunk made and ends it; all of it or nothing.

    Args:
        database: where.
        held: the lease.
        made: its batches, in order.
        versions: part to NAME==VERSION.
        new: rows that another job had stored do not count.
        licence: written beside each puzzle.
        rest: what becomes of positions that were not reached: PAUSE leaves them waiting in a chunk of their
            own, STOP drops them.

    Raises:
        LeaseLostError: the chunk is another process's now; nothing was stored.
        StorageFullError: the disk is full; nothing was stored.
    """
    # what takes no lock is done before: on SQLite only one process writes at a time
    packed = [_pack(held, batch.rows, licence) for batch in made.batches]
    with database.write(held.job) as connection:
        if not connection.execute(
            update(Chunk).where(*held_by(held)).values(state=ChunkState.DONE.value)
        ).rowcount:
            raise LeaseLostError(chunk=held.chunk)
        counts = _Counts()
        reports: dict[str, ReportSum] = {}
        for batch, rows in zip(made.batches, packed, strict=True):
            counts = _add(counts, _keep(connection, held, rows, new))
            counts = _add(counts, _Counts(failed=_keep_errors(connection, held, batch.errors)))
            merge(reports, batch.reports)
        connection.execute(
            update(Chunk)
            .where(Chunk.id == held.chunk)
            .values(
                stop=made.reached,
                owner=None,
                lease_token=None,
                lease_until=None,
                versions=versions,
                seconds=made.seconds,
                reports={name: [one.total, one.weight, one.least, one.greatest] for name, one in reports.items()}
                or None,
                **{name: getattr(counts, name) for name in NO_COUNTS},
            )
        )
        if made.reached < held.stop:
            state = ChunkState.WAITING if rest is Hold.PAUSE else ChunkState.DROPPED
            connection.execute(
                insert(Chunk).values(
                    job_id=held.job, start=made.reached, stop=held.stop, state=state.value, attempt=0,
                    seconds=0.0, **NO_COUNTS,
                )
            )  # fmt: skip


def _add(one: _Counts, other: _Counts) -> _Counts:
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in NO_COUNTS})


@dataclass(frozen=True)
class _Packed:
    """Rows as the database takes them."""

    finals: list[_Row]
    """Sorted by id."""
    puzzles: list[_Row] | None
    """Sorted by id; None for a job that makes finals only."""
    hits: list[tuple[bytes, int]]
    """(id, position) of what may be delivered, in the order of positions."""
    missed: int
    solutions: list[dict[str, Any]]


def _pack(held: Claim, rows: FinalRows | LevelRows | SolutionRows, licence: str) -> _Packed:
    if isinstance(rows, SolutionRows):
        return _Packed([], None, [], 0, _pack_solutions(held, rows))
    ids, finals = _pack_finals(held, rows)
    positions = rows.positions.tolist()
    if isinstance(rows, FinalRows):
        return _Packed(finals, None, list(zip(ids, positions, strict=True)), 0, [])
    puzzle_ids, puzzles = _pack_puzzles(held, rows, ids, licence)
    hits = [(puzzle_ids[row], positions[row]) for row in np.flatnonzero(rows.on_target)]
    return _Packed(finals, puzzles, hits, len(positions) - len(hits), [])


def _pack_finals(held: Claim, rows: FinalRows | LevelRows) -> tuple[list[bytes], list[_Row]]:
    lines = to_lines(rows.finals)
    ids = digests(lines)
    job, chunk = held.job, held.chunk
    values: list[_Row] = [
        (each, line, job, chunk, position)
        for each, line, position in zip(ids, lines, rows.positions.tolist(), strict=True)
    ]
    values.sort(key=itemgetter(0))
    return ids, values


def _pack_puzzles(
    held: Claim, rows: LevelRows, final_ids: list[bytes], licence: str
) -> tuple[list[bytes], list[_Row]]:
    clues = to_lines(rows.puzzles)
    ids = digests(clues)
    about = rows.descriptions
    columns = zip(
        ids, clues, final_ids,
        about.clue_count.tolist(), about.row_min.tolist(), about.row_max.tolist(),
        about.column_min.tolist(), about.column_max.tolist(), about.box_min.tolist(), about.box_max.tolist(),
        about.symmetry, rows.minimal.tolist(), rows.nodes.tolist(), about.paper_level.tolist(),
        rows.on_target.tolist(), rows.positions.tolist(),
        strict=True,
    )  # fmt: skip
    values: list[_Row] = [
        (
            each, text, final, 9, 3, 3, "classic",
            count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry.value, minimal, None if nodes < 0 else nodes, level or None,
            on_target, licence, "available", None, held.job, held.chunk, position,
        )
        for (
            each, text, final, count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry, minimal, nodes, level, on_target, position,
        ) in columns
    ]  # fmt: skip
    values.sort(key=itemgetter(0))
    return ids, values


def _pack_solutions(held: Claim, rows: SolutionRows) -> list[dict[str, Any]]:
    names = [SolveStatus(status).name.lower().replace("_", " ") for status in rows.status.tolist()]
    return [
        {
            "job_id": held.job, "position": position, "chunk_id": held.chunk, "status": name, "count": count,
            "nodes": nodes, "digits": line if count else None,
        }
        for position, name, count, nodes, line in zip(
            rows.positions.tolist(), names, rows.counts.tolist(), rows.nodes.tolist(), to_lines(rows.solutions),
            strict=True,
        )
    ]  # fmt: skip


def _keep(connection: Connection, held: Claim, rows: _Packed, new: bool) -> _Counts:
    """Inserts the rows and says what their positions came to."""
    if rows.solutions:
        connection.execute(insert(Solution), rows.solutions)
        return _Counts(delivered=len(rows.solutions))
    inserted = _insert_new(connection, FinalRow, rows.finals)
    table: type[FinalRow] | type[Puzzle] = FinalRow
    made = rows.finals
    if rows.puzzles is not None:
        inserted, table, made = _insert_new(connection, Puzzle, rows.puzzles), Puzzle, rows.puzzles
    if inserted == len(made):
        return _Counts(delivered=len(rows.hits), missed=rows.missed)
    return replace(_settle(connection, held, table, rows.hits, new), missed=rows.missed)


def _keep_errors(connection: Connection, held: Claim, errors: Sequence[ItemError]) -> int:
    if errors:
        connection.execute(
            insert(ItemFailure),
            [
                {
                    "job_id": held.job, "position": error.position, "chunk_id": held.chunk,
                    "part": error.part.value, "owner": error.owner[:300], "reason": error.reason[:300],
                }
                for error in errors
            ],
        )  # fmt: skip
    return len(errors)


def _insert_new(connection: Connection, table: type[Base], rows: list[_Row]) -> int:
    """Inserts the rows whose id is not there yet, and returns how many that were.

    They are sorted by id, because then the key's B-tree is walked once from left to right, and because two
    writers that insert in one order cannot deadlock. SQLite takes driver tuples: SQLAlchemy's own parameter handling would cost as
    much again as the insert itself.
    """
    if not rows:
        return 0
    target = table.__table__
    assert isinstance(target, Table)  # noqa: S101 - for the type checker
    if connection.dialect.name == "sqlite":
        statement = sqlite.insert(target).on_conflict_do_nothing(index_elements=["id"])
        sql = str(statement.compile(dialect=connection.dialect))
        return connection.exec_driver_sql(sql, rows).rowcount
    names = [column.name for column in target.columns]
    statement_pg = postgresql.insert(target).on_conflict_do_nothing(index_elements=["id"])
    return connection.execute(statement_pg, [dict(zip(names, row, strict=True)) for row in rows]).rowcount


def _settle(
    connection: Connection,
    held: Claim,
    table: type[FinalRow] | type[Puzzle],
    hits: list[tuple[bytes, int]],
    new: bool,
) -> _Counts:
    """What each position came to, after the insert left out the rows that were there already."""
    owners = _origins(connection, table, [each for each, _ in hits])
    tally = {"delivered": 0, "already": 0, "repeated": 0, "not_new": 0}
    elsewhere: list[tuple[bytes, int]] = []
    for each, position in hits:
        job, owner, on_target = owners[each]
        if job != held.job or not on_target:
            # a row of this job that missed its target is stock like another job's
            if new:
                tally["not_new"] += 1
            else:
                elsewhere.append((each, position))
        elif owner == position:
            tally["delivered"] += 1
        elif owner < position:
            tally["repeated"] += 1
        else:
            connection.execute(
                update(table).where(table.id == each).values(position=position, chunk_id=held.chunk)
            )
            _turn_into_repeat(connection, held.job, owner)
            owners[each] = (job, position, on_target)
            tally["delivered"] += 1
    _deliver(connection, held, elsewhere, tally)
    return _Counts(**tally)


def _origins(
    connection: Connection, table: type[FinalRow] | type[Puzzle], ids: list[bytes]
) -> dict[bytes, tuple[int, int, bool]]:
    """(job, position, on target) of the stored rows with these ids."""
    on_target = Puzzle.on_target if table is Puzzle else (FinalRow.job_id == FinalRow.job_id)
    found: dict[bytes, tuple[int, int, bool]] = {}
    for start in range(0, len(ids), _SLICE):
        for row in connection.execute(
            select(table.id, table.job_id, table.position, on_target.label("on_target")).where(
                table.id.in_(ids[start : start + _SLICE])
            )
        ):
            found[row.id] = (row.job_id, row.position, bool(row.on_target))
    return found


def _deliver(
    connection: Connection, held: Claim, elsewhere: list[tuple[bytes, int]], tally: dict[str, int]
) -> None:
    """Notes positions that deliver what another job stored; of two with the same row the lower one does."""
    noted: dict[bytes, int] = {}
    for start in range(0, len(elsewhere), _SLICE):
        ids = [each for each, _ in elsewhere[start : start + _SLICE]]
        for row in connection.execute(
            select(Delivery.item_id, Delivery.position).where(
                Delivery.job_id == held.job, Delivery.item_id.in_(ids)
            )
        ):
            noted[row.item_id] = row.position
    fresh: list[dict[str, Any]] = []
    for each, position in elsewhere:
        before = noted.get(each)
        if before is None:
            fresh.append({"job_id": held.job, "position": position, "chunk_id": held.chunk, "item_id": each})
            noted[each] = position
        elif before < position:
            tally["repeated"] += 1
            continue
        elif before > position:
            connection.execute(
                update(Delivery)
                .where(Delivery.job_id == held.job, Delivery.item_id == each)
                .values(position=position, chunk_id=held.chunk)
            )
            _turn_into_repeat(connection, held.job, before, already=1)
            noted[each] = position
        tally["delivered"] += 1
        tally["already"] += 1
    if fresh:
        connection.execute(insert(Delivery), fresh)


def _turn_into_repeat(connection: Connection, job: int, position: int, already: int = 0) -> None:
    """A position of a chunk that ended before gave its row to a lower one: now it is the repeat."""
    connection.execute(
        update(Chunk)
        .where(
            Chunk.job_id == job,
            Chunk.state == ChunkState.DONE,
            Chunk.start <= position,
            Chunk.stop > position,
        )
        .values(
            delivered=Chunk.delivered - 1,
            already=Chunk.already - already,
            repeated=Chunk.repeated + 1,
        )
    )
