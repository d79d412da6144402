"""The account of a job, and what must hold of the job itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    func,
    select,
)

from sudokumill.errors import UnknownJobError, UnreadableJobError
from sudokumill.jobs import JobKind
from sudokumill.store.audit.chunks import TRIED, check_chunk, check_ranges, check_stock
from sudokumill.store.audit.findings import Findings
from sudokumill.store.audit.rows import check_rows, results_of
from sudokumill.store.database import Database, Now
from sudokumill.store.models import (
    COUNTERS,
    Chunk,
    ChunkState,
    Job,
    JobState,
)


@dataclass(frozen=True)
class Account:
    """What became of an order."""

    job: int
    kind: str
    state: JobState
    ordered: int
    delivered: int
    """Rows that count, at most ``ordered``."""
    positions: dict[str, int]
    """What the planned positions came to, by name."""
    broken: tuple[str, ...]
    """The invariants that do not hold, a line each."""

    @property
    def left(self) -> int:
        """What is still to come, or was not made by the end."""
        return self.ordered - self.delivered


def audit(database: Database, job: int, patience: float) -> Account:
    """Looks whether a job's rows add up and agree with each other.

    Args:
        database: where.
        job: which job.
        patience: seconds for which a lease may be over before it counts as a fault that nobody took its chunk
            back: reapers look from time to time only.

    Raises:
        UnknownJobError: there is none with this id.
        UnreadableJobError: a newer version ordered it.
    """
    with database.read() as connection:
        if connection.dialect.name == "postgresql":
            # or each query would see what others commit between it and the one before
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        about = connection.execute(select(Job).where(Job.id == job)).one_or_none()
        if about is None:
            raise UnknownJobError(job=job)
        if about.kind not in list(JobKind):
            raise UnreadableJobError(job=job)
        chunks = connection.execute(_chunks(job)).all()
        stock = [chunk for chunk in chunks if chunk.start < 0]
        made = [chunk for chunk in chunks if chunk.start >= 0]
        findings = Findings()
        check_stock(findings, stock)
        for chunk in made:
            check_chunk(findings, chunk, patience)
        check_ranges(findings, made, about.planned)
        qualified = check_rows(connection, findings, about, chunks)
        _check_state(findings, about, chunks)
        _check_end(connection, findings, about, qualified)
    # by name: "count" as an attribute of a row is the method of tuples
    ordered: int = about._mapping["count"]
    positions = _positions(chunks, ordered)
    planned = about.planned + sum(chunk.stop - chunk.start for chunk in stock)
    if sum(positions.values()) != planned:
        findings.note(f"{planned:,} positions were planned, {sum(positions.values()):,} are accounted for")
    return Account(
        job=job,
        kind=about.kind,
        state=JobState(about.state),
        ordered=ordered,
        delivered=min(qualified, ordered),
        positions=positions,
        broken=findings.lines(),
    )


def _chunks(job: int) -> Select[Any]:
    return (
        select(
            *(getattr(Chunk, name) for name in ("id", "start", "stop", "state", "attempt", "owner", "lease_token",
              "lease_until", "claimed_at", "ended_at", "worker", "reason", "moved", "dropped_hits", "outcome",
              *COUNTERS)),
            (Now() - Chunk.lease_until).label("over"),
        )
        .where(Chunk.job_id == job)
        .order_by(Chunk.start, Chunk.id)
    )  # fmt: skip


def _positions(chunks: Iterable[Row[Any]], ordered: int) -> dict[str, int]:
    """What the positions came to, by the chunks' own counters."""
    sums: Counter[str] = Counter()
    for chunk in chunks:
        if chunk.state in TRIED:
            sums.update({name: getattr(chunk, name) for name in (*COUNTERS, "dropped_hits")})
        elif chunk.state != ChunkState.SPLIT:
            sums[chunk.state] += chunk.stop - chunk.start
    delivered = min(sums["delivered"], ordered)
    named = {
        "delivered": delivered,
        # also what was dropped from stock since
        "surplus": sums["delivered"] - delivered + sums["dropped_hits"],
        "repeated": sums["repeated"],
        "off target": sums["missed"] - sums["dropped_hits"],
        "not new": sums["not_new"],
        "item errors": sums["failed"],
        **{state.value: sums[state] for state in (ChunkState.RUNNING, ChunkState.WAITING, ChunkState.DROPPED)},
    }
    return {name: number for name, number in named.items() if number}


def _check_state(findings: Findings, about: Row[Any], chunks: Iterable[Row[Any]]) -> None:
    """The job's columns fit its state, and that of its chunks."""
    state = JobState(about.state)
    of_chunks = Counter(chunk.state for chunk in chunks)
    if about.running_since is not None and state is not JobState.RUNNING:
        findings.note(f"the clock of the job runs although it is {state.value}")
    if not state.ended:
        if (about.ended_at, about.delivered, about.last_position) != (None, None, None):
            findings.note(f"the job is {state.value} and has an end")
        return
    if about.ended_at is None:
        findings.note(f"the job is {state.value} and has no end")
    if state is not JobState.DONE and not about.reason:
        findings.note(f"the job is {state.value} and does not say why")
    if of_chunks[ChunkState.WAITING]:
        findings.note("chunks wait although their job has ended", of_chunks[ChunkState.WAITING])
    # who holds a chunk of one that a person cancelled, or that was given up, learns it after his batch
    if of_chunks[ChunkState.RUNNING] and state in {JobState.DONE, JobState.INCOMPLETE}:
        findings.note("chunks run although their job has ended", of_chunks[ChunkState.RUNNING])


def _check_end(connection: Connection, findings: Findings, about: Row[Any], qualified: int) -> None:
    """What the job says that it delivered is what is there."""
    state = JobState(about.state)
    ordered: int = about._mapping["count"]
    there = min(qualified, ordered)
    if about.delivered is not None:
        if about.delivered != there:
            findings.note(f"the job says that it delivered {about.delivered:,}, {there:,} rows are there")
        shown = _rows_up_to(connection, about, -1 if about.last_position is None else about.last_position)
        if shown != about.delivered:
            findings.note(
                f"the job delivered {about.delivered:,} up to its last position, {shown:,} rows lie before its end"
            )
    elif state in {JobState.DONE, JobState.INCOMPLETE}:
        findings.note(f"the job is {state.value} and does not say what it delivered")
    if state is JobState.DONE and there < ordered:
        findings.note(f"the job is done with {there:,} of {ordered:,} rows")
    if state is JobState.INCOMPLETE and there == ordered:
        findings.note(f"the job is incomplete with all {ordered:,} rows")


def _rows_up_to(connection: Connection, about: Row[Any], last: int) -> int:
    rows = 0
    for each in results_of(about):
        if each.counter in {"delivered", "already"}:
            query = select(func.count()).where(each.job_id == about.id, each.meant, each.position <= last)
            rows += connection.execute(query).scalar_one()
    return rows
