"""Yields: what came out of attempts, by band, and what that cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any, Final

from sqlalchemy import Connection, Row, Text, and_, cast, func, select

from sudokumill.difficulty import shown_rating
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.store.bands import BandRange, read_bands
from sudokumill.store.database import Database
from sudokumill.store.grades import is_newest
from sudokumill.store.models import Chunk, Grade, GradeState, Job, Puzzle
from sudokumill.store.progress import TRIED, Progress, jobs, read_specs

_NEWEST: Final = 50
"""Jobs that are looked at for what an order costs."""

_ENOUGH: Final = 20
"""Rows by which that is known."""

OR_MORE: Final = " or more"

Shares = list[tuple[str, int]]
"""(band, number of levels), the easiest first."""


def yield_of(database: Database, found: Progress) -> Shares:
    """In which bands the levels lie that a job made, on target or not; empty for one that has no grader."""
    with database.read() as connection:
        return read_yield(connection, found)


def read_yield(connection: Connection, found: Progress) -> Shares:
    """``yield_of`` within a transaction."""
    grader = found.spec.parts.get(Part.GRADER)
    if grader is None:
        return []
    rows = connection.execute(
        select(Grade.rating, Grade.at_least, Grade.status, func.count().label("levels"))
        .select_from(Puzzle)
        .join(Grade, Grade.puzzle_id == Puzzle.id)
        .where(Puzzle.job_id == found.id, Grade.grader == grader.name, is_newest())
        .group_by(Grade.rating, Grade.at_least, Grade.status)
    ).all()
    bands = read_bands(connection, grader.name).get(grader.name, [])
    counted: Counter[BandRange] = Counter()
    for row in rows:
        counted[_place(row, bands)] += row.levels
    return [(one.name, number) for one, number in sorted(counted.items())]


def _place(row: Row[*tuple[Any, ...]], bands: Sequence[BandRange]) -> BandRange:
    """The band, or what stands for it where there is none: whole ratings, and bounds by themselves."""
    if row.rating is None:
        name = f"{shown_rating(row.at_least)}{OR_MORE}" + (
            " (given up)" if row.status == GradeState.GAVE_UP else ""
        )
        return BandRange(row.at_least, inf, name)
    for one in bands:
        if one.low <= row.rating <= one.high:
            return one
    low = floor(row.rating)
    return BandRange(low, low + 0.9, f"{low}.x")


def shown_shares(shares: Shares) -> str:
    """In words: ``easy 31 (62 %), hard 19 (38 %)``."""
    total = sum(number for _, number in shares)
    return ", ".join(f"{name} {number:,} ({_percent(number / total)})" for name, number in shares)


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %") if share >= 0.095 else f"{share:.1%}".replace("%", " %")


@dataclass(frozen=True, order=True)
class Way:
    """What made levels, as it was run: a part is NAME==VERSION and its options, as in ``native==1 clues=26``."""

    digger: str
    """NAME==VERSION."""
    options: str
    """Of the digger, with what the order was aimed by."""
    grader: str
    """That graded them as they were made, up to its ceiling; empty for none."""
    others: str
    """Generator, solver and checker."""


@dataclass(frozen=True)
class Yield:
    """What one way to dig came to, in one band."""

    way: Way
    band: str
    levels: int
    tried: int
    """Positions, also those of which no puzzle was left."""
    seconds: float
    """That these tries took on one core, with generating, checking and grading."""

    @property
    def share(self) -> float:
        """Levels of those that were tried."""
        return self.levels / self.tried if self.tried else 0.0

    @property
    def cost(self) -> float:
        """Seconds on one core for one level of this band; infinite where none came out."""
        return self.seconds / self.levels if self.levels else inf


@dataclass
class _Tally:
    """What came of one job in one way, or of several that tried the same positions."""

    tried: int = 0
    seconds: float = 0.0
    ratings: Counter[tuple[float | None, float | None, str | None]] = field(default_factory=Counter)
    """Levels by rating, bound and status, each None where there is none; all are for a level that is not
    graded."""

    @property
    def graded_share(self) -> float:
        """Of the stored levels, those of which a grade says something: a grade job takes the oldest first,
        whatever they are, so these stand for all."""
        stored = self.ratings.total()
        return 1.0 - self.ratings[None, None, None] / stored if stored else 1.0

    def knows(self, low: float, high: float) -> bool:
        """Whether none that stopped at a ceiling may lie in a range of ratings, or not, as nobody knows."""
        bounds = [bound for _, bound, status in self.ratings if status == GradeState.ABOVE and bound is not None]
        return all(bound > high or (high == inf and bound >= low) for bound in bounds)

    def count(self, low: float, high: float) -> int:
        """Levels that lie in a range of ratings."""
        return sum(
            number
            for (rating, bound, _), number in self.ratings.items()
            if (rating is not None and low <= rating <= high)
            or (rating is None and bound is not None and bound >= low and high == inf)
        )


def yields(database: Database, grader: str) -> list[Yield]:
    """The measured yield of each way to dig and each band, over all that is stored and graded.

    A job that stopped grading at a ceiling says nothing of the bands above it, so it is left out of these until
    its levels have been graded. Levels that nobody has graded are left out with the tries that made them.

    Args:
        database: where.
        grader: by whose grades.
    """
    with database.read() as connection:
        bands = read_bands(connection, grader).get(grader, [])
        tallies = _tallies(connection, grader)
    sums: dict[tuple[Way, BandRange], list[float]] = {}
    for way, tally in tallies:
        share = tally.graded_share
        for band in bands:
            if not share or not tally.knows(band.low, band.high):
                continue
            into = sums.setdefault((way, band), [0, 0, 0.0])
            into[0] += tally.count(band.low, band.high)
            into[1] += tally.tried * share
            into[2] += tally.seconds * share
    return [
        Yield(way, band.name, int(levels), round(tried), seconds)
        for (way, band), (levels, tried, seconds) in sorted(sums.items())
    ]


def _tallies(
    connection: Connection, grader: str, meant: Callable[[JobSpec], bool] = lambda _: True
) -> list[tuple[Way, _Tally]]:
    """What came of jobs that dug, by the way in which they did.

    Two orders with the same seed try the same positions: these are counted once, as are the levels, which belong
    to the order that stored them.
    """
    specs = read_specs(
        connection.execute(
            select(Job.id, Job.spec).where(Job.kind.in_([JobKind.LEVELS, JobKind.DIG])).order_by(Job.id)
        )
    )
    specs = {job: spec for job, spec in specs.items() if meant(spec)}
    found: dict[tuple[Way, object], _Tally] = {}
    keys: dict[tuple[int, str | None], tuple[Way, object]] = {}
    for row in connection.execute(_tries()):
        spec = specs.get(row.job_id)
        if spec is None:
            continue
        fresh = spec.source is Source.FRESH
        key = keys[row.job_id, row.versions] = (
            way_of(spec, json.loads(row.versions)), (spec.seed,) if fresh else row.job_id,
        )  # fmt: skip
        tally = found.setdefault(key, _Tally())
        if row.positions > tally.tried:
            tally.tried, tally.seconds = int(row.positions), float(row.seconds)
    for row in connection.execute(_rated(grader)):
        at = keys.get((row.job_id, row.versions))
        if at is not None:
            found[at].ratings[row.rating, row.at_least, row.status] += row.levels
    return [(way, tally) for (way, _), tally in found.items() if tally.tried]


def _tries() -> Any:
    """SQL: positions that were tried and the seconds of that, by job and by what made them."""
    versions = cast(Chunk.versions, Text)
    return (
        select(
            Chunk.job_id,
            versions.label("versions"),
            func.sum(Chunk.stop - Chunk.start - Chunk.moved).label("positions"),
            func.sum(Chunk.seconds).label("seconds"),
        )
        # one that is dead has no versions: nothing was left to say what was at work
        .where(Chunk.state.in_(TRIED), Chunk.start >= 0, Chunk.versions.is_not(None))
        .group_by(Chunk.job_id, versions)
        .order_by(Chunk.job_id)
    )


def _rated(grader: str) -> Any:
    """SQL: stored levels by job, by what made them, and by what a grader says of them."""
    versions = cast(Chunk.versions, Text)
    columns = (Puzzle.job_id, versions, Grade.rating, Grade.at_least, Grade.status)
    return (
        select(
            Puzzle.job_id, versions.label("versions"), Grade.rating, Grade.at_least, Grade.status,
            func.count().label("levels"),
        )
        .select_from(Puzzle)
        .join(Chunk, Chunk.id == Puzzle.chunk_id)
        .outerjoin(Grade, and_(Grade.puzzle_id == Puzzle.id, Grade.grader == grader, is_newest()))
        .group_by(*columns)
    )  # fmt: skip


def way_of(spec: JobSpec, versions: dict[str, str]) -> Way:
    """The way in which a job's rows were made.

    Args:
        spec: its order.
        versions: part to NAME==VERSION, of its chunks.
    """

    def shown(part: Part) -> str:
        choice = spec.parts.get(part)
        if choice is None:
            return ""
        name = versions.get(part.value, f"{choice.name}=={choice.version}")
        return " ".join([name, *_options(choice.options)])

    digger = spec.parts[Part.DIGGER]
    others = [(part, shown(part)) for part in (Part.GENERATOR, Part.SOLVER, Part.CHECKER)]
    return Way(
        digger=versions.get(Part.DIGGER.value, f"{digger.name}=={digger.version}"),
        options=" ".join(_options(digger.options | spec.aim)),
        grader=shown(Part.GRADER),
        others=", ".join(f"{part.value} {text}" for part, text in others if text),
    )


def _options(options: dict[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in options.items()]


# --- what an order costs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """What one row that counts costs, as it was measured."""

    seconds: float
    """On one core."""
    share: float
    """Rows that count of those that are tried."""


def cost_of(database: Database, spec: JobSpec) -> Cost | None:
    """What a row costs that is as an order asks, as newer jobs measured it that ordered the same.

    Args:
        database: where.
        spec: an order; how many and with which seed does not matter.

    Returns:
        None where no such job has made enough.
    """
    seconds, rows, tried = 0.0, 0, 0
    for found in jobs(database, _NEWEST)[0]:
        if (found.kind, found.spec.parts, found.spec.difficulty, found.spec.aim, found.spec.limit) == (
            spec.kind, spec.parts, spec.difficulty, spec.aim, spec.limit,
        ):  # fmt: skip
            seconds += found.seconds
            rows += found.qualified - found.stock
            tried += found.tried - found.stock
    return Cost(seconds / rows, rows / tried) if rows >= _ENOUGH else None


def cost_by_grades(database: Database, spec: JobSpec) -> Cost | None:
    """The same for a range of ratings, as all jobs measured it that dug in this way, whatever they asked for.

    Args:
        database: where.
        spec: an order. One that asks for techniques is not looked for: how often they are used is in no index.

    Returns:
        None where these jobs gave hardly any such level, or none is known.
    """
    asked, grader = spec.difficulty, spec.parts.get(Part.GRADER)
    if asked is None or grader is None or asked.techniques or asked.without:
        return None

    def same(other: JobSpec) -> bool:
        ours, theirs = spec.parts, other.parts
        return (
            theirs[Part.DIGGER] == ours[Part.DIGGER]
            and other.aim == spec.aim
            and theirs.get(Part.GENERATOR) == ours.get(Part.GENERATOR)
        )

    with database.read() as connection:
        tallies = _tallies(connection, grader.name, same)
    hits, tried, seconds = 0, 0.0, 0.0
    for _, tally in tallies:
        if tally.knows(asked.low, asked.high):
            share = tally.graded_share
            hits += tally.count(asked.low, asked.high)
            tried += tally.tried * share
            seconds += tally.seconds * share
    return Cost(seconds / hits, hits / tried) if hits >= _ENOUGH else None
