"""The reaper: a process beside every worker that keeps jobs going when processes or messages get lost.

Every ``SUDOKUMILL_REAPER_SECONDS`` it

    beats       the worker's row says that it lives
    reaps       chunks whose process or worker has gone, or whose lease ran out, wait again, or are split
    advances    jobs that have nothing in hand and nothing waiting
    recalls     ids that were published and not claimed for as long as a lease are published again
    dispatches  what the broker has room for

It looks at the database alone. A broker that is away only keeps it from the last of these, and it tries again.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from sudokumill.errors import BrokerUnreachableError, StoreError, SudokumillError, UnreadableJobError
from sudokumill.jobs import JobKind
from sudokumill.queue.crew import BEATS_MISSED, crew_of, pace
from sudokumill.queue.dispatcher import Dispatcher, dispatcher
from sudokumill.queue.limits import time_limit
from sudokumill.registry import load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store import schema, workers
from sudokumill.store.advance import advance
from sudokumill.store.clock import abandon_clock, stop_clock
from sudokumill.store.database import Database
from sudokumill.store.leases import reap
from sudokumill.store.progress import idle_jobs, progress, running_jobs
from sudokumill.store.publishing import recall_lost

log: Final = logging.getLogger("sudokumill.reaper")

_LOOK_SECONDS: Final = 0.2
_LOCK_SECONDS: Final = 5.0
"""What is locked for longer is looked at in the next round: no job may keep this worker from beating."""

_ROUND_SECONDS: Final = 600.0
"""A round that takes longer hangs: the process is ended, and the worker starts another."""


class Reaper:
    """One worker's reaper."""

    def __init__(self, database: Database, settings: Settings, crew: workers.Crew) -> None:
        self._database = database
        self._settings = settings
        self._crew = crew
        self._patience = BEATS_MISSED * settings.reaper_seconds
        self._said = ""
        self._ready = False
        self._unreadable: set[int] = set()
        self._dispatcher: Dispatcher | None = None
        """Made once: it remembers which jobs nobody can make, and there may be very many of them."""

    def round(self) -> None:
        """Does everything once; what cannot be done now is logged, and done next time."""
        try:
            if not self._ready:
                schema.require(self._database, create=True)
                self._each(running_jobs(self._database), self._abandon_clock)
                self._ready = True
            workers.beat(self._database, self._crew, self._patience)
        except SudokumillError as error:
            self._say(str(error))
            return
        trouble = ""
        for step in (self._reap, self._advance, self._recall, self._dispatch):
            try:
                step()
            except (BrokerUnreachableError, StoreError) as error:
                trouble = str(error)
            except Exception:
                log.exception("a step of the reaper met what it did not expect; the others go on")
        self._say(trouble)

    def leave(self) -> None:
        """Notes that the worker has ended; jobs that nobody works on any more wait, with their clocks stopped."""
        try:
            workers.leave(self._database, self._crew.name)
            reap(self._database, None, self._settings.chunk_attempts)
            self._each(running_jobs(self._database), self._stop_clock)
        except StoreError as error:
            self._say(str(error))

    def _stop_clock(self, job: int) -> None:
        if not progress(self._database, job).at_work:
            stop_clock(self._database, job)

    def _abandon_clock(self, job: int) -> None:
        """A job whose workers were all killed did not go on until now."""
        if not progress(self._database, job).at_work:
            abandon_clock(self._database, job)

    def _reap(self) -> None:
        taken = reap(self._database, None, self._settings.chunk_attempts)
        if taken:
            log.warning("chunks whose process or worker had gone, or whose lease was over, wait again: %d", taken)
            self._each(running_jobs(self._database), self._advance_one)

    def _advance(self) -> None:
        self._each(idle_jobs(self._database), self._advance_one)

    def _advance_one(self, job: int) -> None:
        advance(self._database, job, pace(self._settings))

    def _each(self, jobs: Iterable[int], act: Callable[[int], None]) -> None:
        """Does something for every job; one that it cannot be done for keeps no other waiting."""
        for job in jobs:
            try:
                act(job)
            except UnreadableJobError as error:
                if job not in self._unreadable:
                    log.warning("%s", error)
                    self._unreadable.add(job)
            except StoreError:
                raise
            except Exception:
                log.exception("job %d met what the reaper did not expect; the others go on", job)

    def _recall(self) -> None:
        recall_lost(self._database, self._settings.lease_seconds)

    def _dispatch(self) -> None:
        if self._dispatcher is None:
            self._dispatcher = dispatcher(self._database, self._settings)
        self._dispatcher.dispatch()

    def _say(self, trouble: str) -> None:
        """Logs a trouble when it comes and when it goes, not at every round between."""
        if trouble != self._said:
            if trouble:
                log.error("%s; trying again every %g s", trouble, self._settings.reaper_seconds)
            else:
                log.warning("database and broker can be used again")
            self._said = trouble


def main(about: str) -> int:
    """Runs until the worker ends.

    Args:
        about: JSON object with the worker's ``process`` id, ``name``, ``node``, ``queues`` and ``processes``.
    """
    given = json.loads(about)
    logging.basicConfig(format="[%(asctime)s: %(levelname)s/%(name)s] %(message)s", level=logging.INFO)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: ended.set())
    # Ctrl-C goes to the worker too, which ends its chunks first and then this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        settings = load_settings()
        with time_limit(settings.chunk_limit_seconds):
            registry = load_registry(settings.plugins, settings.plugin_dir)
        crew = crew_of(
            registry,
            given["name"],
            given["node"],
            [JobKind(queue) for queue in given["queues"]],
            given["processes"],
        )
        reaper = Reaper(Database(settings.database_url, lock_seconds=_LOCK_SECONDS), settings, crew)
    except SudokumillError as error:
        log.error("%s", error)
        return error.exit_code
    due = 0.0
    # a worker that was killed cannot end this process: it looks by itself
    while not ended.wait(_LOOK_SECONDS if due else 0.0) and os.getppid() == given["process"]:
        if time.monotonic() >= due:
            with time_limit(_ROUND_SECONDS):
                reaper.round()
            due = time.monotonic() + settings.reaper_seconds
    reaper.leave()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
