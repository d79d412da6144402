"""Ordering for a fleet: the order stands in the database, the workers are woken, and nobody waits here."""

from __future__ import annotations

from sudokumill.cli.console import err, out, print_json
from sudokumill.cli.estimate import Estimate, estimate
from sudokumill.cli.ordering import Accepted, accept
from sudokumill.cli.requests import Request
from sudokumill.cli.summary import items_of
from sudokumill.cli.waking import check_broker_setting, of_one_machine, wake, why_it_waits
from sudokumill.errors import StoreError
from sudokumill.settings import Settings, load_settings
from sudokumill.store.models import JobState


def order_and_wake(request: Request) -> int:
    """Orders a job and wakes the workers.

    Returns:
        The exit code: 1 if its file had lines that cannot be read; the order stands, without these.
    """
    settings = load_settings()
    if request.dry_run:
        from sudokumill.cli.proposal import tell_proposal  # noqa: PLC0415 - most orders are meant

        return tell_proposal(request, settings, 0)
    check_broker_setting(settings)
    accepted = accept(request, settings)
    about: Estimate | None = None
    try:
        warnings = _wake(accepted, settings)
        about = estimate(accepted)
    except StoreError as error:
        # the order stands; whoever saw an error here would order it again
        warnings = [f"job {accepted.job.id} is ordered, but: {error}"]
    if accepted.unread and not accepted.job.existed:
        err().print(
            f"sudokumill: job {accepted.job.id} is ordered, without "
            + ("this line" if accepted.unread == 1 else f"these {accepted.unread:,} lines")
        )
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
                "about_seconds": about and about.seconds,
                "share": about and about.share,
                "rare": about and about.warning(),
            }
        )
    else:
        console = out()
        console.print(f"job {job.id}: {spec.count:,} {items_of(spec.kind)} ordered (seed {job.seed})")
        if about is not None and not job.state.ended:
            console.print(f"it takes     {about}", soft_wrap=True)
            if about.warning() is not None:
                console.print(f"rare         {about.warning()}", soft_wrap=True)
        elif job.state is JobState.DONE and not job.existed:
            console.print("it is done   all of it was in stock")
        console.print(f"watch it:    sudokumill jobs watch {job.id}")
    return 1 if accepted.unread else 0


def _wake(accepted: Accepted, settings: Settings) -> list[str]:
    """Wakes the workers; returns why the job waits, if it does."""
    if accepted.job.state.ended:
        return []
    why = why_it_waits(accepted.database, accepted.spec)
    # where nobody takes it, the workers may well be at another database
    elsewhere = None if why is None else of_one_machine(accepted.database, settings)
    reasons = (wake(accepted.database, accepted.spec.kind, settings), why, elsewhere)
    return [f"job {accepted.job.id} waits: {reason}" for reason in reasons if reason]
