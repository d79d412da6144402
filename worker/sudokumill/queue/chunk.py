"""The chunk function: make batch by batch, store, move the job on. Every runner calls it."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from sudokumill.errors import LeaseLostError, OutOfMemoryError, StoreError, SudokumillError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.jobs import GREATEST_CHUNK, JobKind, JobSpec, Source
from sudokumill.line import Line
from sudokumill.queue.limits import time_limit
from sudokumill.registry import Registry
from sudokumill.settings import Settings
from sudokumill.store.advance import Pace, advance, give_up, has_plenty
from sudokumill.store.database import Database
from sudokumill.store.keeping import Made, Prepared, finish, prepare
from sudokumill.store.leases import Claim, Hold, Holder, claim, fail, give_back, look, renew
from sudokumill.store.models import JobState
from sudokumill.store.reading import inputs

_BATCH_SECONDS: Final = 0.5
_FIRST_BATCH: Final = 64
"""Rows of a job's first batch in a process: a hint that is far too high, or a plugin that fails at every row,
then costs little. Each further batch is what the rate of the last one makes in half a second, and at most four
times as large."""

_GREATEST_BATCH: Final = 2_000
"""Rows of a batch that is dug or solved: its arrays of trial grids stay below 20 MB."""

_LOOK_PAUSE: Final = 20
"""Times as long as it took to add up a job's chunks, they are not added up again while plenty wait."""

LEFT: Final = 75
"""Exit code of a process that has put its chunk down and ended because its memory was full."""

_FULL: Final = (MemoryError, OutOfMemoryError)


@dataclass
class Station:
    """A job's line as it stands in a process, and the size of its next batch."""

    job: int
    line: Line
    rows: int = _FIRST_BATCH

    def learn(self, rows: int, seconds: float, most: int) -> None:
        """Takes note of how long a batch took."""
        wanted = int(rows / max(seconds, 1e-6) * _BATCH_SECONDS)
        self.rows = max(1, min(wanted, 4 * rows, most))


@dataclass
class Bench:
    """What a process needs to run chunks, made once."""

    database: Database
    registry: Registry
    settings: Settings
    holder: Holder
    """Who this process is in leases."""
    pace: Pace
    interrupted: Callable[[], bool]
    """Asked between batches; True keeps what is made and leaves the rest waiting."""
    note: Callable[[int, int], None]
    """Told the positions of each batch that was made and how many of them are as ordered, and minus their sums
    when they are stored."""
    station: Station | None = None
    """The line of the job in hand: building it costs milliseconds, so it outlives a chunk."""
    used: bool = False
    """A chunk was made here before: what its plugins left behind may fill the process."""
    looked: tuple[int, float] = (0, 0.0)
    """The job that was moved on last, and when its chunks may be added up again (monotonic seconds)."""

    def station_for(self, job: int, spec: JobSpec) -> Station:
        """The station of a job; the one before it is given up."""
        if self.station is None or self.station.job != job:
            self.station = Station(job, Line(spec, self.registry, classes=True))
        return self.station

    def move_on(self, job: int) -> JobState:
        """``advance``, at a cost that does not grow with the square of the job's chunks.

        It adds up all of them, so a job of 50,000 that does so at the end of each would do little else. While
        plenty wait, nothing is to be cut, and whether the job has enough is known a moment later as well.
        """
        looked, until = self.looked
        began = time.monotonic()
        if looked == job and began < until and has_plenty(self.database, job):
            return JobState.RUNNING
        state = advance(self.database, job, self.pace)
        ended = time.monotonic()
        self.looked = (job, ended + _LOOK_PAUSE * (ended - began))
        return state


def run_chunk(bench: Bench, held: Claim, spec: JobSpec, more: bool = False) -> tuple[JobState, Claim | None]:
    """Runs a claimed chunk to its end, stores what it made and moves its job on.

    Args:
        bench: this process's tools.
        held: the claim.
        spec: its job's specification.
        more: also claims the job's next chunk.

    Returns:
        The job's state afterwards; and the next claim, or None when none waits, or this process is to end.

    Raises:
        LeaseLostError: it took longer than its lease and another process has it; nothing was stored.
        StoreError: it could not be stored; it was given back, or goes back when its lease has run out. Or it was,
            and its job could not be looked after: whoever comes next does that.
        SudokumillError: the line could not be built. The attempt counts as failed.
    """
    made = Made(reached=held.start)
    following: _Following | None = None
    try:
        # from now on, not from the claim: a broker that froze may have held this process up since, and that is no
        # fault of a row. The lease is renewed before the first batch then
        with time_limit(bench.settings.chunk_limit_seconds):
            station = _station(bench, held, spec)
            hold = _make(bench, held, spec, station, made)
        ready = _prepared(bench, held, spec, station, made, hold)
        with bench.database.together(held.job) as at_once:
            if ready is None:
                give_back(bench.database, held)
            else:
                finish(bench.database, ready)
            if at_once:
                following = _follow(bench, held.job, more)
    except LeaseLostError:
        raise
    except StoreError:
        # on a full disk this fails too; the chunk then goes back when its process has gone
        with contextlib.suppress(StoreError):
            give_back(bench.database, held)
        raise
    except Exception as error:
        _put_down(bench, held, error)
        raise
    except BaseException:
        with contextlib.suppress(StoreError):
            give_back(bench.database, held)
        raise
    finally:
        bench.used = True
        bench.note(held.start - made.reached, -sum(batch.hits for batch in made.batches))
    return (following or _follow(bench, held.job, more)).told()


def _prepared(
    bench: Bench, held: Claim, spec: JobSpec, station: Station, made: Made, rest: Hold
) -> Prepared | None:
    """What was made, ready to be stored; None for nothing."""
    if made.reached == held.start:
        return None
    return prepare(
        bench.database,
        held,
        made,
        versions=station.line.versions,
        new=spec.new,
        distinct=spec.distinct,
        licence=bench.settings.licence,
        rest=rest,
    )


@dataclass(frozen=True)
class _Following:
    """What follows the end of a chunk: how the job goes on, or what kept it from being looked after."""

    state: JobState | None = None
    next: Claim | None = None
    error: Exception | None = None

    def told(self) -> tuple[JobState, Claim | None]:
        """State and claim; raises the error where there is one."""
        if self.error is not None:
            raise self.error
        assert self.state is not None  # noqa: S101 - one of the two is there
        return self.state, self.next


def _follow(bench: Bench, job: int, more: bool) -> _Following:
    """Moves the job on, and claims its next chunk where that is wanted.

    An error is none of the chunk that was stored before, so it waits until that is committed.
    """
    try:
        state = bench.move_on(job)
        if more and state is JobState.RUNNING and not bench.interrupted():
            return _Following(state, claim(bench.database, bench.holder, job=job))
    except Exception as error:
        return _Following(error=error)
    return _Following(state)


def _put_down(bench: Bench, held: Claim, error: Exception) -> None:
    """Ends the attempt at a chunk that met what it did not expect."""
    full = isinstance(error, _FULL)
    try:
        with contextlib.suppress(StoreError):
            if full and bench.used:
                give_back(bench.database, held)
            else:
                # whoever looks at the job next sees a chunk more that failed, or the end of the job
                fail(bench.database, held, bench.settings.chunk_attempts, said_of(error))
                advance(bench.database, held.job, bench.pace)
    finally:
        if full:
            # what filled this process would fail the next rows too, which are innocent
            leave_process(error)


def _station(bench: Bench, held: Claim, spec: JobSpec) -> Station:
    """The job's line. One that cannot be built is not the fault of a row, so the chunk is not split for it."""
    try:
        return bench.station_for(held.job, spec)
    except Exception as error:
        if held.attempt >= bench.settings.chunk_attempts and not (bench.used and isinstance(error, _FULL)):
            give_up(bench.database, held.job, f"its line cannot be built: {said_of(error)}")
        raise


def leave_process(error: Exception) -> NoReturn:
    """Ends this process at once; another takes its place."""
    print(
        f"sudokumill: {said_of(error)}; the process ends, and its chunk is tried again",
        file=sys.stderr,
        flush=True,
    )
    os._exit(LEFT)


def said_of(error: BaseException) -> str:
    """An error in one line."""
    said = " ".join(str(error).split())
    return said if isinstance(error, SudokumillError) else f"{type(error).__name__}: {said}"


def _make(bench: Bench, held: Claim, spec: JobSpec, station: Station, made: Made) -> Hold:
    """Makes the chunk batch by batch, as far as the job and the process want it; says what the rest is to be."""
    settings = bench.settings
    most = GREATEST_CHUNK if spec.kind is JobKind.GENERATE else _GREATEST_BATCH
    renewed, entered = held.claimed, time.monotonic()
    while made.reached < held.stop:
        start = made.reached
        if bench.interrupted():
            return Hold.PAUSE
        if start > held.start:
            if time.monotonic() - entered > settings.chunk_limit_seconds / 2:
                return Hold.PAUSE  # it was planned too large: its rest is a chunk of its own
            hold = look(bench.database, held, spec.max_seconds)
            if hold is not Hold.GO_ON:
                return hold
        if time.monotonic() - renewed > settings.lease_seconds / 3:
            renew(bench.database, held, bench.holder.lease_seconds)
            renewed = time.monotonic()
        stop = min(start + station.rows, held.stop)
        grids = _inputs(bench.database, held.job, spec, start, stop)
        began = time.perf_counter()
        batch = station.line.run(start, stop, grids)
        seconds = time.perf_counter() - began
        made.add(batch, seconds, stop)
        station.learn(stop - start, seconds, most)
        bench.note(stop - start, batch.hits)
        if len(batch.errors) == stop - start:
            # nothing of it came out well: the job looks at that before more is tried
            station.rows = _FIRST_BATCH
            bench.looked = (0, 0.0)
            return Hold.PAUSE
    return Hold.GO_ON


def _inputs(database: Database, job: int, spec: JobSpec, start: int, stop: int) -> Grids | None:
    if spec.source is Source.FRESH:
        return None
    return from_lines(inputs(database, job, start, stop))
