"""Ordering for a fleet: the order stands in the database, the workers are woken, and nobody waits here."""

from __future__ import annotations

from sudokumill.cli.console import err, out, print_json
from sudokumill.cli.ordering import accept
from sudokumill.cli.requests import Request
from sudokumill.cli.summary import items_of
from sudokumill.cli.waking import check_broker_setting, wake, why_it_waits
from sudokumill.settings import load_settings
from sudokumill.store.reading import progress


def order_and_wake(request: Request) -> int:
    """Orders a job and wakes the workers; returns the exit code: 1 if its file had unreadable lines."""
    settings = load_settings()
    check_broker_setting(settings)
    accepted = accept(request, settings)
    found = progress(accepted.database, accepted.job.id)
    warnings: list[str] = []
    if not found.state.ended:
        reasons = (wake(accepted.database, found.kind, settings), why_it_waits(accepted.database, found.spec))
        warnings = [f"job {found.id} waits: {reason}" for reason in reasons if reason]
    for warning in warnings:
        err().print(f"sudokumill: {warning}")
    if request.wishes.as_json:
        print_json(
            {
                "job": found.id,
                "kind": found.kind.value,
                "state": found.state.value,
                "count": found.count,
                "seed": found.seed,
                "existed": accepted.job.existed,
                "warnings": warnings,
            }
        )
    else:
        console = out()
        console.print(f"job {found.id}: {found.count:,} {items_of(found.kind)} ordered (seed {found.seed})")
        console.print(f"watch it:    sudokumill jobs watch {found.id}")
    return 1 if accepted.unread else 0
