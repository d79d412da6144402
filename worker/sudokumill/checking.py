"""The checker of finals and puzzles: what a grid is, and everything that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Solver, SolveStatus
from sudokumill.grids.batch import CELLS, Grids, cell_name
from sudokumill.grids.clashes import Clash, clashes
from sudokumill.solving import verified_solve


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
    clashes: tuple[Clash, ...] = ()
    """Every clash; when there is one, no search is started."""
    count: int = 0
    """Solutions that were counted; the count stopped at the limit."""
    exact: bool = True
    """Whether ``count`` is all there are."""
    solution: NDArray[np.uint8] | None = None
    """Shape (81,), for finals and puzzles."""
    removable: tuple[str, ...] = ()
    """Cells whose clue can be left out alone. Only for finals and puzzles."""
    undecided: int = 0
    """Cells of which that is not known, because the solver gave up or failed."""
    fault: str | None = None
    """What the solver got wrong with this grid; the verdict is then ``GAVE_UP``."""

    @property
    def sound(self) -> bool:
        """Whether it is a final or a puzzle."""
        return self.verdict in {Verdict.FINAL, Verdict.PUZZLE}

    @property
    def minimal(self) -> bool | None:
        """Whether no clue can be left out; None where that is not known, or makes no sense."""
        if not self.sound or (self.undecided and not self.removable):
            return None
        return not self.removable

    def __str__(self) -> str:
        match self.verdict:
            case Verdict.FINAL:
                return "final: complete and valid"
            case Verdict.PUZZLE:
                return f"puzzle: {_clues(self.givens)}, one solution, {self._spare()}"
            case Verdict.SEVERAL:
                number = f"{self.count:,}" if self.exact else f"{self.count:,} or more"
                return f"not a puzzle: {_clues(self.givens)}, {number} solutions"
            case Verdict.NO_SOLUTION:
                return f"not a puzzle: {_clues(self.givens)}, no solution, although no two of them clash"
            case Verdict.CLASH:
                return f"clash: {'; '.join(map(str, self.clashes))}"
            case Verdict.GAVE_UP:
                return f"undecided: the solver gave up after {self.count:,} solutions"

    def _spare(self) -> str:
        least = "at least " if self.undecided else ""
        match len(self.removable):
            case 0 if self.undecided:
                return "not known whether it is minimal, for the solver gave up"
            case 0:
                return "minimal"
            case 1:
                return f"{least}1 clue could be left out"
            case spare:
                return f"{least}{spare} clues could each be left out"


def check_grids(grids: Grids, solver: Solver, limit: int = 2) -> list[Finding]:
    """Checks each grid: clashes, number of solutions, clues that could go.

    What the solver says is believed only as far as it can be checked.

    Args:
        grids: shape (n, 81).
        solver: counts; a plugin's.
        limit: counts up to this, 2 or more.
    """
    limit = max(2, limit)
    solved = verified_solve(solver, grids, limit)
    faults = dict(solved.failed)
    return [
        _find(grid, faults.get(row), SolveStatus(int(status)), int(count), solution, limit, solver)
        for row, (grid, status, count, solution) in enumerate(
            zip(grids, solved.result.status, solved.result.counts, solved.result.solutions, strict=True)
        )
    ]


def _find(
    grid: NDArray[np.uint8],
    fault: str | None,
    status: SolveStatus,
    count: int,
    solution: NDArray[np.uint8],
    limit: int,
    solver: Solver,
) -> Finding:
    givens = int(np.count_nonzero(grid))
    if status is SolveStatus.UNIQUE:
        verdict = Verdict.FINAL if givens == CELLS else Verdict.PUZZLE
        removable, undecided = _removable(grid, solver)
        return Finding(verdict, givens, count=1, solution=solution, removable=removable, undecided=undecided)
    if status is SolveStatus.SEVERAL:
        return Finding(Verdict.SEVERAL, givens, count=count, exact=count < limit)
    # the only thing that can be told without the solver, so it is
    found = tuple(clashes(grid))
    if found:
        return Finding(Verdict.CLASH, givens, clashes=found)
    if fault is None and status is SolveStatus.CLASH:
        fault = "it sees a clash where none is"
    if fault is None and status is SolveStatus.NO_SOLUTION:
        return Finding(Verdict.NO_SOLUTION, givens)
    return Finding(Verdict.GAVE_UP, givens, count=count, exact=False, fault=fault)


def _removable(grid: NDArray[np.uint8], solver: Solver) -> tuple[tuple[str, ...], int]:
    """Cells of a grid with one solution that can each be blanked without a second one appearing.

    Returns:
        Their names, and of how many others that is not known.
    """
    clues = np.flatnonzero(grid)
    fewer = np.repeat(grid[None, :], len(clues), axis=0)
    fewer[np.arange(len(clues)), clues] = 0
    status = verified_solve(solver, fewer).result.status
    still = status == SolveStatus.UNIQUE
    decided = still | (status == SolveStatus.SEVERAL)
    return tuple(cell_name(int(cell)) for cell in clues[still]), int(np.count_nonzero(~decided))


def _clues(number: int) -> str:
    return "1 clue" if number == 1 else f"{number} clues"
