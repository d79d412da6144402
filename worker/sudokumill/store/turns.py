"""Turns: which chunk of a kind goes next, so that a small order passes a large one.

Each chunk has a number, and the lowest goes first. A job's chunks are numbered one after another, but the first
one begins at the number that is being served:

    job A (large)    0   1   2 | 3   4   5   6 ...      2 chunks of A are done when B is ordered
    job B                      | 2   3                  its first goes next, then both take turns
    job C                          3   4   5            and so does every further one

What is being served is what runs: a job that is paused, or that no worker can make, holds nobody up, and does not
go before all others for long when it goes on.

This is start-time fair queueing (Goyal, Vin, Cheng 1996) with chunks of one size, which they are: some seconds of
work. Rejected: a time of last service on the job's row, which every publication would write to and wait for.
A higher priority goes before all that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update

from sudokumill.store.models import RUNNING, UNPUBLISHED, Chunk, ChunkState, Job, JobState


@dataclass(frozen=True)
class Turn:
    """Where a chunk stands in the queue of its kind."""

    kind: str
    priority: int
    number: int

    def later(self, places: int) -> Turn:
        """The turn so many places after this one."""
        return replace(self, number=self.number + places)


def waiting_chunk(job: int, turn: Turn, start: int, stop: int, attempt: int = 0) -> dict[str, Any]:
    """A new chunk's columns that have no default."""
    return {
        "job_id": job,
        "kind": turn.kind,
        "priority": turn.priority,
        "turn": turn.number,
        "start": start,
        "stop": stop,
        "state": ChunkState.WAITING.value,
        "attempt": attempt,
    }


def next_turn(connection: Connection, job: int, kind: str, priority: int) -> Turn:
    """The turn of a job's next chunk.

    Args:
        connection: the transaction that will insert the chunk.
        job: whose.
        kind: the job's.
        priority: the job's.
    """
    own = select(func.max(Chunk.turn)).where(Chunk.job_id == job)
    row = connection.execute(
        select(
            _served(kind, priority).label("served"),
            func.coalesce(own.scalar_subquery(), -1).label("own"),
        )
    ).one()
    return Turn(kind, priority, max(row.own + 1, row.served))


def step_in(connection: Connection, job: int, kind: str, priority: int, rows: int) -> Turn:
    """A turn for a piece of a chunk, which goes before the larger chunks of its job: it changes places with one.

    So the row at fault is found before the next chunk is lost in the same way. Nobody else waits for that: the job
    has one chunk at a number as before. Rejected: numbers next to what is being served, for the pieces of pieces
    would then be ever more at one number.

    Args:
        connection: the transaction that will insert the chunk.
        job: whose.
        kind: the job's.
        priority: the job's.
        rows: of the piece.
    """
    last = next_turn(connection, job, kind, priority)
    ahead = connection.execute(
        select(Chunk.id, Chunk.turn)
        .where(Chunk.job_id == job, UNPUBLISHED, Chunk.stop - Chunk.start > rows)
        .order_by(Chunk.turn)
        .limit(1)
        # one that is claimed or published just now is on its way already
        .with_for_update(skip_locked=True)
    ).one_or_none()
    if ahead is None:
        return last
    connection.execute(update(Chunk).where(Chunk.id == ahead.id).values(turn=last.number))
    return replace(last, number=ahead.turn)


def catch_up(connection: Connection, job: int) -> None:
    """Lets the chunks of a job that goes on begin at the number that is being served.

    Or those of one that was paused for long would go before everybody's until it has made up for it.
    """
    first = connection.execute(
        select(Chunk.kind, Chunk.priority, func.min(Chunk.turn).label("turn"))
        .where(Chunk.job_id == job, Chunk.state == ChunkState.WAITING)
        .group_by(Chunk.kind, Chunk.priority)
    ).one_or_none()
    if first is None:
        return
    served: int = connection.execute(select(_served(first.kind, first.priority, Chunk.job_id != job))).scalar_one()
    if served > first.turn:
        connection.execute(
            update(Chunk)
            .where(Chunk.job_id == job, Chunk.state == ChunkState.WAITING)
            .values(turn=Chunk.turn + (served - first.turn))
        )


def _served(kind: str, priority: int, *meant: ColumnElement[bool]) -> Any:
    """The number that is being served: the highest that runs, else the lowest that waits and may run."""
    alike = (Chunk.kind == kind, Chunk.priority == priority, *meant)
    runs = select(func.max(Chunk.turn)).where(RUNNING, *alike)
    waits = (
        select(Chunk.turn)
        .join(Job, Job.id == Chunk.job_id)
        .where(UNPUBLISHED, *alike, Job.state.in_([JobState.WAITING, JobState.RUNNING]))
        .order_by(Chunk.turn)
        .limit(1)
    )
    return func.coalesce(runs.scalar_subquery(), waits.scalar_subquery(), 0)
