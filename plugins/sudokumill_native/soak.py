"""Checks the engine against itself and against solver ``exact-cover`` for as long as one likes.

``python -m sudokumill_native.soak --seconds 3600`` makes finals, digs them, spoils the puzzles in every way and
solves them, by every build that this machine can run; and grades the puzzles and their isomorphs. Ends with exit
code 1 if anything did not match.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from sudokumill.contracts import DigResult, GradeResult, GradeStatus, SolveStatus
from sudokumill.grids.batch import Grids, to_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Seeds, Streams, position_seeds
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
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

ROWS = 500
"""Finals a round."""

PATHS = 20
"""Puzzles of a set whose steps are followed."""

WISHES: tuple[dict[str, object], ...] = (
    {},
    {"clues_min": 22, "clues_max": 40},
    {"symmetry": "rot180"},
    {"symmetry": "diagonal", "minimal": True},
    {"symmetry": "vertical", "order": "jump", "clues": 34},
    {"row_min": 2, "column_min": 2, "empty_cells": "r1c1,r5c5"},
    {"pattern": "111111111110000011101000101100101001100010001100101001101000101110000011111111111"},
)

Mismatch = tuple[str, str]
"""What did not match, and the grid."""


def _unequal(what: str, one: np.ndarray, other: np.ndarray, grids: Grids) -> Iterator[Mismatch]:
    same = one == other
    for row in np.flatnonzero(~(same if same.ndim == 1 else same.all(axis=1))):
        yield what, to_lines(grids[row : row + 1])[0]


def _spoiled(puzzles: Grids, random: np.random.Generator) -> Grids:
    """Each puzzle with up to four clues taken away, changed or added: no, one, several solutions, or a clash."""
    grids = puzzles.copy()
    for grid in grids:
        cells = random.integers(0, 81, random.integers(0, 5))
        grid[cells] = random.integers(0, 10, len(cells))
        clues = np.flatnonzero(grid)
        grid[random.permutation(clues)[: random.integers(0, 4)]] = 0
    return grids


def _made(seeds: Seeds) -> tuple[Grids, Iterator[Mismatch]]:
    by_build = {
        build: NativeGenerator(NativeGeneratorOptions(), build).generate(seeds).finals for build in _kernel.builds
    }
    finals = by_build["portable"]

    def mismatches() -> Iterator[Mismatch]:
        yield from _unequal("a final that is none", are_finals(finals), np.ones(len(finals), dtype=bool), finals)
        for build, others in by_build.items():
            yield from _unequal(f"a final by {build}", others, finals, finals)

    return finals, mismatches()


def _not_minimal(puzzles: Grids) -> Iterator[Mismatch]:
    """Puzzles that keep one solution without one of their clues."""
    rows, cells = np.nonzero(puzzles)
    fewer = puzzles[rows]
    fewer[np.arange(len(rows)), cells] = 0
    several = ExactCoverSolver(SearchOptions()).solve(fewer).status == SolveStatus.SEVERAL
    yield from _unequal("a puzzle that is not minimal", several, np.ones(len(rows), dtype=bool), fewer)


def _dug(finals: Grids, seeds: Seeds) -> Iterator[tuple[Grids, Iterator[Mismatch]]]:
    for wish in WISHES:
        options = NativeDiggerOptions.model_validate(wish)
        by_build = {build: NativeDigger(options, build).dig(finals, seeds) for build in _kernel.builds}
        result = by_build["portable"]
        left = result.puzzles.any(axis=1)  # of a pattern with several solutions nothing is
        puzzles = result.puzzles[left]

        def mismatches(
            puzzles: Grids = puzzles,
            known: Grids = finals[left],
            others: dict[str, DigResult] = by_build,
            wish: dict[str, object] = wish,
        ) -> Iterator[Mismatch]:
            solved = ExactCoverSolver(SearchOptions()).solve(puzzles)
            yield from _unequal("a puzzle that is none", solved.solutions, known, puzzles)
            yield from _unequal("... nor unique", solved.counts, np.ones(len(puzzles), dtype=np.int64), puzzles)
            if not wish:
                yield from _not_minimal(puzzles)
            expected = others["portable"]
            for build, dug in others.items():
                yield from _unequal(f"a puzzle {wish} by {build}", dug.puzzles, expected.puzzles, finals)
                yield from _unequal(f"a status {wish} by {build}", dug.status, expected.status, finals)

        yield puzzles, mismatches()


def _solved(grids: Grids, random: np.random.Generator) -> Iterator[Mismatch]:
    limit = int(random.choice([1, 2, 3, 20, 200]))
    options = SearchOptions(max_nodes=int(random.integers(1, 60)) if random.random() < 0.3 else None)
    expected = NativeSolver(options, "portable").solve(grids, limit)
    for build in _kernel.builds:
        found = NativeSolver(options, build).solve(grids, limit)
        for field in ("counts", "solutions", "nodes", "status"):
            yield from _unequal(f"{field} by {build}", getattr(found, field), getattr(expected, field), grids)
    if options.max_nodes is None:
        other = ExactCoverSolver(options).solve(grids, limit)
        yield from _unequal("counts of exact-cover", other.counts, expected.counts, grids)
        yield from _unequal("status of exact-cover", other.status, expected.status, grids)
        unique = np.flatnonzero(other.status == SolveStatus.UNIQUE)
        yield from _unequal("the solution", other.solutions[unique], expected.solutions[unique], grids[unique])


def _figures(result: GradeResult) -> dict[str, np.ndarray]:
    """All that is said of each puzzle, as numbers and text that compare."""
    return {
        "status": result.status,
        "steps": result.steps,
        "hardest": np.array([code or "" for code in result.hardest]),
        "techniques": np.array([str(sorted(counts.items())) for counts in result.techniques]),
        **{name: np.nan_to_num(figures) for name, figures in result.extras.items()},
    }


def _graded(puzzles: Grids, random: np.random.Generator) -> Iterator[Mismatch]:
    whole = ExplainerGrader(ExplainerOptions(), "portable").grade(puzzles)
    expected = _figures(whole)
    streams = Streams(position_seeds(int(random.integers(2**63)), np.arange(len(puzzles))))
    isomorphs = draw(streams).apply(puzzles)
    effort = int(2 ** random.uniform(0, 20))
    by_budget = _figures(ExplainerGrader(ExplainerOptions(effort=effort), "portable").grade(puzzles))
    for build in _kernel.builds:
        for options, known in ((ExplainerOptions(), expected), (ExplainerOptions(effort=effort), by_budget)):
            found = _figures(ExplainerGrader(options, build, threads=2).grade(isomorphs))
            for name, figures in found.items():
                yield from _unequal(f"{name} of an isomorph by {build}", figures, known[name], puzzles)
    ceiling = float(random.integers(10, 91)) / 10
    within = ExplainerGrader(ExplainerOptions(ceiling=ceiling), "portable").grade(puzzles)
    above = within.status == GradeStatus.ABOVE
    yield from _unequal("what is above a ceiling", above, whole.rating > ceiling + 0.05, puzzles)
    known_above = (within.rating > ceiling) & (within.rating <= whole.rating)
    yield from _unequal("a bound above a ceiling", known_above[above], above[above], puzzles[above])
    for name, figures in _figures(within).items():
        yield from _unequal(f"{name} below a ceiling", figures[~above], expected[name][~above], puzzles[~above])
    yield from _followed(puzzles[random.permutation(len(puzzles))[:PATHS]])


def _followed(puzzles: Grids) -> Iterator[Mismatch]:
    """Puzzles where a step is wrong, or the last one does not fill the last cell."""
    grader = ExplainerGrader(ExplainerOptions())
    solutions = NativeSolver(SearchOptions()).solve(puzzles).solutions
    filled = puzzles.copy()
    keep = np.ones(len(puzzles), dtype=bool)
    for row, solution in enumerate(solutions):
        for step in grader.path(puzzles[row]):
            for cell, digit in step.placements:
                filled[row, cell] = digit
            keep[row] &= all(solution[cell] != digit for cell, digit in step.eliminations)
    yield from _unequal("an elimination of a path", keep, np.ones(len(puzzles), dtype=bool), puzzles)
    yield from _unequal("the end of a path", filled, solutions, puzzles)


def one_round(number: int, job_seed: int) -> tuple[int, list[Mismatch]]:
    """How many rows were checked, and what did not match."""
    random = np.random.default_rng([job_seed, number])
    seeds = position_seeds(job_seed, np.arange(number * ROWS, (number + 1) * ROWS))
    finals, mismatches = _made(seeds)
    found = list(mismatches)
    rows = len(finals)
    for puzzles, mismatches in _dug(finals, seeds):
        found += mismatches
        found += _solved(puzzles, random)
        found += _solved(_spoiled(puzzles, random), random)
        found += _graded(puzzles, random)
        rows += len(finals) + 2 * len(puzzles)
    return rows, found


def main() -> int:
    """Goes on until the time is over; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sudokumill_native.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="another seed checks other grids (default 1)")
    asked = parser.parse_args()
    end = time.monotonic() + asked.seconds
    rows = number = 0
    mismatches: Counter[str] = Counter()
    while number == 0 or time.monotonic() < end:
        checked, found = one_round(number, asked.seed)
        rows += checked
        number += 1
        for what, grid in found:
            mismatches[what] += 1
            print(f"round {number}: {what}: {grid}", flush=True)
    print(f"{rows:,} rows by {', '.join(_kernel.builds)}: {mismatches.total():,} mismatches")
    return 1 if mismatches else 0


if __name__ == "__main__":
    raise SystemExit(main())
