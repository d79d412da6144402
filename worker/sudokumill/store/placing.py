"""Placing an order: the job's row, its inputs and its first chunks, in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError

from sudokumill.errors import BadOrderError, KeyTakenError, NothingToGradeError, UnknownJobError
from sudokumill.grids.batch import Grids, digests, to_lines
from sudokumill.jobs import (
    FIRST_CHUNKS,
    FOLLOWER_KEY,
    Choice,
    JobKind,
    JobSpec,
    Part,
    Source,
    plan_chunks,
    rows_per_chunk,
)
from sudokumill.store.copying import copy_in, copy_rows, digits, integers, raw
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_finals
from sudokumill.store.models import Chunk, FinalRow, Grade, GradeState, Input, Job, JobState, Puzzle
from sudokumill.store.progress import read_spec
from sudokumill.store.stock import Classify, take_stock
from sudokumill.store.turns import next_turn, waiting_chunk

_SPARE_INPUTS: Final = 1_000
_INPUTS_AT_A_TIME: Final = 10_000
_LONGEST_KEY: Final = 200


@dataclass(frozen=True)
class Placed:
    """A job that stands in the database."""

    id: int
    state: JobState
    seed: int
    existed: bool
    """True when a job with this key had been ordered before."""


def count_inputs(
    database: Database, source: Source, job: int | None, count: int | None, grader: Choice | None = None
) -> int:
    """How many stored grids an order takes from a source: enough to fail with half of them.

    Args:
        database: where.
        source: UNDUG, JOB or PUZZLES.
        job: the job whose finals are meant, for JOB.
        count: what is ordered; None for all there are.
        grader: of a grade job, which is for the puzzles that it has not graded yet.

    Raises:
        UnknownJobError: there is no such job.
        BadOrderError: that job has not ended, or the source has no grid at all.
        NothingToGradeError: the grader has graded all that is stored.
    """
    with database.read() as connection:
        if source is Source.JOB:
            _check_source_job(connection, job)
        most = None if count is None else 2 * count + _SPARE_INPUTS
        grids = _source(source, job, grader).limit(most).subquery()
        stored = connection.execute(select(func.count()).select_from(grids)).scalar_one()
        if not stored and grader is not None and connection.execute(select(Puzzle.id).limit(1)).first():
            raise NothingToGradeError(grader=f"{grader.name}=={grader.version}")
    if not stored:
        where = {
            Source.UNDUG: "no stored final is left undug; run a generate job first, or name a --generator",
            Source.JOB: f"job {job} has delivered no finals",
            Source.PUZZLES: "no puzzle is stored; run a levels job first, or name a --file",
        }
        raise BadOrderError(reason=where[source])
    return stored


def _check_source_job(connection: Connection, job: int | None) -> None:
    found = connection.execute(select(Job.kind, Job.state).where(Job.id == job)).one_or_none()
    if found is None:
        raise UnknownJobError(job=job)
    if found.kind in {JobKind.SOLVE, JobKind.GRADE}:
        raise BadOrderError(reason=f"--from-job {job}: a {found.kind} job makes no finals")
    if not JobState(found.state).ended:
        raise BadOrderError(
            reason=f"--from-job {job}: that job is {found.state}, so what it delivers is not settled yet; "
            f"first run: sudokumill jobs resume {job}"
        )


def find_key(database: Database, key: str) -> Placed | None:
    """The job that was ordered with this key."""
    with database.read() as connection:
        found = connection.execute(select(Job.id, Job.state, Job.seed).where(Job.key == key)).one_or_none()
    return None if found is None else Placed(found.id, JobState(found.state), found.seed, existed=True)


def place(
    database: Database,
    spec: JobSpec,
    *,
    key: str | None = None,
    seed_given: bool = True,
    inputs: Sequence[Grids] = (),
    lines: NDArray[np.int64] | None = None,
    processes: int = 1,
    chunk_seconds: float = 4.0,
    priority: int = 0,
    classify: Classify | None = None,
) -> Placed:
    """Orders a job, or finds the one that this key ordered before.

    Args:
        database: where.
        spec: what is ordered.
        key: makes the order idempotent: a second order with it is the first one.
        seed_given: False when the seed was drawn, and so does not tell two orders apart.
        inputs: grids of a file, batch by batch; used only when the job is new.
        lines: where each of these stood in the file.
        processes: how many will share the work, as far as is known; a hint for the size of chunks.
        chunk_seconds: work that a chunk is planned for.
        priority: chunks of jobs with a higher one go first.
        classify: finds classes of what is in stock, for an order that wants no isomorphs.

    Raises:
        BadOrderError: the key is too long, or one that jobs have which follow others.
        KeyTakenError: the key belongs to another order.
        UnreadableJobError: the key belongs to an order of a newer version.
    """
    if key is not None and not 1 <= len(key) <= _LONGEST_KEY:
        raise BadOrderError(reason=f"--key has {len(key)} characters; give it 1 to {_LONGEST_KEY}")
    if key is not None and FOLLOWER_KEY.fullmatch(key):
        raise BadOrderError(reason=f"--key {key!r}: the job that grades what another left has it; choose another")
    spec = spec.model_copy(update={"inputs_digest": _digest(inputs)})
    try:
        with database.write() as connection:
            if key is not None:
                before = connection.execute(select(Job).where(Job.key == key)).one_or_none()
                if before is not None:
                    return _same_order(before, spec, seed_given)
            job = insert_job(connection, spec, key, priority)
            _keep_inputs(connection, job, spec, inputs, lines)
            taken = take_stock(connection, job, spec, priority, classify) if spec.from_stock else 0
            if taken < spec.count:
                append_chunks(
                    connection, job, spec, planned=0, missing=spec.count - taken, rate=spec.rate,
                    processes=processes, seconds=chunk_seconds, room=FIRST_CHUNKS, priority=priority,
                )  # fmt: skip
    except IntegrityError:
        if key is None:
            raise
        # somebody else ordered with this key at the same moment
        with database.read() as connection:
            return _same_order(connection.execute(select(Job).where(Job.key == key)).one(), spec, seed_given)
    return Placed(job, JobState.WAITING, spec.seed, existed=False)


def insert_job(connection: Connection, spec: JobSpec, key: str | None, priority: int) -> int:
    """The row of a new job, without inputs and chunks; returns its id."""
    return connection.execute(
        insert(Job)
        .values(
            key=key,
            kind=spec.kind.value,
            state=JobState.WAITING.value,
            count=spec.count,
            seed=spec.seed,
            spec=spec.model_dump(mode="json"),
            priority=priority,
            ordered_at=datetime.now(UTC),
        )
        .returning(Job.id)
    ).scalar_one()


def append_chunks(
    connection: Connection,
    job: int,
    spec: JobSpec,
    *,
    planned: int,
    missing: int,
    rate: float,
    processes: int,
    seconds: float,
    room: int,
    priority: int,
) -> int:
    """Cuts chunks for the next ``missing`` positions, ``room`` chunks at the most; returns how many."""
    ends = [end for end in (spec.size, spec.max_attempts) if end is not None]
    rows = rows_per_chunk(spec, rate, seconds, processes, missing)
    ranges = plan_chunks(planned, missing, rows, min(ends, default=None), room)
    if ranges:
        first = next_turn(connection, job, spec.kind.value, priority)
        connection.execute(
            insert(Chunk),
            [waiting_chunk(job, first.later(index), *bounds) for index, bounds in enumerate(ranges)],
        )
        connection.execute(update(Job).where(Job.id == job).values(planned=ranges[-1][1]))
    return len(ranges)


def _digest(inputs: Sequence[Grids]) -> str | None:
    """Tells two files apart, in an order that is given twice."""
    if not inputs:
        return None
    whole = hashlib.blake2b(digest_size=16)
    for grids in inputs:
        whole.update(grids.tobytes())
    return whole.hexdigest()


def _same_order(before: Row[Any], asked: JobSpec, seed_given: bool) -> Placed:
    ordered = read_spec(before.id, before.spec)
    compared = asked if seed_given else asked.model_copy(update={"seed": ordered.seed})
    difference = ordered.difference(compared)
    if difference is not None:
        raise KeyTakenError(key=before.key, job=before.id, difference=f"another {difference}")
    return Placed(before.id, JobState(before.state), ordered.seed, existed=True)


def _keep_inputs(
    connection: Connection, job: int, spec: JobSpec, inputs: Sequence[Grids], lines: NDArray[np.int64] | None
) -> None:
    if spec.source is Source.FRESH:
        return
    if spec.source is Source.FILE:
        position = 0
        for grids in inputs:
            for start in range(0, len(grids), _INPUTS_AT_A_TIME):
                some = grids[start : start + _INPUTS_AT_A_TIME]
                places = np.arange(position, position + len(some))
                ids = digests(to_lines(some)) if spec.kind is JobKind.GRADE else None
                _keep_file_inputs(connection, job, some, places, None if lines is None else lines[places], ids)
                position += len(some)
        return
    chosen = _source(spec.source, spec.source_job, grader_of(spec)).limit(spec.size).subquery()
    place = func.row_number().over(order_by=(chosen.c.job_id, chosen.c.position)) - 1
    columns, values = ["job_id", "position", "digits"], [literal(job), place, chosen.c.digits]
    if spec.kind is JobKind.GRADE:
        columns, values = [*columns, "item_id"], [*values, chosen.c.id]
    connection.execute(insert(Input).from_select(columns, select(*values)))
    kept = connection.execute(select(func.count()).select_from(Input).where(Input.job_id == job)).scalar_one()
    if spec.size is not None and kept < spec.size:
        raise BadOrderError(
            reason=f"{spec.size:,} grids were counted, but {kept:,} are left: another job took some; order again"
        )


def _keep_file_inputs(
    connection: Connection,
    job: int,
    grids: Grids,
    positions: NDArray[np.int64],
    lines: NDArray[np.int64] | None,
    ids: list[bytes] | None,
) -> None:
    if connection.dialect.name == "postgresql":
        fields = {
            "job_id": integers(np.array(job)),
            "position": integers(positions),
            "digits": digits(grids),
        }
        fields |= {} if lines is None else {"line": integers(lines)}
        fields |= {} if ids is None else {"item_id": raw(ids)}
        copy_in(connection, Input.__tablename__, copy_rows(len(grids), fields))
        return
    connection.execute(
        insert(Input),
        [
            {"job_id": job, "position": place, "digits": text, "line": line, "item_id": each}
            for place, text, line, each in zip(
                positions.tolist(),
                to_lines(grids),
                [None] * len(grids) if lines is None else lines.tolist(),
                [None] * len(grids) if ids is None else ids,
                strict=True,
            )
        ],
    )


def grader_of(spec: JobSpec) -> Choice | None:
    """The grader of a grade job."""
    return spec.parts[Part.GRADER] if spec.kind is JobKind.GRADE else None


def _source(source: Source, job: int | None, grader: Choice | None) -> Select[*tuple[Any, ...]]:
    """The stored grids that a job may start from, oldest first."""
    if source is Source.PUZZLES:
        puzzles = select(Puzzle.job_id, Puzzle.position, Puzzle.clues.label("digits"), Puzzle.id)
        if grader is not None:
            puzzles = puzzles.where(~_graded_by(grader))
        return puzzles.order_by(Puzzle.job_id, Puzzle.position)
    if source is Source.JOB:
        assert job is not None  # noqa: S101 - the command line names it with this source
        return delivered_finals(job)
    dug = select(Puzzle.final_id).where(Puzzle.final_id == FinalRow.id)
    return (
        select(FinalRow.job_id, FinalRow.position, FinalRow.digits)
        .where(~dug.exists())
        .order_by(FinalRow.job_id, FinalRow.position)
    )


def _graded_by(grader: Choice) -> ColumnElement[bool]:
    """SQL: the puzzle has a grade of this grader in this version.

    One that stopped at a ceiling is missing: it is not known. One that was given up is missing where the order
    sets options, such as a larger budget; with the same ones the same would come out.
    """
    known = [GradeState.GRADED] if grader.options else [GradeState.GRADED, GradeState.GAVE_UP]
    return (
        select(Grade.puzzle_id)
        .where(
            Grade.puzzle_id == Puzzle.id,
            Grade.grader == grader.name,
            Grade.version == grader.version,
            Grade.status.in_(known),
        )
        .exists()
    )
