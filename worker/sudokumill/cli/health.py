"""Whether workers get on: for ``doctor``, and in one line for health checks (``doctor --worker``)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from sudokumill.cli.console import open_store
from sudokumill.queue.crew import BEATS_MISSED
from sudokumill.settings import Settings, load_settings
from sudokumill.store.database import Database
from sudokumill.store.health import Health, health_everywhere, health_here

_LOOK_AGAIN_SECONDS: Final = 2.0
"""A chunk may have begun to wait just before it was looked for."""


@dataclass(frozen=True)
class Verdict:
    """What is said of this machine's workers."""

    healthy: bool
    reason: str


def examine() -> Verdict:
    """Looks at the heartbeats of this machine's workers, and at their progress if something waits for them.

    That they answer is not asked: a worker that answers and makes nothing is no use, one that is too busy to
    answer is.

    Raises:
        SudokumillError: the settings or the database cannot be used.
    """
    settings = load_settings()
    database = open_store(settings)
    found = _look(database, settings, health_here)
    database.dispose()
    if not found:
        return Verdict(False, "no worker runs on this machine")
    troubles = [trouble for each in found if (trouble := _trouble(each)) is not None]
    return Verdict(not troubles, "; ".join(troubles or map(_said, found)))


def troubles_of_all(database: Database, settings: Settings) -> list[str]:
    """What is wrong with the workers of all machines, as far as that can be told from here; one line each.

    Raises:
        StoreError: the database cannot be used.
    """
    everywhere = partial(health_everywhere, silence=BEATS_MISSED * settings.reaper_seconds)
    return [trouble for each in _look(database, settings, everywhere) if (trouble := _trouble(each))]


def _look(
    database: Database, settings: Settings, healths: Callable[[Database, float], list[Health]]
) -> list[Health]:
    # a chunk may take so long, and an id that got lost on its way is sent again after a lease
    patience = settings.chunk_limit_seconds + settings.lease_seconds
    found = healths(database, patience)
    if any(each.waiting for each in found):
        time.sleep(_LOOK_AGAIN_SECONDS)
        found = healths(database, patience)
    return found


def _trouble(health: Health) -> str | None:
    worker = health.worker
    if not worker.alive:
        return (
            f"{worker.crew.node} has not beaten for {worker.silent:.0f} s: its reaper hangs, or does not get "
            "through to the database"
        )
    if health.waiting:
        return (
            f"{worker.crew.node} has neither taken up nor ended a chunk for {health.idle:.0f} s, but chunks of "
            f"job {health.waiting[0]} wait: its processes hang, or it does not get through to the broker"
        )
    return None


def _said(health: Health) -> str:
    worker = health.worker
    return (
        f"{worker.crew.node} beat {worker.silent:.0f} s ago, {len(worker.chunks_in_hand)} chunks in hand, "
        f"{worker.chunks_done:,} done"
    )
