"""Settling by class: what a position comes to in a job that wants no two isomorphs.

Of the positions whose rows are of one class, the lowest is delivered; the others repeat it, whichever chunk ended
first. Their rows are sound, so they stay, as stock:

    position     4          9          12             chunk 2 (8 .. 15) ended first: 9 was delivered. Then chunk 1
    row          a          b          c              ended, and 4 took the class over: b is stock now, like c, and
    class        K          K          K              chunk 2 counts a repeat more
    on target    yes        no         no

A class has at most one row here that counts: one of the job's own that is on target, or one in ``delivery``, whose
row another job had stored. An id belongs to one class, so equal rows need no rule of their own but one: a row of
this job that is there already, and counts for nothing, moves to the position that delivers it.

With "new", a class of which another job has a row whose class is known does not count at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, bindparam, delete, func, or_, select, true, update

from sudokumill.store.column_types import GridId
from sudokumill.store.leases import Claim
from sudokumill.store.models import Delivery
from sudokumill.store.settling import (
    SLICE,
    Delivered,
    Table,
    coming_rows,
    insert_deliveries,
    lock_job,
    origins_of,
    turn_into_repeats,
)

_LOCK: Final = "sudokumill classes"


@dataclass(frozen=True)
class _Holder:
    """The position that delivers a class."""

    position: int
    chunk: int
    row: bytes
    """The id of its row."""
    elsewhere: bool
    """Another job stored it."""


@dataclass
class _Changes:
    """What is to become of rows that are there."""

    off_target: set[bytes] = field(default_factory=set)
    """Rows that count no more."""
    moved: dict[bytes, int] = field(default_factory=dict)
    """Rows that the chunk's own positions deliver, by id."""
    undone: list[int] = field(default_factory=list)
    """Positions whose note in ``delivery`` goes."""
    delivered: list[Delivered] = field(default_factory=list)
    losses: Counter[int] = field(default_factory=Counter)
    """Own rows that chunks lost to lower positions."""
    losses_elsewhere: Counter[int] = field(default_factory=Counter)
    """The same of rows that another job had stored."""


def settle_classes(
    connection: Connection,
    held: Claim,
    table: Table,
    hits: list[tuple[bytes, int]],
    classes: list[bytes],
    new: bool,
) -> Counter[str]:
    """What each position came to, after the insert left out the rows that were there already.

    Args:
        connection: the transaction of the insert, which wrote the first of each class as on target, and no other.
        held: the chunk.
        table: where the rows are.
        hits: (id, position) of what may be delivered, in the order of positions.
        classes: of these, in the same order.
        new: classes that another job has do not count.

    Returns:
        Numbers by the names of the chunk's columns.
    """
    if not hits:
        return Counter()
    lock_job(connection, held)
    if new and connection.dialect.name == "postgresql":
        # nor may two jobs find a class to be new at the same moment
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(_LOCK, 0))))
    origins = origins_of(connection, table, [each for each, _ in hits])
    asked = list(dict.fromkeys(classes))
    holders = _holders(connection, held, table, asked)
    known = _known_elsewhere(connection, held, table, asked) if new else frozenset()
    counts: Counter[str] = Counter()
    changes = _Changes()
    seen: set[bytes] = set()
    for (each, position), class_id in zip(hits, classes, strict=True):
        job, _, owner, _ = origins.get(each, (held.job, held.chunk, position, True))
        elsewhere, mine = job != held.job, job == held.job and owner == position
        first, holder = class_id not in seen, holders.get(class_id)
        seen.add(class_id)
        if new and (elsewhere or (holder is None and class_id in known)):
            counts["not_new"] += 1
        elif holder is not None and holder.position < position:
            counts["repeated"] += 1
        else:
            if holder is not None:
                _displace(changes, holder, each)
            if elsewhere:
                changes.delivered.append((each, position, class_id))
                counts["already"] += 1
            elif not (mine and first):
                changes.moved[each] = position
                origins[each] = (held.job, held.chunk, position, True)
            holders[class_id] = _Holder(position, held.chunk, each, elsewhere)
            counts["delivered"] += 1
            continue
        if mine and first:
            changes.off_target.add(each)
    _apply(connection, held, table, changes)
    return counts


def _displace(changes: _Changes, holder: _Holder, row: bytes) -> None:
    """A lower position delivers the class, by a row of its own or by the same one."""
    if holder.elsewhere:
        changes.undone.append(holder.position)
        changes.losses_elsewhere[holder.chunk] += 1
        return
    changes.losses[holder.chunk] += 1
    if holder.row != row:
        changes.off_target.add(holder.row)


def _apply(connection: Connection, held: Claim, table: Table, changes: _Changes) -> None:
    """Writes the changes; rows in the order of their ids, as all do who lock several."""
    if changes.undone:
        connection.execute(
            delete(Delivery).where(Delivery.job_id == held.job, Delivery.position == bindparam("which")),
            [{"which": position} for position in changes.undone],
        )
    values: list[dict[str, Any]] = [
        *({"which": each, "hit": False, "to": None, "by": None} for each in changes.off_target),
        *(
            {"which": each, "hit": True, "to": position, "by": held.chunk}
            for each, position in changes.moved.items()
        ),
    ]
    if values:
        connection.execute(
            update(table)
            .where(table.id == bindparam("which", type_=GridId))
            .values(
                on_target=bindparam("hit"),
                position=func.coalesce(bindparam("to", type_=table.position.type), table.position),
                chunk_id=func.coalesce(bindparam("by", type_=table.chunk_id.type), table.chunk_id),
            ),
            sorted(values, key=lambda one: one["which"]),
        )
    insert_deliveries(connection, held.job, held.chunk, changes.delivered)
    turn_into_repeats(connection, changes.losses)
    turn_into_repeats(connection, changes.losses_elsewhere, already=True)


def _holders(connection: Connection, held: Claim, table: Table, classes: list[bytes]) -> dict[bytes, _Holder]:
    """Who delivers these classes for the job by now, without what the chunk's own insert has just written."""
    own = select(table.class_id, table.position, table.chunk_id, table.id).where(
        table.job_id == held.job, table.on_target, table.chunk_id != held.chunk
    )
    holders = {
        row.class_id: _Holder(row.position, row.chunk_id, row.id, elsewhere=False)
        for row in _looked_up(connection, table, own, table.class_id, classes)
    }
    others = select(Delivery.class_id, Delivery.position, Delivery.chunk_id, Delivery.item_id).where(
        Delivery.job_id == held.job, Delivery.class_id.is_not(None)
    )
    if connection.execute(others.limit(1)).first() is None:
        return holders
    return holders | {
        row.class_id: _Holder(row.position, row.chunk_id, row.item_id, elsewhere=True)
        for row in _looked_up(connection, table, others, Delivery.class_id, classes)
    }


def _looked_up(
    connection: Connection, table: Table, query: Select[*tuple[Any, ...]], key: Any, classes: list[bytes]
) -> Iterator[Any]:
    """The rows of a query, at most one of each of these classes.

    On PostgreSQL the classes are there already, with the rows that came: one probe of an index each.
    """
    if connection.dialect.name != "postgresql":
        for start in range(0, len(classes), SLICE):
            yield from connection.execute(query.where(key.in_(classes[start : start + SLICE])))
        return
    came = _coming_classes(table)
    found = query.where(key == came.c.class_id).limit(1).lateral()
    yield from connection.execute(select(found).select_from(came.join(found, true())))


def _coming_classes(table: Table) -> Any:
    rows = coming_rows(table)
    return select(rows.c.class_id).where(rows.c.class_id.is_not(None)).distinct().subquery()


def _known_elsewhere(connection: Connection, held: Claim, table: Table, classes: list[bytes]) -> frozenset[bytes]:
    """Which of these classes another job has a row of.

    Two probes of the index each, before the job and after it: it may have very many rows of the class itself.
    """
    if connection.dialect.name != "postgresql":
        name = table.__tablename__
        probe = f"EXISTS (SELECT 1 FROM {name} WHERE class_id = came.class_id AND job_id {{}} {held.job})"  # noqa: S608 - own names
        known: set[bytes] = set()
        for start in range(0, len(classes), SLICE):
            some = classes[start : start + SLICE]
            known.update(
                row[0]
                for row in connection.exec_driver_sql(
                    f"WITH came(class_id) AS (VALUES {', '.join(['(?)'] * len(some))}) "  # noqa: S608 - own names
                    f"SELECT class_id FROM came WHERE {probe.format('<')} OR {probe.format('>')}",
                    tuple(some),
                )
            )
        return frozenset(known)
    came = _coming_classes(table)

    def probed(condition: Any) -> Any:
        return select(table.id).where(and_(table.class_id == came.c.class_id, condition)).exists()

    query = select(came.c.class_id).where(or_(probed(table.job_id < held.job), probed(table.job_id > held.job)))
    return frozenset(connection.execute(query).scalars())
