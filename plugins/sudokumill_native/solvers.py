"""Solvers ``native`` and ``exact-cover``. They share no search code, so either can check the other's work."""

from __future__ import annotations

from operator import index
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import Grids, check_batch
from sudokumill_native import _kernel
from sudokumill_native.builds import chosen_build
from sudokumill_native.options import SearchOptions

_GREATEST_LIMIT: Final = 2**63 - 1
"""What the kernel counts with ends here; no grid has more solutions than the 6.67e21 of the empty one, and nobody
counts that far."""


def _counted(limit: int) -> int:
    """A limit that the kernel can count to, or 0, which it refuses, for every limit below one."""
    return max(0, min(index(limit), _GREATEST_LIMIT))


class NativeSolver:
    """Search over minirows and minicolumns, many puzzles in lockstep.

    Args:
        options: the node budget.
        build: one of the kernel's builds; None: the one that the environment names, else the fastest.
        threads: how many do a batch; a host that has a process for each core wants one.
    """

    def __init__(self, options: SearchOptions, build: str | None = None, threads: int = 1) -> None:
        self._max_nodes = options.max_nodes
        self._build = build or chosen_build()
        self._threads = threads

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle; other threads run meanwhile, and Ctrl-C ends it.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.
            limit: where each row's count stops, 1 or more.

        Raises:
            BatchShapeError: not a batch of grids.
            TypeError: a limit that is no whole number.
            ValueError: a limit or a number of threads below 1.
        """
        check_batch(puzzles, "puzzles")
        return SolveResult(
            *_kernel.solve(puzzles, _counted(limit), self._max_nodes, self._build, threads=self._threads)
        )

    def canonical(self, puzzles: Grids, solutions: Grids) -> Grids:
        """The canonical form of each puzzle or final, as ``sudokumill.grids.canonical`` says what it is.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.
            solutions: the same, the only solution of each.

        Returns:
            Shape (n, 81); zeros where the solution is not a final that keeps the clues.

        Raises:
            BatchShapeError: not batches of grids.
            ValueError: not one solution a puzzle.
        """
        check_batch(puzzles, "puzzles")
        check_batch(solutions, "solutions")
        return _kernel.canonical_forms(puzzles, solutions, self._threads)


class UnboundedNativeSolver(NativeSolver):
    """The same without a node budget, so that it can say at once which puzzles are minimal.

    One that has a budget is to be asked by counting: only there is it clear what the budget is spent on.
    """

    def minimal(self, puzzles: Grids, solutions: Grids) -> NDArray[np.bool_]:
        """Which puzzles have two or more solutions without any single clue of theirs.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.
            solutions: the same, the only solution of each.

        Returns:
            Shape (n,); False too where the solution is not a final that keeps the clues.

        Raises:
            BatchShapeError: not batches of grids.
            ValueError: not one solution a puzzle.
        """
        check_batch(puzzles, "puzzles")
        check_batch(solutions, "solutions")
        return _kernel.minimal(puzzles, solutions, self._build, self._threads).astype(np.bool_)


class ExactCoverSolver:
    """Search over the 324 constraints of the exact cover: tries the one that has the fewest options.

    Args:
        options: the node budget.
    """

    def __init__(self, options: SearchOptions) -> None:
        self._max_nodes = options.max_nodes

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle; other threads run meanwhile, and Ctrl-C ends it.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.
            limit: where each row's count stops, 1 or more.

        Raises:
            BatchShapeError: not a batch of grids.
            TypeError: a limit that is no whole number.
            ValueError: a limit below 1.
        """
        check_batch(puzzles, "puzzles")
        return SolveResult(*_kernel.search_cover(puzzles, _counted(limit), self._max_nodes))
