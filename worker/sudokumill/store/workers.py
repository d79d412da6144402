"""The workers' rows: who lives, what they have, what they are doing and what they did."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, update

from sudokumill.jobs import JobKind, JobSpec
from sudokumill.store.database import Database, Now
from sudokumill.store.models import RUNNING, Chunk, ChunkState, Worker
from sudokumill.store.owners import is_gone

_KEPT_SECONDS: Final = 86_400.0
"""Rows of workers that have gone stay for a day, so that a person can see that they were there."""


@dataclass(frozen=True)
class Crew:
    """A worker as it presents itself."""

    name: str
    """Its main process (see ``owners``)."""
    node: str
    """Its name for people."""
    kinds: tuple[JobKind, ...]
    processes: int
    implementations: tuple[str, ...]
    """Each ``role NAME==VERSION``."""
    versions: dict[str, str]
    job: int | None = None
    """The only job that it works on; None for a worker of the fleet."""

    def can(self, spec: JobSpec) -> bool:
        """Whether it takes chunks of the job's kind and has what they need."""
        return spec.kind in self.kinds and not self.lacks(spec)

    def lacks(self, spec: JobSpec) -> list[str]:
        """What a job needs and this worker does not have."""
        return sorted(needs_of(spec) - self.offers)

    @property
    def offers(self) -> frozenset[str]:
        """What it has, with and without versions: what needs are compared with."""
        return offers_of(self.implementations)

    def takes(self, spec: JobSpec, job: int) -> bool:
        """Whether it will work on this job."""
        return self.job == job or (self.job is None and self.can(spec))


def needs_of(spec: JobSpec) -> set[str]:
    """What a job needs, each ``role NAME``, or ``role NAME==VERSION`` where the order names the version."""
    return {
        f"{part.role.value} {choice.name}" + (f"=={choice.version}" if choice.pinned else "")
        for part, choice in spec.parts.items()
    }


def offers_of(implementations: Collection[str]) -> frozenset[str]:
    """Implementations with and without their versions."""
    return frozenset({*implementations, *(each.partition("==")[0] for each in implementations)})


@dataclass(frozen=True)
class WorkerRow:
    """A worker as others see it."""

    crew: Crew
    started_at: float
    silent: float
    """Seconds since its last heartbeat, by the database's clock."""
    alive: bool
    left: bool
    """It said that it ended."""
    chunks_in_hand: tuple[int, ...]
    chunks_done: int
    rows_done: int
    """Positions of the chunks that it did."""
    busy_at: float | None
    """Seconds since it last claimed or ended a chunk."""


def beat(database: Database, crew: Crew, patience: float) -> None:
    """Writes a worker's heartbeat, and its row if there is none.

    Args:
        database: where.
        crew: the worker.
        patience: seconds for which it counts as alive.
    """
    times = {"beaten_at": Now(), "live_until": Now() + patience, "left_at": None}
    with database.write(lasting=False) as connection:
        if connection.execute(update(Worker).where(Worker.name == crew.name).values(**times)).rowcount:
            return
        connection.execute(delete(Worker).where(Worker.live_until < Now() - _KEPT_SECONDS))
        connection.execute(
            insert(Worker).values(
                name=crew.name,
                node=crew.node,
                job_id=crew.job,
                kinds=[kind.value for kind in crew.kinds],
                processes=crew.processes,
                implementations=list(crew.implementations),
                versions=crew.versions,
                started_at=Now(),
                **times,
            )
        )


def leave(database: Database, name: str) -> None:
    """Notes that a worker ends."""
    with database.write(lasting=False) as connection:
        connection.execute(update(Worker).where(Worker.name == name).values(left_at=Now(), live_until=Now()))


def live(database: Database) -> list[Crew]:
    """The workers that live, with runs on one machine among them."""
    with database.read() as connection:
        return read_live(connection)


def read_live(connection: Connection) -> list[Crew]:
    """``live`` within a transaction."""
    rows = connection.execute(select(Worker).where(Worker.live_until >= Now()))
    return [_crew(row) for row in rows if not is_gone(row.name)]


def has_idle(database: Database, spec: JobSpec) -> bool:
    """Whether a live worker of the fleet that can make a job has a process without a chunk."""
    with database.read() as connection:
        counted = connection.execute(
            select(Chunk.worker, func.count().label("chunks")).where(RUNNING).group_by(Chunk.worker)
        )
        busy = {row.worker: row.chunks for row in counted}
        return any(
            busy.get(crew.name, 0) < crew.processes
            for crew in read_live(connection)
            if crew.job is None and crew.can(spec)
        )


def workers(database: Database, machine: str = "") -> list[WorkerRow]:
    """All workers of the last day, those that live first, the newest first.

    Args:
        database: where.
        machine: the beginning of their names, for those of one machine (see ``owners``).
    """
    meant = Worker.name.startswith(machine, autoescape=True)
    with database.read() as connection:
        done = {
            row.worker: row
            for row in connection.execute(
                select(
                    Chunk.worker,
                    func.count().filter(Chunk.state == ChunkState.DONE).label("chunks"),
                    func.sum(Chunk.stop - Chunk.start).filter(Chunk.state == ChunkState.DONE).label("rows"),
                    (Now() - func.max(func.coalesce(Chunk.ended_at, Chunk.claimed_at))).label("busy_at"),
                )
                .where(Chunk.worker.in_(select(Worker.name).where(meant)))
                .group_by(Chunk.worker)
            )
        }
        in_hand: dict[str, list[int]] = {}
        for row in connection.execute(select(Chunk.worker, Chunk.id).where(RUNNING).order_by(Chunk.id)):
            in_hand.setdefault(row.worker, []).append(row.id)
        rows = connection.execute(
            select(
                Worker,
                (Now() - Worker.beaten_at).label("silent"),
                (Worker.live_until >= Now()).label("alive"),
            )
            .where(meant)
            .order_by(Worker.started_at.desc())
        ).all()
    found = [
        WorkerRow(
            crew=_crew(row),
            started_at=row.started_at,
            silent=row.silent,
            alive=bool(row.alive) and not is_gone(row.name),
            left=row.left_at is not None,
            chunks_in_hand=tuple(in_hand.get(row.name, ())),
            chunks_done=done[row.name].chunks if row.name in done else 0,
            rows_done=int(done[row.name].rows or 0) if row.name in done else 0,
            busy_at=done[row.name].busy_at if row.name in done else None,
        )
        for row in rows
    ]
    return sorted(found, key=lambda each: not each.alive)


def _crew(row: Any) -> Crew:
    return Crew(
        name=row.name,
        node=row.node,
        # one of a newer version may serve kinds that this one does not know
        kinds=tuple(kind for kind in JobKind if kind.value in row.kinds),
        processes=row.processes,
        implementations=tuple(row.implementations),
        versions=row.versions,
        job=row.job_id,
    )
