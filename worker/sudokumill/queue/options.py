"""What a worker may be given: queues, a kind of pool, a database; and Celery's command that reads the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from celery import Celery
from celery.bin.base import CLIContext
from celery.bin.worker import worker

from sudokumill.errors import NoWorkersDatabaseError, UnknownQueueError, WorkerOptionError, near
from sudokumill.queue.broker import QUEUES
from sudokumill.settings import Settings
from sudokumill.store.database import Database

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


def check_plain(options: Mapping[str, Any], settings: Settings) -> None:
    """Looks at what a worker has that Celery's own command starts: its options, and that there is a database.

    Raises:
        UnknownQueueError, WorkerOptionError: which, and why.
        NoWorkersDatabaseError: nobody chose one, and the default one is not there.
    """
    check_queues(options.get("queues") or ())
    check_pool(options["pool"])
    check_database(settings)


def check_database(settings: Settings) -> None:
    """Refuses a database that nobody chose and that is not there: no order would come to a new file here.

    Raises:
        NoWorkersDatabaseError: so it is.
    """
    if not settings.names_database:
        path = Database(settings.database_url).path
        if path is not None and not path.exists():
            raise NoWorkersDatabaseError(path=path)
