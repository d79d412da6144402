from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sudokumill.checking import Verdict, check_grids
from sudokumill.contracts import Solver, SolveResult, SolveStatus
from sudokumill.grids.batch import CELLS, Grids, from_lines
from sudokumill.registry import load_registry

PUZZLE = "........2.2..5.8.1......3..7.4.9........8541...5.37...18....9....7..9...2...4..58"
CLASH = "11......." + "." * 72

Twist = Callable[[Grids, SolveResult], SolveResult]


@pytest.fixture(scope="module")
def native() -> Solver:
    return load_registry(plugins="native").solver("native")


class Twisted:
    """A solver whose results are changed by a test."""

    def __init__(self, solver: Solver, twist: Twist) -> None:
        self._solver = solver
        self._twist = twist

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        return self._twist(puzzles, self._solver.solve(puzzles, limit))


def test_a_solver_that_raises_costs_its_row(native: Solver) -> None:
    def twist(puzzles: Grids, result: SolveResult) -> SolveResult:
        if (puzzles[:, :2] == 1).all(axis=1).any() or len(puzzles) == 2:
            raise ZeroDivisionError("out of coffee")
        return result

    clash, puzzle = check_grids(from_lines([CLASH, PUZZLE]), Twisted(native, twist))
    # a clash is seen without the solver
    assert clash.verdict is Verdict.CLASH
    assert (puzzle.verdict, puzzle.minimal) == (Verdict.PUZZLE, True)
    alone = check_grids(from_lines([PUZZLE]), Twisted(native, lambda puzzles, result: 1 // 0))  # type: ignore[arg-type,return-value]
    assert (alone[0].verdict, alone[0].sound) == (Verdict.GAVE_UP, False)
    assert "ZeroDivisionError" in str(alone[0].fault)


def test_a_solver_that_lies_is_not_believed(native: Solver) -> None:
    def ones(puzzles: Grids, result: SolveResult) -> SolveResult:
        return SolveResult(result.counts, np.ones_like(result.solutions), result.nodes, result.status)

    def clash(puzzles: Grids, result: SolveResult) -> SolveResult:
        count = len(puzzles)
        none, status = np.zeros(count, np.int64), np.full(count, SolveStatus.CLASH, np.uint8)
        return SolveResult(none, np.zeros((count, CELLS), np.uint8), none.copy(), status)

    for twist in (ones, clash):
        [found] = check_grids(from_lines([PUZZLE]), Twisted(native, twist))
        assert found.verdict is Verdict.GAVE_UP
        assert found.fault is not None
        assert found.solution is None


@pytest.mark.parametrize("given_up", [1, 25])
def test_giving_up_on_fewer_clues_makes_no_puzzle_minimal(native: Solver, given_up: int) -> None:
    def twist(puzzles: Grids, result: SolveResult) -> SolveResult:
        fewer = np.flatnonzero((puzzles > 0).sum(axis=1) == 24)[:given_up]
        status, counts, solutions = result.status.copy(), result.counts.copy(), result.solutions.copy()
        status[fewer], counts[fewer], solutions[fewer] = SolveStatus.GAVE_UP, 0, 0
        return SolveResult(counts, solutions, result.nodes, status)

    [found] = check_grids(from_lines([PUZZLE]), Twisted(native, twist))
    assert (found.sound, found.minimal, found.undecided) == (True, None, given_up)
    assert "not known whether it is minimal" in str(found)


def test_words_for_spare_clues(native: Solver) -> None:
    grid = from_lines([PUZZLE])[0]
    blanks = np.flatnonzero(grid == 0)
    solved = native.solve(grid[None, :]).solutions[0]
    said = set()
    for cell in blanks:
        one_more = grid.copy()
        one_more[cell] = solved[cell]
        said.add(str(check_grids(one_more[None, :], native)[0]))
    assert "puzzle: 26 clues, one solution, 1 clue could be left out" in said
    assert "puzzle: 26 clues, one solution, 3 clues could each be left out" in said
