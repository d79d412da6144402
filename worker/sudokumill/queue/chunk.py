"""The chunk function: claim, make batch by batch, store, move the job on. Every runner calls it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sudokumill.errors import StoreError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.jobs import GREATEST_CHUNK, JobKind, JobSpec, Source
from sudokumill.line import Line
from sudokumill.registry import Registry
from sudokumill.store.advance import Pace, advance
from sudokumill.store.database import Database
from sudokumill.store.keeping import Made, finish
from sudokumill.store.leases import Claim, Hold, claim, give_back, look, renew
from sudokumill.store.models import JobState
from sudokumill.store.reading import inputs

_BATCH_SECONDS: Final = 0.5
_GREATEST_BATCH: Final = 2_000
"""Rows of a batch that is dug or solved: its arrays of trial grids stay below 20 MB."""


@dataclass(frozen=True)
class Bench:
    """What a process needs to run chunks, made once."""

    database: Database
    registry: Registry
    owner: str
    """Name of this process in leases."""
    lease_seconds: float
    licence: str
    pace: Pace
    lines: dict[int, Line] = field(default_factory=dict)
    """The line of the job in hand: building it costs milliseconds, so it outlives a chunk."""

    def line(self, job: int, spec: JobSpec) -> Line:
        """The line of a job; the one before it is given up."""
        if job not in self.lines:
            self.lines.clear()
            self.lines[job] = Line(spec, self.registry)
        return self.lines[job]


def run_chunk(bench: Bench, job: int, spec: JobSpec, interrupted: Callable[[], bool]) -> JobState | None:
    """Claims the job's next chunk and runs it to its end.

    Args:
        bench: this process's tools.
        job: which job.
        spec: its specification.
        interrupted: asked between batches; True keeps what is made and leaves the rest waiting.

    Returns:
        The job's state afterwards; None when no chunk waited.

    Raises:
        LeaseLostError: it took longer than its lease and another process has it; nothing was stored.
        SudokumillError: the chunk could not be run or stored; it was given back.
    """
    held = claim(bench.database, job, bench.owner, bench.lease_seconds)
    if held is None:
        return None
    try:
        line = bench.line(job, spec)
        made, hold = _make(bench, held, spec, line, interrupted)
        if made.reached == held.start:
            give_back(bench.database, held)
        else:
            finish(
                bench.database,
                held,
                made,
                versions=line.versions,
                new=spec.new,
                licence=bench.licence,
                rest=hold,
            )
    except BaseException:
        # on a full disk this fails too; the chunk then goes back when its process has gone
        with contextlib.suppress(StoreError):
            give_back(bench.database, held)
        raise
    return advance(bench.database, job, bench.pace)


def _make(
    bench: Bench, held: Claim, spec: JobSpec, line: Line, interrupted: Callable[[], bool]
) -> tuple[Made, Hold]:
    """Makes the chunk batch by batch, as far as the job and the process want it."""
    made = Made(reached=held.start)
    rows = _batch_rows(spec)
    deadline = time.monotonic() + bench.lease_seconds / 3
    start = held.start
    while start < held.stop:
        if interrupted():
            return made, Hold.PAUSE
        if start > held.start:
            hold = look(bench.database, held, spec.max_seconds)
            if hold is not Hold.GO_ON:
                return made, hold
        if time.monotonic() > deadline:
            renew(bench.database, held, bench.lease_seconds)
            deadline = time.monotonic() + bench.lease_seconds / 3
        stop = min(start + rows, held.stop)
        grids = _inputs(bench.database, held.job, spec, start, stop)
        began = time.perf_counter()
        batch = line.run(start, stop, grids)
        made.add(batch, time.perf_counter() - began, stop)
        if len(batch.errors) == stop - start:
            # nothing of it came out well: the job looks at that before more is tried
            return made, Hold.PAUSE
        start = stop
    return made, Hold.GO_ON


def _batch_rows(spec: JobSpec) -> int:
    most = GREATEST_CHUNK if spec.kind is JobKind.GENERATE else _GREATEST_BATCH
    return max(1, min(most, int(spec.rate * _BATCH_SECONDS)))


def _inputs(database: Database, job: int, spec: JobSpec, start: int, stop: int) -> Grids | None:
    if spec.source is Source.FRESH:
        return None
    return from_lines(inputs(database, job, start, stop))
