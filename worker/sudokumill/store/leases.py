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

import os
import secrets
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from sudokumill.errors import LeaseLostError
from sudokumill.jobs import Part
from sudokumill.store.database import Database, Now
from sudokumill.store.models import Chunk, ChunkState, ItemFailure, Job, JobState
from sudokumill.store.placing import NO_COUNTS

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


def owner_name() -> str:
    """This process: host, process id, and the id's start time, so that a reused id is not mistaken for it."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_started(pid)}"


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
    with database.write() as connection:
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
        connection.execute(
            update(Job).where(Job.id == job, Job.state == JobState.WAITING).values(state=JobState.RUNNING.value)
        )
    return Claim(found.id, found.job_id, found.start, found.stop, found.attempt, token)


def look(database: Database, held: Claim, max_seconds: float | None) -> Hold:
    """Whether the job wants the work to go on; reads only, so it can be asked between any two batches."""
    with database.read() as connection:
        row = connection.execute(select(Job.state, Job.started_at).where(Job.id == held.job)).one()
    state = JobState(row.state)
    if state is JobState.PAUSED:
        return Hold.PAUSE
    over = (
        max_seconds is not None
        and row.started_at is not None
        and (datetime.now(UTC) - row.started_at).total_seconds() >= max_seconds
    )
    return Hold.STOP if over or state.ended else Hold.GO_ON


def renew(database: Database, held: Claim, lease_seconds: float) -> None:
    """Makes the lease longer.

    Raises:
        LeaseLostError: another process has the chunk now.
    """
    with database.write() as connection:
        renewed = connection.execute(
            update(Chunk).where(*held_by(held)).values(lease_until=Now() + lease_seconds)
        ).rowcount
        if not renewed:
            raise LeaseLostError(chunk=held.chunk)


def give_back(database: Database, held: Claim) -> None:
    """Puts the chunk back as if it had not been claimed; nothing happens when the lease was lost."""
    with database.write() as connection:
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
        if row.over or _is_gone(row.owner):
            with database.write() as connection:
                taken += _take_back(connection, row, chunk_attempts)
    return taken


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
                {
                    "job_id": row.job_id, "start": start, "stop": stop, "state": ChunkState.WAITING.value,
                    "attempt": chunk_attempts - 1, "seconds": 0.0, **NO_COUNTS,
                }
                for start, stop in ((row.start, middle), (middle, row.stop))
            ],
        )  # fmt: skip
        values = {"state": ChunkState.SPLIT.value, "reason": _DEATH_REASON, **_FREE}
    else:
        connection.execute(
            insert(ItemFailure).values(
                job_id=row.job_id,
                position=row.start,
                chunk_id=chunk,
                part=Part.GENERATOR.value,
                owner="unknown",
                reason=_DEATH_REASON,
            )
        )
        values = {"state": ChunkState.DEAD.value, "reason": _DEATH_REASON, "failed": 1, **_FREE}
    connection.execute(update(Chunk).where(Chunk.id == chunk).values(**values))
    return True


def _started(pid: int) -> str | None:
    """Start time of a process of this machine in clock ticks since boot; None when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # the name in parentheses may hold spaces; field 22 is the 20th after it
    state, *fields = stat.rpartition(")")[2].split()
    return None if state == "Z" else fields[18]


def _is_gone(owner: str | None) -> bool:
    """Whether the process that holds a lease was on this machine and is not any more."""
    host, _, rest = (owner or "").partition(":")
    pid, _, started = rest.partition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return _started(int(pid)) != started
