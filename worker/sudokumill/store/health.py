"""Whether the workers of this machine get on: do they beat, and do they take up what waits for them?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import exists, select

from sudokumill.errors import UnreadableJobError
from sudokumill.store.database import Database, Now
from sudokumill.store.models import PUBLISHED, UNPUBLISHED, Chunk, Job, JobState
from sudokumill.store.owners import is_gone, machine_name
from sudokumill.store.progress import read_spec
from sudokumill.store.workers import Crew, WorkerRow, workers


@dataclass(frozen=True)
class Health:
    """A worker whose process is there."""

    worker: WorkerRow
    idle: float
    """Seconds since it started, or last claimed or ended a chunk."""
    waiting: tuple[int, ...]
    """Jobs of which chunks wait that it could make, though it has been idle for longer than is sensible."""


def health_here(database: Database, patience: float) -> list[Health]:
    """The workers of the fleet whose processes run on this machine; in a container that is its own.

    Args:
        database: where their rows are.
        patience: seconds that a worker may be at its chunks, and that a job may have been there, before a waiting
            chunk speaks against the worker. Shorter than a chunk may take, all that are busy would look stuck.
    """
    found = [
        each
        for each in workers(database, machine_name())
        if each.crew.job is None and not each.left and not is_gone(each.crew.name)
    ]
    with database.read() as connection:
        now = connection.execute(select(Now())).scalar_one()
    healths = []
    for each in found:
        since_start = now - each.started_at
        idle = since_start if each.busy_at is None else min(since_start, each.busy_at)
        waiting = _waiting(database, each.crew, patience) if idle > patience else ()
        healths.append(Health(each, idle, waiting))
    return healths


def _waiting(database: Database, crew: Crew, patience: float) -> tuple[int, ...]:
    """Jobs of which chunks wait that a worker could make.

    Chunks whose ids are not published count too: that they are not is what a broker that is away looks like. A job
    that was just ordered does not: an id that got lost on its way is sent again after a while.
    """
    ordered_before = datetime.now(UTC) - timedelta(seconds=patience)
    with database.read() as connection:
        rows = connection.execute(
            select(Job.id, Job.spec)
            .where(
                Job.state.in_([JobState.WAITING, JobState.RUNNING]),
                Job.kind.in_(crew.kinds),
                Job.ordered_at < ordered_before,
                exists().where(Chunk.job_id == Job.id, PUBLISHED | UNPUBLISHED),
            )
            .order_by(Job.id)
        ).all()
    return tuple(row.id for row in rows if _can(crew, row.id, row.spec))


def _can(crew: Crew, job: int, stored: Any) -> bool:
    try:
        return crew.can(read_spec(job, stored))
    except UnreadableJobError:
        return False
