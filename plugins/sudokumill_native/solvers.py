"""Solvers ``native`` and ``exact-cover``. They share no search code, so either can check the other's work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import Grids, check_batch
from sudokumill_native import _kernel
from sudokumill_native.options import SearchOptions

if TYPE_CHECKING:
    from sudokumill_native._kernel import Search


_GREATEST_LIMIT: Final = 2**63 - 1
"""What the kernel counts with ends here; no grid has more solutions than the 6.67e21 of the empty one, and nobody
counts that far."""


class _KernelSolver:
    """A search of the kernel with its node budget."""

    def __init__(self, search: Search, options: SearchOptions) -> None:
        self._search = search
        self._max_nodes = options.max_nodes

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle; other threads run meanwhile, and Ctrl-C ends it.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.
            limit: where each row's count stops, 1 or more.

        Raises:
            BatchShapeError: not a batch of grids.
            ValueError: a limit below 1.
        """
        check_batch(puzzles, "puzzles")
        counts, solutions, nodes, status = self._search(puzzles, min(limit, _GREATEST_LIMIT), self._max_nodes)
        return SolveResult(counts=counts, solutions=solutions, nodes=nodes, status=status)


class NativeSolver(_KernelSolver):
    """Search over cells: deduces from boards of candidates, then tries the cell that has the fewest."""

    def __init__(self, options: SearchOptions) -> None:
        super().__init__(_kernel.search_cells, options)


class ExactCoverSolver(_KernelSolver):
    """Search over the 324 constraints of the exact cover: tries the one that has the fewest options."""

    def __init__(self, options: SearchOptions) -> None:
        super().__init__(_kernel.search_cover, options)
