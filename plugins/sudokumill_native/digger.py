"""Digger ``native``."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import DigResult
from sudokumill.grids.batch import CELLS, Grids, check_batch
from sudokumill.grids.symmetries import orbits
from sudokumill.streams import Seeds, check_seeds
from sudokumill_native import _kernel
from sudokumill_native.builds import chosen_build
from sudokumill_native.options import NativeDiggerOptions


class NativeDigger:
    """Takes clues out in random order for as long as the puzzle stays unique.

    A row stops at a clue count that its seed draws from those asked for, all equally likely, or where no orbit
    can go any more.

    Args:
        options: what is wanted.
        build: one of the kernel's builds; None: the one that the environment names, else the fastest.
        threads: how many do a batch; a host that has a process for each core wants one.
    """

    def __init__(self, options: NativeDiggerOptions, build: str | None = None, threads: int = 1) -> None:
        self._options = options
        self._build = build or chosen_build()
        self._threads = threads
        self._orbits = np.empty(CELLS, dtype=np.uint8)
        for number, orbit in enumerate(orbits(options.symmetry)):
            self._orbits[list(orbit)] = number

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        """One puzzle a final; other threads run meanwhile.

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
        )
        return DigResult(puzzles=puzzles, status=status)
