"""The checker of finals and puzzles: what a grid is, and everything that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Solver, SolveStatus
from sudokumill.grids.batch import Grids, cell_name
from sudokumill.grids.clashes import Clash, clashes


class Verdict(StrEnum):
    """What a grid is."""

    FINAL = "final"
    PUZZLE = "puzzle"
    """Exactly one solution."""
    SEVERAL = "several solutions"
    NO_SOLUTION = "no solution"
    CLASH = "clash"
    GAVE_UP = "gave up"
    """The solver's budget ran out."""


@dataclass(frozen=True)
class Finding:
    """What the checker says of one grid."""

    verdict: Verdict
    givens: int
    clashes: tuple[Clash, ...]
    """Every clash; when there is one, no search is started."""
    count: int
    """Solutions that were counted; the count stopped at the limit."""
    exact: bool
    """Whether ``count`` is all there are."""
    solution: NDArray[np.uint8] | None
    """Shape (81,), for finals and puzzles."""
    removable: tuple[str, ...]
    """Cells whose clue can be taken alone; empty for a minimal puzzle. Only for finals and puzzles."""

    @property
    def sound(self) -> bool:
        """Whether it is a final or a puzzle."""
        return self.verdict in {Verdict.FINAL, Verdict.PUZZLE}

    def __str__(self) -> str:
        match self.verdict:
            case Verdict.FINAL:
                return "final: complete and valid"
            case Verdict.PUZZLE:
                spare = len(self.removable)
                more = f"{spare} of them can each be taken" if spare else "minimal"
                return f"puzzle: {self.givens} clues, one solution, {more}"
            case Verdict.SEVERAL:
                number = f"{self.count:,}" if self.exact else f"{self.count:,} or more"
                return f"not a puzzle: {self.givens} clues, {number} solutions"
            case Verdict.NO_SOLUTION:
                return f"not a puzzle: {self.givens} clues, no solution, although no two of them clash"
            case Verdict.CLASH:
                return f"clash: {'; '.join(map(str, self.clashes))}"
            case Verdict.GAVE_UP:
                return f"undecided: the solver gave up after {self.count:,} solutions"


def check_grids(grids: Grids, solver: Solver, limit: int = 2) -> list[Finding]:
    """Checks each grid: clashes, number of solutions, clues that could go.

    Args:
        grids: shape (n, 81).
        solver: counts.
        limit: counts up to this, 2 or more.
    """
    result = solver.solve(grids, limit=max(2, limit))
    findings: list[Finding] = []
    for row, grid in enumerate(grids):
        givens = int(np.count_nonzero(grid))
        status, count = SolveStatus(int(result.status[row])), int(result.counts[row])
        if status is SolveStatus.CLASH:
            findings.append(Finding(Verdict.CLASH, givens, tuple(clashes(grid)), 0, True, None, ()))
        elif status is SolveStatus.UNIQUE:
            verdict = Verdict.FINAL if givens == 81 else Verdict.PUZZLE
            spare = _removable(grid, solver)
            findings.append(Finding(verdict, givens, (), 1, True, result.solutions[row], spare))
        else:
            verdict = {
                SolveStatus.NO_SOLUTION: Verdict.NO_SOLUTION,
                SolveStatus.GAVE_UP: Verdict.GAVE_UP,
            }.get(status, Verdict.SEVERAL)
            exact = status is not SolveStatus.GAVE_UP and count < max(2, limit)
            findings.append(Finding(verdict, givens, (), count, exact, None, ()))
    return findings


def _removable(grid: NDArray[np.uint8], solver: Solver) -> tuple[str, ...]:
    """Cells of a grid with one solution that can each be blanked without a second one appearing."""
    clues = np.flatnonzero(grid)
    fewer = np.repeat(grid[None, :], len(clues), axis=0)
    fewer[np.arange(len(clues)), clues] = 0
    still = solver.solve(np.ascontiguousarray(fewer), limit=2).status == SolveStatus.UNIQUE
    return tuple(cell_name(int(cell)) for cell in clues[still])
