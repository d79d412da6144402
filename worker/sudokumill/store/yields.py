"""Yields: what came out of attempts, by band, and what that cost; from what chunks keep (see ``outcomes``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any, Final

from sqlalchemy import Connection, Row, or_, select

from sudokumill.difficulty import shown_rating
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.store.bands import BandRange, read_bands
from sudokumill.store.database import Database
from sudokumill.store.models import Chunk, Job
from sudokumill.store.outcomes import Outcome, read_outcomes
from sudokumill.store.progress import TRIED, Progress, jobs, read_specs

_DIGS: Final = (JobKind.LEVELS, JobKind.DIG)

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
    if grader is None or found.kind not in _DIGS:
        return []
    sums: dict[str | None, Outcome] = {}
    for row in connection.execute(_dug().where(Chunk.job_id == found.id)):
        one = _own_outcome(row, grader.name)
        sums.setdefault(_judge(row.versions, grader.name), Outcome()).add(one)
    _settle(sums, _graded_later(connection, grader.name, found.id).get(found.id, []))
    bands = read_bands(connection, grader.name).get(grader.name, [])
    counted: Counter[BandRange] = Counter()
    for one in sums.values():
        for rating, number in one.graded.items():
            counted[_place(rating, bands)] += number
        for bounds, why in ((one.above, ""), (one.gave_up, " (given up)")):
            for bound, number in bounds.items():
                counted[BandRange(bound, inf, f"{shown_rating(bound)}{OR_MORE}{why}")] += number
    return [(one.name, number) for one, number in sorted(counted.items())]


def _place(rating: float, bands: Sequence[BandRange]) -> BandRange:
    """The band, or what stands for it where there is none: whole ratings."""
    for one in bands:
        if one.low <= rating <= one.high:
            return one
    low = floor(rating)
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
    """What came of one job in one way."""

    tried: int = 0
    seconds: float = 0.0
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def graded_share(self) -> float:
        """Of the levels, those of which a grade says something: a grade job takes the oldest first, whatever they
        are, so these stand for all."""
        levels = self.outcome.levels
        return 1.0 - self.outcome.ungraded / levels if levels else 1.0

    def knows(self, low: float, high: float) -> bool:
        """Whether none that stopped at a ceiling may lie in a range of ratings, or not, as nobody knows."""
        return all(bound > high or (high == inf and bound >= low) for bound in self.outcome.above)

    def count(self, low: float, high: float) -> int:
        """Levels that lie in a range of ratings."""
        found = sum(number for rating, number in self.outcome.graded.items() if low <= rating <= high)
        if high == inf:
            open_ended = self.outcome.above + self.outcome.gave_up
            found += sum(number for bound, number in open_ended.items() if bound >= low)
        return found


def yields(database: Database, grader: str) -> list[Yield]:
    """The measured yield of each way to dig and each band, over all that was dug and graded.

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

    Two orders with the same seed try the same positions: of these, the one counts of which most is known.
    """
    specs = read_specs(connection.execute(select(Job.id, Job.spec).where(Job.kind.in_(_DIGS)).order_by(Job.id)))
    specs = {job: spec for job, spec in specs.items() if meant(spec)}
    by_job: dict[int, dict[str, _Tally]] = {}
    for row in connection.execute(_dug()):
        if row.job_id not in specs:
            continue
        tally = by_job.setdefault(row.job_id, {}).setdefault(json.dumps(row.versions, sort_keys=True), _Tally())
        tally.tried += row.positions
        tally.seconds += row.seconds
        tally.outcome.add(_own_outcome(row, grader))
    later = _graded_later(connection, grader)
    found: dict[tuple[Way, object], _Tally] = {}
    for job, tallies in by_job.items():
        made_by = {text: json.loads(text) for text in tallies}
        for judge in {_judge(versions, grader) for versions in made_by.values()}:
            some = [tallies[text].outcome for text, made in made_by.items() if _judge(made, grader) == judge]
            _settle_each(judge, some, later.get(job, []))
        for text, tally in tallies.items():
            fresh = specs[job].source is Source.FRESH
            key = way_of(specs[job], made_by[text]), (specs[job].seed,) if fresh else job
            found[key] = max(found.get(key, tally), tally, key=_known)
    return [(way, tally) for (way, _), tally in found.items() if tally.tried]


def _known(tally: _Tally) -> tuple[int, int]:
    """How much is known of what was tried."""
    return tally.outcome.graded.total() + tally.outcome.barren, tally.tried


def _dug() -> Any:
    """SQL: chunks of jobs that dug, with what they came to, in their order.

    One that is dead has no outcome: nothing was left to say what was at work. Nor has one of an older version.
    """
    return (
        select(
            Chunk.job_id,
            Chunk.versions,
            Chunk.outcome,
            (Chunk.stop - Chunk.start - Chunk.moved).label("positions"),
            Chunk.seconds,
        )
        .where(
            Chunk.state.in_(TRIED), Chunk.kind.in_(_DIGS), Chunk.outcome.is_not(None), Chunk.versions.is_not(None)
        )
        .order_by(Chunk.job_id, Chunk.id)
    )


def _judge(versions: dict[str, str], grader: str) -> str | None:
    """The grader that graded what was made, as NAME==VERSION; None for another one, or none."""
    judge = versions.get(Part.GRADER.value, "")
    return judge if judge.partition("==")[0] == grader else None


def _own_outcome(row: Row[*tuple[Any, ...]], grader: str) -> Outcome:
    """What a chunk that dug came to, by a grader's grades."""
    one = read_outcomes(row.outcome).get(row.job_id, Outcome())
    if _judge(row.versions, grader) is None:
        one.forget_grades()
    return one


_Later = list[tuple[str, Outcome]]
"""What later grade jobs found out of a job's levels: the grader as NAME==VERSION, the newest last."""


def _graded_later(connection: Connection, grader: str, origin: int | None = None) -> dict[int, _Later]:
    """What grade jobs found out, by the job that dug.

    Args:
        connection: to read by.
        grader: by whose grades.
        origin: only of this job's levels.
    """
    query = select(Chunk.versions, Chunk.outcome).where(
        Chunk.kind == JobKind.GRADE, Chunk.state.in_(TRIED), Chunk.outcome.is_not(None)
    )
    if origin is not None:
        # its followers, and those that graded whatever had no grade
        source = Job.spec["source_job"].as_integer()
        some = select(Job.id).where(Job.kind == JobKind.GRADE, Job.id > origin)
        query = query.where(Chunk.job_id.in_(some.where(or_(source == origin, source.is_(None)))))
    found: dict[int, _Later] = {}
    for row in connection.execute(query.order_by(Chunk.job_id, Chunk.id)):
        judge = _judge(row.versions or {}, grader)
        if judge is not None:
            for job, one in read_outcomes(row.outcome).items():
                found.setdefault(job, []).append((judge, one))
    return found


def _settle(sums: dict[str | None, Outcome], later: _Later) -> None:
    for judge, one in sums.items():
        _settle_each(judge, [one], later)


def _settle_each(judge: str | None, parts: Sequence[Outcome], later: _Later) -> None:
    """Puts what later jobs found out in place of what was open.

    Args:
        judge: the grader that left it open, of which only the same version goes on; None: nothing was graded, and
            the newest version counts.
        parts: what came out, each chunk of a grade job for the first in which so much is open.
        later: what was found out.
    """
    wanted = judge if judge is not None or not later else later[-1][0]
    for by, one in later:
        if by == wanted:
            any(part.settle(one) for part in parts)


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
            # whether it was stored before says nothing of what one costs
            rows += found.hits + found.not_new
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
