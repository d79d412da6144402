"""Keeping what a chunk made: all its rows and its end in one transaction, under its lease."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import DBAPIError

from sudokumill.errors import LeaseLostError, StoreError
from sudokumill.jobs import Distinct, Part
from sudokumill.rows import Batch, GradeRows, ItemError, LevelRows, ReportSum, Rows, joined
from sudokumill.rows import merge as merge_reports
from sudokumill.store.columns import (
    CLASSED_FINAL_COLUMNS,
    FINAL_COLUMNS,
    GRADE_COLUMNS,
    PUZZLE_COLUMNS,
    Sheet,
)
from sudokumill.store.copying import CopyRows, copy_in, merge
from sudokumill.store.database import Database, Now
from sudokumill.store.isomorphs import settle_classes
from sudokumill.store.leases import Claim, Hold, held_by
from sudokumill.store.models import (
    COUNTERS,
    Chunk,
    ChunkState,
    FinalRow,
    Grade,
    ItemFailure,
    Job,
    Puzzle,
    Solution,
)
from sudokumill.store.outcomes import outcome_of_grades, outcome_of_levels
from sudokumill.store.packing import (
    Packed,
    PackedFinals,
    PackedGrades,
    PackedLevels,
    PackedSolutions,
    pack,
)
from sudokumill.store.settling import settle
from sudokumill.store.turns import step_in, waiting_chunk

_CLASHES: Final = frozenset({"40P01", "40001"})
"""SQLSTATE of a deadlock and of a serialization failure: the server undid the transaction, and asks to have it
again."""

_PAUSES: Final = (0.02, 0.1, 0.5)
"""Seconds before each further try after such a clash."""


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
class Prepared:
    """What a chunk made, as the database takes it."""

    held: Claim
    made: Made
    rows: Rows
    packed: Packed
    end: Mapping[str, Any]
    """Columns of the chunk's row."""
    new: bool
    rest: Hold


def prepare(
    database: Database,
    held: Claim,
    made: Made,
    *,
    versions: dict[str, str],
    new: bool,
    licence: str,
    distinct: Distinct = Distinct.EXACT,
    rest: Hold = Hold.GO_ON,
) -> Prepared:
    """Packs what a chunk made; all that can be done before the transaction.

    Args:
        database: where it will be stored.
        held: the lease.
        made: its batches, in order, and at least one.
        versions: part to NAME==VERSION.
        new: rows that another job had stored do not count.
        licence: written beside each puzzle.
        distinct: when two rows of the job count as one.
        rest: what becomes of positions that were not reached: PAUSE leaves them waiting in a chunk of their
            own, STOP drops them.
    """
    whole = joined([batch.rows for batch in made.batches])
    packed = pack(
        held,
        whole,
        licence,
        binary=database.engine.dialect.name == "postgresql",
        grader=versions.get(Part.GRADER.value),
        distinct=distinct,
    )
    reports: dict[str, ReportSum] = {}
    for batch in made.batches:
        merge_reports(reports, batch.reports)
    end: dict[str, Any] = {
        "versions": versions,
        "reports": {name: [one.total, one.weight, one.least, one.greatest] for name, one in reports.items()}
        or None,
    }
    if isinstance(whole, LevelRows):
        end["outcome"] = outcome_of_levels(held.job, whole, sum(batch.barren for batch in made.batches))
    return Prepared(held, made, whole, packed, end, new, rest)


def finish(database: Database, ready: Prepared) -> None:
    """Stores what a chunk made and ends it; all of it or nothing.

    Raises:
        LeaseLostError: the chunk is another process's now; nothing was stored.
        StorageFullError: the disk is full; nothing was stored.
    """
    held = ready.held
    pauses = iter(_PAUSES)
    while True:
        try:
            with database.write(held.job) as connection:
                end = dict(ready.end)
                if isinstance(ready.rows, GradeRows):
                    end["outcome"] = outcome_of_grades(connection, held.job, ready.rows)
                _store(connection, held, ready.made, ready.packed, end, ready.new, ready.rest)
        except StoreError as error:
            pause = next(pauses, None) if _is_clash(error) else None
            if pause is None:
                raise
            time.sleep(pause)
        else:
            return


def _is_clash(error: StoreError) -> bool:
    cause = error.__cause__
    return isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlstate", None) in _CLASHES


def _store(
    connection: Connection,
    held: Claim,
    made: Made,
    packed: Packed,
    end: dict[str, Any],
    new: bool,
    rest: Hold,
) -> None:
    """The transaction of ``finish``: it may be tried again as long as it is not committed.

    On PostgreSQL locks are taken in one order by all, so that none waits for each other in a circle: the own
    chunk, finals by id, puzzles by id, grades by id, and last what ``settle`` takes. The job's row is not among
    them: whoever steers a job locks that first and its chunks after.
    """
    if not connection.execute(update(Chunk).where(*held_by(held)).values(state=ChunkState.DONE.value)).rowcount:
        raise LeaseLostError(chunk=held.chunk)
    counts = _keep(connection, held, packed, new)
    counts["missed"] += sum(batch.barren for batch in made.batches)
    counts["failed"] = _keep_errors(connection, held, [error for batch in made.batches for error in batch.errors])
    connection.execute(
        update(Chunk)
        .where(Chunk.id == held.chunk)
        .values(
            stop=made.reached,
            owner=None,
            lease_token=None,
            lease_until=None,
            ended_at=Now(),
            seconds=made.seconds,
            **end,
            **{name: counts[name] for name in COUNTERS},
        )
    )
    if made.reached < held.stop:
        # the job may have ended since its holder looked
        ended = select(Job.ended_at).where(Job.id == held.job)
        waits = rest is Hold.PAUSE and connection.execute(ended).scalar_one() is None
        connection.execute(insert(Chunk).values(_left(connection, held, made.reached, waits)))


def _left(connection: Connection, held: Claim, reached: int, waits: bool) -> dict[str, Any]:
    """The chunk of what was not reached.

    It gets a turn of its own: a chunk that was planned a hundred times too large has a hundred rests, and with its
    turn they would all go before whatever was ordered since it was claimed.
    """
    if not waits:
        return waiting_chunk(held.job, held.turn, reached, held.stop) | {"state": ChunkState.DROPPED.value}
    turn = step_in(connection, held.job, held.turn.kind, held.turn.priority, held.stop - reached)
    return waiting_chunk(held.job, turn, reached, held.stop)


def _keep(connection: Connection, held: Claim, packed: Packed, new: bool) -> Counter[str]:
    """Inserts the rows and says what their positions came to."""
    match packed:
        case PackedSolutions(solutions):
            if isinstance(solutions, CopyRows):
                copy_in(connection, Solution.__tablename__, solutions)
            elif solutions:
                connection.execute(insert(Solution), solutions)
            return Counter(delivered=len(solutions))
        case PackedFinals():
            return _keep_finals(connection, held, packed, new)
        case PackedGrades(grades, count):
            _insert_grades(connection, grades)
            return Counter(delivered=count)
        case PackedLevels():
            return _keep_levels(connection, held, packed, new)


def _keep_finals(connection: Connection, held: Claim, packed: PackedFinals, new: bool) -> Counter[str]:
    if packed.classes is not None:
        _insert_new(connection, FinalRow, CLASSED_FINAL_COLUMNS, packed.finals)
        return settle_classes(connection, held, FinalRow, packed.hits(), packed.classes, new)
    inserted = _insert_new(connection, FinalRow, FINAL_COLUMNS, packed.finals)
    if inserted == len(packed.finals):
        return Counter(delivered=inserted)
    return settle(connection, held, FinalRow, packed.hits(), new)


def _keep_levels(connection: Connection, held: Claim, packed: PackedLevels, new: bool) -> Counter[str]:
    _insert_new(connection, FinalRow, FINAL_COLUMNS, packed.finals)
    inserted = _insert_new(connection, Puzzle, PUZZLE_COLUMNS, packed.puzzles)
    if packed.grades is not None:
        _insert_grades(connection, packed.grades)
    hits = packed.hits
    missed = Counter(missed=len(packed.puzzles) - len(hits))
    if packed.classes is not None:
        return settle_classes(connection, held, Puzzle, hits, packed.classes, new) + missed
    if inserted == len(packed.puzzles):
        return Counter(delivered=len(hits)) + missed
    return settle(connection, held, Puzzle, hits, new) + missed


_GRADE_KEY: Final = ("puzzle_id", "grader", "version")

_BETTER_GRADE: Final = (
    f"({', '.join(_GRADE_KEY)}) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in GRADE_COLUMNS if name not in _GRADE_KEY)
    + " WHERE grade.status <> 'graded' AND (excluded.status = 'graded' OR excluded.at_least > grade.at_least)"
)
"""One that came to an end takes the place of a lower bound, and a higher bound that of a lower one."""


def _insert_grades(connection: Connection, rows: Sheet) -> None:
    """Inserts grades; what is known already stays."""
    if isinstance(rows, CopyRows):
        merge(connection, Grade.__tablename__, rows, _BETTER_GRADE)
    elif rows:
        connection.exec_driver_sql(_insertion(Grade.__tablename__, GRADE_COLUMNS, _BETTER_GRADE), rows)


def _insertion(table: str, columns: Sequence[str], conflict: str) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT {conflict}"  # noqa: S608


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


def _insert_new(
    connection: Connection, table: type[FinalRow] | type[Puzzle], columns: Sequence[str], rows: Sheet
) -> int:
    """Inserts the rows whose id is not there yet, and returns how many that were.

    They are sorted by id, because then the key's B-tree is walked once from left to right, and because writers
    that insert in one order do not wait for each other in a circle. SQLite takes driver tuples: SQLAlchemy's own
    parameter handling would cost as much again as the insert itself.
    """
    if isinstance(rows, CopyRows):
        return merge(connection, table.__tablename__, rows)
    if not rows:
        return 0
    return connection.exec_driver_sql(_insertion(table.__tablename__, columns, "(id) DO NOTHING"), rows).rowcount
