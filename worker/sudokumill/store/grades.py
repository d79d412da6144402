"""Grades that are stored: which of several is the newest, and in which band it lies."""

from __future__ import annotations

from math import inf
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.orm import aliased

from sudokumill.store.bands import BandRange
from sudokumill.store.database import Database
from sudokumill.store.models import Band, Grade, GradeState, Identity, Puzzle


def is_newest() -> ColumnElement[bool]:
    """SQL: no other version of the same grader says something newer of the puzzle.

    The newest is one that came to an end, and among these that of the job that was ordered last. The views say the
    same (see the migration).
    """
    newer = aliased(Grade)
    ended, newer_ended = Grade.status == GradeState.GRADED, newer.status == GradeState.GRADED
    later = or_(
        newer.job_id > Grade.job_id,
        and_(newer.job_id == Grade.job_id, newer.version > Grade.version),
    )
    return ~exists().where(
        newer.puzzle_id == Grade.puzzle_id,
        newer.grader == Grade.grader,
        newer.version != Grade.version,
        or_(and_(newer_ended, ~ended), and_(or_(newer_ended, ~ended), later)),
    )


def in_band() -> ColumnElement[bool]:
    """SQL: the grade lies in the band."""
    return and_(
        Band.grader == Grade.grader,
        Grade.rating >= Band.rating_from,
        or_(Band.rating_to.is_(None), Grade.rating <= Band.rating_to),
    )


def is_shown(grader: str | None = None) -> ColumnElement[bool]:
    """SQL: it is the grade to show of a puzzle.

    Args:
        grader: whose is wanted; None: what the view ``level`` shows.
    """
    wanted = select(Identity.grader).scalar_subquery() if grader is None else grader
    return and_(Grade.grader == wanted, is_newest())


def grade_columns() -> tuple[Any, ...]:
    """The columns that the view ``level`` has of a grade, from ``grade`` and ``band``."""
    return (
        Band.name.label("band"),
        Grade.rating,
        Grade.at_least.label("rating_at_least"),
        Grade.hardest,
        Grade.techniques,
        Grade.steps,
        Grade.er,
        Grade.ep,
        Grade.ed,
        Grade.rating_sum,
        Grade.bottleneck,
        Grade.grader,
        Grade.version.label("grader_version"),
        Grade.status.label("grade_status"),
    )


def has_grades(database: Database, grader: str) -> bool:
    """Whether there is any grade of a grader."""
    with database.read() as connection:
        return connection.execute(select(Grade.grader).where(Grade.grader == grader).limit(1)).first() is not None


def levels_in_no_band(database: Database) -> dict[str, int]:
    """How many stored levels have a rating that lies in none of their grader's bands; graders with such levels."""
    rated = (
        select(Grade.grader, func.count().label("levels"))
        .select_from(Grade)
        .join(Puzzle, Puzzle.id == Grade.puzzle_id)
        .outerjoin(Band, in_band())
        .where(is_newest(), Grade.rating.is_not(None), Band.name.is_(None))
        .group_by(Grade.grader)
    )
    with database.read() as connection:
        return {row.grader: row.levels for row in connection.execute(rated)}


def levels_in_bands(database: Database) -> dict[str, list[tuple[BandRange, int]]]:
    """How many stored levels lie in each band of each grader that has any, the easiest band first."""
    counted = (
        select(Band.grader, Band.name, func.count().label("levels"))
        .select_from(Grade)
        .join(Puzzle, Puzzle.id == Grade.puzzle_id)
        .join(Band, in_band())
        .where(is_newest())
        .group_by(Band.grader, Band.name)
    )
    found: dict[str, list[tuple[BandRange, int]]] = {}
    with database.read() as connection:
        numbers = {(row.grader, row.name): row.levels for row in connection.execute(counted)}
        for row in connection.execute(select(Band).order_by(Band.grader, Band.rating_from)):
            one = BandRange(row.rating_from, inf if row.rating_to is None else row.rating_to, row.name)
            found.setdefault(row.grader, []).append((one, numbers.get((row.grader, row.name), 0)))
    return found
