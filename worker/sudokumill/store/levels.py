"""Levels that are stored, as games and people see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, func, select

from sudokumill.store.database import Database
from sudokumill.store.models import FinalRow, Puzzle


def level_columns() -> tuple[Any, ...]:
    """The columns of the view ``level``, from the tables, with the id as bytes."""
    return (
        Puzzle.id,
        Puzzle.clues,
        FinalRow.digits.label("solution"),
        Puzzle.clue_count,
        Puzzle.row_min,
        Puzzle.row_max,
        Puzzle.column_min,
        Puzzle.column_max,
        Puzzle.box_min,
        Puzzle.box_max,
        Puzzle.symmetry,
        Puzzle.minimal,
        Puzzle.nodes,
        Puzzle.paper_level,
        Puzzle.licence,
        Puzzle.state,
        Puzzle.job_id,
        Puzzle.chunk_id,
        Puzzle.position.label("origin_position"),
    )


def level(database: Database, level_id: bytes) -> Row[Any] | None:
    """The level with this id."""
    with database.read() as connection:
        query = (
            select(*level_columns()).join(FinalRow, FinalRow.id == Puzzle.final_id).where(Puzzle.id == level_id)
        )
        return connection.execute(query).one_or_none()


def newest_level(database: Database) -> Row[Any] | None:
    """A level of the newest job that has any: its first."""
    with database.read() as connection:
        newest = select(func.max(Puzzle.job_id)).scalar_subquery()
        query = (
            select(*level_columns())
            .join(FinalRow, FinalRow.id == Puzzle.final_id)
            .where(Puzzle.job_id == newest)
            .order_by(Puzzle.on_target.desc(), Puzzle.position)
            .limit(1)
        )
        return connection.execute(query).one_or_none()


def stored_levels(database: Database) -> Iterator[Row[Any]]:
    """Every available level, the oldest first, row by row."""
    query = (
        select(*level_columns())
        .join(FinalRow, FinalRow.id == Puzzle.final_id)
        .where(Puzzle.state == "available")
        .order_by(Puzzle.job_id, Puzzle.position)
    )
    with database.read(streaming=True) as connection:
        yield from connection.execution_options(yield_per=5_000).execute(query)


def levels_between(database: Database, lowest: bytes, highest: bytes) -> list[Row[Any]]:
    """At most two levels whose ids lie in a range: what the beginning of an id stands for."""
    query = (
        select(*level_columns())
        .join(FinalRow, FinalRow.id == Puzzle.final_id)
        .where(Puzzle.id >= lowest, Puzzle.id <= highest)
        .limit(2)
    )
    with database.read() as connection:
        return list(connection.execute(query).all())
