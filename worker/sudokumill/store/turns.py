"""Turns: which chunk of a kind goes next, so that a small order passes a large one.

Each chunk has a number, and the lowest goes first. A job's chunks are numbered one after another, but the first
one begins at the number that is being served:

    job A (large)    0   1   2 | 3   4   5   6 ...      2 chunks of A are done when B is ordered
    job B                      | 2   3                  its first goes next, then both take turns
    job C                          3   4   5            and so does every further one

This is start-time fair queueing (Goyal, Vin, Cheng 1996) with chunks of one size, which they are: some seconds of
work. Rejected: a time of last service on the job's row, which every publication would write to and wait for.
A higher priority goes before all that.
"""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from sudokumill.store.models import RUNNING, UNPUBLISHED, Chunk, Turn


def next_turn(connection: Connection, job: int, kind: str, priority: int) -> Turn:
    """The turn of a job's next chunk.

    Args:
        connection: the transaction that will insert the chunk.
        job: whose.
        kind: the job's.
        priority: the job's.
    """
    alike = (Chunk.kind == kind, Chunk.priority == priority)
    waits = select(Chunk.turn).where(UNPUBLISHED, *alike).order_by(Chunk.turn).limit(1)
    # where nothing waits, whoever is at work now is being served
    runs = select(func.max(Chunk.turn)).where(RUNNING, *alike)
    own = select(func.max(Chunk.turn)).where(Chunk.job_id == job)
    row = connection.execute(
        select(
            func.coalesce(waits.scalar_subquery(), runs.scalar_subquery(), 0).label("served"),
            func.coalesce(own.scalar_subquery(), -1).label("own"),
        )
    ).one()
    return Turn(kind, priority, max(row.own + 1, row.served))
