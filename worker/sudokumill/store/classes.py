"""Classes of what is stored: finding out those that are not known, and counting them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, bindparam, func, select

from sudokumill.jobs import JobKind
from sudokumill.store.column_types import GridId
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_positions
from sudokumill.store.models import FinalRow, Puzzle
from sudokumill.store.progress import Progress

_AT_A_TIME: Final = 5_000
"""Rows whose classes are found out and committed at a time."""


@dataclass(frozen=True)
class Stored:
    """Which rows are meant: all puzzles, all finals, or of a job those that it delivered."""

    finals: bool
    job: Progress | None = None
    """A job that delivers levels, or finals where these are meant."""

    @property
    def table(self) -> Any:
        """Where they are."""
        return FinalRow if self.finals else Puzzle

    def delivered(self) -> Select[*tuple[Any, ...]] | None:
        """(position, item_id) of what the job delivered; None without a job."""
        job = self.job
        if job is None:
            return None
        rows = delivered_positions(job.id, job.kind).order_by(None).subquery()
        query = select(rows.c.position, rows.c.item_id).order_by(rows.c.position)
        # of a job that has not ended, the first ones count, as in reading.delivered_rows
        return (
            query.limit(job.count)
            if job.last_position is None
            else query.where(rows.c.position <= job.last_position)
        )


@dataclass(frozen=True)
class Census:
    """How many classes there are."""

    rows: int
    known: int
    """Rows whose class is known."""
    classes: int
    largest: bytes | None
    """The class with the most rows; of several the one with the least id."""
    largest_rows: int


@dataclass(frozen=True)
class Unclassed:
    """A row whose class is not known."""

    id: bytes
    digits: str
    solution: str


def count_classes(database: Database, meant: Stored) -> Census:
    """Counts rows and their classes, in one snapshot."""
    table = meant.table
    chosen = select(table.class_id, func.count().label("number")).group_by(table.class_id)
    delivered = meant.delivered()
    if delivered is not None:
        among = delivered.subquery()
        chosen = chosen.select_from(among).join(table, table.id == among.c.item_id)
    with database.read() as connection:
        groups = chosen.subquery()
        rows, known, classes = connection.execute(
            select(
                func.coalesce(func.sum(groups.c.number), 0),
                func.coalesce(func.sum(groups.c.number).filter(groups.c.class_id.is_not(None)), 0),
                func.count(groups.c.class_id),
            )
        ).one()
        largest = connection.execute(
            select(groups.c.class_id, groups.c.number)
            .where(groups.c.class_id.is_not(None))
            .order_by(groups.c.number.desc(), groups.c.class_id)
            .limit(1)
        ).one_or_none()
    return Census(
        rows=int(rows),
        known=int(known),
        classes=classes,
        largest=None if largest is None else largest.class_id,
        largest_rows=0 if largest is None else largest.number,
    )


def unclassed(database: Database, meant: Stored) -> Iterator[list[Unclassed]]:
    """The rows whose class is not known, in batches; each batch is a transaction of its own, and none is twice."""
    last: Any = None
    while True:
        with database.read() as connection:
            rows, last = _next_rows(connection, meant, last)
        if rows:
            yield rows
        if last is None:
            return


def _next_rows(connection: Any, meant: Stored, last: Any) -> tuple[list[Unclassed], Any]:
    """The rows that come next, and where to go on; None at the end.

    All rows are walked by their ids, and those of a job by its positions: both stand in an index.
    """
    table = meant.table
    query: Any = select(table.id, *_digits(meant)).where(table.class_id.is_(None))
    if not meant.finals:
        query = query.join(FinalRow, FinalRow.id == Puzzle.final_id)
    delivered = meant.delivered()
    if delivered is None:
        if last is not None:
            query = query.where(table.id > bindparam("last", last, type_=GridId))
        found = connection.execute(query.order_by(table.id).limit(_AT_A_TIME)).all()
        rows = [Unclassed(row.id, row.digits, row.solution) for row in found]
        return rows, found[-1].id if len(found) == _AT_A_TIME else None
    every = delivered.subquery()
    page = select(every.c.position, every.c.item_id).order_by(every.c.position).limit(_AT_A_TIME)
    if last is not None:
        page = page.where(every.c.position > last)
    some = connection.execute(page).all()
    ids = [row.item_id for row in some]
    found = connection.execute(query.where(table.id.in_(ids))).all() if ids else []
    rows = [Unclassed(row.id, row.digits, row.solution) for row in found]
    return rows, some[-1].position if len(some) == _AT_A_TIME else None


def _digits(meant: Stored) -> tuple[Any, Any]:
    if meant.finals:
        return FinalRow.digits, FinalRow.digits.label("solution")
    return Puzzle.clues.label("digits"), FinalRow.digits.label("solution")


def keep_classes(database: Database, meant: Stored, classes: dict[bytes, bytes]) -> None:
    """Writes the classes of rows that have none yet, in one transaction.

    Args:
        database: where.
        meant: which table.
        classes: by the rows' ids.
    """
    table = meant.table
    # in the order in which all lock them who lock several
    pairs = sorted(classes.items())
    if not pairs:
        return
    with database.write() as connection:
        if connection.dialect.name == "postgresql":
            name = table.__tablename__
            connection.exec_driver_sql(
                f"UPDATE {name} SET class_id = found.class_id FROM ("  # noqa: S608 - own names
                "SELECT stored.id, came.class_id "
                f"FROM unnest(%s::uuid[], %s::uuid[]) AS came(id, class_id) JOIN {name} AS stored USING (id) "
                "WHERE stored.class_id IS NULL ORDER BY stored.id FOR NO KEY UPDATE OF stored"
                f") AS found WHERE {name}.id = found.id",
                tuple([uuid.UUID(bytes=each) for each in side] for side in zip(*pairs, strict=True)),
            )
            return
        connection.exec_driver_sql(
            f"UPDATE {table.__tablename__} SET class_id = ? WHERE id = ? AND class_id IS NULL",  # noqa: S608
            [(class_id, each) for each, class_id in pairs],
        )


def delivers(kind: JobKind) -> bool | None:
    """Whether jobs of this kind deliver finals (True), levels (False), or neither (None)."""
    return {JobKind.GENERATE: True, JobKind.LEVELS: False, JobKind.DIG: False}.get(kind)
