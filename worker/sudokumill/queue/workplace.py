"""A worker's process at work: a published chunk id comes in, the chunk function runs, the next ids go out."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from functools import cached_property
from types import FrameType
from typing import Final

from sudokumill.errors import (
    BrokerUnreachableError,
    LeaseLostError,
    StoreError,
    SudokumillError,
    UnreadableJobError,
)
from sudokumill.jobs import JobKind, JobSpec
from sudokumill.queue.broker import Broker
from sudokumill.queue.chunk import Bench, run_chunk, said_of
from sudokumill.queue.crew import holder_of, implementations_of, pace
from sudokumill.queue.dispatcher import Dispatcher
from sudokumill.queue.limits import limit_memory, time_limit
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings
from sudokumill.store.clock import abandon_clock
from sudokumill.store.database import Database
from sudokumill.store.leases import Claim, chunk_kind, claim, give_back, waiting_job
from sudokumill.store.progress import progress
from sudokumill.store.publishing import Able, identity, next_chunk, recall
from sudokumill.store.workers import has_idle, needs_of, offers_of

log: Final = logging.getLogger(__name__)

_PASS_SECONDS: Final = 0.05
"""Before an id that came to the wrong worker is sent again: it may come to the same one once more."""

_AGAIN_SECONDS: Final = 0.5
_TRIES: Final = 10

_LONGEST_PAUSE: Final = 30.0
"""After a chunk that could not be stored: the first pause is half a second, each further one twice as long."""


class Workplace:
    """What a process of a worker has, made when its first chunk comes in.

    So nothing of it (connections, plugins, the threads of native code) ever goes through a fork.

    Args:
        settings: of the worker.
        worker: its name.
        broker: gives the broker for the identity of a database.
    """

    def __init__(self, settings: Settings, worker: str, broker: Callable[[str], Broker]) -> None:
        self._settings = settings
        self._worker = worker
        self._broker = broker
        self._stopping = False
        self._passed: set[int] = set()
        self._timed: set[int] = set()
        self._pause = _AGAIN_SECONDS

    def run(self, published: object) -> None:
        """Makes the chunk that a message names, if it still waits.

        Never raises for what can go wrong with a chunk: the database keeps the account, and the log gets a line.

        Args:
            published: ``DATABASE:CHUNK``; anything else is dropped.
        """
        try:
            chunk = self._chunk_of(published)
            if chunk is not None:
                self._run(chunk)
        except SudokumillError as error:
            log.error("%s", error)
        except Exception:
            log.exception("a chunk met what it did not expect; the attempt counts as failed")

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        """SIGTERM within a chunk: what is made of it is kept, its rest waits, and then the process ends."""
        self._stopping = True

    def _chunk_of(self, published: object) -> int | None:
        database, _, number = published.partition(":") if isinstance(published, str) else ("", "", "")
        if not number.isascii() or not number.isdigit() or len(number) > 18:
            log.error("dropped a message that names no chunk: %.100r", published)
            return None
        if database != self._identity:
            log.error(
                "dropped chunk %s of database %.40s: this worker's is %s, %s; if that is the wrong one, mend "
                "SUDOKUMILL_DATABASE_URL; else two databases share this broker, give each a number of its own at "
                "the end of SUDOKUMILL_BROKER_URL",
                number, database, self._identity, self._database.name,
            )  # fmt: skip
            return None
        return int(number)

    def _run(self, chunk: int) -> None:
        found = self._claim(chunk)
        if found is None:
            return
        held, spec = found
        before = signal.signal(signal.SIGTERM, self._stop)
        try:
            self._dispatch(spec.kind)
            state, _ = run_chunk(self._bench, held, spec)
            self._pause = _AGAIN_SECONDS
            log.info("chunk %d of job %d ended; the job is %s", held.chunk, held.job, state.value)
            if state.ended:
                # a grade job may follow it
                self._dispatch(JobKind.GRADE)
        except LeaseLostError as error:
            log.warning("%s", error)
        except StoreError as error:
            log.error("%s; what was not stored is made again when the database is back", error)
            self._give_back(held)
            self._rest()
        finally:
            signal.signal(signal.SIGTERM, before)
            self._dispatch(spec.kind)
            if self._stopping:
                signal.raise_signal(signal.SIGTERM)

    def _give_back(self, held: Claim) -> None:
        """Gives a chunk back as soon as the database is there again: nobody takes it from a process that lives.

        There is nothing else that this process could do meanwhile.
        """
        while time.monotonic() - held.claimed < self._bench.holder.lease_seconds and not self._stopping:
            try:
                give_back(self._database, held)
                return
            except StoreError:
                time.sleep(_AGAIN_SECONDS)

    def _rest(self) -> None:
        """Waits after a chunk that could not be stored, longer each time.

        Its attempt does not count, so with a disk that is full, or a right that is missing, it would be made again
        as fast as it goes until somebody mends that.
        """
        until = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        while (left := until - time.monotonic()) > 0 and not self._stopping:
            time.sleep(min(left, _AGAIN_SECONDS))

    def _claim(self, chunk: int) -> tuple[Claim, JobSpec] | None:
        """The chunk that a message names, or else the next one of its kind that this worker can make.

        A message is a wake-up: a process that has one does not go back to sleep while there is work for it.
        """
        try:
            waiting = waiting_job(self._database, chunk)
        except UnreadableJobError as error:
            log.warning("%s; others make it", error)
            recall(self._database, [chunk])
            waiting = None
        if waiting is None:
            return self._claim_another(chunk_kind(self._database, chunk))
        job, spec = waiting
        lacking = sorted(needs_of(spec) - self._offers)
        if not lacking:
            held = self._claim_of(job, spec, chunk)
            return (held, spec) if held is not None else self._claim_another(spec.kind)
        if job not in self._passed:
            log.warning("job %d needs %s, which this worker does not have; others make it", job, lacking[0])
            self._passed.add(job)
        recall(self._database, [chunk])
        found = self._claim_another(spec.kind)
        if found is None and has_idle(self._database, spec):
            # nobody there has anything to end, and so to send it again
            time.sleep(_PASS_SECONDS)
            self._dispatch(spec.kind)
        return found

    def _claim_another(self, kind: JobKind) -> tuple[Claim, JobSpec] | None:
        # one that somebody else has locked just now comes again and again: no process may spin on it
        for _ in range(_TRIES):
            chunk = next_chunk(self._database, kind, self._able)
            if chunk is None:
                break
            waiting = waiting_job(self._database, chunk)
            held = waiting and self._claim_of(*waiting, chunk)
            if waiting and held:
                return held, waiting[1]
        return None

    def _claim_of(self, job: int, spec: JobSpec, chunk: int) -> Claim | None:
        """A chunk of a job that this worker can make.

        A message may come before the reaper beside this worker has seen that nobody worked on the job for long:
        its clock would have run on, and its budget of seconds be used up.
        """
        if spec.max_seconds is not None and job not in self._timed:
            if not progress(self._database, job).at_work:
                abandon_clock(self._database, job)
            self._timed.add(job)
        return claim(self._database, self._bench.holder, chunk=chunk)

    def _dispatch(self, kind: JobKind) -> None:
        """Sends the next ids; that this fails must not keep a chunk from being made."""
        try:
            self._dispatcher.dispatch((kind,))
        except (BrokerUnreachableError, StoreError) as error:
            log.warning("%s; a reaper publishes what waits", said_of(error))
        except Exception:
            log.exception("what waits could not be published; a reaper does it")

    @cached_property
    def _database(self) -> Database:
        return Database(self._settings.database_url)

    @cached_property
    def _identity(self) -> str:
        return identity(self._database)

    @cached_property
    def _registry(self) -> Registry:
        with time_limit(self._settings.chunk_limit_seconds):
            return load_registry(self._settings.plugins, self._settings.plugin_dir)

    @cached_property
    def _offers(self) -> frozenset[str]:
        return offers_of(implementations_of(self._registry))

    @cached_property
    def _able(self) -> Able:
        return Able((self._offers,))

    @cached_property
    def _dispatcher(self) -> Dispatcher:
        return Dispatcher(self._database, self._broker(self._identity))

    @cached_property
    def _bench(self) -> Bench:
        limit_memory(self._settings.chunk_memory)
        return Bench(
            database=self._database,
            registry=self._registry,
            settings=self._settings,
            holder=holder_of(self._settings, self._worker),
            pace=pace(self._settings),
            interrupted=lambda: self._stopping,
            note=lambda _positions, _hits: None,
        )
