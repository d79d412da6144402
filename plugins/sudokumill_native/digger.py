"""Digger ``native``."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import DigResult
from sudokumill.grids.batch import CELLS, Grids, check_batch
from sudokumill.grids.cell_orders import Order, orbits_in_order
from sudokumill.grids.symmetries import orbits
from sudokumill.streams import Seeds, check_seeds
from sudokumill_native import _kernel
from sudokumill_native.builds import chosen_build
from sudokumill_native.options import NativeDiggerOptions


class NativeDigger:
    """Takes clues out for as long as the puzzle stays unique, in random order or in an order of a paper's.

    A row stops at a clue count that its seed draws from those asked for, all equally likely, or where no orbit
    can go any more without breaking the wish. With a pattern there is nothing to choose: its clues have one
    solution, or the row is ``MISSED`` and all zeros.

    With ``added`` a row goes on to the end, whatever its clue count, and then so many clues come back, drawn anew:
    those that went last are no more likely than others.

    That every order is equally likely does not make every puzzle of a final equally likely: a puzzle that many
    orders lead to comes up more often. Nor is a final drawn more often because it has more puzzles. So what is dug
    from uniform finals is no uniform sample of puzzles.

    Args:
        options: what is wanted.
        build: one of the kernel's builds; None: the one that the environment names, else the fastest.
        threads: how many do a batch; a host that has a process for each core wants one.
    """

    def __init__(self, options: NativeDiggerOptions, build: str | None = None, threads: int = 1) -> None:
        self._options = options
        self._build = build or chosen_build()
        self._threads = threads
        groups = orbits(options.symmetry)
        self._shuffled = options.order is Order.RANDOM
        turns = range(len(groups)) if self._shuffled else orbits_in_order(options.order, groups)
        self._orbits = np.empty(CELLS, dtype=np.uint8)
        for number, group in enumerate(turns):
            self._orbits[list(groups[group])] = number
        self._blank = np.zeros(CELLS, dtype=np.uint8)
        self._blank[list(options.blank_cells())] = 1

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        """One puzzle a final; other threads run meanwhile, and Ctrl-C ends it.

        Args:
            finals: uint8, shape (n, 81), C-contiguous.
            seeds: uint64, shape (n,), C-contiguous.

        Raises:
            BatchShapeError: the finals are no batch of grids, or there is not one seed a final.
        """
        puzzles, status = _kernel.dig(
            check_batch(finals, "finals"),
            check_seeds(seeds, len(finals)),
            self._orbits,
            self._options.aims(),
            self._options.clue_range(),
            self._options.minimal,
            self._build,
            self._threads,
            shuffled=self._shuffled,
            row_min=self._options.row_min,
            column_min=self._options.column_min,
            blank=self._blank,
            pattern=self._options.pattern is not None,
            added=self._options.added,
        )
        return DigResult(puzzles=puzzles, status=status)
