"""Publishing: which chunks' ids are to be sent to the workers now.

    waiting --due--> published --claim--> running         at most as many ids are on their way as the live workers
       ^                 |                                of the kind have processes: what is sent later can still
       +---- recall -----+                                be chosen by priority and turn

An id that was published and not claimed may have been lost on its way; after some time it is recalled. One that
was sent twice is harmless: the second finds that the chunk does not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select, union_all, update

from sudokumill.errors import UnknownChunkError
from sudokumill.jobs import JobKind, JobSpec
from sudokumill.store.database import Database, Now
from sudokumill.store.models import PUBLISHED, UNPUBLISHED, Chunk, ChunkState, Identity, Job, JobState

_FURTHER: Final = 10
"""By how much more is looked at, each time that chunks are chosen anew because nobody can make them."""


@dataclass(frozen=True)
class DueChunk:
    """A chunk whose id is to be published."""

    chunk: int
    kind: JobKind


def identity(database: Database) -> str:
    """Which database this is: two behind one broker must not take each other's chunk ids for theirs."""
    with database.read() as connection:
        return connection.execute(select(Identity.id)).scalar_one()


def take_due(database: Database, room: Mapping[JobKind, int], able: Callable[[JobSpec], bool]) -> list[DueChunk]:
    """Chooses the chunks to publish, and notes that they are.

    Args:
        database: where.
        room: how many ids may be on their way, by kind; those that are already count.
        able: whether a live worker has what a job needs; chunks of others go on waiting.
    """
    if not room:
        return []
    with database.read() as connection:
        chosen = _next(connection, room, able)
    if not chosen:
        return []
    with database.write(lasting=False) as connection:
        locked = (
            select(Chunk.id)
            .where(Chunk.id.in_([each.chunk for each in chosen]), UNPUBLISHED)
            # somebody else who publishes them just now, or claims them, is not waited for
            .with_for_update(skip_locked=True)
        )
        mine = set(
            connection.execute(
                update(Chunk).where(Chunk.id.in_(locked)).values(published_at=Now()).returning(Chunk.id)
            ).scalars()
        )
    return [each for each in chosen if each.chunk in mine]


def _next(connection: Connection, room: Mapping[JobKind, int], able: Callable[[JobSpec], bool]) -> list[DueChunk]:
    """The chunks that go next, of each kind as many as there is room for."""
    counted = connection.execute(
        select(Chunk.kind, func.count().label("chunks"))
        .join(Job, Job.id == Chunk.job_id)
        # those of a job that was paused were dropped by the workers
        .where(PUBLISHED, Job.state.in_([JobState.WAITING, JobState.RUNNING]))
        .group_by(Chunk.kind)
    )
    on_their_way = {JobKind(row.kind): row.chunks for row in counted}
    free = {kind: most - on_their_way.get(kind, 0) for kind, most in room.items()}
    free = {kind: most for kind, most in free.items() if most > 0}
    specs: dict[int, JobSpec] = {}
    unable: set[int] = set()
    beyond = 0
    while free:
        rows = connection.execute(_first(free, unable, beyond)).all()
        for row in rows:
            if row.job_id not in specs:
                specs[row.job_id] = JobSpec.model_validate(row.spec)
        new = {row.job_id for row in rows if not able(specs[row.job_id])}
        if not new:
            return [
                DueChunk(row.id, kind)
                for kind, most in free.items()
                for row in [row for row in rows if row.kind == kind][:most]
            ]
        unable |= new
        # many jobs that nobody can make may stand before one that somebody can
        beyond = _FURTHER * (beyond + 1)
    return []


def _first(free: Mapping[JobKind, int], unable: Collection[int], beyond: int) -> Select[Any]:
    """The chunks of each kind that go next, and some beyond these, as rows of one query."""
    turns = (Chunk.priority.desc(), Chunk.turn, Chunk.id)
    kinds = [
        select(Chunk.id, Chunk.job_id, Chunk.kind, Chunk.priority, Chunk.turn, Job.spec)
        .join(Job, Job.id == Chunk.job_id)
        .where(
            Chunk.kind == kind,
            UNPUBLISHED,
            Job.state.in_([JobState.WAITING, JobState.RUNNING]),
            Chunk.job_id.not_in(unable),
        )
        .order_by(*turns)
        .limit(most + beyond)
        .subquery()
        for kind, most in free.items()
    ]
    found = union_all(*(select(kind) for kind in kinds)).subquery()
    return select(found).order_by(found.c.priority.desc(), found.c.turn, found.c.id)


def recall(database: Database, chunks: list[int] | None = None, older_than: float = 0.0) -> int:
    """Lets ids be published again that did not get through, or may be lost.

    Args:
        database: where.
        chunks: these; None for all that wait.
        older_than: seconds since they were published, at the least.

    Returns:
        How many.
    """
    lost = [PUBLISHED, Chunk.published_at <= Now() - older_than]
    if chunks is not None:
        lost = [PUBLISHED, Chunk.id.in_(chunks)]
    with database.read() as connection:
        if connection.execute(select(Chunk.id).where(*lost).limit(1)).first() is None:
            return 0
    free = select(Chunk.id).where(*lost).with_for_update(skip_locked=True)
    with database.write(lasting=False) as connection:
        return connection.execute(update(Chunk).where(Chunk.id.in_(free)).values(published_at=None)).rowcount


def waiting_job(database: Database, chunk: int) -> tuple[int, JobSpec] | None:
    """The job of a chunk that waits, and what it orders; None when the chunk does not wait, or its job not run.

    Raises:
        UnknownChunkError: there is no such chunk.
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
    return found.id, JobSpec.model_validate(found.spec)
