"""Ordering for a fleet: the order stands in the database, the workers are woken, and nobody waits here."""

from __future__ import annotations

from dataclasses import dataclass

from sudokumill.cli.console import err, out, print_json
from sudokumill.cli.ordering import Accepted, accept, processes_of
from sudokumill.cli.requests import Request
from sudokumill.cli.summary import items_of
from sudokumill.cli.waking import check_broker_setting, of_one_machine, wake, why_it_waits
from sudokumill.errors import StoreError
from sudokumill.settings import Settings, load_settings
from sudokumill.store.reading import progress
from sudokumill.store.yields import seconds_a_row


def order_and_wake(request: Request) -> int:
    """Orders a job and wakes the workers; returns the exit code: 1 if its file had unreadable lines."""
    settings = load_settings()
    check_broker_setting(settings)
    accepted = accept(request, settings)
    estimate = _Estimate(None, 0, None, 0)
    try:
        warnings = _wake(accepted, settings)
        estimate = _estimate(accepted)
    except StoreError as error:
        # the order stands; whoever saw an error here would order it again
        warnings = [f"job {accepted.job.id} is ordered, but: {error}"]
    for warning in warnings:
        err().print(f"sudokumill: {warning}")
    job, spec = accepted.job, accepted.spec
    if request.wishes.as_json:
        print_json(
            {
                "job": job.id,
                "kind": spec.kind.value,
                "state": job.state.value,
                "count": spec.count,
                "seed": job.seed,
                "existed": job.existed,
                "warnings": warnings,
                "about_seconds": estimate.seconds,
                "share": estimate.share,
            }
        )
    else:
        console = out()
        console.print(f"job {job.id}: {spec.count:,} {items_of(spec.kind)} ordered (seed {job.seed})")
        if not job.state.ended:
            console.print(f"it takes     {estimate}")
        console.print(f"watch it:    sudokumill jobs watch {job.id}")
    return 1 if accepted.unread else 0


@dataclass(frozen=True)
class _Estimate:
    """About how long an order will take."""

    seconds: float | None
    """None: it is not known."""
    processes: int
    """Of the workers that live; none: as on one core."""
    share: float | None
    """Of what is tried, what is as ordered; None where nothing was tried."""
    tried: int

    def __str__(self) -> str:
        cores = f"on {self.processes} processes" if self.processes > 1 else "on one core"
        if self.seconds is None and not self.tried:
            return "nobody knows how long: it was not tried how many come out as ordered"
        if self.seconds is None:
            return f"long: none of {self.tried} levels in a trial was as ordered (limit it: --max-seconds)"
        share = "" if self.share is None else f"; {self.share:.1%} of what is tried is as ordered"
        return f"about {_shown_seconds(self.seconds or 0.0)} {cores}{share}"


def _estimate(accepted: Accepted) -> _Estimate:
    spec, trial = accepted.spec, accepted.trial
    processes = processes_of(accepted)
    found = progress(accepted.database, accepted.job.id)
    missing = max(0, spec.count - found.delivered)
    if trial is None:
        measured = seconds_a_row(accepted.database, spec)
        # by the hints nobody knows how much of it will be as ordered
        each = measured or (None if spec.difficulty is not None else 1 / spec.rate)
        return _Estimate(each and missing * each / max(1, processes), processes, None, 0)
    if not trial.hits and missing:
        return _Estimate(None, processes, 0.0, trial.tried)
    each = trial.seconds / trial.hits if trial.hits else 0.0
    return _Estimate(missing * each / max(1, processes), processes, trial.share, trial.tried)


def _shown_seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def _wake(accepted: Accepted, settings: Settings) -> list[str]:
    """Wakes the workers; returns why the job waits, if it does."""
    if accepted.job.state.ended:
        return []
    why = why_it_waits(accepted.database, accepted.spec)
    # where nobody takes it, the workers may well be at another database
    elsewhere = None if why is None else of_one_machine(accepted.database, settings)
    reasons = (wake(accepted.database, accepted.spec.kind, settings), why, elsewhere)
    return [f"job {accepted.job.id} waits: {reason}" for reason in reasons if reason]
