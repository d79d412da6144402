"""Which puzzles are minimal, by every build of the kernel and by the solver that offers it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokumill.contracts import MinimalityTester
from sudokumill.grids.batch import Grids
from sudokumill.minimality import minimal_by_counts
from sudokumill.registry import load_registry
from sudokumill.streams import position_seeds
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions, SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, UnboundedNativeSolver

Sample = tuple[Grids, Grids, NDArray[np.uint8]]


@cache
def sample() -> Sample:
    """Puzzles with their solutions, and what the other solver counts without each clue: many are minimal, some have
    one clue to spare, some many, one is complete."""
    count = 120
    seeds = position_seeds(9, np.arange(count))
    finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals
    puzzles, solutions = [finals[:1]], [finals[:1]]
    for options in (
        NativeDiggerOptions(),
        NativeDiggerOptions(clues=25),
        NativeDiggerOptions(added=1),
        NativeDiggerOptions(symmetry="rot180"),  # type: ignore[arg-type] # pydantic takes the text
        NativeDiggerOptions(clues=40),
    ):
        puzzles.append(NativeDigger(options).dig(finals, seeds).puzzles)
        solutions.append(finals)
    order = np.random.default_rng(3).permutation(5 * count + 1)
    grids, known = np.concatenate(puzzles)[order], np.concatenate(solutions)[order]
    expected = (minimal_by_counts(ExactCoverSolver(SearchOptions()), grids) == 1).astype(np.uint8)
    assert 120 < expected.sum() < 300
    return grids, known, expected


@pytest.fixture(params=_kernel.builds)
def build(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_build_says_what_the_other_solver_counts(build: str) -> None:
    puzzles, solutions, expected = sample()
    np.testing.assert_array_equal(_kernel.minimal(puzzles, solutions, build), expected)


@pytest.mark.parametrize("size", [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 511, 512, 513])
def test_batches_of_any_size(build: str, size: int) -> None:
    puzzles, solutions, expected = sample()
    some = slice(50, 50 + size)
    got = _kernel.minimal(puzzles[some].copy(), solutions[some].copy(), build)
    np.testing.assert_array_equal(got, expected[some])


@pytest.mark.parametrize("threads", [2, 5, 200])
def test_threads_change_nothing(build: str, threads: int) -> None:
    puzzles, solutions, expected = sample()
    np.testing.assert_array_equal(_kernel.minimal(puzzles, solutions, build, threads), expected)


def test_a_solution_of_another_puzzle_says_no_and_harms_no_other_row(build: str) -> None:
    puzzles, solutions, expected = sample()
    wrong = solutions.copy()
    rows = np.flatnonzero(expected)[[0, 5, 6, 40]]
    wrong[rows[0]] = solutions[rows[1]]
    wrong[rows[1], 3] = 0
    wrong[rows[2]] = 255
    wrong[rows[3]] = puzzles[rows[3]]
    got = _kernel.minimal(puzzles, wrong, build)
    assert not got[rows].any()
    others = np.setdiff1d(np.arange(len(puzzles)), rows)
    np.testing.assert_array_equal(got[others], expected[others])


def test_shapes_are_refused(build: str) -> None:
    puzzles, solutions, _ = sample()
    with pytest.raises(ValueError, match="one solution a puzzle"):
        _kernel.minimal(puzzles, solutions[1:], build)
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        _kernel.minimal(puzzles, solutions, build, 0)
    with pytest.raises(TypeError):
        _kernel.minimal(puzzles.astype(np.int64), solutions, build)  # type: ignore[arg-type]


def test_a_solver_with_a_budget_leaves_it_to_who_counts() -> None:
    registry = load_registry()
    free = registry.solver("native")
    assert isinstance(free, UnboundedNativeSolver)
    assert isinstance(free, MinimalityTester)
    assert not isinstance(registry.solver("native", max_nodes=7), MinimalityTester)
    puzzles, solutions, expected = sample()
    answers = free.minimal(puzzles, solutions)
    assert answers.dtype == np.bool_
    np.testing.assert_array_equal(answers, expected == 1)
