"""Moving a job on: cut further chunks while its target is not met, end it when it is, or cannot be.

Called after each chunk and by whoever watches over jobs. It looks only at rows, so it may be called by anybody,
at any time, any number of times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection, func, select, update

from sudokumill.jobs import FIRST_CHUNKS, JobKind
from sudokumill.store.database import Database
from sudokumill.store.delivered import last_delivered
from sudokumill.store.followers import place_follower
from sudokumill.store.models import Chunk, ChunkState, Job, JobState
from sudokumill.store.placing import append_chunks
from sudokumill.store.progress import OPEN, TRIED, Progress, read_progress
from sudokumill.store.reading import read_failures
from sudokumill.store.yields import read_yield, shown_shares

_ALL_FAILED: Final = 100
"""A job ends when this many positions were tried and every one is an item error."""

_ALL_DEAD: Final = 10
"""So many are enough when each of them cost a process: that takes long, and disturbs others."""


@dataclass(frozen=True)
class Pace:
    """How chunks are cut and when a job is given up."""

    processes: int
    chunk_seconds: float
    dry_positions: int


def advance(database: Database, job: int, pace: Pace) -> JobState:
    """Cuts the next chunks of a job, or ends it.

    Args:
        database: where.
        job: which.
        pace: how.

    Returns:
        The state that the job has then.
    """
    with database.read() as connection:
        # most of the time there is nothing to do, and finding that out needs no lock
        found = read_progress(connection, job)
        if found.state is JobState.RUNNING and _can_only_go_on(found, pace):
            return found.state
    with database.write(job) as connection:
        # one at a time: two that advance the same job would cut the same positions twice
        connection.execute(select(Job.id).where(Job.id == job).with_for_update(key_share=True))
        # before the progress: a chunk that ends between the two is then open and done at once, and whoever ended
        # it looks after us; the other way round it would be neither, and the job seem to have nothing to come
        open_positions = _open_positions(connection, job)
        found = read_progress(connection, job)
        if found.state.ended:
            # what a process gave back after a person had cancelled the job
            _drop_waiting(connection, job)
            if found.state is JobState.FAILED and not _running(connection, job):
                # what others had in hand when it was given up has been stored since
                place_follower(connection, found, pace.processes, pace.chunk_seconds)
        if found.state.ended or found.state is JobState.PAUSED:
            return found.state
        enough = found.qualified >= found.count and _prefix(connection, found) >= found.count
        reason = None if enough else _exhausted(connection, found, pace)
        if enough or reason is not None:
            _drop_waiting(connection, job)
            if _running(connection, job):
                return found.state
            # nothing runs and nothing waits: what ended since it was read is in the rows, and nothing can follow
            found = read_progress(connection, job)
            return _end_short(connection, found, reason or "", pace)
        if _revive(connection, job) or _cut(connection, found, open_positions, pace) or open_positions:
            return found.state
        return _end_short(connection, found, _bound_reason(found), pace)


def has_plenty(database: Database, job: int) -> bool:
    """Whether a job goes on and so many of its chunks wait that none would be cut; looks at a few rows only."""
    few = FIRST_CHUNKS // 2
    waiting = select(Chunk.id).where(Chunk.job_id == job, Chunk.state == ChunkState.WAITING).limit(few + 1)
    with database.read() as connection:
        running = connection.execute(select(Job.state).where(Job.id == job)).scalar() == JobState.RUNNING
        return running and len(connection.execute(waiting).all()) > few


def give_up(database: Database, job: int, reason: str) -> None:
    """Ends a job that cannot be made at all; what it stored stays.

    Args:
        database: where.
        job: which.
        reason: why, in one line.
    """
    with database.write(job) as connection:
        connection.execute(select(Job.id).where(Job.id == job).with_for_update(key_share=True))
        if read_progress(connection, job).state.ended:
            return
        _drop_waiting(connection, job)
        others_at_work = _running(connection, job)
        # not before: what ended meanwhile is in the rows
        found = read_progress(connection, job)
        _end(connection, found, JobState.FAILED, reason)
        place_follower(connection, found)
        if others_at_work:
            # what they have in hand is stored after this end: it is counted when somebody asks
            connection.execute(update(Job).where(Job.id == job).values(delivered=None, last_position=None))


def _can_only_go_on(found: Progress, pace: Pace) -> bool:
    """Whether chunks wait in plenty, and the job can have no reason to end."""
    return (
        found.chunks.get(ChunkState.WAITING, 0) > FIRST_CHUNKS // 2
        and found.qualified < found.count
        and found.delivered > 0
        and found.spec.max_seconds is None
        and found.tried - found.qualified < pace.dry_positions
    )


def _cut(connection: Connection, found: Progress, open_positions: int, pace: Pace) -> int:
    """Cuts chunks for what the open ones will probably leave missing."""
    waiting = found.chunks.get(ChunkState.WAITING, 0)
    if waiting > FIRST_CHUNKS // 2:
        return 0
    # what was taken from stock says nothing of what is to come
    tried = found.tried - found.stock
    share = (found.qualified - found.stock) / tried if tried else 1.0
    missing = found.count - found.qualified - math.floor(open_positions * share)
    if missing <= 0:
        return 0
    # a yield that is hardly known is not trusted to more than double the attempts
    attempts = min(math.ceil(missing / share), tried + missing) if share > 0 else tried + missing
    rate = tried / found.seconds if found.seconds > 0 else found.spec.rate
    return append_chunks(
        connection, found.id, found.spec, planned=found.planned, missing=attempts, rate=rate,
        processes=pace.processes, seconds=pace.chunk_seconds, room=FIRST_CHUNKS - waiting, priority=found.priority,
    )  # fmt: skip


def _all_failed(connection: Connection, found: Progress) -> bool:
    if found.failed < found.tried or found.tried < _ALL_DEAD:
        return False
    # not those that were tried again
    dead = select(func.count()).where(Chunk.job_id == found.id, Chunk.state == ChunkState.DEAD, Chunk.failed > 0)
    return found.tried >= _ALL_FAILED or connection.execute(dead).scalar_one() >= _ALL_DEAD


def _exhausted(connection: Connection, found: Progress, pace: Pace) -> str | None:
    """Why the job should not go on although it is not done; None when it should."""
    spec = found.spec
    if found.kind in {JobKind.SOLVE, JobKind.GRADE}:
        return None
    if _all_failed(connection, found):
        return "every position failed"
    if spec.max_seconds is not None and found.worked >= spec.max_seconds:
        return f"its budget of {spec.max_seconds:g} s is used up"
    if spec.max_seconds is None and spec.max_attempts is None:
        dry = _dry_positions(connection, found.id)
        if dry >= pace.dry_positions:
            return f"the last {dry:,} positions delivered nothing"
    return None


def _dry_positions(connection: Connection, job: int) -> int:
    """Positions tried after the last chunk that delivered anything."""
    last = select(func.coalesce(func.max(Chunk.stop), 0)).where(Chunk.job_id == job, Chunk.delivered > 0)
    return int(
        connection.execute(
            select(func.coalesce(func.sum(Chunk.stop - Chunk.start - Chunk.moved), 0)).where(
                Chunk.job_id == job, Chunk.state.in_(TRIED), Chunk.start >= last.scalar_subquery()
            )
        ).scalar_one()
    )


def _bound_reason(found: Progress) -> str:
    """Why no further chunk could be cut."""
    spec = found.spec
    if found.kind is JobKind.GRADE:
        return f"{found.failed:,} of {found.tried:,} grids have no grade"
    if found.kind is JobKind.SOLVE:
        return f"{found.failed:,} of {found.tried:,} grids could not be solved"
    if spec.max_attempts is not None and found.planned >= spec.max_attempts:
        return f"its budget of {spec.max_attempts:,} attempts is used up"
    if spec.enumerated:
        return f"its generator has no more than {found.planned:,} finals"
    return f"its source has no more than {found.planned:,} grids"


def _open_positions(connection: Connection, job: int) -> int:
    return int(
        connection.execute(
            select(func.coalesce(func.sum(Chunk.stop - Chunk.start), 0)).where(
                Chunk.job_id == job, Chunk.state.in_(OPEN)
            )
        ).scalar_one()
    )


def _prefix(connection: Connection, found: Progress) -> int:
    """Delivered positions below the first one that was not tried: only these have their final order."""
    first_open = connection.execute(
        select(func.min(Chunk.start)).where(Chunk.job_id == found.id, Chunk.state.in_([*OPEN, ChunkState.DROPPED]))
    ).scalar()
    query = select(func.coalesce(func.sum(Chunk.delivered), 0)).where(
        Chunk.job_id == found.id, Chunk.state.in_(TRIED)
    )
    if first_open is not None:
        query = query.where(Chunk.stop <= first_open)
    return int(connection.execute(query).scalar_one())


def _running(connection: Connection, job: int) -> bool:
    running = select(Chunk.id).where(Chunk.job_id == job, Chunk.state == ChunkState.RUNNING).limit(1)
    return connection.execute(running).first() is not None


def _drop_waiting(connection: Connection, job: int) -> None:
    connection.execute(
        update(Chunk)
        .where(Chunk.job_id == job, Chunk.state == ChunkState.WAITING)
        .values(state=ChunkState.DROPPED.value)
    )


def _revive(connection: Connection, job: int) -> int:
    """Lets dropped chunks wait again; returns how many.

    They were dropped while a chunk still ran that then changed the picture, or the job is tried again. They lie
    before all positions that could be cut anew, and the first positions that qualify are what is delivered.
    """
    return connection.execute(
        update(Chunk)
        .where(Chunk.job_id == job, Chunk.state == ChunkState.DROPPED)
        .values(state=ChunkState.WAITING.value, published_at=None)
    ).rowcount


def _end_short(connection: Connection, found: Progress, reason: str, pace: Pace) -> JobState:
    """Ends a job that delivered less than was ordered, and says why.

    Unless it has delivered all by now: then only the order of its positions is not what it would have been.
    """
    # in the transaction of the end: no process can die between the two
    place_follower(connection, found, pace.processes, pace.chunk_seconds)
    if found.qualified >= found.count:
        return _end(connection, found, JobState.DONE, None)
    details = [
        f"{number:,} {name}"
        for name, number in (
            ("off target", found.missed),
            ("repeated", found.repeated),
            ("not new", found.not_new),
            ("failed", found.failed),
        )
        if number
    ]
    if found.spec.difficulty is not None:
        shares = read_yield(connection, found)
        details += [f"came out: {shown_shares(shares)}"] if shares else []
    if found.failed:
        worst = read_failures(connection, found.id, 1)[0]
        details.append(f"most often {worst.owner}: {worst.reason}")
    text = f"{reason} ({'; '.join(details)})" if details else reason
    failed = found.delivered == 0 and found.failed > 0 and found.failed == found.tried
    return _end(connection, found, JobState.FAILED if failed else JobState.INCOMPLETE, text)


def _end(connection: Connection, found: Progress, state: JobState, reason: str | None) -> JobState:
    """Writes a job's end, with the position of the last row that counts."""
    last: int | None = None
    delivered = found.delivered
    if delivered:
        last = connection.execute(last_delivered(found.id, found.kind, found.qualified - delivered)).scalar()
    connection.execute(
        update(Job)
        .where(Job.id == found.id)
        .values(
            state=state.value,
            reason=reason,
            delivered=delivered,
            last_position=last,
            worked=found.worked,
            running_since=None,
            ended_at=datetime.now(UTC),
        )
    )
    return state
