"""Settling: what a position comes to whose row the database had before.

A row's id comes from its digits and is unique. So a row that is there already needs a second look:

    whose is it          and so this position ...
    ------------------   ------------------------------------------------------------------
    this one's           is delivered
    this job's, lower    repeats it
    this job's, higher   takes it over: which chunk ended first must not decide what is delivered
    another job's        delivers it by a row in ``delivery``, or with "new" does not count

Where a job wants no isomorphs, more is to be looked at: see ``isomorphs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from sqlalchemy import (
    BigInteger,
    Connection,
    FromClause,
    Row,
    Select,
    bindparam,
    column,
    func,
    insert,
    or_,
    select,
    true,
    update,
)
from sqlalchemy import table as table_named
from sqlalchemy.orm import InstrumentedAttribute

from sudokumill.store.column_types import GridId
from sudokumill.store.copying import coming, copy_in, copy_rows, integers, raw, raw_or_null
from sudokumill.store.leases import Claim
from sudokumill.store.models import Chunk, Delivery, FinalRow, Puzzle

SLICE: Final = 10_000
"""Ids or classes that are looked up at a time: below SQLite's 32,766 parameters."""

_LOCK: Final = "sudokumill settle"

Table = type[FinalRow] | type[Puzzle]
"""Where a job's rows are."""

_Origin = tuple[int, int, int, bool]
"""Job, chunk, position, on target."""


def settle(
    connection: Connection,
    held: Claim,
    table: Table,
    hits: list[tuple[bytes, int]],
    new: bool,
) -> Counter[str]:
    """What each position came to, after the insert left out the rows that were there already.

    Args:
        connection: the transaction of the insert.
        held: the chunk.
        table: where the rows are.
        hits: (id, position) of what may be delivered, in the order of positions.
        new: rows that another job had stored do not count.

    Returns:
        Numbers by the names of the chunk's columns.
    """
    lock_job(connection, held)
    origins = origins_of(connection, table, [each for each, _ in hits])
    counts: Counter[str] = Counter()
    elsewhere: list[tuple[bytes, int]] = []
    taken: list[dict[str, Any]] = []
    losses: Counter[int] = Counter()
    for each, position in hits:
        job, chunk, owner, on_target = origins.get(each, (held.job, held.chunk, position, True))
        if job != held.job or not on_target:
            # a row of this job that missed its target is stock, like another job's
            if new:
                counts["not_new"] += 1
            else:
                elsewhere.append((each, position))
        elif owner == position:
            counts["delivered"] += 1
        elif owner < position:
            counts["repeated"] += 1
        else:
            taken.append({"which": each, "lower": position})
            losses[chunk] += 1
            origins[each] = (job, held.chunk, position, on_target)
            counts["delivered"] += 1
    if taken:
        connection.execute(
            update(table)
            .where(table.id == bindparam("which", type_=GridId))
            .values(position=bindparam("lower"), chunk_id=held.chunk),
            taken,
        )
        turn_into_repeats(connection, losses)
    _deliver(connection, held, table, elsewhere, counts)
    return counts


def lock_job(connection: Connection, held: Claim) -> None:
    """Lets the chunks of one job settle one after another; on SQLite they do.

    Two that repeat each other's rows would judge by what the other is about to change. This is a lock of its own:
    whoever steers the job holds its row and may wait for a chunk, such as this.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(_LOCK, held.job))))


def origins_of(connection: Connection, table: Table, ids: list[bytes]) -> dict[bytes, _Origin]:
    """Where rows come from, by id; on PostgreSQL without those that this chunk's insert wrote as they are."""
    query = select(table.id, table.job_id, table.chunk_id, table.position, table.on_target)
    return {
        row.id: (row.job_id, row.chunk_id, row.position, bool(row.on_target))
        for row in _looked_up(connection, table, query, table.id, ids)
    }


def _looked_up(
    connection: Connection,
    table: Table,
    query: Select[*tuple[Any, ...]],
    key: InstrumentedAttribute[bytes],
    ids: list[bytes],
) -> Iterator[Row[Any]]:
    """The rows of a query whose key is among some ids that the chunk made.

    On PostgreSQL the ids are there already, in the table that the chunk's rows came through: as parameters they
    would cost as much as their insert. Rows that stand where the chunk put them are left out.
    """
    if connection.dialect.name != "postgresql":
        for start in range(0, len(ids), SLICE):
            yield from connection.execute(query.where(key.in_(ids[start : start + SLICE])))
        return
    came = coming_rows(table)
    # one probe of the index a row, whatever the planner believes of a table that it has no statistics of: LIMIT
    # keeps it from reading the whole of a great table to join the two
    found = query.where(key == came.c.id).limit(1).lateral()
    elsewhere = or_(found.c.job_id != came.c.job_id, found.c.position != came.c.position)
    yield from connection.execute(select(found).select_from(came.join(found, true())).where(elsewhere))


def coming_rows(table: Table) -> FromClause:
    """The temporary table that the chunk's rows came through, on PostgreSQL."""
    return table_named(
        coming(table.__tablename__),
        column("id", GridId),
        column("job_id", BigInteger),
        column("position", BigInteger),
        column("class_id", GridId),
    )


def _deliver(
    connection: Connection,
    held: Claim,
    table: Table,
    elsewhere: list[tuple[bytes, int]],
    counts: Counter[str],
) -> None:
    """Notes positions that deliver what another job stored; of two with the same row the lower one does."""
    if not elsewhere:
        return
    query = select(Delivery.item_id, Delivery.chunk_id, Delivery.job_id, Delivery.position).where(
        Delivery.job_id == held.job
    )
    noted = {
        row.item_id: (row.chunk_id, row.position)
        for row in _looked_up(connection, table, query, Delivery.item_id, [each for each, _ in elsewhere])
    }
    fresh: list[Delivered] = []
    taken: list[dict[str, Any]] = []
    losses: Counter[int] = Counter()
    for each, position in elsewhere:
        chunk, before = noted.get(each, (held.chunk, position))
        if before < position:
            counts["repeated"] += 1
            continue
        if each not in noted:
            fresh.append((each, position, None))
        elif before > position:
            taken.append({"which": each, "lower": position})
            losses[chunk] += 1
        noted[each] = (held.chunk, position)
        counts["delivered"] += 1
        counts["already"] += 1
    if taken:
        connection.execute(
            update(Delivery)
            .where(Delivery.job_id == held.job, Delivery.item_id == bindparam("which", type_=GridId))
            .values(position=bindparam("lower"), chunk_id=held.chunk),
            taken,
        )
        turn_into_repeats(connection, losses, already=True)
    insert_deliveries(connection, held.job, held.chunk, fresh)


Delivered = tuple[bytes, int, bytes | None]
"""The id of a row that another job stored, the position that delivers it, and its class where that matters."""


def insert_deliveries(connection: Connection, job: int, chunk: int, fresh: list[Delivered]) -> None:
    """Notes positions that deliver what another job stored."""
    if not fresh:
        return
    if connection.dialect.name == "postgresql":
        fields = {
            "job_id": integers(np.array(job)),
            "position": integers(np.array([position for _, position, _ in fresh])),
            "chunk_id": integers(np.array(chunk)),
            "item_id": raw([each for each, _, _ in fresh]),
            "class_id": raw_or_null([class_id for _, _, class_id in fresh]),
        }
        copy_in(connection, Delivery.__tablename__, copy_rows(len(fresh), fields))
        return
    connection.execute(
        insert(Delivery),
        [
            {"job_id": job, "position": position, "chunk_id": chunk, "item_id": each, "class_id": class_id}
            for each, position, class_id in fresh
        ],
    )


def turn_into_repeats(connection: Connection, losses: Counter[int], already: bool = False) -> None:
    """Positions of chunks that ended before gave their rows to lower ones: now they are the repeats."""
    for chunk, number in sorted(losses.items()):
        connection.execute(
            update(Chunk)
            .where(Chunk.id == chunk)
            .values(
                delivered=Chunk.delivered - number,
                already=Chunk.already - (number if already else 0),
                repeated=Chunk.repeated + number,
            )
        )
