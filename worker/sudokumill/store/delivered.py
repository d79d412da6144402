"""What a job delivered, in the order of positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, Select, desc, func, literal, null, select, union_all

from sudokumill.jobs import JobKind, Part
from sudokumill.store.database import Database
from sudokumill.store.grades import grade_columns, in_band, is_newest
from sudokumill.store.levels import level_query
from sudokumill.store.models import (
    Band,
    Chunk,
    ChunkState,
    Delivery,
    FinalRow,
    Grade,
    Input,
    ItemFailure,
    Job,
    Puzzle,
    Solution,
)
from sudokumill.store.progress import OPEN, TRIED, Progress, read_specs


def delivered_positions(job: int, kind: JobKind) -> Select[int, bytes | None]:
    """(position, id) of what counts for a job, in order: its own rows on target, and what others had stored.

    Solutions have no id. Of a grade job, the inputs that did not fail.
    """
    if kind is JobKind.GRADE:
        return _graded_inputs(job).order_by(Input.position)
    if kind is JobKind.SOLVE:
        return (
            select(Solution.position, null().label("item_id"))
            .where(Solution.job_id == job)
            .order_by(Solution.position)
        )
    if kind is JobKind.GENERATE:
        own = select(FinalRow.position.label("position"), FinalRow.id.label("item_id")).where(
            FinalRow.job_id == job, FinalRow.on_target
        )
    else:
        own = select(Puzzle.position.label("position"), Puzzle.id.label("item_id")).where(
            Puzzle.job_id == job, Puzzle.on_target
        )
    others = select(Delivery.position, Delivery.item_id).where(Delivery.job_id == job)
    both = union_all(own, others).subquery()
    return select(both.c.position, both.c.item_id).order_by(both.c.position)


def last_delivered(job: int, kind: JobKind, surplus: int) -> Select[int]:
    """The position of the last row that a job delivers.

    Counted from the end: each table's index on (job, position) is read backwards for as many rows as are too many,
    and one more. From the beginning, PostgreSQL would read and sort all rows of the job.

    Args:
        job: which job.
        kind: its kind.
        surplus: positions that qualify beyond the last one needed.
    """
    others = select(Delivery.position).where(Delivery.job_id == job)
    own = {
        JobKind.SOLVE: [select(Solution.position).where(Solution.job_id == job)],
        JobKind.GRADE: [_graded_inputs(job).with_only_columns(Input.position)],
        JobKind.GENERATE: [select(FinalRow.position).where(FinalRow.job_id == job, FinalRow.on_target), others],
    }.get(kind, [select(Puzzle.position).where(Puzzle.job_id == job, Puzzle.on_target), others])
    ends = [select(each.order_by(desc("position")).limit(surplus + 1).subquery()) for each in own]
    both = union_all(*ends).subquery()
    return select(both.c.position).order_by(both.c.position.desc()).offset(surplus).limit(1)


def _graded_inputs(job: int) -> Select[int, bytes | None]:
    """The inputs of a grade job that have a grade by now, up to the first that was not tried."""
    failed = select(ItemFailure.position).where(
        ItemFailure.job_id == Input.job_id, ItemFailure.position == Input.position
    )
    untried = select(func.min(Chunk.start)).where(
        Chunk.job_id == job, Chunk.state.in_([*OPEN, ChunkState.DROPPED])
    )
    planned = select(Job.planned).where(Job.id == job)
    tried = func.coalesce(untried.scalar_subquery(), planned.scalar_subquery())
    return select(Input.position, Input.item_id).where(
        Input.job_id == job, Input.position < tried, ~failed.exists()
    )


def delivered_finals(job: int) -> Select[int, int, str]:
    """(job, position, digits) of the finals that a job delivered, or of its delivered puzzles, in order."""
    last = select(func.coalesce(Job.last_position, 2**62)).where(Job.id == job).scalar_subquery()
    finals = delivered_positions(job, JobKind.GENERATE).subquery()
    puzzles = delivered_positions(job, JobKind.LEVELS).subquery()
    of_finals = (
        select(literal(job).label("job_id"), finals.c.position, FinalRow.digits)
        .join(FinalRow, FinalRow.id == finals.c.item_id)
        .join(Job, Job.id == job)
        .where(Job.kind == JobKind.GENERATE, finals.c.position <= last)
    )
    of_puzzles = (
        select(literal(job).label("job_id"), puzzles.c.position, FinalRow.digits)
        .join(Puzzle, Puzzle.id == puzzles.c.item_id)
        .join(FinalRow, FinalRow.id == Puzzle.final_id)
        .join(Job, Job.id == job)
        .where(Job.kind != JobKind.GENERATE, puzzles.c.position <= last)
    )
    both = union_all(of_finals, of_puzzles).subquery()
    return select(both.c.job_id, both.c.position, both.c.digits).order_by(both.c.position)


def newest_delivered(database: Database) -> tuple[int, Row[Any]] | None:
    """The newest job that delivered a level, and the first one that it did, with the columns of
    ``level_columns``."""
    counted = select(Chunk.id).where(Chunk.job_id == Job.id, Chunk.state.in_(TRIED), Chunk.delivered > 0)
    with database.read() as connection:
        job = connection.execute(
            select(Job.id, Job.spec)
            .where(Job.kind.in_([JobKind.LEVELS, JobKind.DIG]), counted.exists())
            .order_by(Job.id.desc())
            .limit(1)
        ).one_or_none()
        if job is None:
            return None
        spec = read_specs([job]).get(job.id)
        # the first of each, and not of both: then nothing is sorted
        own = select(Puzzle.position.label("position"), Puzzle.id.label("item_id")).where(
            Puzzle.job_id == job.id, Puzzle.on_target
        )
        others = select(Delivery.position, Delivery.item_id).where(Delivery.job_id == job.id)
        firsts = [select(each.order_by("position").limit(1).subquery()) for each in (own, others)]
        both = union_all(*firsts).subquery()
        first = select(both).order_by(both.c.position).limit(1).subquery()
        grader = None if spec is None else spec.parts.get(Part.GRADER)
        query = level_query(among=first, grader=None if grader is None else grader.name)
        row = connection.execute(query).one_or_none()
    return None if row is None else (job.id, row)


def delivered_rows(database: Database, found: Progress) -> Iterator[Row[Any]]:
    """What a job delivered, in the order of positions, row by row without holding them all.

    Rows have ``position`` and: of a generate job ``id`` and ``digits``; of a levels or dig job the columns of
    ``level_columns``; of a grade job those of ``grade_columns`` with ``id``, ``puzzle`` and
    ``line``; of a solve job ``status``, ``solutions``, ``nodes`` and ``digits``, and of its input the
    ``puzzle`` and, where that came from a file, the ``line``.
    """
    last = found.last_position if found.last_position is not None else 2**62
    if found.kind is JobKind.SOLVE:
        query: Any = (
            select(
                Solution.position,
                Solution.status,
                Solution.count.label("solutions"),
                Solution.nodes,
                Solution.digits,
                Input.digits.label("puzzle"),
                Input.line,
            )
            .join(Input, (Input.job_id == Solution.job_id) & (Input.position == Solution.position))
            .where(Solution.job_id == found.id, Solution.position <= last)
            .order_by(Solution.position)
            .limit(found.count)
        )
    elif found.kind is JobKind.GRADE:
        query = (
            _graded_inputs(found.id)
            .with_only_columns(
                Input.position, Input.digits.label("puzzle"), Input.line, Grade.puzzle_id.label("id"),
                *grade_columns(),
            )
            .join(Grade, (Grade.puzzle_id == Input.item_id) & (Grade.grader == found.spec.parts[Part.GRADER].name))
            .outerjoin(Band, in_band())
            .where(Input.position <= last, is_newest())
            .order_by(Input.position)
            .limit(found.count)
        )  # fmt: skip
    else:
        delivered = delivered_positions(found.id, found.kind).subquery()
        choice = found.spec.parts.get(Part.GRADER)
        if found.kind is JobKind.GENERATE:
            query = select(delivered.c.position, FinalRow.id, FinalRow.digits).join(
                FinalRow, FinalRow.id == delivered.c.item_id
            )
        else:
            query = level_query(
                delivered.c.position, among=delivered, grader=None if choice is None else choice.name
            )
        query = query.where(delivered.c.position <= last).order_by(delivered.c.position).limit(found.count)
    with database.read(streaming=True) as connection:
        yield from connection.execution_options(yield_per=5_000).execute(query)
