"""Followers: the grade job that follows a job whose grader stopped at a ceiling.

An order by difficulty grades no further than is needed to know that a level misses it. What is above is stored
with a lower bound, and so in no band. When the job ends, a grade job for exactly these levels is placed, in the
transaction of the end: either the job has not ended, or its follower stands there. Whoever dies in between has
done neither, and another process does both.

    job 7 (levels)    position   0  1  2  3  4  5  6  7  8         ^ above the ceiling
                                 .  ^  .  .  ^  ^  .  .  ^         . graded
    job 8 (grade)     position      0        1  2        3         key "grade of job 7"

Later followers take what is above by then and was no input of an earlier one: what a retry of the job made, and
what was more than one follower takes. They have "(2)" and so on in their keys. Rejected: to look for jobs without
a follower from time to time, which would read the grades of all jobs again and again.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, insert, literal, select

from sudokumill.jobs import FIRST_CHUNKS, JobKind, JobSpec, Part, Source, follower_key
from sudokumill.store.database import Database
from sudokumill.store.models import Grade, GradeState, Input, Job, JobState, Puzzle
from sudokumill.store.placing import append_chunks, insert_job
from sudokumill.store.progress import Progress, progress, read_progress, read_spec

PRIORITY: Final = -10
"""Whoever orders grades is not to wait for what nobody ordered."""

_MOST: Final = 500_000
"""Levels of one follower: they are listed within the transaction that ends the job."""


def place_follower(
    connection: Connection, found: Progress, processes: int = 1, chunk_seconds: float = 4.0
) -> int | None:
    """Places the grade job for what a job that ends, or the one that it follows, has left above a ceiling.

    Nothing happens where there is nothing of the kind, and when it has been placed before.

    Args:
        connection: the transaction that ends the job.
        found: the job.
        processes: how many will share the work.
        chunk_seconds: work that a chunk is planned for.

    Returns:
        The id of the follower that was placed.
    """
    origin = _origin(connection, found)
    if origin is None or not origin.spec.grade_rest:
        return None
    taken, number = _followers(connection, origin.id)
    above = _above(origin.id, taken).limit(_MOST).subquery()
    count = connection.execute(select(func.count()).select_from(above)).scalar_one()
    if not count:
        return None
    grader = origin.spec.parts[Part.GRADER]
    without = {name: value for name, value in grader.options.items() if name != "ceiling"}
    spec = JobSpec(
        kind=JobKind.GRADE,
        count=count,
        seed=origin.spec.seed,
        parts={Part.GRADER: grader.model_copy(update={"options": without})},
        source=Source.PUZZLES,
        source_job=origin.id,
        size=count,
        rate=origin.spec.rate,
    )
    job = insert_job(connection, spec, follower_key(origin.id, number), PRIORITY)
    place = func.row_number().over(order_by=(above.c.position, above.c.puzzle_id)) - 1
    chosen = select(literal(job), place, above.c.clues, above.c.puzzle_id)
    connection.execute(insert(Input).from_select(["job_id", "position", "digits", "item_id"], chosen))
    append_chunks(
        connection, job, spec, planned=0, missing=count, rate=spec.rate, processes=processes,
        seconds=chunk_seconds, room=FIRST_CHUNKS, priority=PRIORITY,
    )  # fmt: skip
    return job


def followers(database: Database, job: int) -> list[Progress]:
    """The grade jobs that followed a job, the first one first."""
    with database.read() as connection:
        ids, _ = _followers(connection, job)
    return [progress(database, each) for each in ids]


def is_left_above(database: Database, job: int) -> bool:
    """Whether a level is stored of which nobody knows more than a bound that a job found."""
    query = select(Grade.puzzle_id).where(Grade.job_id == job, Grade.status != GradeState.GRADED)
    with database.read() as connection:
        return connection.execute(query.limit(1)).first() is not None


def _origin(connection: Connection, found: Progress) -> Progress | None:
    """The job whose levels are meant; None where another moment is the right one."""
    if found.kind in {JobKind.LEVELS, JobKind.DIG}:
        return found
    if found.kind is not JobKind.GRADE or found.spec.source_job is None:
        return None
    # one at a time: the job may be tried again, and end at the same moment
    connection.execute(select(Job.id).where(Job.id == found.spec.source_job).with_for_update(key_share=True))
    origin = read_progress(connection, found.spec.source_job)
    return origin if origin.state.ended and origin.state is not JobState.CANCELLED else None


def _followers(connection: Connection, job: int) -> tuple[list[int], int]:
    """The jobs that followed a job, and the number of the next one."""
    ids: list[int] = []
    number = 1
    while (row := _with_key(connection, follower_key(job, number))) is not None:
        # an order may have had such a key before jobs had followers
        if row.kind == JobKind.GRADE and read_spec(row.id, row.spec).source_job == job:
            ids.append(row.id)
        number += 1
    return ids, number


def _with_key(connection: Connection, key: str) -> Row[Any] | None:
    return connection.execute(select(Job.id, Job.kind, Job.spec).where(Job.key == key)).one_or_none()


def _above(job: int, taken: list[int]) -> Select[*tuple[Any, ...]]:
    """SQL: the levels that a job left above its ceiling, and that no follower took, the oldest first."""
    query = (
        select(Grade.puzzle_id, Grade.position, Puzzle.clues)
        .join(Puzzle, Puzzle.id == Grade.puzzle_id)
        .where(Grade.job_id == job, Grade.status == GradeState.ABOVE)
        .order_by(Grade.position, Grade.puzzle_id)
    )
    if taken:
        were = select(Input.item_id).where(Input.job_id.in_(taken), Input.item_id.is_not(None))
        query = query.where(Grade.puzzle_id.not_in(were))
    return query
