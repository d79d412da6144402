"""The local runner: the chunks of one job on this machine, one process a core.

The parent watches; its children claim chunks from the same tables, and run the same chunk function, as workers
of a fleet would. A child that dies takes nothing with it: its chunk goes back and another child takes its place.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Final

from sudokumill.errors import LeaseLostError, LocalProcessError, SudokumillError
from sudokumill.queue.chunk import LEFT, Bench, run_chunk
from sudokumill.queue.crew import BEATS_MISSED, holder_of, pace, run_crew
from sudokumill.queue.limits import limit_memory
from sudokumill.registry import load_registry
from sudokumill.settings import Settings
from sudokumill.store import workers
from sudokumill.store.advance import advance
from sudokumill.store.clock import abandon_clock, stop_clock
from sudokumill.store.database import Database
from sudokumill.store.leases import Claim, claim, reap
from sudokumill.store.models import JobState
from sudokumill.store.owners import owner_name
from sudokumill.store.progress import Progress, progress

_LOOK_SECONDS: Final = 0.1
_IDLE_SECONDS: Final = 0.05
_REAP_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 30.0
"""After Ctrl-C: what a batch in hand and its storing may take before the process is killed."""

_IDLE_DEATHS: Final = 10

FORK: Final = multiprocessing.get_context("fork")
"""Fork, not spawn: a child is at work in 10 ms instead of 500. The parent has no threads and closes its
connections before."""


@dataclass
class _Child:
    process: BaseProcess
    words: Connection
    """Errors of the child come through here."""
    place: int
    """Where it counts what it has in hand."""


def silence_plugins() -> None:
    """Standard output is for what was asked for: what plugins print in this process goes to standard error."""
    os.dup2(2, 1)


class _Interruption:
    """Notes SIGINT and SIGTERM instead of dying by them."""

    def __init__(self) -> None:
        self.times = 0
        self._before = {name: signal.signal(name, self._note) for name in (signal.SIGINT, signal.SIGTERM)}

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.times += 1

    def restore(self) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)


def run_local(
    database: Database,
    job: int,
    settings: Settings,
    watch: Callable[[Progress], None],
    say: Callable[[str], None] = lambda _: None,
) -> Progress:
    """Runs a job until it ends, is paused, or is interrupted.

    Args:
        database: where the job is; its connections are closed before processes are made.
        job: which job.
        settings: processes, leases, plugins.
        watch: called several times a second with the progress.
        say: told in one line what a person should know meanwhile.

    Returns:
        The progress at the end; the job waits when the run was interrupted.

    Raises:
        SudokumillError: a process could not go on; what was stored stays.
    """
    reap(database, job, settings.chunk_attempts)
    if not progress(database, job).at_work:
        abandon_clock(database, job)
    advance(database, job, pace(settings))
    crew = _Crew(database, job, settings)
    try:
        crew.work(watch, say)
    finally:
        crew.dismiss()
        workers.leave(database, crew.name)
        stop_clock(database, job)
    return progress(database, job)


class _Crew:
    """The children that work on a job, and their parent's watch over them."""

    def __init__(self, database: Database, job: int, settings: Settings) -> None:
        self._database = database
        self._job = job
        self._settings = settings
        self._spec = progress(database, job).spec
        self.name = owner_name()
        self._about = run_crew(settings, self.name, job, self._spec.kind)
        # for each child the positions that are made but not stored yet, and how many of them are as ordered. There
        # is no lock: one that is killed while it has it would hold up all the others
        self._in_hand = FORK.RawArray("q", 2 * settings.processes)
        self._free = list(range(settings.processes))
        self._children: list[_Child] = []
        self._idle_deaths = 0
        self._interruption = _Interruption()

    def work(self, watch: Callable[[Progress], None], say: Callable[[str], None]) -> None:
        """Lets children work until the job ends, is paused or is interrupted."""
        beaten = self._beat()
        for _ in range(self._settings.processes):
            self._hire()
        looked_after = time.monotonic()
        while not self._interruption.times:
            if time.monotonic() - beaten > self._settings.reaper_seconds:
                beaten = self._beat()
            found = progress(self._database, self._job)
            if found.state.ended:
                watch(found)  # nothing is in hand, also where somebody has not told us yet
                return
            watch(replace(found, in_hand=sum(self._in_hand[::2]), hits_in_hand=sum(self._in_hand[1::2])))
            if found.state is JobState.PAUSED:
                return
            wait([child.process.sentinel for child in self._children], timeout=_LOOK_SECONDS)
            gone = [child for child in self._children if not child.process.is_alive()]
            for child in gone:
                self._children.remove(child)
                self._in_hand[2 * child.place : 2 * child.place + 2] = (0, 0)
                self._free.append(child.place)
                _raise_words(child)
            if gone or time.monotonic() - looked_after > _REAP_SECONDS:
                reaped = reap(self._database, self._job, self._settings.chunk_attempts)
                self._count_idle_deaths(gone, reaped)
                state = advance(self._database, self._job, pace(self._settings))
                looked_after = time.monotonic()
                if state in {JobState.WAITING, JobState.RUNNING}:
                    for _ in gone:
                        self._hire()
        say("stopping after the batch in hand; what is made is kept (Ctrl-C again stops at once)")

    def dismiss(self) -> None:
        """Asks the children to end after their batch; kills them when they do not, or at a second signal."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while any(child.process.is_alive() for child in self._children):
            for child in self._children:
                # again and again: one that was just forked does not listen yet
                child.process.terminate()
            if time.monotonic() > deadline or self._interruption.times > 1:
                for child in self._children:
                    child.process.kill()
            wait([child.process.sentinel for child in self._children], timeout=_LOOK_SECONDS)
        for child in self._children:
            child.process.join()
        reap(self._database, self._job, self._settings.chunk_attempts)
        self._interruption.restore()

    def _beat(self) -> float:
        """Says that this run lives; returns when."""
        workers.beat(self._database, self._about, BEATS_MISSED * self._settings.reaper_seconds)
        return time.monotonic()

    def _count_idle_deaths(self, gone: list[_Child], reaped: int) -> None:
        """Ends the run when processes die again and again before they have a chunk to lose."""
        died = [child.process.exitcode for child in gone if child.process.exitcode not in {None, 0, LEFT}]
        self._idle_deaths = 0 if reaped else self._idle_deaths + len(died)
        if died and self._idle_deaths >= _IDLE_DEATHS:
            raise LocalProcessError(reason=f"{_IDLE_DEATHS} died before they had begun, with exit code {died[0]}")

    def _hire(self) -> None:
        # a child must not inherit a connection: SQLite's locks belong to the process that took them
        self._database.dispose()
        mine, its = FORK.Pipe(duplex=False)
        place = self._free.pop()
        process = FORK.Process(target=self._serve, args=(its, os.getpid(), place), daemon=True)
        process.start()
        its.close()
        self._children.append(_Child(process, mine, place))

    def _serve(self, words: Connection, parent: int, place: int) -> None:
        """A child's life: chunk after chunk until the job ends or the parent has gone."""
        interruption = _Interruption()
        silence_plugins()
        code = 0
        try:
            limit_memory(self._settings.chunk_memory)
            bench = Bench(
                database=Database(self._database.url.render_as_string(hide_password=False)),
                registry=load_registry(self._settings.plugins, self._settings.plugin_dir),
                settings=self._settings,
                holder=holder_of(self._settings, self.name),
                pace=pace(self._settings),
                interrupted=lambda: interruption.times > 0 or os.getppid() != parent,
                note=partial(self._note, place),
            )
            self._serve_at(bench)
            bench.database.dispose()
        except SudokumillError as error:
            words.send(error)
        except Exception:
            words.send(LocalProcessError(reason=" ".join(traceback.format_exc().split("\n")[-4:]).strip()))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        finally:
            words.close()
            sys.stderr.flush()
            # not by the interpreter's own end, which waits for threads that a plugin may have left
            os._exit(code)

    def _serve_at(self, bench: Bench) -> None:
        held: Claim | None = None
        # a chunk that is held at the end is given back by the chunk function
        while held is not None or not bench.interrupted():
            held = held or claim(bench.database, bench.holder, job=self._job)
            if held is None:
                state = progress(bench.database, self._job).state
                if state in {JobState.WAITING, JobState.RUNNING}:
                    time.sleep(_IDLE_SECONDS)
            else:
                try:
                    state, held = run_chunk(bench, held, self._spec, more=True)
                except LeaseLostError:
                    held = None
                    continue
            if state.ended or state is JobState.PAUSED:
                return

    def _note(self, place: int, positions: int, hits: int) -> None:
        self._in_hand[2 * place] += positions
        self._in_hand[2 * place + 1] += hits


def _raise_words(child: _Child) -> None:
    """Raises what the child said before it ended; one that says nothing was ended by its plugin, or killed."""
    with contextlib.suppress(EOFError):
        raise child.words.recv()
