"""A job's clock: for how long it was worked on. It goes by the database's clock and stands still between runs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, case, func, select, update

from sudokumill.store.database import Database, Now
from sudokumill.store.models import RUNNING, Chunk, Job, JobState


def time_worked() -> Any:
    """SQL: seconds that a job was run, all its runs together."""
    return Job.worked + func.coalesce(Now() - Job.running_since, 0.0)


def stop_clock(database: Database, job: int) -> None:
    """Notes that a run of the job is over although the job has not ended; it then waits to go on."""
    with database.write(job) as connection:
        stop_clock_in(connection, job)
        running = select(Chunk.id).where(Chunk.job_id == job, RUNNING).limit(1)
        if connection.execute(running).first() is None:
            connection.execute(
                update(Job)
                .where(Job.id == job, Job.state == JobState.RUNNING)
                .values(state=JobState.WAITING.value)
            )


def stop_clock_in(connection: Connection, job: int, worked_until_last_chunk: bool = False) -> None:
    """``stop_clock`` within a transaction, without a look at the job's state.

    Args:
        connection: the transaction.
        job: whose clock.
        worked_until_last_chunk: the run ended when its last chunk was claimed or stored, not now.
    """
    worked: Any = time_worked()
    if worked_until_last_chunk:
        last = (
            select(func.max(func.coalesce(Chunk.ended_at, Chunk.claimed_at)))
            .where(Chunk.job_id == Job.id)
            .scalar_subquery()
        )
        since = func.coalesce(last, Job.running_since) - Job.running_since
        worked = Job.worked + case((since > 0, since), else_=0.0)
    connection.execute(
        update(Job).where(Job.id == job, Job.running_since.is_not(None)).values(worked=worked, running_since=None)
    )


def abandon_clock(database: Database, job: int) -> None:
    """Stops the clock of a job whose workers have gone without a word: they worked until its last chunk."""
    with database.write(job) as connection:
        stop_clock_in(connection, job, worked_until_last_chunk=True)
