"""Publishing: which chunks' ids are to be sent to the workers now.

    waiting --due--> published --claim--> running         at most as many ids are on their way as the live workers
       ^                 |                                of the kind have processes: what is sent later can still
       +---- recall -----+                                be chosen by priority and turn

An id that was published and not claimed may have been lost on its way; after some time it is recalled. One that
was sent twice is harmless: whoever gets the second takes another chunk, or none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, bindparam, func, select, union_all, update
from sqlalchemy.dialects.postgresql import ARRAY

from sudokumill.errors import UnreadableJobError
from sudokumill.jobs import JobKind
from sudokumill.store.database import Database, Now
from sudokumill.store.models import PUBLISHED, UNPUBLISHED, Chunk, Identity, Job, JobState
from sudokumill.store.progress import read_spec
from sudokumill.store.workers import needs_of

_GOING: Final = (JobState.WAITING.value, JobState.RUNNING.value)

_FURTHER: Final = 10
"""By how much more is looked at, each time that chunks are chosen anew because nobody can make them."""

_FURTHEST: Final = 10_000
"""And no more than that at a time."""

_REMEMBERED: Final = 10_000
"""Jobs that can be made are remembered, so many at the most."""


@dataclass(frozen=True)
class DueChunk:
    """A chunk whose id is to be published."""

    chunk: int
    kind: JobKind


def identity(database: Database) -> str:
    """Which database this is: two behind one broker must not take each other's chunk ids for theirs."""
    with database.read() as connection:
        return connection.execute(select(Identity.id)).scalar_one()


def take_due(database: Database, room: Mapping[JobKind, int], able: Able) -> list[DueChunk]:
    """Chooses the chunks to publish, and notes that they are.

    Args:
        database: where.
        room: how many ids may be on their way, by kind; those that are already count.
        able: which jobs live workers can make; chunks of others go on waiting.
    """
    if not room:
        return []
    with database.read() as connection:
        chosen = _next(connection, _free(connection, room), able)
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


def next_chunk(database: Database, kind: JobKind, able: Able) -> int | None:
    """The chunk of a kind that goes next of the jobs that somebody can make, whether its id is on its way or not.

    Args:
        database: where.
        kind: its kind.
        able: which jobs can be made.
    """
    with database.read() as connection:
        for published in (False, True):
            chosen = _next(connection, {kind: 1}, able, published)
            if chosen:
                return chosen[0].chunk
    return None


def _free(connection: Connection, room: Mapping[JobKind, int]) -> dict[JobKind, int]:
    """How many ids of each kind there is room for now."""
    counted = connection.execute(
        select(Chunk.kind, func.count().label("chunks"))
        .join(Job, Job.id == Chunk.job_id)
        # those of a job that was paused were dropped by the workers
        .where(PUBLISHED, Job.state.in_(_GOING))
        .group_by(Chunk.kind)
    )
    on_their_way = {row.kind: row.chunks for row in counted}
    free = {kind: most - on_their_way.get(kind.value, 0) for kind, most in room.items()}
    return {kind: most for kind, most in free.items() if most > 0}


def _next(
    connection: Connection, free: Mapping[JobKind, int], able: Able, published: bool = False
) -> list[DueChunk]:
    """The chunks that go next, of each kind as many as there is room for."""
    beyond = 0
    while free:
        unable = _rows_of(able.unable, connection.dialect.name)
        rows = connection.execute(_first(free, unable, beyond, published)).all()
        if able.sort_out(connection, {row.job_id for row in rows}):
            # many jobs that nobody can make may stand before one that somebody can
            beyond = min(_FURTHER * (beyond + 1), _FURTHEST)
            continue
        return [
            DueChunk(row.id, kind)
            for kind, most in free.items()
            for row in [row for row in rows if row.kind == kind][:most]
        ]
    return []


def _first(free: Mapping[JobKind, int], unable: Select[int], beyond: int, published: bool) -> Select[Any]:
    """The chunks of each kind that go next, and some beyond these, as rows of one query."""
    turns = (Chunk.priority.desc(), Chunk.turn, Chunk.id)
    kinds = [
        select(Chunk.id, Chunk.job_id, Chunk.kind, Chunk.priority, Chunk.turn)
        .join(Job, Job.id == Chunk.job_id)
        .where(
            Chunk.kind == kind,
            PUBLISHED if published else UNPUBLISHED,
            Job.state.in_(_GOING),
            Chunk.job_id.not_in(unable),
        )
        .order_by(*turns)
        .limit(most + beyond)
        .subquery()
        for kind, most in free.items()
    ]
    found = union_all(*(select(kind) for kind in kinds)).subquery()
    return select(found).order_by(found.c.priority.desc(), found.c.turn, found.c.id)


def _rows_of(jobs: Collection[int], dialect: str) -> Select[int]:
    """SQL: the ids of jobs as rows, in one parameter.

    Each as a parameter of its own, PostgreSQL would refuse the 65,536th, and nobody's chunks be chosen any more.
    """
    if dialect == "postgresql":
        listed: Any = bindparam(None, [*jobs], ARRAY(BigInteger))
        return select(func.unnest(listed).column_valued("job"))
    return select(func.json_each(json.dumps([*jobs])).table_valued("value").c.value)


class Able:
    """Which jobs can be made by some workers: looked up once a job, for its order does not change.

    Args:
        offers: what each of the workers has, as in ``Crew.implementations``.
    """

    def __init__(self, offers: Collection[frozenset[str]]) -> None:
        self.offers = frozenset(offers)
        self.unable: set[int] = set()
        self._able: set[int] = set()

    def sort_out(self, connection: Connection, jobs: Collection[int]) -> set[int]:
        """Those of some jobs that cannot be made; they belong to ``unable`` from now on."""
        if len(self._able) > _REMEMBERED:
            self._able.clear()  # a reaper lives for months, and sees every job
        new = set(jobs) - self._able - self.unable
        meant = Job.id.in_(_rows_of(new, connection.dialect.name))
        rows = connection.execute(select(Job.id, Job.spec).where(meant)) if new else ()
        for row in rows:
            (self._able if self._can(row.id, row.spec) else self.unable).add(row.id)
        return set(jobs) & self.unable

    def _can(self, job: int, stored: Any) -> bool:
        try:
            needs = needs_of(read_spec(job, stored))
        except UnreadableJobError:
            return False
        return any(needs <= offered for offered in self.offers)


def recall(database: Database, chunks: Collection[int]) -> None:
    """Lets the ids of chunks be published again: they did not get through."""
    _recall(database, Chunk.id.in_(chunks))


def recall_lost(database: Database, seconds: float) -> None:
    """Lets ids be published again that were published so many seconds ago, and not claimed: they may be lost."""
    _recall(database, Chunk.published_at <= Now() - seconds)


def _recall(database: Database, which: ColumnElement[bool]) -> None:
    meant = select(Chunk.id).where(PUBLISHED, which)
    with database.read() as connection:
        if connection.execute(meant.limit(1)).first() is None:
            return
    with database.write(lasting=False) as connection:
        free = meant.with_for_update(skip_locked=True)
        connection.execute(update(Chunk).where(Chunk.id.in_(free)).values(published_at=None))
