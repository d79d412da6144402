"""Solver ``random-blank``: backtracking that takes the blanks in random order.

A solver of the project's sources: like ``dfs``, but the next blank is a random one. The order is drawn once for
each puzzle, before its search. No clue pattern is bad for it, as an empty first row is for ``dfs``, and none is
good either: cells that follow one another rarely see each other, so a contradiction would be found late. The
sources' program just goes on; here the search looks ahead (see ``backtracking``), without which nearly every
puzzle with 30 clues passes the default budget of 1,000,000 placements. With it, one takes about 10,000.

A solver gets no seeds, and a global random generator would give another order on every call. So the order comes
from a hash of the puzzle's digits and the option ``seed``.
"""

from __future__ import annotations

import hashlib

import numpy as np

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import CELLS, Grids
from sudokumill.streams import Streams
from sudokumill_classic.backtracking import solve_batch
from sudokumill_classic.options import RandomBlankOptions


class RandomBlank:
    """Counts solutions with the blanks in an order that is random, but the same for the same puzzle.

    Args:
        options: the budget of a puzzle, and the seed of the orders.
    """

    def __init__(self, options: RandomBlankOptions) -> None:
        self._max_nodes = options.max_nodes
        self._key = options.seed.to_bytes(8, "little")

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` solutions of each puzzle.

        Args:
            puzzles: shape (n, 81).
            limit: 1 or more.

        Raises:
            BatchShapeError: ``puzzles`` is no batch of grids.
            ValueError: the limit is below 1.
        """
        return solve_batch(puzzles, limit, self._in_random_order, self._max_nodes, look_ahead=True)

    def _in_random_order(self, puzzles: Grids) -> list[list[int]]:
        hashes = [hashlib.blake2b(puzzle.tobytes(), digest_size=8, key=self._key).digest() for puzzle in puzzles]
        seeds = np.array([int.from_bytes(value, "little") for value in hashes], dtype=np.uint64)
        orders: list[list[int]] = Streams(seeds).permutations(CELLS).tolist()
        return orders
