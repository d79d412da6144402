"""The direct runner: a job's rows straight into a text file, without a store.

Every text format has one size a grid, so the place of a position is known before it is made, and each process
writes its own rows where they belong:

    position     0        1        2        3    ...
    draft     | row 0  | row 1  |  gap   | row 3  | ...      it takes the file's name when it is whole

A gap is a position that failed, missed the target, or repeats a lower one. At the end gaps are closed, and the
draft is cut to what was ordered. There is no database to fall back on: an interrupted run leaves nothing.

What is kept in memory: 8 bytes a row (its fingerprint), 16 bytes a gap, and up to four times as much while
fingerprints are compared. The finals of an enumerating generator are distinct by contract, so of its rows nothing
is kept but the gaps.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import connection
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import LostProcessError, OutputRowError
from sudokumill.formats import TextFormat
from sudokumill.grids.batch import Grids
from sudokumill.jobs import JobSpec, plan_chunks, rows_per_chunk
from sudokumill.line import Line
from sudokumill.output import drafted, shown, writing
from sudokumill.queue.local import FORK, silence_plugins
from sudokumill.queue.runs import Runs, length_of, positions_in, runs_of
from sudokumill.registry import load_registry
from sudokumill.rows import Failure, FinalRows, LevelRows, ReportSum, merge
from sudokumill.settings import Settings
from sudokumill.streams import mix

_BATCH_ROWS: Final = 10_000
_LOOK_SECONDS: Final = 0.1
_ALL_FAILED: Final = 100
_MOST_RANGES: Final = 10_000
_COPY_BYTES: Final = 8 << 20

Fingerprints = NDArray[np.uint64]
"""Shape (m,): a 64-bit hash of each grid; among a million of them a chance repeat has odds of 1 to 37 million."""


_Failures = dict[tuple[str, str], Failure]
"""By owner and reason."""


@dataclass(frozen=True)
class DirectResult:
    """What a direct run came to."""

    written: int
    tried: int
    repeated: int
    missed: int
    failures: tuple[Failure, ...]
    """The most frequent first."""
    reports: dict[str, ReportSum]
    versions: dict[str, str]


@dataclass(frozen=True)
class _Share:
    """What a process has written of one range of positions."""

    start: int
    stop: int
    good: Runs
    """Positions whose row is in the file."""
    fingerprints: Fingerprints
    """Of the good positions; none for an enumerating generator."""
    missed: int
    failures: _Failures
    reports: dict[str, ReportSum]
    versions: dict[str, str]


@dataclass
class _Ledger:
    """All shares so far."""

    shares: dict[int, _Share] = field(default_factory=dict)
    planned: int = 0

    @property
    def tried(self) -> int:
        return sum(share.stop - share.start for share in self.shares.values())

    @property
    def good(self) -> int:
        return sum(length_of(share.good) for share in self.shares.values())

    @property
    def missed(self) -> int:
        return sum(share.missed for share in self.shares.values())

    @property
    def failures(self) -> list[Failure]:
        """The most frequent first, and of equally frequent ones the one that came first."""
        found: _Failures = {}
        for share in self.shares.values():
            for one in share.failures.values():
                _count(found, one)
        return sorted(found.values(), key=lambda one: (-one.times, one.first))

    def distinct(self) -> Runs:
        """Positions that count: of equal grids the lowest position."""
        shares = [self.shares[start] for start in sorted(self.shares)]
        good = np.concatenate([np.empty((0, 2), np.int64), *(share.good for share in shares)])
        prints = np.concatenate([np.empty(0, np.uint64), *(share.fingerprints for share in shares)])
        rising = np.sort(prints)
        if not (rising[1:] == rising[:-1]).any():
            return good
        _, first = np.unique(prints, return_index=True)
        return runs_of(positions_in(good)[np.sort(first)])


def run_direct(
    spec: JobSpec, settings: Settings, path: Path, text: TextFormat, watch: Callable[[int, int], None]
) -> DirectResult:
    """Makes a job's rows and writes them to a file: finals of generate, puzzles of levels.

    Args:
        spec: the job; its grids are fresh ones.
        settings: processes, plugins.
        path: where to; ``-`` is standard output. A regular file appears under its name only when it is whole.
            Anything else that exists there (a pipe, a device) is written to in order at the end.
        text: the format.
        watch: called several times a second with the rows made and the positions tried for them.

    Raises:
        FileUnwritableError: the file cannot be written, or the disk is full.
        OutputRowError: fewer rows than ordered could be made; the file was not written.
        LostProcessError: a process died; the file was not written.
    """
    with drafted(path) as draft:
        ledger = _fill(spec, settings, _Draft(draft, shown(path)), text, watch)
        runs = ledger.distinct()
        distinct = length_of(runs)
        if distinct < spec.count:
            raise OutputRowError(
                made=distinct, count=spec.count, path=shown(path), reason=_why_short(ledger, distinct)
            )
        with writing(shown(path)):
            _close_gaps(draft, runs, spec.count, text.size)
    reports: dict[str, ReportSum] = {}
    for share in ledger.shares.values():
        merge(reports, share.reports)
    return DirectResult(
        written=spec.count,
        tried=ledger.tried,
        repeated=ledger.good - distinct,
        missed=ledger.missed,
        failures=tuple(ledger.failures),
        reports=reports,
        versions=next(iter(ledger.shares.values())).versions,
    )


@dataclass(frozen=True)
class _Draft:
    """The file that all processes write into."""

    path: Path
    name: str
    """Of what it will be, for messages."""


def _fill(
    spec: JobSpec, settings: Settings, draft: _Draft, text: TextFormat, watch: Callable[[int, int], None]
) -> _Ledger:
    """Has ranges of positions written until enough distinct rows are there, or no more can be had."""
    ledger = _Ledger()
    bounds = [bound for bound in (spec.size, spec.max_attempts) if bound is not None]
    end = min(bounds, default=None)
    missing = wanted = spec.count
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(settings.processes, FORK, _set_up, (spec, settings, draft, text)) as pool:
        try:
            while missing > 0:
                rows = rows_per_chunk(spec, spec.rate, settings.chunk_seconds, 2 * settings.processes, wanted)
                ranges = plan_chunks(ledger.planned, wanted, rows, end, _MOST_RANGES)
                if not ranges:
                    return ledger
                ledger.planned = ranges[-1][1]
                _collect(pool, ranges, ledger, watch)
                distinct = ledger.distinct()
                if _is_hopeless(spec, ledger, distinct, settings):
                    return ledger
                found = length_of(distinct)
                missing = spec.count - found
                # By what came so far, and for a rare wish at most twice as many as before; what is too much falls
                # off the end. One for one, the last of a thousand in a million would be looked for one by one.
                wanted = max(missing, min(missing * ledger.planned // max(found, 1), ledger.planned))
        except BrokenProcessPool:
            raise LostProcessError() from None
        finally:
            # All rows are in, or none will be kept: nobody waits for ranges in hand, nor for threads that a
            # plugin may have left.
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            pool.shutdown(cancel_futures=True)
    return ledger


def _collect(
    pool: ProcessPoolExecutor, ranges: list[tuple[int, int]], ledger: _Ledger, watch: Callable[[int, int], None]
) -> None:
    """Has ranges of positions made, and takes down what they came to."""
    pending: set[Future[_Share]] = {pool.submit(_write_range, start, stop) for start, stop in ranges}
    while pending:
        done, pending = wait(pending, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            share = future.result()
            ledger.shares[share.start] = share
        watch(ledger.good, ledger.tried)


def _is_hopeless(spec: JobSpec, ledger: _Ledger, distinct: Runs, settings: Settings) -> bool:
    """Whether a job with a store would be given up here: all failed, or nothing new came for long."""
    failed = sum(one.times for one in ledger.failures)
    if failed == ledger.tried and failed >= _ALL_FAILED:
        return True
    dry = ledger.planned - (int(distinct[-1, 1]) if len(distinct) else 0)
    return spec.max_attempts is None and dry >= settings.dry_positions


def _why_short(ledger: _Ledger, distinct: int) -> str:
    parts = [f"{ledger.tried:,} tried"]
    repeated = ledger.good - distinct
    parts += [
        f"{number:,} {name}" for number, name in ((ledger.missed, "off target"), (repeated, "repeated")) if number
    ]
    parts += [f"{one.times:,} failed ({one.owner}: {one.reason})" for one in ledger.failures[:1]]
    return ", ".join(parts)


# --- in a process of its own -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bench:
    """What a process needs to make rows. It is set up with the first range, so that a fault there is an error of
    the run; one of the pool's initializer would be a dead process without a reason."""

    spec: JobSpec
    settings: Settings
    draft: _Draft
    text: TextFormat

    @cached_property
    def line(self) -> Line:
        return Line(self.spec, load_registry(self.settings.plugins, self.settings.plugin_dir))

    @cached_property
    def file(self) -> int:
        with writing(self.draft.name):
            return os.open(self.draft.path, os.O_WRONLY)


_bench: _Bench | None = None
"""A pool's process has no other place for what its initializer got; set once, before the first range."""


def _set_up(spec: JobSpec, settings: Settings, draft: _Draft, text: TextFormat) -> None:
    global _bench  # noqa: PLW0603
    # the parent hears Ctrl-C and ends the pool
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence_plugins()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this is a process of a pool
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _bench = _Bench(spec, settings, draft, text)


def _end_with(parent: int) -> None:
    """Ends this process when its parent was killed; the pool's own loop would wait for ever."""
    connection.wait([parent])
    os._exit(1)


def _write_range(start: int, stop: int) -> _Share:
    """Makes positions ``start`` .. ``stop - 1`` and writes the good ones where they belong."""
    bench = _bench
    assert bench is not None  # noqa: S101 - the pool called _set_up
    good: list[Runs] = []
    prints: list[Fingerprints] = []
    missed = 0
    failures: _Failures = {}
    reports: dict[str, ReportSum] = {}
    for low in range(start, stop, _BATCH_ROWS):
        batch = bench.line.run(low, min(low + _BATCH_ROWS, stop))
        rows = batch.rows
        if isinstance(rows, LevelRows):
            grids, positions = rows.puzzles[rows.on_target], rows.positions[rows.on_target]
            missed += len(rows.positions) - len(positions) + batch.barren
        else:
            assert isinstance(rows, FinalRows)  # noqa: S101 - only these kinds run without a store
            grids, positions = rows.finals, rows.positions
        runs = runs_of(positions)
        _write_rows(bench, grids, runs)
        good.append(runs)
        if not bench.spec.enumerated:
            prints.append(_fingerprints(grids))
        for error in batch.errors:
            _count(failures, Failure(error.owner, error.reason, 1, error.position))
        merge(reports, batch.reports)
    return _Share(
        start, stop, np.concatenate(good), np.concatenate([np.empty(0, np.uint64), *prints]), missed, failures,
        reports, bench.line.versions,
    )  # fmt: skip


def _write_rows(bench: _Bench, grids: Grids, runs: Runs) -> None:
    data = memoryview(bench.text.write(grids))
    size = bench.text.size
    done = 0
    with writing(bench.draft.name):
        for low, high in runs.tolist():
            end = done + (high - low) * size
            _write_all(bench.file, data[done:end], low * size)
            done = end


def _write_all(file: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written


_WEIGHTS: Final = mix(np.arange(11, dtype=np.uint64) + np.uint64(1)) | np.uint64(1)


def _fingerprints(grids: Grids) -> Fingerprints:
    """A 64-bit hash of each grid: its 81 bytes as eleven words, a weighted sum, mixed.

    A digest for each row would take as long as making it.
    """
    words = np.ascontiguousarray(grids[:, :80]).view(np.uint64)
    total = mix(words ^ (words >> np.uint64(29))) * _WEIGHTS[:10]
    return mix(total.sum(axis=1, dtype=np.uint64) + grids[:, 80].astype(np.uint64) * _WEIGHTS[10])


def _count(failures: _Failures, more: Failure) -> None:
    """Adds item errors to those with the same cause."""
    cause = (more.owner, more.reason)
    before = failures.get(cause, Failure(*cause, 0, more.first))
    failures[cause] = Failure(*cause, before.times + more.times, min(before.first, more.first))


# --- the file --------------------------------------------------------------------------------------------


def _close_gaps(draft: Path, runs: Runs, count: int, size: int) -> None:
    """Moves the first ``count`` rows together, lowest first, so that none is written over before it was read."""
    with draft.open("r+b") as file:
        done = 0
        for low, high in runs.tolist():
            rows = min(high - low, count - done)
            _move(file, low * size, done * size, rows * size)
            done += rows
        file.truncate(count * size)


def _move(file: BinaryIO, source: int, target: int, length: int) -> None:
    if source == target:
        return
    for done in range(0, length, _COPY_BYTES):
        data = os.pread(file.fileno(), min(_COPY_BYTES, length - done), source + done)
        _write_all(file.fileno(), memoryview(data), target + done)
