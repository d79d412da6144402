"""The kit's solver must be right before it may judge others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokumill.contracts import SolveStatus
from sudokumill.grids.batch import UNITS, Grids, from_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Streams
from sudokumill.testing import ReferenceSolver
from sudokumill.testing.samples import CLASH, EASY, FINAL, Known, known_grids, sample_finals, sample_positions


def _solutions(grid: list[int]) -> Iterator[list[int]]:
    """Every solution, cell by cell, with nothing in common with the solver that is tested."""
    if 0 not in grid:
        yield list(grid)
        return
    cell = grid.index(0)
    taken = {grid[other] for unit in UNITS if cell in unit for other in unit}
    for digit in set(range(1, 10)) - taken:
        grid[cell] = digit
        yield from _solutions(grid)
    grid[cell] = 0


@pytest.mark.parametrize("known", [known for known in EASY if known.count < 100], ids=lambda known: known.what)
def test_the_table_agrees_with_a_plain_count(known: Known) -> None:
    line, count = known.line, known.count
    (solved,) = ReferenceSolver().solve(from_lines([line]), limit=10_000).counts
    assert solved == max(count, 0)
    if count != CLASH:
        assert len(list(_solutions([int(digit) for digit in line]))) == count


@settings(max_examples=40)
@given(st.sets(st.integers(0, 80), max_size=45), st.integers(0, 2**64 - 1))
def test_counts_agree_with_a_plain_count(blanks: set[int], seed: int) -> None:
    grid = draw(Streams(np.array([seed], dtype=np.uint64))).apply(from_lines([FINAL]))
    grid[0, list(blanks)] = 0
    result = ReferenceSolver().solve(grid, limit=50)
    first_ones = itertools.islice(_solutions([int(digit) for digit in grid[0]]), 50)
    assert result.counts[0] == len(list(first_ones))
    assert are_finals(result.solutions).all()
    assert ((grid == 0) | (grid == result.solutions)).all()


def test_minimal_puzzles_have_one_solution_and_lose_it_with_any_clue(minimal_puzzles: Grids) -> None:
    puzzles = minimal_puzzles[:60]
    result = ReferenceSolver().solve(puzzles)
    assert (result.status == SolveStatus.UNIQUE).all()
    for puzzle in puzzles[:10]:
        for cell in np.flatnonzero(puzzle):
            fewer = puzzle.copy()
            fewer[cell] = 0
            assert ReferenceSolver().solve(fewer[None, :]).status[0] == SolveStatus.SEVERAL


def test_samples_are_what_they_say() -> None:
    finals = sample_finals(6)
    assert are_finals(finals).tolist() == [True] * 6 + [False] * 2
    assert len(np.unique(finals, axis=0)) == 8
    table, grids = known_grids(hard=True)
    assert len(table) == len(grids)
    positions = sample_positions(2_903_040, 64)
    assert len(np.unique(positions)) == len(positions) == 64
    assert (positions[0], positions[-1]) == (0, 2_903_039)
    assert sample_positions(5, 64).tolist() == [0, 1, 2, 3, 4]
