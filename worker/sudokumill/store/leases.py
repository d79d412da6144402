"""Leases: who may run a chunk, and for how long.

A claim is one UPDATE: state running, one attempt more, a new token, an end by the database's clock. Whoever holds
the token may store the chunk's rows; a lease that ran out, or whose process has gone, is taken back by ``reap``.

    waiting --claim--> running --finish--> done
       ^                  |
       +--- give_back ----+      an orderly stop: the attempt does not count
       +------ reap ------+      the lease ran out: it counts; after the last one the chunk is split in two,
                                 and a single position that still fails is dead
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from sudokumill.errors import LeaseLostError
from sudokumill.jobs import JobSpec
from sudokumill.store.database import Database, Now
from sudokumill.store.models import Chunk, ChunkState, ItemFailure, Job, JobState, time_worked, waiting_chunk
from sudokumill.store.owners import is_gone

_DEATH_REASON: Final = "its process died, or ran beyond its lease, at every attempt"


@dataclass(frozen=True)
class Claim:
    """A chunk that this process may run."""

    chunk: int
    job: int
    start: int
    stop: int
    attempt: int
    token: str


class Hold(Enum):
    """What the holder of a lease is to do next."""

    GO_ON = auto()
    STOP = auto()
    """The job was cancelled or ended: keep what is made, drop the rest."""
    PAUSE = auto()
    """Keep what is made, the rest waits."""


def claim(database: Database, job: int, owner: str, lease_seconds: float) -> Claim | None:
    """The job's first waiting chunk, now this process's; None when none waits or the job does not run."""
    token = secrets.token_hex(16)
    runnable = select(Job.id).where(Job.id == job, Job.state.in_([JobState.WAITING, JobState.RUNNING]))
    first = (
        select(Chunk.id)
        .where(Chunk.job_id.in_(runnable), Chunk.state == ChunkState.WAITING)
        .order_by(Chunk.start)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    with database.write(job) as connection:
        # the job's row before its chunk's, as whoever steers the job does: or the two could wait for each other
        connection.execute(
            update(Job).where(Job.id == job, Job.state == JobState.WAITING).values(state=JobState.RUNNING.value)
        )
        found = connection.execute(
            update(Chunk)
            .where(Chunk.id == first)
            .values(
                state=ChunkState.RUNNING.value,
                attempt=Chunk.attempt + 1,
                owner=owner,
                lease_token=token,
                lease_until=Now() + lease_seconds,
            )
            .returning(Chunk.id, Chunk.job_id, Chunk.start, Chunk.stop, Chunk.attempt)
        ).one_or_none()
        if found is None:
            return None
    return Claim(found.id, found.job_id, found.start, found.stop, found.attempt, token)


def look(database: Database, held: Claim, max_seconds: float | None) -> Hold:
    """Whether the job wants the work to go on; reads only, so it can be asked between any two batches."""
    with database.read() as connection:
        row = connection.execute(select(Job.state, Job.worked, Job.resumed_at).where(Job.id == held.job)).one()
    state = JobState(row.state)
    if state is JobState.PAUSED:
        return Hold.PAUSE
    over = max_seconds is not None and time_worked(row.worked, row.resumed_at) >= max_seconds
    return Hold.STOP if over or state.ended else Hold.GO_ON


def renew(database: Database, held: Claim, lease_seconds: float) -> None:
    """Makes the lease longer.

    Raises:
        LeaseLostError: another process has the chunk now.
    """
    with database.write(held.job) as connection:
        renewed = connection.execute(
            update(Chunk).where(*held_by(held)).values(lease_until=Now() + lease_seconds)
        ).rowcount
        if not renewed:
            raise LeaseLostError(chunk=held.chunk)


def give_back(database: Database, held: Claim) -> None:
    """Puts the chunk back as if it had not been claimed; nothing happens when the lease was lost."""
    with database.write(held.job) as connection:
        connection.execute(
            update(Chunk)
            .where(*held_by(held))
            .values(state=ChunkState.WAITING.value, attempt=Chunk.attempt - 1, **_FREE)
        )


def reap(database: Database, job: int, chunk_attempts: int) -> int:
    """Takes back the chunks whose lease ran out or whose process on this machine has gone.

    Args:
        database: where.
        job: whose chunks.
        chunk_attempts: attempts before a chunk is split.

    Returns:
        How many chunks were taken back.
    """
    with database.read() as connection:
        running = connection.execute(
            select(
                Chunk.id,
                Chunk.owner,
                Chunk.lease_token,
                Chunk.lease_until,
                (Chunk.lease_until < Now()).label("over"),
            ).where(Chunk.job_id == job, Chunk.state == ChunkState.RUNNING)
        ).all()
    taken = 0
    for row in running:
        if row.over or is_gone(row.owner):
            with database.write(job) as connection:
                taken += _take_back(connection, row, chunk_attempts)
    return taken


def _suspects(connection: Connection, job: int) -> dict[str, str]:
    """Whose fault the death of a process can be: nobody was left to say which part was at work."""
    spec = JobSpec.model_validate(connection.execute(select(Job.spec).where(Job.id == job)).scalar_one())
    names = " or ".join(f"{part.value} {choice.name}" for part, choice in spec.parts.items())
    return {"part": next(iter(spec.parts)).value, "owner": names}


def held_by(held: Claim) -> tuple[ColumnElement[bool], ...]:
    """The condition under which a claim still holds its chunk."""
    return (
        Chunk.id == held.chunk,
        Chunk.lease_token == held.token,
        Chunk.state == ChunkState.RUNNING,
    )


_FREE: Final = {"owner": None, "lease_token": None, "lease_until": None}


def _take_back(connection: Connection, seen: Row[*tuple[Any, ...]], chunk_attempts: int) -> bool:
    """Takes back a chunk, if its lease is still the one that was seen to be over."""
    chunk: int = seen.id
    row = connection.execute(
        select(Chunk)
        .where(
            Chunk.id == chunk,
            Chunk.state == ChunkState.RUNNING,
            # meanwhile it may have been given back and claimed anew, or renewed
            Chunk.lease_token == seen.lease_token,
            Chunk.lease_until == seen.lease_until,
        )
        .with_for_update()
    ).one_or_none()
    if row is None:
        return False
    if row.attempt < chunk_attempts:
        values: dict[str, Any] = {"state": ChunkState.WAITING.value, **_FREE}
    elif row.stop - row.start > 1:
        middle = (row.start + row.stop) // 2
        connection.execute(
            insert(Chunk),
            [
                # one attempt each: a row that kills its process is found in log2(rows) deaths
                waiting_chunk(row.job_id, row.start, middle, chunk_attempts - 1),
                waiting_chunk(row.job_id, middle, row.stop, chunk_attempts - 1),
            ],
        )
        values = {"state": ChunkState.SPLIT.value, "reason": _DEATH_REASON, **_FREE}
    else:
        connection.execute(
            insert(ItemFailure).values(
                job_id=row.job_id,
                position=row.start,
                chunk_id=chunk,
                **_suspects(connection, row.job_id),
                reason=_DEATH_REASON,
            )
        )
        values = {"state": ChunkState.DEAD.value, "reason": _DEATH_REASON, "failed": 1, **_FREE}
    connection.execute(update(Chunk).where(Chunk.id == chunk).values(**values))
    return True
