"""What is looked at before a worker starts, and the arguments that it starts with."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from sudokumill.cli.console import open_store
from sudokumill.contracts import Role
from sudokumill.errors import NothingToServeError, UnknownQueueError, WorkerOptionError, near
from sudokumill.jobs import JobKind
from sudokumill.orders import PARTS
from sudokumill.queue.broker import QUEUES, celery_app, check_broker
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import load_settings

_POOLS: Final = ("prefork", "solo", "processes")

_REFUSED: Final[Mapping[str, str]] = {
    "-A": "the app is sudokumill's own; leave it out",
    "--app": "the app is sudokumill's own; leave it out",
    "-b": "the broker is set by SUDOKUMILL_BROKER_URL",
    "--broker": "the broker is set by SUDOKUMILL_BROKER_URL",
    "-D": "the supervisor runs in the foreground; use your system's service manager",
    "--detach": "the supervisor runs in the foreground; use your system's service manager",
    "-B": "there is nothing to schedule",
    "--beat": "there is nothing to schedule",
}


def prepared(queues: str | None, processes: int | None, celery: Sequence[str]) -> list[str]:
    """The arguments of Celery's worker, after everything that it will need was looked at.

    Args:
        queues: names parted by commas; None for all.
        processes: None for what the settings say.
        celery: further arguments, as typed.

    Raises:
        UsageError: an argument or a setting cannot be used.
        StoreError, BrokerUnreachableError: database or broker cannot be used.
    """
    settings = load_settings()
    kinds = _kinds(queues)
    _check_arguments(celery)
    app = celery_app(settings)
    _check_plugins(load_registry(settings.plugins, settings.plugin_dir), kinds)
    open_store(settings, create=True).dispose()
    check_broker(app)
    return [
        "--queues", ",".join(kinds),
        "--concurrency", str(processes or settings.processes),
        # what workers have to tell each other stands in the database; this saves a second at the start
        "--without-gossip", "--without-mingle",
        "--loglevel", "INFO",
        # two workers of one machine need two names
        "--hostname", f"mill-{os.getpid()}@%h",
        *celery,
    ]  # fmt: skip


def _kinds(queues: str | None) -> list[JobKind]:
    if queues is None:
        return list(JobKind)
    names = [name.strip() for name in queues.split(",") if name.strip()]
    if not names:
        raise WorkerOptionError(reason=f"--queues {queues!r} names none; {near('', QUEUES)}")
    for name in names:
        if name not in QUEUES:
            raise UnknownQueueError(name=name, near=near(name, QUEUES))
    return [kind for kind in JobKind if kind in names]


def _check_arguments(celery: Sequence[str]) -> None:
    """Refuses what would make another worker of it."""
    for index, argument in enumerate(celery):
        name, _, value = argument.partition("=")
        if name in _REFUSED:
            raise WorkerOptionError(reason=f"{name}: {_REFUSED[name]}")
        if name in {"-P", "--pool"}:
            value = value or "".join(celery[index + 1 : index + 2])
            if value not in _POOLS:
                raise WorkerOptionError(
                    reason=f"{name} {value}: chunks are limited by process, so the pool is prefork or solo"
                )


def _check_plugins(registry: Registry, kinds: Sequence[JobKind]) -> None:
    for kind in kinds:
        for role in {
            part.role: None for part in PARTS[kind] if (kind, part.role) != (JobKind.DIG, Role.GENERATOR)
        }:
            if not registry.implementations(role):
                raise NothingToServeError(role=role.value, queue=kind.value)
