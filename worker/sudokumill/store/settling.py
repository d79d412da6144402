"""Settling: what a position comes to whose row the database had before.

A row's id comes from its digits and is unique. So a row that is there already needs a second look:

    whose is it          and so this position ...
    ------------------   ------------------------------------------------------------------
    this one's           is delivered
    this job's, lower    repeats it
    this job's, higher   takes it over: which chunk ended first must not decide what is delivered
    another job's        delivers it by a row in ``delivery``, or with "new" does not count
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from sqlalchemy import Connection, insert, select, true, update

from sudokumill.store.leases import Claim
from sudokumill.store.models import Chunk, Delivery, FinalRow, Job, Puzzle

_SLICE: Final = 10_000
"""Ids that are looked up at a time: below SQLite's 32,766 parameters."""

_Origin = tuple[int, int, int, bool]
"""Job, chunk, position, on target."""


def settle(
    connection: Connection,
    held: Claim,
    table: type[FinalRow] | type[Puzzle],
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
    # two chunks of one job that repeat each other's rows would judge by what the other is about to change
    connection.execute(select(Job.id).where(Job.id == held.job).with_for_update())
    origins = _origins(connection, table, [each for each, _ in hits])
    counts: Counter[str] = Counter()
    elsewhere: list[tuple[bytes, int]] = []
    for each, position in hits:
        job, chunk, owner, on_target = origins[each]
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
            connection.execute(
                update(table).where(table.id == each).values(position=position, chunk_id=held.chunk)
            )
            _turn_into_repeat(connection, chunk)
            origins[each] = (job, held.chunk, position, on_target)
            counts["delivered"] += 1
    _deliver(connection, held, elsewhere, counts)
    return counts


def _origins(
    connection: Connection, table: type[FinalRow] | type[Puzzle], ids: list[bytes]
) -> dict[bytes, _Origin]:
    on_target = Puzzle.on_target if table is Puzzle else true()
    found: dict[bytes, _Origin] = {}
    for start in range(0, len(ids), _SLICE):
        for row in connection.execute(
            select(table.id, table.job_id, table.chunk_id, table.position, on_target.label("on_target")).where(
                table.id.in_(ids[start : start + _SLICE])
            )
        ):
            found[row.id] = (row.job_id, row.chunk_id, row.position, bool(row.on_target))
    return found


def _deliver(
    connection: Connection, held: Claim, elsewhere: list[tuple[bytes, int]], counts: Counter[str]
) -> None:
    """Notes positions that deliver what another job stored; of two with the same row the lower one does."""
    noted: dict[bytes, tuple[int, int]] = {}
    for start in range(0, len(elsewhere), _SLICE):
        ids = [each for each, _ in elsewhere[start : start + _SLICE]]
        for row in connection.execute(
            select(Delivery.item_id, Delivery.chunk_id, Delivery.position).where(
                Delivery.job_id == held.job, Delivery.item_id.in_(ids)
            )
        ):
            noted[row.item_id] = (row.chunk_id, row.position)
    fresh: list[dict[str, Any]] = []
    for each, position in elsewhere:
        chunk, before = noted.get(each, (held.chunk, position))
        if before < position:
            counts["repeated"] += 1
            continue
        if each not in noted:
            fresh.append({"job_id": held.job, "position": position, "chunk_id": held.chunk, "item_id": each})
        elif before > position:
            connection.execute(
                update(Delivery)
                .where(Delivery.job_id == held.job, Delivery.item_id == each)
                .values(position=position, chunk_id=held.chunk)
            )
            _turn_into_repeat(connection, chunk, already=1)
        noted[each] = (held.chunk, position)
        counts["delivered"] += 1
        counts["already"] += 1
    if fresh:
        connection.execute(insert(Delivery), fresh)


def _turn_into_repeat(connection: Connection, chunk: int, already: int = 0) -> None:
    """A position of a chunk that ended before gave its row to a lower one: now it is the repeat."""
    connection.execute(
        update(Chunk)
        .where(Chunk.id == chunk)
        .values(
            delivered=Chunk.delivered - 1,
            already=Chunk.already - already,
            repeated=Chunk.repeated + 1,
        )
    )
