"""Steering a job: pause, resume, cancel, retry. Holders of its chunks see it between their batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from sudokumill.errors import JobStateError
from sudokumill.store.database import Database
from sudokumill.store.models import PUBLISHED, Chunk, ChunkState, ItemFailure, Job, JobState
from sudokumill.store.progress import Progress, read_progress
from sudokumill.store.turns import catch_up, next_turn, waiting_chunk

_LONGEST_RETRY: Final = 1_000
"""Positions of a chunk that is tried again, at the most."""


def pause(database: Database, job: int) -> None:
    """Stops a job so that it can go on later.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write(job) as connection:
        found = _locked(connection, job)
        if found.state.ended:
            raise JobStateError(job=job, state=found.state.value, verb="paused", hint="it has ended")
        connection.execute(
            update(Job)
            .where(Job.id == job)
            .values(state=JobState.PAUSED.value, worked=found.worked, running_since=None)
        )


def resume(database: Database, job: int) -> None:
    """Lets a paused or interrupted job go on.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write(job) as connection:
        found = _locked(connection, job)
        if found.state.ended:
            if found.failed and found.state is not JobState.DONE:
                hint = f"to try again what failed: sudokumill jobs retry {job}"
            elif found.state is JobState.DONE:
                hint = "it delivered all that was ordered"
            elif found.state is JobState.CANCELLED:
                hint = "order it again"
            else:
                hint = "order again what is missing"
            raise JobStateError(job=job, state=found.state.value, verb="resumed", hint=hint)
        if found.state is JobState.PAUSED:
            connection.execute(update(Job).where(Job.id == job).values(state=JobState.WAITING.value))
            # what was published before the pause was dropped by the workers
            connection.execute(update(Chunk).where(PUBLISHED, Chunk.job_id == job).values(published_at=None))
            catch_up(connection, job)


def cancel(database: Database, job: int) -> None:
    """Ends a job; what it stored stays.

    Raises:
        UnknownJobError, JobStateError: there is none, or it has ended.
    """
    with database.write(job) as connection:
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
            .values(
                state=JobState.CANCELLED.value,
                reason="cancelled by a person",
                worked=found.worked,
                running_since=None,
                ended_at=datetime.now(UTC),
            )
        )


def retry(database: Database, job: int) -> int:
    """Tries the positions that failed again, for example after a plugin was mended, in chunks of their own.

    What came out well stays as it is: a mended plugin may make something else of the same positions.

    Returns:
        How many positions wait again.

    Raises:
        UnknownJobError, JobStateError: there is none, or nothing of it failed.
    """
    with database.write(job) as connection:
        found = _locked(connection, job)
        if not found.state.ended or found.state is JobState.CANCELLED:
            hint = "order it again" if found.state is JobState.CANCELLED else f"sudokumill jobs resume {job}"
            raise JobStateError(job=job, state=found.state.value, verb="retried", hint=hint)
        # read and removed in one statement: a chunk of a job that was given up may end at this moment, and what
        # failed of it stays where it is
        failed = sorted(
            tuple(row)
            for row in connection.execute(
                delete(ItemFailure)
                .where(ItemFailure.job_id == job)
                .returning(ItemFailure.position, ItemFailure.chunk_id)
            )
        )
        if not failed:
            raise JobStateError(job=job, state=found.state.value, verb="retried", hint="nothing of it failed")
        # in the order in which a chunk that ends takes these locks
        for chunk, number in sorted(Counter(chunk for _, chunk in failed).items()):
            connection.execute(
                update(Chunk)
                .where(Chunk.id == chunk)
                .values(failed=Chunk.failed - number, moved=Chunk.moved + number)
            )
        turn = next_turn(connection, job, found.kind.value, found.priority)
        connection.execute(
            insert(Chunk),
            [
                waiting_chunk(job, turn.later(index), *bounds)
                for index, bounds in enumerate(_ranges([position for position, _ in failed]))
            ],
        )
        connection.execute(
            update(Job)
            .where(Job.id == job)
            .values(
                state=JobState.WAITING.value,
                reason=None,
                delivered=None,
                last_position=None,
                worked=0.0,
                ended_at=None,
            )
        )
        return len(failed)


def _ranges(positions: list[int]) -> Iterator[tuple[int, int]]:
    """Rising positions as ranges, none longer than a chunk."""
    low = high = positions[0]
    for position in positions:
        if position > high or high - low == _LONGEST_RETRY:
            yield low, high
            low = position
        high = position + 1
    yield low, high


def _locked(connection: Connection, job: int) -> Progress:
    connection.execute(select(Job.id).where(Job.id == job).with_for_update(key_share=True))
    return read_progress(connection, job)
