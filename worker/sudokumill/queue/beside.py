"""The reaper beside a worker: a step of Celery's worker that starts the process and starts it again if it ends."""

from __future__ import annotations

import atexit
import json
import logging
import os
import subprocess
import sys
import time
from typing import Any, Final

from celery import bootsteps

from sudokumill.store.owners import owner_name

log: Final = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 10.0
_LONGEST_PAUSE: Final = 32.0
"""Before a reaper that ended is started again: the first pause is a second, each further one twice as long."""


class ReaperBeside(bootsteps.StartStopStep):
    """Runs ``python -m sudokumill.queue.reaper`` while the worker lives.

    A process of its own: a thread of the worker would be there when the pool forks, and stand still while the
    worker waits for its broker.
    """

    requires = ("celery.worker.components:Pool", "celery.worker.components:Timer")

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = False
        self._pause = _LOOK_SECONDS
        self._started = 0.0
        self._due: float | None = None

    def start(self, worker: Any) -> None:
        """Starts the reaper."""
        about = {
            "process": os.getpid(),
            "name": owner_name(),
            "node": worker.hostname,
            "queues": sorted(worker.app.amqp.queues.consume_from),
            "processes": worker.concurrency,
        }
        self._command = [sys.executable, "-m", "sudokumill.queue.reaper", json.dumps(about)]
        self._keep()
        worker.timer.call_repeatedly(_LOOK_SECONDS, self._keep)
        # not at this step's own stop: that comes before the pool's, which waits for the chunks in hand
        atexit.register(self._end, os.getpid())

    def _end(self, process: int) -> None:
        """Lets the reaper say that the worker has ended."""
        self._ending = True
        if self._process is None or os.getpid() != process:
            return
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _keep(self) -> None:
        if self._ending or (self._process is not None and self._process.poll() is None):
            return
        now = time.monotonic()
        if self._process is not None and self._due is None:
            if now - self._started > _LONGEST_PAUSE:
                self._pause = _LOOK_SECONDS  # it did not end because of how it was started
            self._due = now + self._pause
            log.warning(
                "the reaper ended with exit code %s; it starts again in %g s",
                self._process.returncode,
                self._pause,
            )
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        if self._due is None or now >= self._due:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)  # noqa: S603 - our own module
            self._started, self._due = now, None
