"""Questions to the store: jobs, progress, what was delivered, levels to show."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection, Row, Select, desc, func, literal, null, or_, select, union_all

from sudokumill.errors import UnknownJobError, UnreadableJobError
from sudokumill.jobs import JobKind, JobSpec, Part
from sudokumill.rows import Failure, ReportSum
from sudokumill.store.clock import time_worked
from sudokumill.store.database import Database, Now
from sudokumill.store.grades import grade_columns, in_band, is_newest
from sudokumill.store.levels import level_query
from sudokumill.store.models import (
    COUNTERS,
    PUBLISHED,
    RUNNING,
    UNPUBLISHED,
    Band,
    Chunk,
    ChunkState,
    Delivery,
    FinalRow,
    Grade,
    Input,
    ItemFailure,
    Job,
    JobState,
    Puzzle,
    Solution,
)
from sudokumill.store.owners import is_gone
from sudokumill.store.workers import read_live

OPEN: Final = (ChunkState.WAITING.value, ChunkState.RUNNING.value)
"""States of chunks whose positions are still to come."""

TRIED: Final = (ChunkState.DONE.value, ChunkState.DEAD.value)
"""States of chunks whose positions were tried."""


@dataclass(frozen=True)
class Progress:
    """How far a job is, counted from its chunks' rows."""

    id: int
    kind: JobKind
    state: JobState
    reason: str | None
    key: str | None
    count: int
    seed: int
    priority: int
    spec: JobSpec
    planned: int
    ordered_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    last_position: int | None
    tried: int
    """Positions that were tried."""
    delivered: int
    """Positions that count, at most ``count``."""
    qualified: int
    """Positions that could be delivered, also those beyond the last one needed."""
    already: int
    repeated: int
    missed: int
    not_new: int
    failed: int
    dropped: int
    """Rows off target that were dropped from stock since."""
    dropped_hits: int
    """Surplus rows that were; their positions do not count any more."""
    stock: int
    """Delivered positions that were taken from stock before any was tried; they count as tried, too."""
    seconds: float
    """Time that lines took, over all processes."""
    worked: float
    """Seconds that it was run."""
    chunks: dict[ChunkState, int]
    at_work: bool = False
    """Whether somebody works on it, or lives who will take its next chunk, where that was looked at."""
    in_hand: int = 0
    """Positions that are made but not stored yet, where the reader knows of them."""
    hits_in_hand: int = 0
    """Those of them that are as ordered, so far as is known before they are stored."""

    @property
    def surplus(self) -> int:
        """Positions beyond the last one needed; their rows are stock, or were."""
        return self.qualified - self.delivered + self.dropped_hits

    @property
    def hits(self) -> int:
        """Positions that the job tried itself and that are as ordered, whatever became of their rows."""
        return self.qualified - self.stock + self.dropped_hits


def progress(database: Database, job: int) -> Progress:
    """How far a job is.

    Raises:
        UnknownJobError: there is none with this id.
        UnreadableJobError: a newer version ordered it.
    """
    with database.read() as connection:
        return _with_workers(connection, read_progress(connection, job))


def read_progress(connection: Connection, job: int) -> Progress:
    """``progress`` within a transaction, without a look at who works on it."""
    row = connection.execute(select(Job, time_worked().label("time_worked")).where(Job.id == job)).one_or_none()
    if row is None:
        raise UnknownJobError(job=job)
    return _progress(connection, row)


def jobs(database: Database, limit: int | None = None) -> tuple[list[Progress], list[UnreadableJobError]]:
    """All jobs, the newest first; and what is to be said of those that a newer version ordered."""
    found: list[Progress] = []
    unreadable: list[UnreadableJobError] = []
    with database.read() as connection:
        rows = connection.execute(
            select(Job, time_worked().label("time_worked")).order_by(Job.id.desc()).limit(limit)
        ).all()
        for row in rows:
            try:
                found.append(_with_workers(connection, _progress(connection, row)))
            except UnreadableJobError as error:
                unreadable.append(error)
    return found, unreadable


def _progress(connection: Connection, row: Row[Any]) -> Progress:
    if row.kind not in list(JobKind) or row.state not in list(JobState):
        raise UnreadableJobError(job=row.id)
    sums = {
        found.state: found
        for found in connection.execute(
            select(
                Chunk.state,
                func.count().label("chunks"),
                func.sum(Chunk.stop - Chunk.start - Chunk.moved).label("positions"),
                *(
                    func.sum(getattr(Chunk, name)).label(name)
                    for name in (*COUNTERS, "dropped", "dropped_hits", "seconds")
                ),
            )
            .where(Chunk.job_id == row.id)
            .group_by(Chunk.state)
        )
    }

    def total(name: str) -> Any:
        return sum(getattr(sums[state], name) for state in TRIED if state in sums)

    # by name: "count" as an attribute of a row is the method of tuples
    count: int = row._mapping["count"]
    qualified = int(total("delivered"))
    delivered = row.delivered if row.delivered is not None else min(qualified, count)
    return Progress(
        id=row.id,
        kind=JobKind(row.kind),
        state=JobState(row.state),
        reason=row.reason,
        key=row.key,
        count=count,
        seed=row.seed,
        priority=row.priority,
        spec=read_spec(row.id, row.spec),
        planned=row.planned,
        ordered_at=row.ordered_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        last_position=row.last_position,
        tried=int(total("positions")),
        delivered=delivered,
        qualified=qualified,
        already=int(total("already")),
        repeated=int(total("repeated")),
        missed=int(total("missed") - total("dropped_hits")),
        not_new=int(total("not_new")),
        failed=int(total("failed")),
        dropped=int(total("dropped")),
        dropped_hits=int(total("dropped_hits")),
        stock=_stock(connection, row.id) if row.spec.get("from_stock") else 0,
        seconds=float(total("seconds")),
        worked=row.time_worked,
        chunks={ChunkState(state): found.chunks for state, found in sums.items()},
    )


def _stock(connection: Connection, job: int) -> int:
    taken = select(func.coalesce(func.sum(Chunk.delivered), 0)).where(Chunk.job_id == job, Chunk.start < 0)
    return int(connection.execute(taken).scalar_one())


def read_spec(job: int, stored: Any) -> JobSpec:
    """What a job orders, from its row.

    Raises:
        UnreadableJobError: a newer version ordered it.
    """
    try:
        return JobSpec.model_validate(stored)
    except ValidationError:
        raise UnreadableJobError(job=job) from None


def open_jobs(database: Database) -> list[tuple[int, JobSpec]]:
    """Jobs that wait or run, the oldest first, with what they order; without those of a newer version."""
    found: list[tuple[int, JobSpec]] = []
    with database.read() as connection:
        rows = connection.execute(
            select(Job.id, Job.spec).where(Job.state.in_([JobState.WAITING, JobState.RUNNING])).order_by(Job.id)
        )
        for row in rows:
            with contextlib.suppress(UnreadableJobError):
                found.append((row.id, read_spec(row.id, row.spec)))
    return found


def running_jobs(database: Database) -> list[int]:
    """Jobs of which a chunk was claimed and that have not ended."""
    with database.read() as connection:
        return list(
            connection.execute(select(Job.id).where(Job.state == JobState.RUNNING).order_by(Job.id)).scalars()
        )


def idle_jobs(database: Database) -> list[int]:
    """Jobs that are to be moved on, and nobody else will.

    They should go on and have no chunk that waits or runs: whoever was to cut the next ones has gone. Or they
    ended, and have one that waits: it was put down in the moment in which the job ended.
    """
    to_come = select(Chunk.id).where(Chunk.job_id == Job.id, Chunk.state.in_(OPEN))
    stopped = select(Job.id).where(Job.state.in_([JobState.WAITING, JobState.RUNNING]), ~to_come.exists())
    # from the chunks, which are few: jobs that have ended are more every day, and nobody may look at all of them
    left = select(Job.id).where(
        Job.ended_at.is_not(None), Job.id.in_(select(Chunk.job_id).where(or_(UNPUBLISHED, PUBLISHED)))
    )
    with database.read() as connection:
        return sorted({*connection.execute(stopped).scalars(), *connection.execute(left).scalars()})


def _with_workers(connection: Connection, found: Progress) -> Progress:
    """The same with ``at_work``."""
    if found.state not in {JobState.WAITING, JobState.RUNNING}:
        return found
    held = connection.execute(
        select(Chunk.owner, (Chunk.lease_until >= Now()).label("holds")).where(Chunk.job_id == found.id, RUNNING)
    )
    at_work = any(each.holds and not is_gone(each.owner) for each in held) or any(
        crew.takes(found.spec, found.id) for crew in read_live(connection)
    )
    return replace(found, at_work=at_work)


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


# --- what a job delivered --------------------------------------------------------------------------------


def delivered_positions(job: int, kind: JobKind) -> Select[int, bytes | None]:
    """(position, id) of what counts for a job, in order: its own rows on target, and what others had stored.

    Solutions have no id. Of a grade job, the inputs that did not fail.
    """
    if kind is JobKind.GRADE:
        return _graded_inputs(job).order_by(Input.position)
    if kind is JobKind.SOLVE:
        return (
            select(Solution.position, null().label("item_id"))
            .where(Solution.job_id == job)
            .order_by(Solution.position)
        )
    if kind is JobKind.GENERATE:
        own = select(FinalRow.position.label("position"), FinalRow.id.label("item_id")).where(
            FinalRow.job_id == job, FinalRow.on_target
        )
    else:
        own = select(Puzzle.position.label("position"), Puzzle.id.label("item_id")).where(
            Puzzle.job_id == job, Puzzle.on_target
        )
    others = select(Delivery.position, Delivery.item_id).where(Delivery.job_id == job)
    both = union_all(own, others).subquery()
    return select(both.c.position, both.c.item_id).order_by(both.c.position)


def last_delivered(job: int, kind: JobKind, surplus: int) -> Select[int]:
    """The position of the last row that a job delivers.

    Counted from the end: each table's index on (job, position) is read backwards for as many rows as are too many,
    and one more. From the beginning, PostgreSQL would read and sort all rows of the job.

    Args:
        job: which job.
        kind: its kind.
        surplus: positions that qualify beyond the last one needed.
    """
    others = select(Delivery.position).where(Delivery.job_id == job)
    own = {
        JobKind.SOLVE: [select(Solution.position).where(Solution.job_id == job)],
        JobKind.GRADE: [_graded_inputs(job).with_only_columns(Input.position)],
        JobKind.GENERATE: [select(FinalRow.position).where(FinalRow.job_id == job, FinalRow.on_target), others],
    }.get(kind, [select(Puzzle.position).where(Puzzle.job_id == job, Puzzle.on_target), others])
    ends = [select(each.order_by(desc("position")).limit(surplus + 1).subquery()) for each in own]
    both = union_all(*ends).subquery()
    return select(both.c.position).order_by(both.c.position.desc()).offset(surplus).limit(1)


def _graded_inputs(job: int) -> Select[int, bytes | None]:
    """The inputs of a grade job that have a grade by now, up to the first that was not tried."""
    failed = select(ItemFailure.position).where(
        ItemFailure.job_id == Input.job_id, ItemFailure.position == Input.position
    )
    untried = select(func.min(Chunk.start)).where(
        Chunk.job_id == job, Chunk.state.in_([*OPEN, ChunkState.DROPPED])
    )
    planned = select(Job.planned).where(Job.id == job)
    tried = func.coalesce(untried.scalar_subquery(), planned.scalar_subquery())
    return select(Input.position, Input.item_id).where(
        Input.job_id == job, Input.position < tried, ~failed.exists()
    )


def delivered_finals(job: int) -> Select[int, int, str]:
    """(job, position, digits) of the finals that a job delivered, or of its delivered puzzles, in order."""
    last = select(func.coalesce(Job.last_position, 2**62)).where(Job.id == job).scalar_subquery()
    finals = delivered_positions(job, JobKind.GENERATE).subquery()
    puzzles = delivered_positions(job, JobKind.LEVELS).subquery()
    of_finals = (
        select(literal(job).label("job_id"), finals.c.position, FinalRow.digits)
        .join(FinalRow, FinalRow.id == finals.c.item_id)
        .join(Job, Job.id == job)
        .where(Job.kind == JobKind.GENERATE, finals.c.position <= last)
    )
    of_puzzles = (
        select(literal(job).label("job_id"), puzzles.c.position, FinalRow.digits)
        .join(Puzzle, Puzzle.id == puzzles.c.item_id)
        .join(FinalRow, FinalRow.id == Puzzle.final_id)
        .join(Job, Job.id == job)
        .where(Job.kind != JobKind.GENERATE, puzzles.c.position <= last)
    )
    both = union_all(of_finals, of_puzzles).subquery()
    return select(both.c.job_id, both.c.position, both.c.digits).order_by(both.c.position)


def newest_delivered(database: Database) -> tuple[int, Row[Any]] | None:
    """The newest job that delivered a level, and the first one that it did, with the columns of
    ``level_columns``."""
    counted = select(Chunk.id).where(Chunk.job_id == Job.id, Chunk.state.in_(TRIED), Chunk.delivered > 0)
    with database.read() as connection:
        job = connection.execute(
            select(Job.id, Job.spec)
            .where(Job.kind.in_([JobKind.LEVELS, JobKind.DIG]), counted.exists())
            .order_by(Job.id.desc())
            .limit(1)
        ).one_or_none()
        if job is None:
            return None
        # the first of each, and not of both: then nothing is sorted
        own = select(Puzzle.position.label("position"), Puzzle.id.label("item_id")).where(
            Puzzle.job_id == job.id, Puzzle.on_target
        )
        others = select(Delivery.position, Delivery.item_id).where(Delivery.job_id == job.id)
        firsts = [select(each.order_by("position").limit(1).subquery()) for each in (own, others)]
        both = union_all(*firsts).subquery()
        first = select(both).order_by(both.c.position).limit(1).subquery()
        grader = read_spec(job.id, job.spec).parts.get(Part.GRADER)
        query = level_query(among=first, grader=None if grader is None else grader.name)
        row = connection.execute(query).one_or_none()
    return None if row is None else (job.id, row)


def delivered_rows(database: Database, found: Progress) -> Iterator[Row[Any]]:
    """What a job delivered, in the order of positions, row by row without holding them all.

    Rows have ``position`` and: of a generate job ``id`` and ``digits``; of a levels or dig job the columns of
    ``level_columns``; of a grade job those of ``grade_columns`` with ``id``, ``puzzle`` and
    ``line``; of a solve job ``status``, ``solutions``, ``nodes`` and ``digits``, and of its input the
    ``puzzle`` and, where that came from a file, the ``line``.
    """
    last = found.last_position if found.last_position is not None else 2**62
    if found.kind is JobKind.SOLVE:
        query: Any = (
            select(
                Solution.position,
                Solution.status,
                Solution.count.label("solutions"),
                Solution.nodes,
                Solution.digits,
                Input.digits.label("puzzle"),
                Input.line,
            )
            .join(Input, (Input.job_id == Solution.job_id) & (Input.position == Solution.position))
            .where(Solution.job_id == found.id, Solution.position <= last)
            .order_by(Solution.position)
            .limit(found.count)
        )
    elif found.kind is JobKind.GRADE:
        query = (
            _graded_inputs(found.id)
            .with_only_columns(
                Input.position, Input.digits.label("puzzle"), Input.line, Grade.puzzle_id.label("id"),
                *grade_columns(),
            )
            .join(Grade, (Grade.puzzle_id == Input.item_id) & (Grade.grader == found.spec.parts[Part.GRADER].name))
            .outerjoin(Band, in_band())
            .where(Input.position <= last, is_newest())
            .order_by(Input.position)
            .limit(found.count)
        )  # fmt: skip
    else:
        delivered = delivered_positions(found.id, found.kind).subquery()
        choice = found.spec.parts.get(Part.GRADER)
        if found.kind is JobKind.GENERATE:
            query = select(delivered.c.position, FinalRow.id, FinalRow.digits).join(
                FinalRow, FinalRow.id == delivered.c.item_id
            )
        else:
            query = level_query(
                delivered.c.position, among=delivered, grader=None if choice is None else choice.name
            )
        query = query.where(delivered.c.position <= last).order_by(delivered.c.position).limit(found.count)
    with database.read(streaming=True) as connection:
        yield from connection.execution_options(yield_per=5_000).execute(query)


# --- what is stored --------------------------------------------------------------------------------------


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
