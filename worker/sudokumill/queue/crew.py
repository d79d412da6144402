"""How a worker presents itself: its name, its queues and what its plugins have."""

from __future__ import annotations

import platform
import socket
from collections.abc import Sequence
from typing import Final

import sudokumill
from sudokumill.contracts import Role
from sudokumill.jobs import JobKind
from sudokumill.registry import Registry
from sudokumill.settings import Settings
from sudokumill.store.advance import Pace
from sudokumill.store.leases import Holder
from sudokumill.store.owners import owner_name
from sudokumill.store.workers import Crew

BEATS_MISSED: Final = 3
"""Heartbeats that do not come before a worker counts as gone."""


def holder_of(settings: Settings, worker: str) -> Holder:
    """This process, as one of a worker's.

    A lease holds for longer than a batch may take, so that no process loses one while it is within its limits.
    One that has gone is noticed sooner: by its process, if that is on this machine, or by its worker's heartbeat.
    """
    return Holder(owner_name(), worker, settings.chunk_limit_seconds + settings.lease_seconds)


def pace(settings: Settings) -> Pace:
    """How jobs are cut, by the settings."""
    return Pace(settings.processes, settings.chunk_seconds, settings.dry_positions)


def run_crew(settings: Settings, name: str, job: int, kind: JobKind) -> Crew:
    """The row of a run on one machine, which works on its own job only."""
    node = f"run@{socket.gethostname()}"
    return Crew(name, node, (kind,), settings.processes, (), _versions(), job)


def crew_of(registry: Registry, name: str, node: str, kinds: Sequence[JobKind], processes: int) -> Crew:
    """The row of a worker of the fleet.

    Args:
        registry: what it has.
        name: its main process (see ``store.owners``).
        node: its name for people.
        kinds: the queues that it takes chunks from.
        processes: how many of them at a time.
    """
    return Crew(
        name=name,
        node=node,
        kinds=tuple(kinds),
        processes=processes,
        implementations=implementations_of(registry),
        versions=_versions(),
    )


def implementations_of(registry: Registry) -> tuple[str, ...]:
    """What a registry has, each ``role NAME==VERSION``."""
    return tuple(f"{role.value} {each.reference}" for role in Role for each in registry.implementations(role))


def _versions() -> dict[str, str]:
    return {"sudokumill": sudokumill.__version__, "python": platform.python_version()}
