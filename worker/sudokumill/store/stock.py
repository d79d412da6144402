"""Stock: levels that are stored and that no job has delivered. An order may take these before any are made.

They stand before what the job makes, at positions below zero, in the order in which they were stored:

    position   -3     -2     -1   |   0     1     2   ...
               level of job 1, 1, 4 |   what this job makes

One chunk that is done from the start counts them, so all that counts positions counts them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, or_, select

from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.jobs import Distinct, JobSpec, Part
from sudokumill.store.database import Database
from sudokumill.store.models import Chunk, ChunkState, Delivery, FinalRow, Grade, GradeState, Job, Puzzle
from sudokumill.store.settling import insert_deliveries
from sudokumill.store.turns import next_turn, waiting_chunk
from sudokumill.targets import ClueRange

_LOCK: Final = "sudokumill stock"

_AT_A_TIME: Final = 1_000


Classify = Callable[[Grids, Grids], list[bytes | None]]
"""The classes of puzzles, from them and their solutions; None where one cannot be found."""


def take_stock(
    connection: Connection, job: int, spec: JobSpec, priority: int, classify: Classify | None = None
) -> int:
    """Delivers levels of the stock that are what an order asks for; at most as many as it wants.

    Args:
        connection: the transaction that places the order.
        job: the order.
        spec: what it asks for.
        priority: the order's.
        classify: finds the classes of levels that have none yet, for an order that wants no isomorphs; without it
            these are not taken.

    Returns:
        How many were taken.
    """
    lock_stock(connection)
    rows = connection.execute(_stock(spec).execution_options(yield_per=_AT_A_TIME))
    fitting = filter(lambda row: _has_techniques(spec, row), rows)
    chosen: Iterator[tuple[bytes, bytes | None]] = ((row.id, None) for row in fitting)
    if spec.distinct is Distinct.ISOMORPH:
        chosen = _one_of_each_class(fitting, classify)
    taken = list(islice(chosen, spec.count))
    rows.close()
    if not taken:
        return 0
    turn = next_turn(connection, job, spec.kind.value, priority)
    done = waiting_chunk(job, turn, -len(taken), 0) | {"state": ChunkState.DONE.value}
    chunk = connection.execute(
        insert(Chunk).values(**done, delivered=len(taken), already=len(taken)).returning(Chunk.id)
    ).scalar_one()
    first = -len(taken)
    insert_deliveries(
        connection,
        job,
        chunk,
        [(each, first + index, class_id) for index, (each, class_id) in enumerate(taken)],
    )
    return len(taken)


def _one_of_each_class(
    rows: Iterator[Row[Any]], classify: Classify | None
) -> Iterator[tuple[bytes, bytes | None]]:
    """(id, class) of the first level of each class; one whose class cannot be found is passed over."""
    seen: set[bytes] = set()
    while batch := list(islice(rows, _AT_A_TIME)):
        classes: list[bytes | None] = [row.class_id for row in batch]
        unknown = [index for index, class_id in enumerate(classes) if class_id is None]
        if unknown and classify is not None:
            puzzles = from_lines([batch[index].clues for index in unknown])
            solutions = from_lines([batch[index].solution for index in unknown])
            for index, class_id in zip(unknown, classify(puzzles, solutions), strict=True):
                classes[index] = class_id
        for row, class_id in zip(batch, classes, strict=True):
            if class_id is not None and class_id not in seen:
                seen.add(class_id)
                yield row.id, class_id


def count_stock(database: Database, spec: JobSpec) -> int:
    """How many levels of the stock are what an order asks for, at most as many as it wants.

    Of isomorphs each counts.
    """
    with database.read(streaming=True) as connection:
        rows = connection.execute(_stock(spec).execution_options(yield_per=_AT_A_TIME))
        found = sum(1 for _ in islice((row for row in rows if _has_techniques(spec, row)), spec.count))
        rows.close()
    return found


def lock_stock(connection: Connection) -> None:
    """Lets one transaction at a time take from stock: two at the same moment would take the same levels."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(_LOCK, 0))))


def is_stock() -> list[ColumnElement[bool]]:
    """SQL: the level, of which ``Job`` is the origin, was delivered to no job.

    A job's own row is stock if it missed its target, or lies after the last one that the job needed. One that the
    job may still need, or whose job was cancelled, is not.
    """
    delivered = (
        select(Delivery.item_id)
        .join(Job, Job.id == Delivery.job_id)
        .where(or_(Job.last_position.is_(None), Delivery.position <= Job.last_position))
    )
    return [
        Puzzle.state == "available",
        or_(~Puzzle.on_target, Puzzle.position > Job.last_position),
        Puzzle.id.not_in(delivered),
    ]


def _stock(spec: JobSpec) -> Select[*tuple[Any, ...]]:
    """SQL: what is in stock and is as the order asks, but for the techniques; the oldest first."""
    query = (
        select(Puzzle.id)
        .join(Job, Job.id == Puzzle.job_id)
        .where(*is_stock(), *_as_dug(spec))
        .order_by(Puzzle.job_id, Puzzle.position)
    )
    if spec.distinct is Distinct.ISOMORPH:
        query = query.add_columns(Puzzle.class_id, Puzzle.clues, FinalRow.digits.label("solution"))
        query = query.join(FinalRow, FinalRow.id == Puzzle.final_id)
    grader, asked = spec.parts.get(Part.GRADER), spec.difficulty
    if grader is None:
        return query
    query = query.add_columns(Grade.techniques).join(Grade, Grade.puzzle_id == Puzzle.id)
    query = query.where(
        Grade.grader == grader.name, Grade.version == grader.version, Grade.status == GradeState.GRADED
    )
    if asked is not None:
        query = query.where(Grade.rating >= asked.low, Grade.rating <= asked.high)
    return query


def _as_dug(spec: JobSpec) -> list[Any]:
    """SQL: what the digger's options ask for."""
    options = spec.parts[Part.DIGGER].options
    names = ClueRange.model_fields.keys() & options.keys()
    least, most = ClueRange.model_validate({name: options[name] for name in names}).clue_range()
    asked: list[Any] = [Puzzle.clue_count.between(least, most)]
    symmetry = Symmetry(str(options.get("symmetry", Symmetry.NONE)))
    if symmetry is not Symmetry.NONE:
        asked.append(Puzzle.symmetry.in_([each.value for each in Symmetry if _implies(each, symmetry)]))
    if options.get("minimal"):
        asked.append(Puzzle.minimal.is_(True))
    return asked


def _implies(has: Symmetry, asked: Symmetry) -> bool:
    """Whether clue cells with one symmetry have the other one too: the largest is what is stored."""
    return all(any(set(small) <= set(large) for large in orbits(has)) for small in orbits(asked))


def _has_techniques(spec: JobSpec, row: Any) -> bool:
    asked = spec.difficulty
    if asked is None or not (asked.techniques or asked.without):
        return True
    return all(code in row.techniques for code in asked.techniques) and not any(
        code in row.techniques for code in asked.without
    )
