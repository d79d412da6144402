"""A worker's process at work: a published chunk id comes in, the chunk function runs, the next ids go out."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from functools import cached_property
from types import FrameType
from typing import Final

from sudokumill.errors import BrokerUnreachableError, LeaseLostError, StoreError, SudokumillError
from sudokumill.jobs import JobKind
from sudokumill.queue.broker import Broker
from sudokumill.queue.chunk import Bench, run_chunk, said_of
from sudokumill.queue.crew import crew_of
from sudokumill.queue.dispatcher import Dispatcher
from sudokumill.queue.limits import limit_memory
from sudokumill.queue.local import pace
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings
from sudokumill.store.database import Database
from sudokumill.store.leases import Holder, claim
from sudokumill.store.owners import owner_name
from sudokumill.store.publishing import identity, recall, waiting_job
from sudokumill.store.workers import Crew

log: Final = logging.getLogger(__name__)


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
        except LeaseLostError as error:
            log.warning("%s", error)
        except StoreError as error:
            log.error("%s; the chunk is made again when the database is back", error)
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
                "dropped chunk %s of database %.40s: this worker's is %s; two databases share this broker, "
                "give each a number of its own at the end of SUDOKUMILL_BROKER_URL",
                number, database, self._identity,
            )  # fmt: skip
            return None
        return int(number)

    def _run(self, chunk: int) -> None:
        waiting = waiting_job(self._database, chunk)
        if waiting is None:
            log.debug("chunk %d does not wait", chunk)
            return
        job, spec = waiting
        lacking = self._crew.lacks(spec)
        if lacking:
            log.warning("job %d needs %s, which this worker does not have; it waits for another", job, lacking[0])
            recall(self._database, [chunk])
            return
        held = claim(self._database, self._bench.holder, chunk=chunk)
        if held is None:
            log.debug("chunk %d does not wait", chunk)
            return
        before = signal.signal(signal.SIGTERM, self._stop)
        try:
            self._dispatch(spec.kind)
            run_chunk(self._bench, held, spec)
        finally:
            self._dispatch(spec.kind)
            signal.signal(signal.SIGTERM, before)
            if self._stopping:
                signal.raise_signal(signal.SIGTERM)

    def _dispatch(self, kind: JobKind) -> None:
        try:
            self._dispatcher.dispatch((kind,))
        except (BrokerUnreachableError, StoreError) as error:
            log.warning("%s; a reaper publishes what waits", said_of(error))

    @cached_property
    def _database(self) -> Database:
        return Database(self._settings.database_url)

    @cached_property
    def _identity(self) -> str:
        return identity(self._database)

    @cached_property
    def _registry(self) -> Registry:
        return load_registry(self._settings.plugins, self._settings.plugin_dir)

    @cached_property
    def _crew(self) -> Crew:
        return crew_of(self._registry, self._worker, self._worker, tuple(JobKind), 1)

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
            holder=Holder(owner_name(), self._worker, self._settings.lease_seconds),
            pace=pace(self._settings),
            interrupted=lambda: self._stopping,
            note=lambda _: None,
        )
