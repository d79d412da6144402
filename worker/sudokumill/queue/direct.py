"""The direct runner: a job's rows straight into a text file, without a store.

Every text format has one size a grid, so the place of a position is known before it is made, and each process
writes its own rows where they belong:

    position     0        1        2        3    ...
    file      | row 0  | row 1  |  gap   | row 3  | ...      the file is named FILE.part until it is whole

A gap is a position that failed, missed the target, or repeats a lower one. At the end gaps are closed, the file is
cut to what was ordered, and takes its name. There is no database to fall back on: an interrupted run leaves
nothing.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from errno import EISDIR
from multiprocessing import connection
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import FileUnwritableError, LocalProcessError, OutputRowError
from sudokumill.formats import TextFormat
from sudokumill.grids.batch import Grids
from sudokumill.jobs import JobSpec, plan_chunks, rows_per_chunk
from sudokumill.line import Line
from sudokumill.queue.local import FORK
from sudokumill.registry import load_registry
from sudokumill.rows import FinalRows, LevelRows, ReportSum, merge
from sudokumill.settings import Settings
from sudokumill.streams import mix

_BATCH_ROWS: Final = 10_000
_LOOK_SECONDS: Final = 0.1
_ALL_FAILED: Final = 100
_MOST_RANGES: Final = 10_000
_COPY_BYTES: Final = 8 << 20

Fingerprints = NDArray[np.uint64]
"""Shape (m,): a 64-bit hash of each grid; among a million of them a chance repeat has odds of 1 to 37 million."""


@dataclass(frozen=True)
class DirectResult:
    """What a direct run came to."""

    written: int
    tried: int
    repeated: int
    missed: int
    failures: tuple[tuple[str, str, int], ...]
    """(implementation, reason, how many), the most frequent first."""
    reports: dict[str, ReportSum]
    versions: dict[str, str]


@dataclass(frozen=True)
class _Share:
    """What a process has written of one range of positions."""

    start: int
    stop: int
    good: NDArray[np.int64]
    """Positions whose row is in the file, rising."""
    fingerprints: Fingerprints
    """Of the good positions."""
    missed: int
    failures: Counter[tuple[str, str]]
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
        return sum(len(share.good) for share in self.shares.values())

    def distinct(self) -> NDArray[np.int64]:
        """Positions that count, rising: of equal grids the lowest position."""
        shares = [self.shares[start] for start in sorted(self.shares)]
        if not shares:
            return np.empty(0, np.int64)
        good = np.concatenate([share.good for share in shares])
        prints = np.concatenate([share.fingerprints for share in shares])
        rising = np.sort(prints)
        if not (rising[1:] == rising[:-1]).any():
            return good
        _, first = np.unique(prints, return_index=True)
        kept: NDArray[np.int64] = good[np.sort(first)]
        return kept


def run_direct(
    spec: JobSpec, settings: Settings, path: Path, text: TextFormat, watch: Callable[[int], bool]
) -> DirectResult:
    """Makes a job's rows and writes them to a file: finals of generate, puzzles of levels.

    Args:
        spec: the job; its grids are fresh ones.
        settings: processes, plugins.
        path: where to; ``-`` is standard output. A regular file appears under its name only when it is whole.
            Anything else that exists there (a pipe, a device) is written to in order at the end.
        text: the format.
        watch: called several times a second with the rows made; True ends the run.

    Raises:
        FileUnwritableError: the file cannot be written, or the disk is full.
        OutputRowError: fewer rows than ordered could be made, or the run was ended; the file was not written.
        LocalProcessError: a process died.
    """
    with _part_file(path) as part:
        ledger = _fill(spec, settings, part, text, watch)
        positions = ledger.distinct()
        if len(positions) < spec.count:
            raise OutputRowError(
                made=len(positions), count=spec.count, path=path, reason=_why_short(ledger, len(positions))
            )
        _close_gaps(part, positions[: spec.count], text.size)
    reports: dict[str, ReportSum] = {}
    failures: Counter[tuple[str, str]] = Counter()
    for share in ledger.shares.values():
        merge(reports, share.reports)
        failures += share.failures
    return DirectResult(
        written=spec.count,
        tried=ledger.tried,
        repeated=ledger.good - len(positions),
        missed=sum(share.missed for share in ledger.shares.values()),
        failures=tuple((owner, why, times) for (owner, why), times in failures.most_common()),
        reports=reports,
        versions=next(iter(ledger.shares.values())).versions,
    )


def _fill(
    spec: JobSpec, settings: Settings, part: Path, text: TextFormat, watch: Callable[[int], bool]
) -> _Ledger:
    """Has ranges of positions written until enough distinct rows are there, or no more can be had."""
    ledger = _Ledger()
    bounds = [bound for bound in (spec.size, spec.max_attempts) if bound is not None]
    end = min(bounds, default=None)
    missing = spec.count
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(settings.processes, FORK, _set_up, (spec, settings, part, text)) as pool:
        try:
            while missing > 0:
                rows = rows_per_chunk(spec, spec.rate, settings.chunk_seconds, 2 * settings.processes, missing)
                ranges = plan_chunks(ledger.planned, missing, rows, end, _MOST_RANGES)
                if not ranges:
                    return ledger
                ledger.planned = ranges[-1][1]
                if _collect(pool, ranges, ledger, watch):
                    return ledger
                distinct = ledger.distinct()
                if _is_hopeless(spec, ledger, distinct, settings):
                    return ledger
                missing = spec.count - len(distinct)
        except BrokenProcessPool:
            raise LocalProcessError(code="unknown") from None
        except KeyboardInterrupt:
            # nothing of what they make will be kept, so nobody waits for the ranges in hand
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    return ledger


def _collect(
    pool: ProcessPoolExecutor,
    ranges: list[tuple[int, int]],
    ledger: _Ledger,
    watch: Callable[[int], bool],
) -> bool:
    """Runs ranges; True when the run is to end."""
    pending: set[Future[_Share]] = {pool.submit(_write_range, start, stop) for start, stop in ranges}
    while pending:
        done, pending = wait(pending, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            share = future.result()
            ledger.shares[share.start] = share
        if watch(ledger.good):
            return True
    return False


def _is_hopeless(spec: JobSpec, ledger: _Ledger, distinct: NDArray[np.int64], settings: Settings) -> bool:
    """Whether a job with a store would be given up here: all failed, or nothing new came for long."""
    failed = sum(share.failures.total() for share in ledger.shares.values())
    if failed == ledger.tried and failed >= _ALL_FAILED:
        return True
    dry = ledger.planned - (int(distinct[-1]) + 1 if len(distinct) else 0)
    return spec.max_attempts is None and dry >= settings.dry_positions


def _why_short(ledger: _Ledger, distinct: int) -> str:
    failures: Counter[tuple[str, str]] = Counter()
    for share in ledger.shares.values():
        failures += share.failures
    parts = [f"{ledger.tried:,} tried"]
    missed = sum(share.missed for share in ledger.shares.values())
    repeated = ledger.good - distinct
    parts += [f"{number:,} {name}" for number, name in ((missed, "off target"), (repeated, "repeated")) if number]
    parts += [f"{times:,} failed ({owner}: {why})" for (owner, why), times in failures.most_common(1)]
    return ", ".join(parts)


# --- in a process of its own -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bench:
    spec: JobSpec
    line: Line
    file: int
    text: TextFormat


_bench: _Bench | None = None
"""A pool's process has no other place for what its initializer made; set once, before the first range."""


def _set_up(spec: JobSpec, settings: Settings, part: Path, text: TextFormat) -> None:
    global _bench  # noqa: PLW0603
    # the parent hears Ctrl-C and ends the pool
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - this is a process of a pool
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    registry = load_registry(settings.plugins, settings.plugin_dir)
    _bench = _Bench(spec, Line(spec, registry), os.open(part, os.O_WRONLY), text)


def _end_with(parent: int) -> None:
    """Ends this process when its parent was killed; the pool's own loop would wait for ever."""
    connection.wait([parent])
    os._exit(1)


def _write_range(start: int, stop: int) -> _Share:
    """Makes positions ``start`` .. ``stop - 1`` and writes the good ones where they belong."""
    bench = _bench
    assert bench is not None  # noqa: S101 - the pool called _set_up
    good: list[NDArray[np.int64]] = []
    prints: list[Fingerprints] = []
    missed = 0
    failures: Counter[tuple[str, str]] = Counter()
    reports: dict[str, ReportSum] = {}
    for low in range(start, stop, _BATCH_ROWS):
        batch = bench.line.run(low, min(low + _BATCH_ROWS, stop))
        rows = batch.rows
        if isinstance(rows, LevelRows):
            grids, positions = rows.puzzles[rows.on_target], rows.positions[rows.on_target]
            missed += len(rows.positions) - len(positions)
        else:
            assert isinstance(rows, FinalRows)  # noqa: S101 - only these kinds run without a store
            grids, positions = rows.finals, rows.positions
        _write_rows(bench, grids, positions)
        good.append(positions)
        prints.append(_fingerprints(grids))
        failures.update((error.owner, error.reason) for error in batch.errors)
        merge(reports, batch.reports)
    return _Share(
        start, stop, np.concatenate(good), np.concatenate(prints), missed, failures, reports, bench.line.versions
    )


def _write_rows(bench: _Bench, grids: Grids, positions: NDArray[np.int64]) -> None:
    data = memoryview(bench.text.write(grids))
    size = bench.text.size
    for low, high in _runs(positions):
        _write_all(bench.file, data[low * size : high * size], int(positions[low]) * size)


def _write_all(file: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written


def _runs(positions: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of indices over which positions follow each other without a gap."""
    if len(positions):
        cuts = np.flatnonzero(np.diff(positions) != 1) + 1
        yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(positions)], strict=True)


_WEIGHTS: Final = mix(np.arange(11, dtype=np.uint64) + np.uint64(1)) | np.uint64(1)


def _fingerprints(grids: Grids) -> Fingerprints:
    """A 64-bit hash of each grid: its 81 bytes as eleven words, a weighted sum, mixed.

    A digest for each row would take as long as making it.
    """
    words = np.ascontiguousarray(grids[:, :80]).view(np.uint64)
    total = mix(words ^ (words >> np.uint64(29))) * _WEIGHTS[:10]
    return mix(total.sum(axis=1, dtype=np.uint64) + grids[:, 80].astype(np.uint64) * _WEIGHTS[10])


# --- the file --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _part_file(path: Path) -> Iterator[Path]:
    """A file to write into, which becomes ``path`` when the body ends well and vanishes when it does not."""
    part: Path | None = None
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        special = str(path) == "-" or (path.exists() and not path.is_file())
        part = _temporary() if special else path.with_name(path.name + ".part")
        part.write_bytes(b"")
        yield part
        if special:
            _copy_to(path, part)
        else:
            part.replace(path)
    except BrokenPipeError:
        raise  # whoever read it has seen enough
    except OSError as error:
        raise FileUnwritableError(path=path, reason=error.strerror or str(error)) from error
    finally:
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        signal.signal(signal.SIGTERM, before)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _temporary() -> Path:
    file, name = tempfile.mkstemp(prefix="sudokumill-")
    os.close(file)
    return Path(name)


def _copy_to(path: Path, part: Path) -> None:
    """Writes the whole part to standard output, a pipe or a device."""
    with part.open("rb") as source:
        if str(path) == "-":
            shutil.copyfileobj(source, sys.stdout.buffer, _COPY_BYTES)
            sys.stdout.buffer.flush()
            return
        # unbuffered: a write that failed is not tried again when the file is closed
        with path.open("wb", buffering=0) as target:
            while data := source.read(_COPY_BYTES):
                view = memoryview(data)
                while view:
                    view = view[target.write(view) :]


def _close_gaps(part: Path, positions: NDArray[np.int64], size: int) -> None:
    """Moves the rows together, lowest first, so that no row is written over before it was read."""
    with part.open("r+b") as file:
        if int(positions[-1]) != len(positions) - 1:
            for low, high in _runs(positions):
                _move(file, int(positions[low]) * size, low * size, (high - low) * size)
        file.truncate(len(positions) * size)


def _move(file: BinaryIO, source: int, target: int, length: int) -> None:
    if source == target:
        return
    for done in range(0, length, _COPY_BYTES):
        data = os.pread(file.fileno(), min(_COPY_BYTES, length - done), source + done)
        _write_all(file.fileno(), memoryview(data), target + done)
