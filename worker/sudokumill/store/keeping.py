"""Keeping what a chunk made: all its rows and its end in one transaction, under its lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, insert, update
from sqlalchemy.dialects import postgresql

from sudokumill.errors import LeaseLostError
from sudokumill.rows import Batch, ItemError, ReportSum, joined, merge
from sudokumill.store.database import Database
from sudokumill.store.leases import Claim, Hold, held_by
from sudokumill.store.models import (
    COUNTERS,
    Chunk,
    ChunkState,
    FinalRow,
    ItemFailure,
    Puzzle,
    Solution,
    waiting_chunk,
)
from sudokumill.store.packing import (
    FINAL_COLUMNS,
    PUZZLE_COLUMNS,
    Packed,
    PackedFinals,
    PackedLevels,
    PackedSolutions,
    Values,
    pack,
)
from sudokumill.store.settling import settle


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
        made: its batches, in order, and at least one.
        versions: part to NAME==VERSION.
        new: rows that another job had stored do not count.
        licence: written beside each puzzle.
        rest: what becomes of positions that were not reached: PAUSE leaves them waiting in a chunk of their
            own, STOP drops them.

    Raises:
        LeaseLostError: the chunk is another process's now; nothing was stored.
        StorageFullError: the disk is full; nothing was stored.
    """
    packed = pack(held, joined([batch.rows for batch in made.batches]), licence)
    errors = [error for batch in made.batches for error in batch.errors]
    reports: dict[str, ReportSum] = {}
    for batch in made.batches:
        merge(reports, batch.reports)
    with database.write(held.job) as connection:
        if not connection.execute(
            update(Chunk).where(*held_by(held)).values(state=ChunkState.DONE.value)
        ).rowcount:
            raise LeaseLostError(chunk=held.chunk)
        counts = _keep(connection, held, packed, new)
        counts["failed"] = _keep_errors(connection, held, errors)
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
                **{name: counts[name] for name in COUNTERS},
            )
        )
        if made.reached < held.stop:
            state = ChunkState.WAITING if rest is Hold.PAUSE else ChunkState.DROPPED
            left = waiting_chunk(held.job, made.reached, held.stop) | {"state": state.value}
            connection.execute(insert(Chunk).values(left))


def _keep(connection: Connection, held: Claim, packed: Packed, new: bool) -> Counter[str]:
    """Inserts the rows and says what their positions came to."""
    match packed:
        case PackedSolutions(solutions):
            if solutions:
                connection.execute(insert(Solution), solutions)
            return Counter(delivered=len(solutions))
        case PackedFinals(finals, hits):
            inserted = _insert_new(connection, FinalRow, FINAL_COLUMNS, finals)
            if inserted == len(finals):
                return Counter(delivered=inserted)
            return settle(connection, held, FinalRow, hits, new)
        case PackedLevels(finals, puzzles, hits):
            _insert_new(connection, FinalRow, FINAL_COLUMNS, finals)
            inserted = _insert_new(connection, Puzzle, PUZZLE_COLUMNS, puzzles)
            missed = Counter(missed=len(puzzles) - len(hits))
            if inserted == len(puzzles):
                return Counter(delivered=len(hits)) + missed
            return settle(connection, held, Puzzle, hits, new) + missed


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
    connection: Connection, table: type[FinalRow] | type[Puzzle], columns: Sequence[str], rows: list[Values]
) -> int:
    """Inserts the rows whose id is not there yet, and returns how many that were.

    They are sorted by id, because then the key's B-tree is walked once from left to right, and because writers
    that insert in one order do not wait for each other in a circle. SQLite takes driver tuples: SQLAlchemy's own
    parameter handling would cost as much again as the insert itself.
    """
    if not rows:
        return 0
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        sql = (
            f"INSERT INTO {table.__tablename__} ({', '.join(columns)}) VALUES ({marks}) "  # noqa: S608 - own names
            "ON CONFLICT (id) DO NOTHING"
        )
        return connection.exec_driver_sql(sql, rows).rowcount
    return connection.execute(
        postgresql.insert(table).on_conflict_do_nothing(index_elements=["id"]),
        [dict(zip(columns, row, strict=True)) for row in rows],
        execution_options={"preserve_rowcount": True},
    ).rowcount
