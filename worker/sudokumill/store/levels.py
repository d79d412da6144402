"""Levels that are stored, as games and people see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, Select, and_, func, select

from sudokumill.store.database import Database
from sudokumill.store.grades import grade_columns, in_band, is_shown
from sudokumill.store.models import Band, FinalRow, Grade, Puzzle


def level_columns() -> tuple[Any, ...]:
    """The columns of the view ``level`` that say what a puzzle is, from the tables, with the id as bytes."""
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
        Puzzle.on_target,
        Puzzle.nodes,
        Puzzle.paper_level,
        Puzzle.licence,
        Puzzle.state,
        Puzzle.class_id.label("class"),
        Puzzle.job_id,
        Puzzle.chunk_id,
        Puzzle.position.label("origin_position"),
    )


def level_query(*more: Any, among: Any = None, grader: str | None = None) -> Select[*tuple[Any, ...]]:
    """What the view ``level`` shows, from the tables: ``level_columns`` and ``grade_columns``.

    Args:
        more: columns that come first.
        among: a table with an ``item_id`` for each level that is meant; None for all.
        grader: whose grades; None for those that the view shows.
    """
    query = select(*more, *level_columns(), *grade_columns())
    if among is None:
        query = query.select_from(Puzzle)
    else:
        query = query.select_from(among).join(Puzzle, Puzzle.id == among.c.item_id)
    return (
        query.join(FinalRow, FinalRow.id == Puzzle.final_id)
        .outerjoin(Grade, and_(Grade.puzzle_id == Puzzle.id, is_shown(grader)))
        .outerjoin(Band, in_band())
    )


def level(database: Database, level_id: bytes) -> Row[Any] | None:
    """The level with this id."""
    with database.read() as connection:
        return connection.execute(level_query().where(Puzzle.id == level_id)).one_or_none()


def newest_level(database: Database) -> Row[Any] | None:
    """The first level that the newest job stored which stored any, whether it was what that asked for or not."""
    with database.read() as connection:
        newest = select(func.max(Puzzle.job_id)).scalar_subquery()
        query = level_query().where(Puzzle.job_id == newest).order_by(Puzzle.position).limit(1)
        return connection.execute(query).one_or_none()


def stored_levels(database: Database) -> Iterator[Row[Any]]:
    """Every available level, the oldest first, row by row."""
    query = level_query().where(Puzzle.state == "available").order_by(Puzzle.job_id, Puzzle.position)
    with database.read(streaming=True) as connection:
        yield from connection.execution_options(yield_per=5_000).execute(query)


def levels_between(database: Database, lowest: bytes, highest: bytes) -> list[Row[Any]]:
    """At most two levels whose ids lie in a range: what the beginning of an id stands for."""
    query = level_query().where(Puzzle.id >= lowest, Puzzle.id <= highest).limit(2)
    with database.read() as connection:
        return list(connection.execute(query).all())
