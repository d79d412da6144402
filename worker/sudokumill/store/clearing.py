"""Clearing: how much is in stock, and taking levels out of it for good.

What is dropped is gone, with its grades, and with finals that nothing else has. What a job delivered stays,
whatever delivered it, and so does what a job that has not ended may still need.

    puzzle --- grade        dropped with it, but for one that the grading of a file delivered
       |
     final                  dropped where no other puzzle is dug from it and no generate job made or delivered it

The accounts of jobs stay right: a surplus position becomes one of which no puzzle is left, and is shown as the
surplus that it was; an input whose level was dropped counts for the grade job that graded it (see ``audit``). What
came out of a job is not counted from its rows (see ``outcomes``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
    delete,
    func,
    select,
    tuple_,
    update,
)

from sudokumill.jobs import JobKind, Source
from sudokumill.store.database import Database
from sudokumill.store.grades import in_band, is_shown
from sudokumill.store.models import Band, Chunk, Delivery, FinalRow, Grade, GradeState, Input, Job, Puzzle
from sudokumill.store.stock import is_stock, lock_stock

_AT_A_TIME: Final = 10_000
"""Levels of a transaction: below SQLite's 32,766 parameters, and others wait for it."""

NO_BAND: Final = "no band"
ABOVE: Final = "above a ceiling"
GAVE_UP: Final = "given up"
UNGRADED: Final = "not graded"


@dataclass(frozen=True)
class Share:
    """What is in stock of one band, or of one kind of levels that are in none."""

    band: str | None
    name: str
    """The band's, or why there is none."""
    levels: int
    oldest: int
    """The first job that made any of them."""
    newest: int
    """The last one."""


@dataclass(frozen=True)
class Meant:
    """Which levels of the stock are meant; all where nothing is said."""

    grader: str
    """By whose grades."""
    band: str | None = None
    low: float | None = None
    """Least rating."""
    high: float = inf
    """Greatest rating, where there is a least one."""
    job: int | None = None
    """Made by this job."""
    ungraded: bool = False
    """Those without a rating."""
    above: int | None = None
    """Only what a band has beyond so many: the oldest stay, which orders take first."""


@dataclass(frozen=True)
class Dropped:
    """What is gone."""

    levels: int
    finals: int


def stock(database: Database, grader: str) -> list[Share]:
    """How much is in stock, by band, the easiest first."""
    with database.read() as connection:
        return _shares(connection, grader)


def count(database: Database, meant: Meant) -> dict[str, int]:
    """How many levels ``drop`` would drop now, by band or why there is none."""
    with database.read() as connection:
        return {name: number for name, number in _planned(connection, meant).items() if number}


def count_needed(database: Database, meant: Meant) -> int:
    """How many levels of the stock are meant and stay, for a job that has not ended may need them."""
    with database.read() as connection:
        there = connection.execute(_filtered(_levels(meant.grader, func.count()), meant)).scalar_one()
        may_go = connection.execute(_may_go(connection, meant, func.count())).scalar_one()
    return int(there - may_go)


def drop(database: Database, meant: Meant, watch: Callable[[int], None] = lambda _: None) -> Dropped:
    """Drops levels of the stock.

    Args:
        database: where.
        meant: which.
        watch: told after each transaction how many are gone by then.
    """
    with database.read() as connection:
        planned = _planned(connection, meant)
    levels = finals = 0
    portions: list[tuple[str | None, float]] = [(None, inf)] if meant.above is None else [*planned.items()]
    for name, most in portions:
        left, after = most, None
        while left > 0:
            with database.write() as connection:
                chosen = _next(connection, meant, name, int(min(left, _AT_A_TIME)), after)
                if not chosen:
                    break
                after = (chosen[-1].job_id, chosen[-1].position)
                gone = _drop(connection, [row.id for row in chosen], sorted({row.job_id for row in chosen}))
            left -= len(chosen)
            levels += gone.levels
            finals += gone.finals
            watch(levels)
    return Dropped(levels, finals)


# --- which -----------------------------------------------------------------------------------------------


def _name() -> ColumnElement[Any]:
    """SQL: the band, or why there is none."""
    return func.coalesce(
        Band.name,
        case(
            (Grade.status == GradeState.ABOVE, ABOVE),
            (Grade.status == GradeState.GAVE_UP, GAVE_UP),
            (Grade.status == GradeState.GRADED, NO_BAND),
            else_=UNGRADED,
        ),
    )


def _levels(grader: str, *columns: Any) -> Select[*tuple[Any, ...]]:
    """SQL: levels in stock, with ``Job`` as the origin of each, its ``Grade`` and ``Band``."""
    return (
        select(*columns)
        .select_from(Puzzle)
        .join(Job, Job.id == Puzzle.job_id)
        .outerjoin(Grade, and_(Grade.puzzle_id == Puzzle.id, is_shown(grader)))
        .outerjoin(Band, in_band())
        .where(*is_stock())
    )


def _shares(connection: Connection, grader: str) -> list[Share]:
    name = _name()
    rows = connection.execute(
        _levels(
            grader, Band.name.label("band"), name.label("name"), func.count().label("levels"),
            func.min(Puzzle.job_id).label("oldest"), func.max(Puzzle.job_id).label("newest"),
        )
        .group_by(Band.name, Band.rating_from, name)
        .order_by(Band.rating_from.is_(None), Band.rating_from, name)
    )  # fmt: skip
    return [Share(row.band, row.name, row.levels, row.oldest, row.newest) for row in rows]


def _may_go(connection: Connection, meant: Meant, *columns: Any) -> Select[*tuple[Any, ...]]:
    """SQL: the levels that are meant and that no job needs, or has delivered in any way."""
    needed = select(Input.item_id).join(Job, Job.id == Input.job_id)
    needed = needed.where(Job.kind == JobKind.GRADE, Job.ended_at.is_(None), Input.item_id.is_not(None))
    query = _levels(meant.grader, *columns).where(
        Job.ended_at.is_not(None),
        # also what is beyond the last position of a job, which counts it again if it is tried again
        _not_among(connection, Puzzle.id, Delivery.item_id, select(Delivery.item_id)),
        _not_among(connection, Puzzle.id, Input.item_id, needed),
    )
    return _filtered(query, meant)


def _filtered(query: Select[*tuple[Any, ...]], meant: Meant) -> Select[*tuple[Any, ...]]:
    """SQL: of levels in stock those that are meant."""
    if meant.job is not None:
        query = query.where(Puzzle.job_id == meant.job)
    if meant.band is not None:
        query = query.where(Band.name == meant.band)
    if meant.low is not None:
        query = query.where(Grade.rating >= meant.low)
        query = query if meant.high == inf else query.where(Grade.rating <= meant.high)
    if meant.ungraded:
        query = query.where(Grade.rating.is_(None))
    return query


def _not_among(connection: Connection, wanted: Any, column: Any, query: Select[Any]) -> ColumnElement[bool]:
    """SQL: a value is none of those of a query: as PostgreSQL joins large ones, and as SQLite looks them up."""
    if connection.dialect.name == "postgresql":
        return ~query.where(column == wanted).correlate(Puzzle, FinalRow).exists()
    not_in: ColumnElement[bool] = wanted.not_in(query)
    return not_in


def _planned(connection: Connection, meant: Meant) -> dict[str, int]:
    name = _name()
    query = _may_go(connection, meant, name.label("name"), func.count().label("levels")).group_by(name)
    found = {row.name: int(row.levels) for row in connection.execute(query)}
    if meant.above is None:
        return found
    there: Counter[str] = Counter()
    for share in _shares(connection, meant.grader):
        there[share.name] += share.levels
    return {name: max(0, min(number, there[name] - meant.above)) for name, number in found.items()}


def _next(
    connection: Connection, meant: Meant, name: str | None, most: int, after: tuple[int, int] | None
) -> list[Row[Any]]:
    """The next levels to drop: of all, the oldest first; of those beyond a number, the newest first."""
    place = tuple_(Puzzle.job_id, Puzzle.position)
    query = _may_go(connection, meant, Puzzle.id, Puzzle.job_id, Puzzle.position)
    if name is None:
        query = query.order_by(Puzzle.job_id, Puzzle.position)
        query = query if after is None else query.where(place > after)
    else:
        query = query.where(_name() == name).order_by(Puzzle.job_id.desc(), Puzzle.position.desc())
        query = query if after is None else query.where(place < after)
    return list(connection.execute(query.limit(most)).all())


# --- away with them ----------------------------------------------------------------------------------------


def _drop(connection: Connection, ids: list[bytes], jobs: list[int]) -> Dropped:
    """Drops some levels, as far as they may still go when nobody else can change that."""
    _lock(connection, jobs)
    rows = connection.execute(
        _may_go(connection, Meant(""), Puzzle.id, Puzzle.final_id, Puzzle.chunk_id, Puzzle.on_target).where(
            Puzzle.id.in_(ids)
        )
    ).all()
    gone = [row.id for row in rows]
    of_files = select(Input.item_id).join(Job, Job.id == Input.job_id)
    of_files = of_files.where(
        Job.kind == JobKind.GRADE, Job.spec["source"].as_string() == Source.FILE.value, Input.item_id.is_not(None)
    )
    connection.execute(delete(Grade).where(Grade.puzzle_id.in_(gone), Grade.puzzle_id.not_in(of_files)))
    connection.execute(delete(Puzzle).where(Puzzle.id.in_(gone)))
    surplus = Counter(row.chunk_id for row in rows if row.on_target)
    for chunk, number in sorted(Counter(row.chunk_id for row in rows).items()):
        hits = surplus[chunk]
        # of these positions no puzzle is left
        connection.execute(
            update(Chunk)
            .where(Chunk.id == chunk)
            .values(
                delivered=Chunk.delivered - hits,
                missed=Chunk.missed + hits,
                dropped_hits=Chunk.dropped_hits + hits,
                dropped=Chunk.dropped + number - hits,
            )
        )
    return Dropped(len(gone), _drop_finals(connection, list({row.final_id for row in rows})))


def _drop_finals(connection: Connection, ids: list[bytes]) -> int:
    dug = select(Puzzle.id).where(Puzzle.final_id == FinalRow.id)
    made = select(Job.id).where(Job.id == FinalRow.job_id, Job.kind == JobKind.GENERATE)
    return connection.execute(
        delete(FinalRow).where(
            FinalRow.id.in_(ids),
            ~dug.exists(),
            ~made.exists(),
            _not_among(connection, FinalRow.id, Delivery.item_id, select(Delivery.item_id)),
        )
    ).rowcount


def _lock(connection: Connection, jobs: list[int]) -> None:
    """Keeps others from needing what is about to go.

    Whoever stores rows has its locks on these tables before it looks which of them were there already: so it comes
    before, and its deliveries are seen, or after, and finds nothing. Jobs are not tried again meanwhile.
    """
    if connection.dialect.name != "postgresql":
        return  # whoever writes is alone
    lock_stock(connection)
    connection.execute(
        select(Job.id).where(Job.id.in_(jobs)).order_by(Job.id).with_for_update(key_share=True)
    ).all()
    connection.exec_driver_sql("LOCK TABLE final, puzzle IN SHARE ROW EXCLUSIVE MODE")
