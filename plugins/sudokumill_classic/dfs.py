"""Solver ``dfs``: depth-first search, cell by cell, left to right, top to bottom.

The solver of the project's sources, also the one of the paper "Sudoku Puzzles Generating: from Easy to Evil":
plain backtracking with a table for each row, column and box (see ``backtracking``). Its cost depends on where
the clues stand: a puzzle with an empty first row can take millions of placements. So it has a budget, by
default of 1,000,000 placements (about a second), and says "gave up" when that is used up.
"""

from __future__ import annotations

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import CELLS, Grids
from sudokumill_classic.backtracking import solve_batch
from sudokumill_classic.options import BacktrackingOptions


class Dfs:
    """Counts solutions with the blanks in reading order.

    Args:
        options: the budget of a puzzle.
    """

    def __init__(self, options: BacktrackingOptions) -> None:
        self._max_nodes = options.max_nodes

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle; the solution shown is the least as a text.

        Args:
            puzzles: shape (n, 81).
            limit: 1 or more.

        Raises:
            BatchShapeError: ``puzzles`` is no batch of grids.
            ValueError: the limit is below 1.
        """
        return solve_batch(puzzles, limit, _in_reading_order, self._max_nodes)


def _in_reading_order(puzzles: Grids) -> list[list[int]]:
    return [list(range(CELLS))] * len(puzzles)
