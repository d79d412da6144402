"""A small solver that shares nothing with any plugin: what the kit checks counts and puzzles by.

Each cell has a mask of the digits that are still possible, bit d - 1 for digit d. A cell with one bit left takes
its digit from its 20 peers (naked single); a digit with one cell left in a unit goes there (hidden single). What
these do not settle is searched, on a cell with the fewest bits. In Python, so for samples: about a millisecond a
puzzle.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sudokumill.contracts import SolveResult, SolveStatus
from sudokumill.grids.batch import CELLS, UNITS, Grids, check_batch
from sudokumill.grids.clashes import have_clashes

_ALL: Final = 0b1_1111_1111
_UNITS: Final = [[int(cell) for cell in unit] for unit in UNITS]
# worked out here again, and not taken from the batch language: what judges others shares as little as it can
_PEERS: Final = [
    sorted({peer for unit in _UNITS if cell in unit for peer in unit} - {cell}) for cell in range(CELLS)
]


class ReferenceSolver:
    """The kit's solver in the shape of the contract; diggers that use the job's solver get it in their checks."""

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle."""
        check_batch(puzzles, "puzzles")
        n = len(puzzles)
        counts, nodes = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        solutions, status = np.zeros((n, CELLS), dtype=np.uint8), np.full(n, SolveStatus.CLASH, dtype=np.uint8)
        for row in np.flatnonzero(~have_clashes(puzzles)):
            search = _Search(limit)
            search.start([int(digit) for digit in puzzles[row]])
            counts[row], nodes[row] = len(search.found), search.nodes
            if search.found:
                solutions[row] = search.found[0]
            status[row] = _status(len(search.found), limit)
        return SolveResult(counts, solutions, nodes, status)


def _status(count: int, limit: int) -> SolveStatus:
    if count == 0:
        return SolveStatus.NO_SOLUTION
    if count > 1:
        return SolveStatus.SEVERAL
    return SolveStatus.SOLVABLE if limit == 1 else SolveStatus.UNIQUE


class _Search:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.found: list[list[int]] = []
        self.nodes = 0

    def start(self, grid: list[int]) -> None:
        masks = [_ALL] * CELLS
        for cell, digit in enumerate(grid):
            if digit and not _place(masks, cell, 1 << (digit - 1)):
                return
        self._go(masks)

    def _go(self, masks: list[int]) -> None:
        if not _settle(masks):
            return
        undecided = [cell for cell in range(CELLS) if masks[cell] & (masks[cell] - 1)]
        if not undecided:
            self.found.append([mask.bit_length() for mask in masks])
            return
        cell = min(undecided, key=lambda each: masks[each].bit_count())
        rest = masks[cell]
        while rest and len(self.found) < self.limit:
            bit = rest & -rest
            rest ^= bit
            self.nodes += 1
            branch = masks.copy()
            if _place(branch, cell, bit):
                self._go(branch)


def _place(masks: list[int], cell: int, bit: int) -> bool:
    """Puts a digit into a cell and follows naked singles; False if some cell has nothing left."""
    if not masks[cell] & bit:
        return False
    masks[cell] = bit
    waiting = [cell]
    while waiting:
        here = waiting.pop()
        bit = masks[here]
        for peer in _PEERS[here]:
            mask = masks[peer]
            if mask & bit:
                mask ^= bit
                if not mask:
                    return False
                masks[peer] = mask
                if not mask & (mask - 1):
                    waiting.append(peer)
    return True


def _settle(masks: list[int]) -> bool:
    """Places hidden singles until there are none; False if a digit has no cell left in some unit."""
    again = True
    while again:
        again = False
        for unit in _UNITS:
            once = twice = 0
            for cell in unit:
                twice |= once & masks[cell]
                once |= masks[cell]
            if once != _ALL:
                return False
            hidden = once & ~twice
            for cell in unit:
                bit = masks[cell] & hidden
                if bit and bit != masks[cell]:
                    # Two digits that have only this cell left contradict each other: _place sees the second.
                    if not _place(masks, cell, bit & -bit):
                        return False
                    again = True
    return True
