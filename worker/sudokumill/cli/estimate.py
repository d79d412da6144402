"""About how long an order will take, and what it leaves beside what is ordered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sudokumill.aiming import Trial
from sudokumill.cli.ordering import Accepted, fleet_processes
from sudokumill.cli.summary import RARE
from sudokumill.jobs import JobSpec, Part
from sudokumill.store.database import Database
from sudokumill.store.progress import progress
from sudokumill.store.yields import Cost, cost_by_grades, cost_of

_FEW_HITS: Final = 5
"""Hits of a trial below which earlier jobs know better."""


@dataclass(frozen=True)
class Estimate:
    """About how long an order will take."""

    missing: int
    """Levels that are still to be made."""
    seconds: float | None
    """None: it is not known."""
    processes: int
    """Of the workers that live; none: as on one core."""
    share: float | None
    """Of what is tried, what is as ordered; None where that is not known."""
    tried: int
    """Levels of a trial that had no hit; 0: another case."""
    ends: str = ""
    """Of the order's budget, where it ends the job before."""

    def __str__(self) -> str:
        cores = f"on {self.processes} processes" if self.processes > 1 else "on one core"
        if not self.missing:
            return "no time: all of it was in stock"
        if self.seconds is not None:
            share = "" if self.share is None else f"; {_shown_share(self.share)} of what is tried is as ordered"
            return f"about {_shown_seconds(self.seconds)} {cores}{share}{self.ends}"
        if self.tried:
            none = f"none of {self.tried} levels in a trial was as ordered"
            return f"long, and nobody can tell yet how long: {none}{self.ends}"
        return f"nobody can tell yet: this was neither tried nor made before{self.ends}"

    @property
    def beside(self) -> float | None:
        """About how many other levels will go to stock; None where that is not known."""
        return self.missing * (1 / self.share - 1) if self.share else None

    def warning(self) -> str | None:
        """What a person should know who asks for what hardly ever comes; None where there is nothing to say."""
        if not self.missing or self.share is None or self.share > RARE:
            return None
        most = self.ends or "; --max-attempts or --max-seconds ends it before"
        if self.share:
            hits = f"one in {rounded(1 / self.share)}"
            others = f"about {rounded(self.beside or 0.0)}"
        else:
            hits = f"less than one in {self.tried}"
            others = f"more than {rounded(self.missing * self.tried)}"
        return f"{hits} is as ordered: {others} other levels will go to stock{most}"


def estimate(accepted: Accepted, here: int = 0) -> Estimate:
    """About how long an order will take that stands in the database.

    Args:
        accepted: the order.
        here: processes of this machine that will work on it, beside the fleet's.

    Raises:
        StoreError: the database cannot be used.
    """
    database, spec = accepted.database, accepted.spec
    missing = max(0, spec.count - progress(database, accepted.job.id).delivered)
    return forecast(database, spec, accepted.trial, missing, fleet_processes(database, spec) + here)


def forecast(
    database: Database | None, spec: JobSpec, trial: Trial | None, missing: int, processes: int
) -> Estimate:
    """About how long an order will take: as jobs like it took, else by its trial, else by jobs that dug like it.

    Args:
        database: where jobs are; None: nowhere.
        spec: the order.
        trial: what its way to dig came to.
        missing: rows that are to be made.
        processes: that will work on it.
    """
    cost = cost_of(database, spec) if missing and database is not None else None
    if cost is None and trial is not None and trial.hits:
        cost = Cost(trial.seconds / trial.hits, trial.share)
        if trial.hits < _FEW_HITS and database is not None:
            cost = cost_by_grades(database, spec) or cost
    elif cost is None and missing and database is not None:
        cost = cost_by_grades(database, spec)
    if cost is None and spec.difficulty is None and not _has_pattern(spec):
        # by the hints of the implementations: all that is tried is as ordered
        cost = Cost(1 / spec.rate, 1.0)
    if cost is None:
        tried = 0 if trial is None else trial.tried
        seconds, ends = (None, _budget(spec)) if missing else (0.0, "")
        return Estimate(missing, seconds, processes, 0.0 if tried else None, tried, ends)
    share = cost.share if spec.difficulty is not None or _has_pattern(spec) else None
    processes = max(1, processes)
    ends = _ends_before(spec, missing, cost, processes)
    return Estimate(missing, missing * cost.seconds / processes, processes, share, 0, ends)


def _ends_before(spec: JobSpec, missing: int, cost: Cost, processes: int) -> str:
    """What is to be said of a budget that ends the job before."""
    made = [missing + 0.0]
    if spec.max_attempts is not None:
        made.append(spec.max_attempts * cost.share)
    if spec.max_seconds is not None:
        made.append(spec.max_seconds * processes / cost.seconds)
    return "" if min(made) >= missing else f"{_budget(spec)} before, with about {rounded(min(made))} of them"


def _budget(spec: JobSpec) -> str:
    named = [] if spec.max_attempts is None else [f"--max-attempts {spec.max_attempts:,}"]
    named += [] if spec.max_seconds is None else [f"--max-seconds {spec.max_seconds:g}"]
    return f"; {' or '.join(named)} ends it" if named else ""


def _has_pattern(spec: JobSpec) -> bool:
    digger = spec.parts.get(Part.DIGGER)
    return digger is not None and "pattern" in digger.options


def _shown_seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:.1f} h" if seconds < 48 * 3_600 else f"{seconds / 86_400:,.0f} days"


def _shown_share(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else f"one in {rounded(1 / share)}"


def rounded(number: float) -> str:
    """With two digits that count: 4,000 or 40 million."""
    for size, name in ((1e9, " thousand million"), (1e6, " million")):
        if number >= 0.95 * size:
            return f"{float(f'{number / size:.2g}'):,g}{name}"
    return f"{float(f'{number:.2g}'):,.0f}"
