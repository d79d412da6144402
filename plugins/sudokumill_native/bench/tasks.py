"""What is measured: each task is done by every build, and by the peer if there is one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import (
    ExplainerOptions,
    NativeDiggerOptions,
    NativeGeneratorOptions,
    SearchOptions,
)
from sudokumill_native.solvers import NativeSolver

PEER = "peer"
DEFAULT = NativeGeneratorOptions().uniformity

Work = Callable[[], object]


@dataclass(frozen=True)
class Task:
    """Something to be done again and again."""

    name: str
    rows: int
    """What it is done to, each time."""

    work: Mapping[str, Work]
    """By whom: the name of a build, or ``PEER``."""

    kernel: Mapping[str, Work] = field(default_factory=dict)
    """The same to the same rows by the kernel alone, where it is to be seen what is lost around it; by build."""


@dataclass(frozen=True)
class Measured:
    """What came of a task: rows a second of CPU time, the median of the rounds."""

    task: str
    rows: int
    rates: Mapping[str, float]

    shares: Mapping[str, float]
    """Each build's rate by that of its kernel alone, where that was measured beside."""

    ratios: Mapping[str, float] = field(init=False)
    """Each build's rate by the peer's, if there is one."""

    def __post_init__(self) -> None:
        peer = self.rates.get(PEER)
        ratios = {who: rate / peer for who, rate in self.rates.items() if who != PEER} if peer else {}
        object.__setattr__(self, "ratios", ratios)


def solving(name: str, puzzles: Grids, builds: list[str], peer: _kernel.Peer | None) -> Iterator[Task]:
    """Counting up to two, with the solutions; and the same with one puzzle a call, in the kernel."""

    def solve(build: str, together: int) -> Work:
        return lambda: _kernel.solve(puzzles, 2, None, build, together)

    by_peer: dict[str, Work] = {} if peer is None else {PEER: lambda: peer.solve(puzzles)}
    yield Task(f"solve {name}", len(puzzles), {b: solve(b, 1 << 16) for b in builds} | by_peer)
    yield Task(f"solve {name}, one a call", len(puzzles), {b: solve(b, 1) for b in builds} | by_peer)


def through_python(name: str, puzzles: Grids, builds: list[str]) -> Iterator[Task]:
    """Batches of 10,000 through the solver's class, from arrays and from text lines."""
    batch = np.ascontiguousarray(np.resize(puzzles, (10_000, 81)))
    lines = [line.replace("0", ".") for line in to_lines(batch)]

    def solver(build: str) -> NativeSolver:
        return NativeSolver(SearchOptions(), build)

    def in_kernel(build: str) -> Work:
        return lambda: _kernel.solve(batch, 2, None, build)

    def from_array(build: str) -> Work:
        return lambda: solver(build).solve(batch)

    def from_text(build: str) -> Work:
        return lambda: solver(build).solve(from_lines(lines))

    kernel = {b: in_kernel(b) for b in builds}
    yield Task(f"solve {name}, arrays in Python", len(batch), {b: from_array(b) for b in builds}, kernel)
    yield Task(f"solve {name}, lines in Python", len(batch), {b: from_text(b) for b in builds}, kernel)


def making(count: int, builds: list[str], peer: _kernel.Peer | None) -> Iterator[Task]:
    """Finals, digging to minimal, and both."""
    seeds = np.arange(count, dtype=np.uint64)
    finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals

    def generate(build: str, uniformity: int) -> Grids:
        options = NativeGeneratorOptions(uniformity=uniformity)
        return NativeGenerator(options, build).generate(seeds).finals

    def dig(build: str, finals: Grids) -> Grids:
        return NativeDigger(NativeDiggerOptions(), build).dig(finals, seeds).puzzles

    def by_peer(work: Callable[[_kernel.Peer], object]) -> dict[str, Work]:
        return {} if peer is None else {PEER: lambda: work(peer)}

    yield Task(
        "dig to minimal, finals given",
        count,
        {b: lambda b=b: dig(b, finals) for b in builds} | by_peer(lambda peer: peer.dig(finals, seeds)),
    )
    for uniformity in (DEFAULT, 16):
        yield Task(
            f"minimal from nothing, uniformity {uniformity}",
            count,
            {b: lambda b=b, k=uniformity: dig(b, generate(b, k)) for b in builds}
            | by_peer(lambda peer: peer.dig(peer.make_finals(seeds), seeds)),
        )
    for uniformity in (14, 15, 16):
        yield Task(
            f"finals, uniformity {uniformity}",
            count,
            {b: lambda b=b, k=uniformity: generate(b, k) for b in builds}
            | by_peer(lambda peer: peer.make_finals(seeds)),
        )


def canonicalising(puzzles: Mapping[str, Grids], builds: list[str]) -> Iterator[Task]:
    """Canonical forms, the solutions given, of the finals and of the puzzles; all builds share one code."""
    finals = NativeSolver(SearchOptions()).solve(next(iter(puzzles.values()))).solutions
    for name, grids in {"finals": finals, **puzzles}.items():
        yield Task(
            f"canonical form, {name}", len(grids), {builds[0]: partial(_kernel.canonical_forms, grids, finals)}
        )


GRADED_RANGES: Final = ((1.0, 3.4), (3.6, 6.2), (6.5, 7.0), (7.1, 7.5), (7.6, 8.1), (8.2, 8.9))
"""Ranges of ratings that are measured apart; both ends belong to each."""


def grading(puzzles: Grids, builds: list[str]) -> Iterator[Task]:
    """Grades by ``explainer``, of all puzzles together and by what they are rated; all builds share one code."""
    grader = ExplainerGrader(ExplainerOptions(), builds[0])
    rating = grader.grade(puzzles).rating
    chosen = {"all": np.ones(len(puzzles), dtype=np.bool_)} | {
        f"{low} to {high}": (rating > low - 0.05) & (rating < high + 0.05) for low, high in GRADED_RANGES
    }
    for name, rows in chosen.items():
        if rows.any():
            some = np.ascontiguousarray(puzzles[rows])
            yield Task(f"grade minimal, {name}", len(some), {builds[0]: partial(grader.grade, some)})


def settle_memory() -> None:
    """Makes the C library keep what is freed, as it does in a process that has been at work for a while.

    A new process gives arrays of a megabyte back to the system after each call, and gets them anew page by page,
    which can take as long as solving what is in them.
    """
    np.empty(16 << 20, dtype=np.uint8)


def measure(task: Task, rounds: int, least: float) -> Measured:
    """Runs a task in rounds, everybody once a round, each for at least so many seconds."""
    rates, kernels = _measure([task.work, task.kernel], task.rows, rounds, least)
    shares = {who: rates[who] / rate for who, rate in kernels.items()}
    return Measured(task=task.name, rows=task.rows, rates=rates, shares=shares)


def _measure(works: list[Mapping[str, Work]], rows: int, rounds: int, least: float) -> list[dict[str, float]]:
    """Rows a second of each work, all of them taking turns."""
    times: list[dict[str, list[float]]] = [{who: [] for who in work} for work in works]
    for _ in range(rounds):
        for who in works[0]:
            for work, taken in zip(works, times, strict=True):
                if who in work:
                    taken[who].append(_seconds(work[who], least))
    return [{who: rows / statistics.median(taken) for who, taken in each.items()} for each in times]


def _seconds(work: Work, least: float) -> float:
    """CPU time of one repetition, of as many as that takes."""
    repeats = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < least or not repeats:
        work()
        repeats += 1
    return spent / repeats
