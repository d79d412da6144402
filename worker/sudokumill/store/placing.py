"""Placing an order: the job's row, its inputs and its first chunks, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, insert, literal, select, update

from sudokumill.errors import BadOrderError, KeyTakenError, UnknownJobError
from sudokumill.grids.batch import Grids, to_lines
from sudokumill.jobs import FIRST_CHUNKS, JobKind, JobSpec, Source, plan_chunks, rows_per_chunk
from sudokumill.store.database import Database
from sudokumill.store.models import Chunk, ChunkState, FinalRow, Input, Job, JobState, Puzzle
from sudokumill.store.reading import delivered_finals

_SPARE_INPUTS: Final = 1_000


@dataclass(frozen=True)
class Placed:
    """A job that stands in the database."""

    id: int
    state: JobState
    seed: int
    existed: bool
    """True when a job with this key had been ordered before."""


def count_inputs(database: Database, source: Source, job: int | None, count: int | None) -> int:
    """How many stored grids a source has for an order.

    Where more are stored than the order can need, only as many are taken as it asks for, and as many again
    for those that come to nothing.

    Args:
        database: where.
        source: UNDUG, JOB or PUZZLES.
        job: the job whose finals are meant, for JOB.
        count: what is ordered; None for all.

    Raises:
        UnknownJobError: there is no such job.
        BadOrderError: the source has no grid at all.
    """
    with database.read() as connection:
        if source is Source.JOB:
            kind = connection.execute(select(Job.kind).where(Job.id == job)).scalar()
            if kind is None:
                raise UnknownJobError(job=job)
            if kind not in {JobKind.GENERATE, JobKind.LEVELS, JobKind.DIG}:
                raise BadOrderError(reason=f"--from-job {job}: a {kind} job makes no finals")
        stored = connection.execute(select(func.count()).select_from(_source(source, job).subquery())).scalar_one()
    if not stored:
        where = {
            Source.UNDUG: "no stored final is left undug; run a generate job first, or name a --generator",
            Source.JOB: f"job {job} has delivered no finals",
            Source.PUZZLES: "no puzzle is stored; run a levels job first, or name a --file",
        }
        raise BadOrderError(reason=where[source])
    return stored if count is None else min(stored, max(count, 2 * count + _SPARE_INPUTS))


def place(
    database: Database,
    spec: JobSpec,
    *,
    key: str | None = None,
    seed_given: bool = True,
    inputs: Iterable[Grids] = (),
    processes: int = 1,
    chunk_seconds: float = 4.0,
) -> Placed:
    """Orders a job, or finds the one that this key ordered before.

    Args:
        database: where.
        spec: what is ordered.
        key: makes the order idempotent: a second order with it is the first one.
        seed_given: False when the seed was drawn, and so does not tell two orders apart.
        inputs: grids of a file, batch by batch; used only when the job is new.
        processes: how many will share the work, as far as is known; a hint for the size of chunks.
        chunk_seconds: work that a chunk is planned for.

    Raises:
        KeyTakenError: the key belongs to another order.
    """
    with database.write() as connection:
        if key is not None:
            before = connection.execute(select(Job).where(Job.key == key)).one_or_none()
            if before is not None:
                return _same_order(before, spec, seed_given)
        job = connection.execute(
            insert(Job)
            .values(
                key=key,
                kind=spec.kind.value,
                state=JobState.WAITING.value,
                count=spec.count,
                seed=spec.seed,
                spec=spec.model_dump(mode="json"),
                planned=0,
                ordered_at=datetime.now(UTC),
            )
            .returning(Job.id)
        ).scalar_one()
        _keep_inputs(connection, job, spec, inputs)
        append_chunks(
            connection, job, spec, planned=0, missing=spec.count, rate=spec.rate, processes=processes,
            seconds=chunk_seconds, room=FIRST_CHUNKS,
        )  # fmt: skip
    return Placed(job, JobState.WAITING, spec.seed, existed=False)


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
) -> int:
    """Cuts chunks for the next ``missing`` positions, ``room`` chunks at the most; returns how many."""
    bounds = [bound for bound in (spec.size, spec.max_attempts) if bound is not None]
    rows = rows_per_chunk(spec, rate, seconds, processes, missing)
    ranges = plan_chunks(planned, missing, rows, min(bounds, default=None), room)
    if ranges:
        connection.execute(
            insert(Chunk),
            [
                {
                    "job_id": job, "start": start, "stop": stop, "state": ChunkState.WAITING.value,
                    "attempt": 0, "seconds": 0.0, **NO_COUNTS,
                }
                for start, stop in ranges
            ],
        )  # fmt: skip
        connection.execute(update(Job).where(Job.id == job).values(planned=ranges[-1][1]))
    return len(ranges)


NO_COUNTS: Final = {"delivered": 0, "already": 0, "repeated": 0, "missed": 0, "not_new": 0, "failed": 0}
"""A chunk's counters before it was run."""


def _same_order(before: Row[Any], asked: JobSpec, seed_given: bool) -> Placed:
    ordered = JobSpec.model_validate(before.spec)
    compared = asked if seed_given else asked.model_copy(update={"seed": ordered.seed})
    difference = ordered.difference(compared)
    if difference is not None:
        raise KeyTakenError(key=before.key, job=before.id, difference=f"another {difference}")
    return Placed(before.id, JobState(before.state), ordered.seed, existed=True)


def _keep_inputs(connection: Connection, job: int, spec: JobSpec, inputs: Iterable[Grids]) -> None:
    if spec.source is Source.FRESH:
        return
    if spec.source is Source.FILE:
        position = 0
        for grids in inputs:
            lines = to_lines(grids)
            connection.execute(
                insert(Input),
                [{"job_id": job, "position": position + row, "digits": line} for row, line in enumerate(lines)],
            )
            position += len(lines)
        return
    chosen = _source(spec.source, spec.source_job).limit(spec.size).subquery()
    numbered = select(
        literal(job), func.row_number().over(order_by=(chosen.c.job_id, chosen.c.position)) - 1, chosen.c.digits
    )
    kept = connection.execute(insert(Input).from_select(["job_id", "position", "digits"], numbered)).rowcount
    if spec.size is not None and kept < spec.size:
        raise BadOrderError(
            reason=f"{spec.size:,} grids were counted, but {kept:,} are left: another job took some; order again"
        )


def _source(source: Source, job: int | None) -> Select[int, int, str]:
    """The stored grids that a job may start from, oldest first."""
    if source is Source.PUZZLES:
        return select(Puzzle.job_id, Puzzle.position, Puzzle.clues.label("digits")).order_by(
            Puzzle.job_id, Puzzle.position
        )
    if source is Source.JOB:
        assert job is not None  # noqa: S101 - the command line names it with this source
        return delivered_finals(job)
    dug = select(Puzzle.final_id).where(Puzzle.final_id == FinalRow.id)
    return (
        select(FinalRow.job_id, FinalRow.position, FinalRow.digits)
        .where(~dug.exists())
        .order_by(FinalRow.job_id, FinalRow.position)
    )
