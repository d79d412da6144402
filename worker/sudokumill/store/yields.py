"""Yields: what came out of attempts, by band, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from sudokumill.jobs import JobSpec, Part
from sudokumill.store.bands import BandRange, read_bands
from sudokumill.store.database import Database
from sudokumill.store.grades import is_newest
from sudokumill.store.models import Chunk, ChunkState, Grade, GradeState, Job, Puzzle
from sudokumill.store.reading import Progress, jobs, read_spec

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
        name = f"{row.at_least:g}{OR_MORE}" + (" (given up)" if row.status == GradeState.GAVE_UP else "")
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


@dataclass(frozen=True)
class Yield:
    """What one way to dig came to, in one band."""

    digger: str
    """NAME==VERSION."""
    options: str
    """Of the digger, with what the order was aimed by."""
    band: str
    levels: int
    tried: int
    seconds: float
    """That these tries took on one core, with generating, checking and grading."""

    @property
    def share(self) -> float:
        """Levels of those that were tried."""
        return self.levels / self.tried

    @property
    def cost(self) -> float:
        """Seconds on one core for one level of this band; infinite where none came out."""
        return self.seconds / self.levels if self.levels else inf


def yields(database: Database, grader: str) -> list[Yield]:
    """The measured yield of each way to dig and each band, over all that is stored and graded.

    A job that stopped grading at a ceiling says nothing of the bands above it, so it is left out of these.

    Args:
        database: where.
        grader: by whose grades.
    """
    with database.read() as connection:
        bands = read_bands(connection, grader).get(grader, [])
        made = _made_by_job(connection, grader)
        costs = _costs(connection)
        specs = {
            row.id: read_spec(row.id, row.spec)
            for row in connection.execute(select(Job.id, Job.spec).where(Job.id.in_(made)))
        }
    sums: dict[tuple[str, str, BandRange], list[float]] = {}
    for job, counted in made.items():
        spec, tried = specs[job], sum(counted.values())
        choice = spec.parts[Part.DIGGER]
        options = " ".join(f"{name}={value}" for name, value in (choice.options | spec.aim).items())
        lowest_bound = min((one.low for one in counted if one.high == inf and one not in bands), default=inf)
        for band in bands:
            if band.high > lowest_bound:
                continue
            key = (f"{choice.name}=={choice.version}", options, band)
            into = sums.setdefault(key, [0, 0, 0.0])
            into[0] += counted[band]
            into[1] += tried
            into[2] += tried * costs.get(job, 0.0)
    return [
        Yield(digger, options, band.name, int(levels), int(tried), seconds)
        for (digger, options, band), (levels, tried, seconds) in sorted(sums.items())
    ]


def seconds_a_row(database: Database, spec: JobSpec) -> float | None:
    """Seconds on one core for one row that counts, as newer jobs measured it that ordered the same.

    Args:
        database: where.
        spec: an order; how many and with which seed does not matter.

    Returns:
        None where no such job has made enough.
    """
    seconds, rows = 0.0, 0
    for found in jobs(database, _NEWEST)[0]:
        if (found.kind, found.spec.parts, found.spec.difficulty, found.spec.aim, found.spec.limit) == (
            spec.kind, spec.parts, spec.difficulty, spec.aim, spec.limit,
        ):  # fmt: skip
            seconds += found.seconds
            rows += found.qualified - found.stock
    return seconds / rows if rows >= _ENOUGH else None


def _made_by_job(connection: Connection, grader: str) -> dict[int, Counter[BandRange]]:
    bands = read_bands(connection, grader).get(grader, [])
    made: dict[int, Counter[BandRange]] = {}
    for row in connection.execute(
        select(Puzzle.job_id, Grade.rating, Grade.at_least, Grade.status, func.count().label("levels"))
        .select_from(Puzzle)
        .join(Grade, Grade.puzzle_id == Puzzle.id)
        .where(Grade.grader == grader, is_newest())
        .group_by(Puzzle.job_id, Grade.rating, Grade.at_least, Grade.status)
    ):
        made.setdefault(row.job_id, Counter())[_place(row, bands)] += row.levels
    return made


def _costs(connection: Connection) -> dict[int, float]:
    """Seconds of each job's lines for one position."""
    positions = func.sum(Chunk.stop - Chunk.start - Chunk.moved)
    rows = connection.execute(
        select(Chunk.job_id, func.sum(Chunk.seconds).label("seconds"), positions.label("positions"))
        .where(Chunk.state == ChunkState.DONE, Chunk.start >= 0)
        .group_by(Chunk.job_id)
    )
    return {row.job_id: float(row.seconds) / max(1, int(row.positions)) for row in rows}
