"""The Celery app of the workers: ``celery -A sudokumill.queue.app worker -Q dig``.

``sudokumill worker`` starts the same and looks after it (see ``supervisor``).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from celery import Celery
from celery.signals import celeryd_init

from sudokumill.errors import SudokumillError
from sudokumill.jobs import JobKind
from sudokumill.queue.beside import ReaperBeside
from sudokumill.queue.broker import Broker, celery_app, task_name
from sudokumill.queue.options import check_plain
from sudokumill.queue.workplace import Workplace
from sudokumill.settings import load_settings
from sudokumill.store.owners import owner_name

_REQUEST: Final = "sudokumill.queue.consumer:ChunkRequest"


def worker_app() -> Celery:
    """The app with a task for each kind of job, and a reaper beside every worker.

    Raises:
        SudokumillError: the settings cannot be used.
    """
    settings = load_settings()
    made = celery_app(settings, consumes=True)
    made.set_default()
    # the name is taken here, in the worker's main process; its children inherit it
    workplace = Workplace(settings, owner_name(), lambda database: Broker(settings, database, mends=True))

    def make_chunk(*given: Any, **named: Any) -> None:
        """Makes a chunk: ``DATABASE:CHUNK``; takes whatever a message brings, so that it can be dropped."""
        workplace.run(given[0] if len(given) == 1 and not named else (*given, *named))

    for kind in JobKind:
        made.task(name=task_name(kind), queue=kind.value, Request=_REQUEST)(make_chunk)
    made.steps["worker"].add(ReaperBeside)
    celeryd_init.connect(_check, weak=False)
    return made


def _check(options: Mapping[str, Any], **_: Any) -> None:
    try:
        check_plain(options, load_settings())
    except SudokumillError as error:
        _end(error)


def _end(error: SudokumillError) -> NoReturn:
    """Ends Celery's command with one line; it would show the error as a traceback."""
    print(f"sudokumill: {error}", file=sys.stderr)
    raise SystemExit(error.exit_code) from None


def _loaded() -> Celery:
    try:
        return worker_app()
    except SudokumillError as error:
        _end(error)


app: Final = _loaded()
