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
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import FileUnwritableError, LocalProcessError, OutputRowError
from sudokumill.formats import TextFormat
from sudokumill.grids.batch import Grids
from sudokumill.jobs import GREATEST_CHUNK, JobSpec, plan_chunks, rows_per_chunk
from sudokumill.line import Line
from sudokumill.queue.local import FORK
from sudokumill.registry import load_registry
from sudokumill.rows import FinalRows, LevelRows, ReportSum, merge
from sudokumill.settings import Settings
from sudokumill.streams import mix

_BATCH_ROWS: Final = 10_000
_LOOK_SECONDS: Final = 0.1
_ALL_FAILED: Final = 100
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
    with ProcessPoolExecutor(settings.processes, FORK, _set_up, (spec, settings, part, text)) as pool:
        try:
            while missing > 0:
                rows = rows_per_chunk(spec, spec.rate, settings.chunk_seconds, 2 * settings.processes, missing)
                ranges = plan_chunks(ledger.planned, missing, min(rows, GREATEST_CHUNK), end, missing)
                if not ranges:
                    return ledger
                ledger.planned = ranges[-1][1]
                if _collect(pool, ranges, ledger, watch) or _is_hopeless(ledger, settings):
                    return ledger
                missing = spec.count - len(ledger.distinct())
        except BrokenProcessPool:
            raise LocalProcessError(code="unknown") from None
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


def _is_hopeless(ledger: _Ledger, settings: Settings) -> bool:
    good = ledger.good
    return (good == 0 and ledger.tried >= _ALL_FAILED) or (
        ledger.tried >= settings.dry_positions and len(ledger.distinct()) < good // 1_000
    )


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
    registry = load_registry(settings.plugins, settings.plugin_dir)
    _bench = _Bench(spec, Line(spec, registry), os.open(part, os.O_WRONLY), text)


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
    special = str(path) == "-" or (path.exists() and not path.is_file())
    part = Path(tempfile.mkstemp(prefix="sudokumill-")[1]) if special else path.with_name(path.name + ".part")
    try:
        part.write_bytes(b"")
        yield part
        if special:
            target = sys.stdout.buffer if str(path) == "-" else path.open("wb")
            with part.open("rb") as source, target:
                shutil.copyfileobj(source, target, _COPY_BYTES)
        else:
            part.replace(path)
    except OSError as error:
        raise FileUnwritableError(path=path, reason=error.strerror or str(error)) from error
    finally:
        part.unlink(missing_ok=True)


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
