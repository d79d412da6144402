"""The audit of a job: do its rows add up to what was ordered, and does nothing contradict itself?

It only reads, in one snapshot, and counts from the rows themselves: what the host keeps as counters is compared
with them. It holds for a job in progress too, at any moment.

    ordered    = delivered rows + what is left (to come, or not made by the end)
    positions  = delivered + surplus + repeated + off target + not new + item errors
                 + running + waiting + dropped, each position counted once
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, assert_never

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    false,
    func,
    not_,
    or_,
    select,
    true,
    union_all,
)

from sudokumill.errors import UnknownJobError, UnreadableJobError
from sudokumill.jobs import Distinct, JobKind, JobSpec, Part, Source
from sudokumill.store.database import Database, Now
from sudokumill.store.models import (
    COUNTERS,
    Chunk,
    ChunkState,
    Delivery,
    FinalRow,
    Grade,
    Input,
    ItemFailure,
    Job,
    JobState,
    Puzzle,
    Solution,
)
from sudokumill.store.outcomes import read_outcomes

_TRIED: Final = frozenset({ChunkState.DONE, ChunkState.DEAD})
_SHOWN: Final = 3
"""Places that a line names before it says how many more there are."""


@dataclass(frozen=True)
class _Results:
    """Rows in which it stands what positions came to: a table, or a query with the same columns."""

    what: str
    counter: str
    """The chunk's counter of these rows."""
    job_id: Any
    chunk_id: Any
    position: Any
    meant: ColumnElement[bool]
    """Which of the rows."""


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


class _Findings:
    """Broken invariants, and where each was seen."""

    def __init__(self) -> None:
        self._where: dict[str, list[str]] = defaultdict(list)

    def note(self, invariant: str, where: object = "") -> None:
        self._where[invariant].append(str(where))

    def lines(self) -> tuple[str, ...]:
        return tuple(
            _line(invariant, [each for each in where if each]) for invariant, where in self._where.items()
        )


def _line(invariant: str, where: list[str]) -> str:
    if not where:
        return invariant
    more = f" and {len(where) - _SHOWN:,} more" if len(where) > _SHOWN else ""
    return f"{invariant}: {', '.join(where[:_SHOWN])}{more}"


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
        findings = _Findings()
        _check_stock(findings, stock)
        for chunk in made:
            _check_chunk(findings, chunk, patience)
        _check_ranges(findings, made, about.planned)
        qualified = _check_rows(connection, findings, about, chunks)
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
        if chunk.state in _TRIED:
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


# --- chunks ------------------------------------------------------------------------------------------------


def _check_chunk(findings: _Findings, chunk: Row[Any], patience: float) -> None:
    """A chunk's columns fit its state, and each of its positions was counted once."""
    held = [chunk.owner, chunk.lease_token, chunk.lease_until]
    tried = chunk.state in _TRIED
    if chunk.state == ChunkState.RUNNING:
        if None in (*held, chunk.claimed_at):
            findings.note("a chunk runs without a lease", f"chunk {chunk.id}")
        elif chunk.over > patience:
            findings.note(
                "a chunk runs although its lease is over, and nobody takes it back",
                f"chunk {chunk.id} for {chunk.over:.0f} s",
            )
    elif any(each is not None for each in held):
        findings.note("a chunk has a lease and does not run", f"chunk {chunk.id} is {chunk.state}")
    if chunk.state in {ChunkState.SPLIT, ChunkState.DEAD} and not chunk.reason:
        findings.note("a chunk failed at every attempt without a reason", f"chunk {chunk.id}")
    if chunk.state == ChunkState.DONE and chunk.ended_at is None:
        findings.note("a chunk is done and has no end", f"chunk {chunk.id}")
    if chunk.state == ChunkState.DEAD and chunk.stop - chunk.start != 1:
        findings.note("a chunk of several positions is dead, it should be split", f"chunk {chunk.id}")
    if chunk.state in {ChunkState.RUNNING, ChunkState.DONE, ChunkState.DEAD} and chunk.attempt < 1:
        findings.note("a chunk was made without an attempt", f"chunk {chunk.id}")
    counted = sum(getattr(chunk, name) for name in COUNTERS if name != "already")
    if counted != (chunk.stop - chunk.start - chunk.moved if tried else 0):
        findings.note(
            "positions of a chunk are not counted once each",
            f"chunk {chunk.id}, {chunk.state}, has {chunk.stop - chunk.start:,}, {chunk.moved:,} of them moved, "
            f"and counts {counted:,}",
        )
    if chunk.outcome is not None:
        _check_outcome(findings, chunk)
    if not 0 <= chunk.already <= chunk.delivered or min(getattr(chunk, name) for name in COUNTERS) < 0:
        findings.note("a counter of a chunk cannot be", f"chunk {chunk.id}")


def _check_outcome(findings: _Findings, chunk: Row[Any]) -> None:
    """What came out of a chunk adds up to what it tried without failing."""
    came = sum(one.positions for one in read_outcomes(chunk.outcome).values())
    sound = chunk.delivered + chunk.repeated + chunk.missed + chunk.not_new
    if came != sound:
        findings.note(
            "what came out of a chunk does not add up to its rows",
            f"chunk {chunk.id} has {sound:,}, and keeps what {came:,} came to",
        )


def _check_stock(findings: _Findings, stock: list[Row[Any]]) -> None:
    """What was taken from stock stands in one chunk below position 0, which was done from the start."""
    for chunk in stock:
        size = -chunk.start
        if (chunk.stop, chunk.state, chunk.delivered, chunk.already) != (0, ChunkState.DONE, size, size):
            findings.note("the chunk of what came from stock does not count that", f"chunk {chunk.id}")
    if len(stock) > 1:
        findings.note("a job took from stock twice", f"chunks {', '.join(str(chunk.id) for chunk in stock)}")


def _check_ranges(findings: _Findings, chunks: Iterable[Row[Any]], planned: int) -> None:
    """The chunks lie without gaps; where two lie on each other, the earlier one gave its positions to the later.

    chunk 1   |----------|            2 of its positions failed and were moved:
    chunk 7        |--|               a retry has a chunk of its own for them
    """
    counted = [chunk for chunk in chunks if chunk.state != ChunkState.SPLIT]
    for chunk in counted:
        if not 0 <= chunk.start < chunk.stop:
            findings.note("a chunk has no positions", f"chunk {chunk.id}")
    borders = sorted(
        [(chunk.start, 1, chunk.id) for chunk in counted] + [(chunk.stop, 0, chunk.id) for chunk in counted]
    )
    here: set[int] = set()
    covered: Counter[int] = Counter()
    reached = 0
    for place, begins, chunk_id in borders:
        if place > reached:
            if not here:
                findings.note("positions are in no chunk", f"{reached:,} to {place - 1:,}")
            for earlier in here - {max(here, default=0)}:
                covered[earlier] += place - reached
            reached = place
        (here.add if begins else here.discard)(chunk_id)
    if reached < planned:
        findings.note("positions are in no chunk", f"{reached:,} to {planned - 1:,}")
    elif reached > planned:
        findings.note("a chunk reaches beyond what was planned", f"{reached:,} of {planned:,}")
    for chunk in counted:
        if covered[chunk.id] != chunk.moved:
            findings.note(
                "positions are in two chunks that count them both, or in none",
                f"{covered[chunk.id]:,} of chunk {chunk.id} are in later chunks, {chunk.moved:,} were moved there",
            )


# --- rows --------------------------------------------------------------------------------------------------


def _rows_of(table: type[Any], counter: str, meant: ColumnElement[bool] | None = None) -> _Results:
    meant = true() if meant is None else meant
    return _Results(table.__tablename__, counter, table.job_id, table.chunk_id, table.position, meant)


def _results(about: Row[Any]) -> list[_Results]:
    """Where it stands what a job's positions came to."""
    kind = JobKind(about.kind)
    match kind:
        case JobKind.GENERATE:
            own = [
                _rows_of(FinalRow, "delivered", and_(FinalRow.on_target)),
                _rows_of(FinalRow, "missed", not_(FinalRow.on_target)),
            ]
        case JobKind.DIG | JobKind.LEVELS:
            own = [
                _rows_of(Puzzle, "delivered", and_(Puzzle.on_target)),
                _rows_of(Puzzle, "missed", not_(Puzzle.on_target)),
            ]
        case JobKind.SOLVE:
            own = [_rows_of(Solution, "delivered")]
        case JobKind.GRADE:
            own = [_graded(about)]
        case _:
            assert_never(kind)
    return [*own, _rows_of(Delivery, "already"), _rows_of(ItemFailure, "failed")]


def _graded(about: Row[Any]) -> _Results:
    """Inputs of a grade job that have its grade, or whose level has been dropped since, with its grades.

    A grade belongs to a puzzle and to no chunk. So an input counts for the last ended chunk that has its position:
    a retry lies on the chunk whose failures it tries again.
    """
    spec = JobSpec.model_validate(about.spec)
    grader = spec.parts[Part.GRADER]
    tried = (
        select(func.max(Chunk.id))
        .where(Chunk.job_id == about.id, Chunk.state.in_(_TRIED))
        .where(Chunk.start <= Input.position, Input.position < Chunk.stop)
        .correlate(Input)
        .scalar_subquery()
    )
    failed = select(ItemFailure.position).where(
        ItemFailure.job_id == Input.job_id, ItemFailure.position == Input.position
    )
    graded = select(Grade.puzzle_id).where(
        Grade.puzzle_id == Input.item_id, Grade.grader == grader.name, Grade.version == grader.version
    )
    stored = select(Puzzle.id).where(Puzzle.id == Input.item_id, Puzzle.job_id < about.id)  # else: made again
    dropped = ~stored.exists() if spec.source is Source.PUZZLES else false()
    rows = (
        select(Input.job_id, Input.position, tried.label("chunk_id"))
        .where(Input.job_id == about.id, ~failed.exists(), or_(graded.exists(), dropped))
        .subquery()
    )
    return _Results(
        Grade.__tablename__,
        "delivered",
        rows.c.job_id,
        rows.c.chunk_id,
        rows.c.position,
        rows.c.chunk_id.is_not(None),
    )


def _check_rows(connection: Connection, findings: _Findings, about: Row[Any], chunks: Iterable[Row[Any]]) -> int:
    """Every row has its chunk, and every chunk its rows, once; returns how many rows may be delivered."""
    known = {chunk.id: chunk for chunk in chunks}
    results = _results(about)
    distinct = Distinct(about.spec.get("distinct", Distinct.EXACT))
    stored: dict[str, Counter[int]] = {name: Counter() for name in COUNTERS}
    for rows in results:
        for row in connection.execute(_by_chunk(rows, about.id)):
            _check_origin(findings, rows.what, row, known.get(row.chunk_id))
            stored[rows.counter][row.chunk_id] += row.rows
            if rows.counter == "already":
                stored["delivered"][row.chunk_id] += row.rows
    if all(rows.what != FinalRow.__tablename__ for rows in results):
        finals = _rows_of(FinalRow, "")
        for row in connection.execute(_by_chunk(finals, about.id)):
            _check_origin(findings, finals.what, row, known.get(row.chunk_id))
    for chunk in known.values():
        for name in ("delivered", "already", "failed"):
            if stored[name][chunk.id] != getattr(chunk, name):
                findings.note(
                    "a chunk counts other rows than are stored",
                    f"chunk {chunk.id} counts {getattr(chunk, name):,} {name}, "
                    f"{stored[name][chunk.id]:,} are there",
                )
        # one that was stored before is not stored again; rows of a class that counts by another are kept, too
        more = chunk.repeated + chunk.not_new if distinct is Distinct.ISOMORPH else 0
        if stored["missed"][chunk.id] > chunk.missed + more:
            findings.note("a chunk has more rows off target than it counts", f"chunk {chunk.id}")
    every = union_all(
        *(select(rows.position.label("position")).where(rows.job_id == about.id, rows.meant) for rows in results)
    ).subquery()
    twice = select(every.c.position).group_by(every.c.position).having(func.count() > 1).limit(_SHOWN)
    for row in connection.execute(twice):
        findings.note("a position has two results", f"position {row.position:,}")
    if distinct is Distinct.ISOMORPH:
        _check_classes(connection, findings, about)
    _check_deliveries(connection, findings, about.id, results)
    unexplained = select(func.count()).where(ItemFailure.job_id == about.id, ItemFailure.reason == "")
    if connection.execute(unexplained).scalar_one():
        findings.note("an item error has no reason")
    return stored["delivered"].total()


def _check_classes(connection: Connection, findings: _Findings, about: Row[Any]) -> None:
    """No two rows that a job without isomorphs may deliver are of one class."""
    table: Any = FinalRow if about.kind == JobKind.GENERATE else Puzzle
    own = select(table.position, table.class_id).where(table.job_id == about.id, table.on_target)
    others = select(Delivery.position, Delivery.class_id).where(Delivery.job_id == about.id)
    every = union_all(own, others).subquery()
    classless = select(every.c.position).where(every.c.class_id.is_(None)).limit(_SHOWN)
    for row in connection.execute(classless):
        findings.note("the class of a row is not known, and the job wants each once", f"position {row.position:,}")
    twice = (
        select(func.min(every.c.position).label("first"), func.max(every.c.position).label("last"))
        .where(every.c.class_id.is_not(None))
        .group_by(every.c.class_id)
        .having(func.count() > 1)
        .limit(_SHOWN)
    )
    for row in connection.execute(twice):
        findings.note("two rows of one class count for the job", f"positions {row.first:,} and {row.last:,}")
    moved = (
        select(Delivery.position)
        .join(table, table.id == Delivery.item_id)
        .where(Delivery.job_id == about.id, table.class_id != Delivery.class_id)
        .limit(_SHOWN)
    )
    for row in connection.execute(moved):
        findings.note("a row has another class than the job delivered it for", f"position {row.position:,}")


def _check_deliveries(connection: Connection, findings: _Findings, job: int, results: Iterable[_Results]) -> None:
    """What another job stored is there, and nothing is delivered by two positions."""
    tables: dict[str, Any] = {each.__tablename__: each for each in (FinalRow, Puzzle)}
    for own in results:
        table = tables.get(own.what)
        if table is None or own.counter != "delivered":
            continue
        others = (
            select(Delivery.position)
            .outerjoin(table, table.id == Delivery.item_id)
            .where(Delivery.job_id == job)
            .limit(_SHOWN)
        )
        for row in connection.execute(others.where(table.id.is_(None))):
            findings.note("a position delivers a row that is not there", f"position {row.position:,}")
        for row in connection.execute(others.where(own.job_id == job, own.meant)):
            findings.note("a row of the job is delivered by two positions", f"position {row.position:,}")


def _by_chunk(rows: _Results, job: int) -> Select[Any]:
    return (
        select(
            rows.chunk_id.label("chunk_id"),
            func.count().label("rows"),
            func.min(rows.position).label("first"),
            func.max(rows.position).label("last"),
        )
        .where(rows.job_id == job, rows.meant)
        .group_by(rows.chunk_id)
    )


def _check_origin(findings: _Findings, table: str, row: Row[Any], chunk: Row[Any] | None) -> None:
    where = f"{row.rows:,} in {table} of chunk {row.chunk_id}"
    if chunk is None:
        findings.note("rows belong to no chunk of their job", where)
    elif chunk.state not in _TRIED:
        findings.note("rows belong to a chunk that has not ended", f"{where}, which is {chunk.state}")
    elif row.first < chunk.start or row.last >= chunk.stop:
        findings.note("rows lie outside of their chunk's positions", where)


# --- the job -----------------------------------------------------------------------------------------------


def _check_state(findings: _Findings, about: Row[Any], chunks: Iterable[Row[Any]]) -> None:
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


def _check_end(connection: Connection, findings: _Findings, about: Row[Any], qualified: int) -> None:
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
    for each in _results(about):
        if each.counter in {"delivered", "already"}:
            query = select(func.count()).where(each.job_id == about.id, each.meant, each.position <= last)
            rows += connection.execute(query).scalar_one()
    return rows
