"""What is looked at before a worker starts, and the arguments that it starts with."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from sudokumill.cli.console import err, open_store
from sudokumill.contracts import Role
from sudokumill.errors import NothingToServeError, WorkerOptionError, near
from sudokumill.jobs import JobKind
from sudokumill.orders import PARTS
from sudokumill.queue.broker import QUEUES, celery_app, check_broker
from sudokumill.queue.options import celery_command, check_database, check_pool, check_queues
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store.database import Database

_OURS: Final[Mapping[str, str]] = {
    "-A": "the app is sudokumill's own; leave it out",
    "--app": "the app is sudokumill's own; leave it out",
    "-b": "the broker is set by SUDOKUMILL_BROKER_URL",
    "--broker": "the broker is set by SUDOKUMILL_BROKER_URL",
    "--result-backend": "results are in the database; leave it out",
}
"""Options of Celery's command, which stand before its worker's."""

_FOREGROUND: Final = "the supervisor runs in the foreground; use your system's service manager"
_USER: Final = "start it as that user; systemd's User= and docker's USER do"

_LONGEST_NAME: Final = 100

_REFUSED: Final[Mapping[str, str]] = {
    "detach": _FOREGROUND,
    "pidfile": _FOREGROUND,
    "executable": _FOREGROUND,
    "umask": _FOREGROUND,
    "uid": _USER,
    "gid": _USER,
    "beat": "there is nothing to schedule",
    "schedule_filename": "there is nothing to schedule",
    "scheduler": "there is nothing to schedule",
    "include": "plugins are found by SUDOKUMILL_PLUGINS and SUDOKUMILL_PLUGIN_DIR",
    "exclude_queues": "name the queues to take chunks from with --queues",
    "autoscale": "a worker is sent as many chunks as it has processes, and that many stay; see --concurrency",
}
_COUNTED: Final = ("max_tasks_per_child", "max_memory_per_child")
"""With less than one of these Celery ends while it starts, again and again, or replaces processes all the time."""

_WRITTEN: Final = ("logfile", "statedb")

_FILES: Final = 100
_FILES_A_PROCESS: Final = 8
"""Open files of Celery's main process: pipes and semaphores to each of the others, and what it has besides.
Many systems allow 1,024 unless they are asked for more."""


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
    registry = load_registry(settings.plugins, settings.plugin_dir)
    kinds = _kinds(queues, registry)
    _make_room(processes or settings.processes)
    _check_options(celery, *celery_command(celery_app(settings)))
    _check_plugins(registry, kinds)
    check_broker(settings)
    database = _open(settings)
    database.check_writable()
    database.dispose()
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


def _open(settings: Settings) -> Database:
    """The database; where nobody chose one, it must be there.

    Raises:
        NoWorkersDatabaseError: it is not.
    """
    if settings.names_database:
        return open_store(settings, create=True)
    check_database(settings)
    database = open_store(settings)
    err().print(f"sudokumill: SUDOKUMILL_DATABASE_URL is not set, so this worker uses {database.name}")
    return database


def _make_room(processes: int) -> None:
    """Lets this process, and all that it starts, have as many open files as so many processes need."""
    wanted = _FILES + _FILES_A_PROCESS * processes
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise WorkerOptionError(
            reason=f"{processes} processes need {wanted:,} open files, and no more than {hard:,} are allowed here "
            "(ulimit -n); raise that, or take fewer with --concurrency"
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _kinds(queues: str | None, registry: Registry) -> list[JobKind]:
    if queues is None:
        # graders are optional: a machine without one serves all other queues
        return [kind for kind in JobKind if kind is not JobKind.GRADE or registry.implementations(Role.GRADER)]
    names = [name.strip() for name in queues.split(",") if name.strip()]
    if not names:
        raise WorkerOptionError(reason=f"--queues {queues!r} names none; {near('', QUEUES)}")
    check_queues(names)
    return [kind for kind in JobKind if kind in names]


def _check_options(typed: Sequence[str], command: click.Command, about: Any) -> None:
    """Refuses what Celery would refuse, and what would make another worker of it.

    Celery's own parser reads them: a worker that ends because of its options would be started again and again.
    """
    for word in typed:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if name in _OURS:
            raise WorkerOptionError(reason=f"{name}: {_OURS[name]}")
    try:
        context = command.make_context("worker", [*typed], obj=about)
    except click.UsageError as error:
        raise WorkerOptionError(reason=f"Celery's worker: {error.format_message()}") from None
    except ImportError:
        # of a pool that needs a package which is not here
        return check_pool(None)
    if context.args:
        raise WorkerOptionError(reason=f"{context.args[0]!r} is no option; queues are named with --queues")
    for parameter in command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            _check_option(name, max(parameter.opts, key=len), context.params[name])


def _check_option(name: str, option: str, value: object) -> None:
    if name in _REFUSED:
        raise WorkerOptionError(reason=f"{option}: {_REFUSED[name]}")
    if name == "hostname" and len(str(value)) > _LONGEST_NAME:
        raise WorkerOptionError(reason=f"{option}: a name has at most {_LONGEST_NAME} characters")
    if name in _COUNTED and not (isinstance(value, int) and value >= 1):
        raise WorkerOptionError(reason=f"{option}: it must be 1 or more, not {value}")
    if name == "pool":
        check_pool(value)
    if name in _WRITTEN:
        parent = Path(str(value)).absolute().parent
        # Celery puts names and numbers in the place of %n and the like
        if "%" not in str(parent) and not os.access(parent, os.W_OK):
            raise WorkerOptionError(reason=f"{option} {value}: there is no folder {parent} that you may write to")


def _check_plugins(registry: Registry, kinds: Sequence[JobKind]) -> None:
    for kind in kinds:
        for role in {
            part.role: None for part in PARTS[kind] if (kind, part.role) != (JobKind.DIG, Role.GENERATOR)
        }:
            if not registry.implementations(role):
                raise NothingToServeError(role=role.value, queue=kind.value)
