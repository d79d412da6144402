"""Steering a job: pause, resume, cancel, retry. Holders of its chunks see it between their batches."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select, update

from sudokumill.errors import JobStateError
from sudokumill.store.database import Database
from sudokumill.store.models import Chunk, ChunkState, ItemFailure, Job, JobState, Solution
from sudokumill.store.placing import NO_COUNTS
from sudokumill.store.reading import Progress, read_progress


def pause(database: Database, job: int) -> None:
    """Stops a job so that it can go on later.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write() as connection:
        found = _locked(connection, job)
        if found.state.ended:
            raise JobStateError(job=job, state=found.state.value, verb="paused", hint="it has ended")
        _set(connection, job, JobState.PAUSED)


def resume(database: Database, job: int) -> None:
    """Lets a paused or interrupted job go on.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write() as connection:
        found = _locked(connection, job)
        if found.state.ended:
            hint = {
                JobState.DONE: "it delivered all that was ordered",
                JobState.CANCELLED: "order it again",
            }.get(found.state, f"to try again what failed: sudokumill jobs retry {job}")
            raise JobStateError(job=job, state=found.state.value, verb="resumed", hint=hint)
        if found.state is JobState.PAUSED:
            _set(connection, job, JobState.WAITING)


def cancel(database: Database, job: int) -> None:
    """Ends a job; what it stored stays.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write() as connection:
        found = _locked(connection, job)
        if found.state.ended:
            raise JobStateError(job=job, state=found.state.value, verb="cancelled", hint="it has ended")
        connection.execute(
            update(Chunk)
            .where(Chunk.job_id == job, Chunk.state == ChunkState.WAITING)
            .values(state=ChunkState.DROPPED.value)
        )
        connection.execute(
            update(Job)
            .where(Job.id == job)
            .values(state=JobState.CANCELLED.value, reason="cancelled by a person", ended_at=datetime.now(UTC))
        )


def retry(database: Database, job: int) -> int:
    """Tries again the chunks in which positions failed, for example after a plugin was mended.

    Positions that came out well come out the same, and are found again, not stored twice.

    Returns:
        How many chunks wait again.

    Raises:
        UnknownJobError, JobStateError: there is none, or nothing of it failed.
    """
    with database.write() as connection:
        found = _locked(connection, job)
        if not found.state.ended or found.state is JobState.CANCELLED:
            hint = "order it again" if found.state is JobState.CANCELLED else f"sudokumill jobs resume {job}"
            raise JobStateError(job=job, state=found.state.value, verb="retried", hint=hint)
        chunks = list(
            connection.execute(
                select(Chunk.id).where(
                    Chunk.job_id == job,
                    Chunk.failed > 0,
                    Chunk.state.in_([ChunkState.DONE, ChunkState.DEAD]),
                )
            ).scalars()
        )
        if not chunks:
            raise JobStateError(job=job, state=found.state.value, verb="retried", hint="nothing of it failed")
        for chunk in chunks:
            connection.execute(delete(ItemFailure).where(ItemFailure.chunk_id == chunk))
            connection.execute(delete(Solution).where(Solution.chunk_id == chunk))
            connection.execute(
                update(Chunk)
                .where(Chunk.id == chunk)
                .values(
                    state=ChunkState.WAITING.value, attempt=0, reason=None, reports=None, seconds=0.0, **NO_COUNTS
                )
            )
        connection.execute(
            update(Job)
            .where(Job.id == job)
            .values(
                state=JobState.WAITING.value,
                reason=None,
                delivered=None,
                last_position=None,
                started_at=None,
                ended_at=None,
            )
        )
        return len(chunks)


def _locked(connection: Connection, job: int) -> Progress:
    connection.execute(select(Job.id).where(Job.id == job).with_for_update())
    return read_progress(connection, job)


def _set(connection: Connection, job: int, state: JobState) -> None:
    connection.execute(update(Job).where(Job.id == job).values(state=state.value))
