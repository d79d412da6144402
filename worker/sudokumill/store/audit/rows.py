"""What must hold of a job's rows: each has its chunk, and each chunk its rows, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, assert_never

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

from sudokumill.jobs import Distinct, JobKind, JobSpec, Part, Source
from sudokumill.store.audit.chunks import TRIED
from sudokumill.store.audit.findings import SHOWN, Findings
from sudokumill.store.models import (
    COUNTERS,
    Chunk,
    Delivery,
    FinalRow,
    Grade,
    Input,
    ItemFailure,
    Puzzle,
    Solution,
)


@dataclass(frozen=True)
class Results:
    """Rows in which it stands what positions came to: a table, or a query with the same columns."""

    what: str
    counter: str
    """The chunk's counter of these rows."""
    job_id: Any
    chunk_id: Any
    position: Any
    meant: ColumnElement[bool]
    """Which of the rows."""


def _rows_of(table: type[Any], counter: str, meant: ColumnElement[bool] | None = None) -> Results:
    meant = true() if meant is None else meant
    return Results(table.__tablename__, counter, table.job_id, table.chunk_id, table.position, meant)


def results_of(about: Row[Any]) -> list[Results]:
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


def _graded(about: Row[Any]) -> Results:
    """Inputs of a grade job that have its grade, or whose level has been dropped since, with its grades.

    A grade belongs to a puzzle and to no chunk. So an input counts for the last ended chunk that has its position:
    a retry lies on the chunk whose failures it tries again.
    """
    spec = JobSpec.model_validate(about.spec)
    grader = spec.parts[Part.GRADER]
    tried = (
        select(func.max(Chunk.id))
        .where(Chunk.job_id == about.id, Chunk.state.in_(TRIED))
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
    return Results(
        Grade.__tablename__,
        "delivered",
        rows.c.job_id,
        rows.c.chunk_id,
        rows.c.position,
        rows.c.chunk_id.is_not(None),
    )


def check_rows(connection: Connection, findings: Findings, about: Row[Any], chunks: Iterable[Row[Any]]) -> int:
    """Every row has its chunk, and every chunk its rows, once; returns how many rows may be delivered."""
    known = {chunk.id: chunk for chunk in chunks}
    results = results_of(about)
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
    twice = select(every.c.position).group_by(every.c.position).having(func.count() > 1).limit(SHOWN)
    for row in connection.execute(twice):
        findings.note("a position has two results", f"position {row.position:,}")
    if distinct is Distinct.ISOMORPH:
        _check_classes(connection, findings, about)
    _check_deliveries(connection, findings, about.id, results)
    unexplained = select(func.count()).where(ItemFailure.job_id == about.id, ItemFailure.reason == "")
    if connection.execute(unexplained).scalar_one():
        findings.note("an item error has no reason")
    return stored["delivered"].total()


def _check_classes(connection: Connection, findings: Findings, about: Row[Any]) -> None:
    """No two rows that a job without isomorphs may deliver are of one class."""
    table: Any = FinalRow if about.kind == JobKind.GENERATE else Puzzle
    own = select(table.position, table.class_id).where(table.job_id == about.id, table.on_target)
    others = select(Delivery.position, Delivery.class_id).where(Delivery.job_id == about.id)
    every = union_all(own, others).subquery()
    classless = select(every.c.position).where(every.c.class_id.is_(None)).limit(SHOWN)
    for row in connection.execute(classless):
        findings.note("the class of a row is not known, and the job wants each once", f"position {row.position:,}")
    twice = (
        select(func.min(every.c.position).label("first"), func.max(every.c.position).label("last"))
        .where(every.c.class_id.is_not(None))
        .group_by(every.c.class_id)
        .having(func.count() > 1)
        .limit(SHOWN)
    )
    for row in connection.execute(twice):
        findings.note("two rows of one class count for the job", f"positions {row.first:,} and {row.last:,}")
    moved = (
        select(Delivery.position)
        .join(table, table.id == Delivery.item_id)
        .where(Delivery.job_id == about.id, table.class_id != Delivery.class_id)
        .limit(SHOWN)
    )
    for row in connection.execute(moved):
        findings.note("a row has another class than the job delivered it for", f"position {row.position:,}")


def _check_deliveries(connection: Connection, findings: Findings, job: int, results: Iterable[Results]) -> None:
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
            .limit(SHOWN)
        )
        for row in connection.execute(others.where(table.id.is_(None))):
            findings.note("a position delivers a row that is not there", f"position {row.position:,}")
        for row in connection.execute(others.where(own.job_id == job, own.meant)):
            findings.note("a row of the job is delivered by two positions", f"position {row.position:,}")


def _by_chunk(rows: Results, job: int) -> Select[Any]:
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


def _check_origin(findings: Findings, table: str, row: Row[Any], chunk: Row[Any] | None) -> None:
    where = f"{row.rows:,} in {table} of chunk {row.chunk_id}"
    if chunk is None:
        findings.note("rows belong to no chunk of their job", where)
    elif chunk.state not in TRIED:
        findings.note("rows belong to a chunk that has not ended", f"{where}, which is {chunk.state}")
    elif row.first < chunk.start or row.last >= chunk.stop:
        findings.note("rows lie outside of their chunk's positions", where)
