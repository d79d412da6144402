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

import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    case,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)

from sudokumill.errors import LeaseLostError, StoreError, UnknownChunkError, UnreadableJobError
from sudokumill.jobs import JobKind, JobSpec
from sudokumill.store.clock import time_worked
from sudokumill.store.column_types import UtcTime
from sudokumill.store.database import IDLE_SECONDS, Database, Now
from sudokumill.store.models import RUNNING, Chunk, ChunkState, ItemFailure, Job, JobState, Worker
from sudokumill.store.owners import is_gone
from sudokumill.store.progress import read_spec
from sudokumill.store.turns import Turn, step_in, waiting_chunk

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
    turn: Turn
    claimed: float
    """When, by this process's monotonic clock."""


@dataclass(frozen=True)
class Holder:
    """Who claims chunks."""

    owner: str
    """This process (see ``owners``)."""
    worker: str
    """The worker that it belongs to."""
    lease_seconds: float
    """How long a lease holds, at the claim and when it is renewed."""


class Hold(Enum):
    """What the holder of a lease is to do next."""

    GO_ON = auto()
    STOP = auto()
    """The job was cancelled or ended: keep what is made, drop the rest."""
    PAUSE = auto()
    """Keep what is made, the rest waits."""


def claim(database: Database, holder: Holder, *, job: int | None = None, chunk: int | None = None) -> Claim | None:
    """A waiting chunk, now this process's; None when it does not wait, or its job does not run.

    Args:
        database: where.
        holder: this process.
        job: its first waiting chunk is meant.
        chunk: this one is meant.
    """
    meant = Chunk.job_id == job if chunk is None else Chunk.id == chunk
    of_meant = select(Job.id).where(Job.id == job)
    if chunk is not None:
        of_meant = select(Chunk.job_id).where(Chunk.id == chunk)
    runnable = select(Job.id).where(
        Job.id == of_meant.scalar_subquery(), Job.state.in_([JobState.WAITING, JobState.RUNNING])
    )
    first = (
        select(Chunk.id)
        .where(meant, Chunk.job_id.in_(runnable), Chunk.state == ChunkState.WAITING)
        .order_by(Chunk.start)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    claimed = time.monotonic()
    token = secrets.token_hex(16)
    with database.write(job, lasting=False) as connection:
        # the job's row before its chunk's, as whoever steers the job does: or the two could wait for each other
        _set_going(connection, of_meant.scalar_subquery())
        found = connection.execute(
            update(Chunk)
            .where(Chunk.id == first)
            .values(
                state=ChunkState.RUNNING.value,
                attempt=Chunk.attempt + 1,
                owner=holder.owner,
                worker=holder.worker,
                lease_token=token,
                lease_until=Now() + holder.lease_seconds,
                claimed_at=Now(),
            )
            .returning(
                Chunk.id,
                Chunk.job_id,
                Chunk.start,
                Chunk.stop,
                Chunk.attempt,
                Chunk.kind,
                Chunk.priority,
                Chunk.turn,
            )
        ).one_or_none()
        if found is None:
            return None
    turn = Turn(found.kind, found.priority, found.turn)
    return Claim(found.id, found.job_id, found.start, found.stop, found.attempt, token, turn, claimed)


def _set_going(connection: Connection, job: Any) -> None:
    """A job that waits runs from now on, with its clock."""
    connection.execute(
        update(Job)
        .where(
            Job.id == job,
            or_(
                Job.state == JobState.WAITING,
                and_(Job.state == JobState.RUNNING, Job.running_since.is_(None)),
            ),
        )
        .values(
            state=JobState.RUNNING.value,
            started_at=func.coalesce(Job.started_at, literal(datetime.now(UTC), UtcTime)),
            running_since=func.coalesce(Job.running_since, Now()),
        )
    )


def waiting_job(database: Database, chunk: int) -> tuple[int, JobSpec] | None:
    """The job of a chunk that waits, and what it orders; None when the chunk does not wait, or its job not run.

    Raises:
        UnknownChunkError: there is no such chunk.
        UnreadableJobError: a newer version ordered it.
    """
    with database.read() as connection:
        found = connection.execute(
            select(Chunk.state.label("chunk_state"), Job.id, Job.state, Job.spec)
            .join(Job, Job.id == Chunk.job_id)
            .where(Chunk.id == chunk)
        ).one_or_none()
    if found is None:
        raise UnknownChunkError(chunk=chunk)
    if found.chunk_state != ChunkState.WAITING or found.state not in {JobState.WAITING, JobState.RUNNING}:
        return None
    return found.id, read_spec(found.id, found.spec)


def chunk_kind(database: Database, chunk: int) -> JobKind:
    """The kind of a chunk's job; the chunk must be there."""
    with database.read() as connection:
        return JobKind(connection.execute(select(Chunk.kind).where(Chunk.id == chunk)).scalar_one())


def look(database: Database, held: Claim, max_seconds: float | None) -> Hold:
    """Whether the job wants the work to go on; reads only, so it can be asked between any two batches."""
    with database.read() as connection:
        row = connection.execute(select(Job.state, time_worked().label("worked")).where(Job.id == held.job)).one()
    state = JobState(row.state)
    if state is JobState.PAUSED:
        return Hold.PAUSE
    over = max_seconds is not None and row.worked >= max_seconds
    return Hold.STOP if over or state.ended else Hold.GO_ON


def renew(database: Database, held: Claim, lease_seconds: float) -> None:
    """Makes the lease longer.

    Raises:
        LeaseLostError: another process has the chunk now.
    """
    with database.write(held.job, lasting=False) as connection:
        renewed = connection.execute(
            update(Chunk).where(*held_by(held)).values(lease_until=Now() + lease_seconds)
        ).rowcount
        if not renewed:
            raise LeaseLostError(chunk=held.chunk)


def give_back(database: Database, held: Claim) -> None:
    """Puts the chunk back as if it had not been claimed; nothing happens when the lease was lost."""
    with database.write(held.job, lasting=False) as connection:
        connection.execute(
            update(Chunk).where(*held_by(held)).values(state=_waiting(), attempt=Chunk.attempt - 1, **_FREE)
        )


def fail(database: Database, held: Claim, chunk_attempts: int, reason: str) -> None:
    """Ends an attempt that went wrong in this process; nothing happens when the lease was lost.

    Args:
        database: where.
        held: the lease.
        chunk_attempts: attempts before the chunk is split.
        reason: what went wrong, for the account of a position that fails at every attempt.
    """
    with database.write(held.job) as connection:
        row = connection.execute(select(Chunk).where(*held_by(held)).with_for_update()).one_or_none()
        if row is not None:
            _end_attempt(connection, row, chunk_attempts, reason)


def reap(
    database: Database,
    job: int | None,
    chunk_attempts: int,
    note: Callable[[int, int], object] = lambda _job, _chunk: None,
) -> int:
    """Takes back chunks whose lease ran out, whose worker beats no more, or whose process here has gone.

    What was claimed after its worker's last heartbeat had run out was claimed by a process that lives: only the
    reaper beside it is in trouble then, and by its silence healthy rows would be called deadly.

    Args:
        database: where.
        job: whose chunks; None for those of all jobs.
        chunk_attempts: attempts before a chunk is split.
        note: told the job and the number of each chunk that was taken back.

    Returns:
        How many chunks were taken back.
    """
    silent = exists().where(
        Worker.name == Chunk.worker,
        Worker.live_until < Now(),
        Worker.live_until >= Chunk.claimed_at,
        Worker.left_at.is_(None),
    )
    with database.read() as connection:
        running = connection.execute(
            select(
                Chunk.id,
                Chunk.job_id,
                Chunk.owner,
                Chunk.lease_token,
                Chunk.lease_until,
                or_(Chunk.lease_until < Now(), silent).label("over"),
                (Now() - Chunk.lease_until).label("late"),
            ).where(RUNNING, *(() if job is None else (Chunk.job_id == job,)))
        ).all()
    taken = 0
    for row in running:
        if row.over or is_gone(row.owner):
            # one of a job that a newer version ordered, and that needs more than to wait again, is for its reapers
            with contextlib.suppress(UnreadableJobError), database.write(row.job_id) as connection:
                if _take_back(connection, row, chunk_attempts):
                    taken += 1
                    note(row.job_id, row.id)
                    continue
            if row.late > IDLE_SECONDS:
                _end_frozen(database, row.id)
    return taken


_FROZEN: Final = text(
    """
    SELECT pg_terminate_backend(session.pid)
    FROM chunk
    JOIN pg_locks AS held ON held.locktype = 'transactionid' AND held.granted AND held.transactionid = chunk.xmax
    JOIN pg_stat_activity AS session ON session.pid = held.pid
    WHERE chunk.id = :chunk AND session.wait_event = 'ClientRead'
    """
)


def _end_frozen(database: Database, chunk: int) -> None:
    """Ends the session of who froze while he sent a chunk's rows, and so keeps the chunk locked.

    PostgreSQL has a limit for a client that says nothing between two statements, and none for one that says
    nothing within a COPY: to the server that is no idle transaction, and its machine still answers.
    """
    if database.engine.dialect.name == "postgresql":
        # a user may end only his own sessions; that there is another one is no reason to stop here
        with contextlib.suppress(StoreError), database.read() as connection:
            connection.execute(_FROZEN, {"chunk": chunk})


def _suspects(connection: Connection, job: int) -> dict[str, str]:
    """Whose fault the death of a process can be: nobody was left to say which part was at work."""
    spec = read_spec(job, connection.execute(select(Job.spec).where(Job.id == job)).scalar_one())
    names = " or ".join(f"{part.value} {choice.name}" for part, choice in spec.parts.items())
    return {"part": next(iter(spec.parts)).value, "owner": names}


def held_by(held: Claim) -> tuple[ColumnElement[bool], ...]:
    """The condition under which a claim still holds its chunk."""
    return (
        Chunk.id == held.chunk,
        Chunk.lease_token == held.token,
        Chunk.state == ChunkState.RUNNING,
    )


def _waiting() -> ColumnElement[str]:
    """SQL: the state of a chunk that nobody holds any more: it waits, unless its job has ended."""
    ended = select(Job.id).where(Job.id == Chunk.job_id, Job.ended_at.is_not(None)).exists()
    return case((ended, ChunkState.DROPPED.value), else_=ChunkState.WAITING.value)


_FREE: Final = {"owner": None, "lease_token": None, "lease_until": None, "published_at": None}


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
        # one that just ends is locked by who ends it; who froze while he did would freeze us too
        .with_for_update(skip_locked=True)
    ).one_or_none()
    if row is None:
        return False
    _end_attempt(connection, row, chunk_attempts, _DEATH_REASON)
    return True


def _end_attempt(connection: Connection, row: Row[*tuple[Any, ...]], chunk_attempts: int, reason: str) -> None:
    """Lets a chunk whose attempt failed wait again; after the last one its halves do."""
    chunk: int = row.id
    ended = connection.execute(select(Job.ended_at).where(Job.id == row.job_id)).scalar_one() is not None
    if ended or row.attempt < chunk_attempts:
        values: dict[str, Any] = {"state": _waiting(), **_FREE}
    elif row.stop - row.start > 1:
        middle = (row.start + row.stop) // 2
        # one attempt each: a row that kills its process is found in log2(rows) deaths
        low, high = (step_in(connection, row.job_id, row.kind, row.priority, row.stop - middle) for _ in range(2))
        if low == high:
            high = high.later(1)
        connection.execute(
            insert(Chunk),
            [
                waiting_chunk(row.job_id, low, row.start, middle, chunk_attempts - 1),
                waiting_chunk(row.job_id, high, middle, row.stop, chunk_attempts - 1),
            ],
        )
        values = {"state": ChunkState.SPLIT.value, "reason": reason, **_FREE}
    else:
        connection.execute(
            insert(ItemFailure).values(
                job_id=row.job_id,
                position=row.start,
                chunk_id=chunk,
                **_suspects(connection, row.job_id),
                reason=reason[:300],
            )
        )
        values = {"state": ChunkState.DEAD.value, "reason": reason, "failed": 1, **_FREE}
    connection.execute(update(Chunk).where(Chunk.id == chunk).values(**values))
