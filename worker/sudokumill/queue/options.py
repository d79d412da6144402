"""What a worker may be given: its queues and its kind of pool, and Celery's own command that reads the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from celery import Celery
from celery.bin.base import CLIContext
from celery.bin.worker import worker

from sudokumill.errors import UnknownQueueError, WorkerOptionError, near
from sudokumill.queue.broker import QUEUES

_POOLS: Final = ("celery.concurrency.prefork", "celery.concurrency.solo")


def celery_command(app: Celery) -> tuple[Any, Any]:
    """Celery's command ``worker``, which is one of click's, and the object that it expects in its context."""
    return worker, CLIContext(app, no_color=True, workdir=None)


def check_queues(names: Iterable[str]) -> None:
    """Refuses the name of a queue that does not exist.

    Raises:
        UnknownQueueError: which, and those that do.
    """
    for name in names:
        if name not in QUEUES:
            raise UnknownQueueError(name=name, near=near(name, QUEUES))


def check_pool(pool: object) -> None:
    """Refuses a pool whose members are no processes.

    Args:
        pool: its class; None for one that cannot be loaded.

    Raises:
        WorkerOptionError: why.
    """
    if getattr(pool, "__module__", "") not in _POOLS:
        raise WorkerOptionError(
            reason="--pool: a chunk's limits are those of a process, so the pool is prefork or solo"
        )


def check_plain(options: Mapping[str, Any]) -> None:
    """Looks at the options of a worker that Celery's own command starts.

    Raises:
        UnknownQueueError, WorkerOptionError: which, and why.
    """
    check_queues(options.get("queues") or ())
    check_pool(options["pool"])
