"""The local runner: the chunks of one job on this machine, one process a core.

The parent watches; its children claim chunks from the same tables, and run the same chunk function, as workers
of a fleet would. A child that dies takes nothing with it: its chunk goes back and another child takes its place.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Final

from sudokumill.errors import LeaseLostError, LocalProcessError, SudokumillError
from sudokumill.jobs import JobSpec
from sudokumill.queue.chunk import Bench, run_chunk
from sudokumill.registry import load_registry
from sudokumill.settings import Settings
from sudokumill.store.advance import Pace, advance, start
from sudokumill.store.database import Database
from sudokumill.store.leases import owner_name, reap
from sudokumill.store.models import JobState
from sudokumill.store.reading import Progress, progress

_LOOK_SECONDS: Final = 0.1
_IDLE_SECONDS: Final = 0.05
_REAP_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 30.0
"""After Ctrl-C: what a batch in hand and its storing may take before the process is killed."""

FORK: Final = multiprocessing.get_context("fork")
"""Fork, not spawn: a child is at work in 10 ms instead of 500. The parent has no threads and closes its
connections before."""


@dataclass
class _Child:
    process: BaseProcess
    words: Connection
    """Errors of the child come through here."""


class _Interruption:
    """Notes SIGINT and SIGTERM instead of dying by them; a second one ends at once."""

    def __init__(self) -> None:
        self.times = 0
        self._before = {name: signal.signal(name, self._note) for name in (signal.SIGINT, signal.SIGTERM)}

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.times += 1

    def restore(self) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)


def run_local(database: Database, job: int, settings: Settings, watch: Callable[[Progress], None]) -> Progress:
    """Runs a job until it ends, is paused, or is interrupted.

    Args:
        database: where the job is; its connections are closed before processes are made.
        job: which job.
        settings: processes, leases, plugins.
        watch: called several times a second with the progress.

    Returns:
        The progress at the end; its state is RUNNING or WAITING when the run was interrupted.

    Raises:
        SudokumillError: a process could not go on; what was stored stays.
    """
    start(database, job)
    reap(database, job, settings.chunk_attempts)
    advance(database, job, pace(settings))
    spec = progress(database, job).spec
    database.dispose()
    interruption = _Interruption()
    children = [_spawn(database, job, spec, settings) for _ in range(settings.processes)]
    try:
        return _watch_over(database, job, spec, settings, watch, interruption, children)
    finally:
        _stop(children, interruption)
        interruption.restore()


def pace(settings: Settings) -> Pace:
    """How jobs are cut, by the settings."""
    return Pace(settings.processes, settings.chunk_seconds, settings.dry_positions)


def _watch_over(
    database: Database,
    job: int,
    spec: JobSpec,
    settings: Settings,
    watch: Callable[[Progress], None],
    interruption: _Interruption,
    children: list[_Child],
) -> Progress:
    reaped = time.monotonic()
    while True:
        found = progress(database, job)
        watch(found)
        if interruption.times:
            _stop(children, interruption)
            return progress(database, job)
        if found.state.ended or found.state is JobState.PAUSED:
            _stop(children, interruption)
            return progress(database, job)
        wait([child.process.sentinel for child in children], timeout=_LOOK_SECONDS)
        for child in [child for child in children if not child.process.is_alive()]:
            children.remove(child)
            _raise_words(child)
            if progress(database, job).state in {JobState.WAITING, JobState.RUNNING}:
                reap(database, job, settings.chunk_attempts)
                advance(database, job, pace(settings))
                database.dispose()
                children.append(_spawn(database, job, spec, settings))
        if time.monotonic() - reaped > _REAP_SECONDS:
            reap(database, job, settings.chunk_attempts)
            advance(database, job, pace(settings))
            reaped = time.monotonic()


def _spawn(database: Database, job: int, spec: JobSpec, settings: Settings) -> _Child:
    mine, its = FORK.Pipe(duplex=False)
    url = database.url.render_as_string(hide_password=False)
    process = FORK.Process(target=_work, args=(url, job, spec, settings, its, os.getpid()), daemon=True)
    process.start()
    its.close()
    return _Child(process, mine)


def _raise_words(child: _Child) -> None:
    """Raises what the child said before it ended. One that was killed says nothing, and is replaced."""
    with contextlib.suppress(EOFError):
        raise child.words.recv()
    if child.process.exitcode not in {0, None} and child.process.exitcode > 0:
        raise LocalProcessError(code=child.process.exitcode)


def _stop(children: list[_Child], interruption: _Interruption) -> None:
    """Asks the children to end after their batch; kills them when they do not, or at a second signal."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while any(child.process.is_alive() for child in children):
        for child in children:
            # again and again: one that was just forked does not listen yet
            child.process.terminate()
        if time.monotonic() > deadline or interruption.times > 1:
            for child in children:
                child.process.kill()
        wait([child.process.sentinel for child in children], timeout=_LOOK_SECONDS)
    for child in children:
        child.process.join()


def _work(url: str, job: int, spec: JobSpec, settings: Settings, words: Connection, parent: int) -> None:
    """A child's life: chunk after chunk until the job ends or the parent has gone."""
    interruption = _Interruption()

    def interrupted() -> bool:
        return interruption.times > 0 or os.getppid() != parent

    try:
        database = Database(url)
        bench = Bench(
            database=database,
            registry=load_registry(settings.plugins, settings.plugin_dir),
            owner=owner_name(),
            lease_seconds=settings.lease_seconds,
            licence=settings.licence,
            pace=pace(settings),
        )
        while not interrupted():
            try:
                state = run_chunk(bench, job, spec, interrupted)
            except LeaseLostError:
                continue
            if state is None:
                state = progress(database, job).state
                if not state.ended and state is not JobState.PAUSED:
                    time.sleep(_IDLE_SECONDS)
            if state.ended or state is JobState.PAUSED:
                break
        database.dispose()
    except SudokumillError as error:
        words.send(error)
