"""How far jobs are, counted from their chunks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection, Row, func, or_, select

from sudokumill.errors import UnknownJobError, UnreadableJobError
from sudokumill.jobs import JobKind, JobSpec
from sudokumill.store.clock import time_worked
from sudokumill.store.database import Database, Now
from sudokumill.store.models import (
    COUNTERS,
    PUBLISHED,
    RUNNING,
    UNPUBLISHED,
    Chunk,
    ChunkState,
    Job,
    JobState,
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


def read_specs(rows: Iterable[Row[Any]]) -> dict[int, JobSpec]:
    """What jobs order, by their ids; without those of a newer version.

    Args:
        rows: with ``id`` and ``spec``.
    """
    found: dict[int, JobSpec] = {}
    for row in rows:
        with contextlib.suppress(UnreadableJobError):
            found[row.id] = read_spec(row.id, row.spec)
    return found


def open_jobs(database: Database) -> list[tuple[int, JobSpec]]:
    """Jobs that wait or run, the oldest first, with what they order; without those of a newer version."""
    wanted = select(Job.id, Job.spec).where(Job.state.in_([JobState.WAITING, JobState.RUNNING])).order_by(Job.id)
    with database.read() as connection:
        return list(read_specs(connection.execute(wanted)).items())


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
