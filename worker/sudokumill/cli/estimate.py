"""About how long an order will take, and what it leaves beside what is ordered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sudokumill.cli.ordering import Accepted, fleet_processes
from sudokumill.cli.summary import RARE
from sudokumill.jobs import JobSpec, Part
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

    def __str__(self) -> str:
        cores = f"on {self.processes} processes" if self.processes > 1 else "on one core"
        if not self.missing:
            return "no time: all of it was in stock"
        if self.seconds is not None:
            share = "" if self.share is None else f"; {_shown_share(self.share)} of what is tried is as ordered"
            return f"about {_shown_seconds(self.seconds)} {cores}{share}"
        if self.tried:
            return f"long, and nobody can tell yet how long: none of {self.tried} levels in a trial was as ordered"
        return "nobody can tell yet: this was neither tried nor made before"

    def warning(self) -> str | None:
        """What a person should know who asks for what hardly ever comes; None where there is nothing to say."""
        if not self.missing or self.share is None or self.share > RARE:
            return None
        most = "; --max-attempts or --max-seconds ends it before"
        if self.share:
            hits = f"one in {_rounded(1 / self.share)}"
            others = f"about {_rounded(self.missing * (1 / self.share - 1))}"
        else:
            hits = f"less than one in {self.tried}"
            others = f"more than {_rounded(self.missing * self.tried)}"
        return f"{hits} is as ordered: {others} other levels will go to stock{most}"


def estimate(accepted: Accepted) -> Estimate:
    """About how long an order will take: as jobs like it took, else by its trial, else by jobs that dug like it.

    Raises:
        StoreError: the database cannot be used.
    """
    database, spec, trial = accepted.database, accepted.spec, accepted.trial
    processes = fleet_processes(database, spec)
    missing = max(0, spec.count - progress(database, accepted.job.id).delivered)
    cost = cost_of(database, spec) if missing else None
    if cost is None and trial is not None and trial.hits:
        cost = Cost(trial.seconds / trial.hits, trial.share)
        if trial.hits < _FEW_HITS:
            cost = cost_by_grades(database, spec) or cost
    elif cost is None and missing:
        cost = cost_by_grades(database, spec)
    if cost is None and spec.difficulty is None and not _has_pattern(spec):
        # by the hints of the implementations: all that is tried is as ordered
        cost = Cost(1 / spec.rate, 1.0)
    if cost is None:
        tried = 0 if trial is None else trial.tried
        return Estimate(missing, None if missing else 0.0, processes, 0.0 if tried else None, tried)
    share = cost.share if spec.difficulty is not None or _has_pattern(spec) else None
    return Estimate(missing, missing * cost.seconds / max(1, processes), processes, share, 0)


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
    return f"{share:.1%}" if share >= 0.001 else f"one in {_rounded(1 / share)}"


def _rounded(number: float) -> str:
    """With two digits that count: 4,000 or 40 million."""
    for size, name in ((1e9, " thousand million"), (1e6, " million")):
        if number >= 0.95 * size:
            return f"{float(f'{number / size:.2g}'):,g}{name}"
    return f"{float(f'{number:.2g}'):,.0f}"
