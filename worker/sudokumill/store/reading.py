"""Questions to the store: what chunks reported, what came to nothing and why, what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from sudokumill.rows import Failure, ReportSum
from sudokumill.store.database import Database
from sudokumill.store.models import (
    Chunk,
    ChunkState,
    FinalRow,
    Input,
    ItemFailure,
    Job,
    Puzzle,
    Solution,
)


def reports(database: Database, job: int) -> dict[str, ReportSum]:
    """What the job's implementations reported, added up over its chunks."""
    sums: dict[str, ReportSum] = {}
    with database.read() as connection:
        for found in connection.execute(
            select(Chunk.reports).where(Chunk.job_id == job, Chunk.reports.is_not(None))
        ).scalars():
            for name, values in (found or {}).items():
                one = ReportSum(*values)
                sums[name] = sums[name].plus(one) if name in sums else one
    return sums


def failures(database: Database, job: int, limit: int = 10) -> list[Failure]:
    """The item errors of a job by owner and reason, the most frequent first."""
    with database.read() as connection:
        return read_failures(connection, job, limit)


def read_failures(connection: Connection, job: int, limit: int) -> list[Failure]:
    """``failures`` within a transaction."""
    rows = connection.execute(
        select(
            ItemFailure.owner,
            ItemFailure.reason,
            func.count().label("times"),
            func.min(ItemFailure.position).label("first"),
        )
        .where(ItemFailure.job_id == job)
        .group_by(ItemFailure.owner, ItemFailure.reason)
        .order_by(func.count().desc(), ItemFailure.reason)
        .limit(limit)
    )
    return [Failure(row.owner, row.reason, row.times, row.first) for row in rows]


def failed_lines(database: Database, job: int, limit: int) -> list[tuple[int, str]]:
    """(line, reason) of the grids of a file that came to nothing, in their order, at most ``limit``."""
    query = (
        select(Input.line, ItemFailure.reason)
        .join(Input, (Input.job_id == ItemFailure.job_id) & (Input.position == ItemFailure.position))
        .where(ItemFailure.job_id == job, Input.line.is_not(None))
        .order_by(ItemFailure.position)
        .limit(limit)
    )
    with database.read() as connection:
        return [(line or 0, reason) for line, reason in connection.execute(query)]


def first_lines(database: Database, job: int, rows: Sequence[Failure]) -> dict[int, int]:
    """Where the grids stood in the job's file that item errors name first: position to line."""
    places = [one.first for one in rows]
    query = select(Input.position, Input.line).where(Input.job_id == job, Input.position.in_(places))
    with database.read() as connection:
        return {position: line for position, line in connection.execute(query) if line is not None}


def off_target(database: Database, job: int) -> int:
    """How many levels are stored that a job made and that are not what it asked for."""
    query = select(func.count()).select_from(Puzzle).where(Puzzle.job_id == job, ~Puzzle.on_target)
    with database.read() as connection:
        return int(connection.execute(query).scalar_one())


def versions(database: Database, job: int) -> list[dict[str, str]]:
    """The sets of versions that made the job's rows; more than one when workers were updated meanwhile."""
    with database.read() as connection:
        found = connection.execute(
            select(Chunk.versions).where(Chunk.job_id == job, Chunk.state == ChunkState.DONE)
        ).scalars()
        sets: list[dict[str, str]] = []
        for each in found:
            if each is not None and each not in sets:
                sets.append(each)
        return sets


def counts(database: Database) -> dict[str, int]:
    """Rows of the large tables."""
    with database.read() as connection:
        return {
            table.__tablename__: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (Job, FinalRow, Puzzle, Solution)
        }


def inputs(database: Database, job: int, start: int, stop: int) -> list[str]:
    """The grids that positions ``start`` .. ``stop - 1`` of a job start from."""
    with database.read() as connection:
        return list(
            connection.execute(
                select(Input.digits)
                .where(Input.job_id == job, Input.position >= start, Input.position < stop)
                .order_by(Input.position)
            ).scalars()
        )
