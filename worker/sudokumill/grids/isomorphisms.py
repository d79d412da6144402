"""The isomorphisms of Sudoku: 9! * 2 * 6**8 ways to turn and relabel a grid that keep it a grid.

    9!      exchange of digits
    2       transposition
    6 * 6   order of the three bands, order of the three stacks
    6**3    order of the three rows within each band
    6**3    order of the three columns within each stack

A batch of isomorphisms is two index arrays, so that applying it is two gathers over the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import CELLS, Grids
from sudokumill.streams import Streams


@dataclass(frozen=True)
class Isomorphisms:
    """One isomorphism a row: ``image[i] = digits[grid[cells[i]]]``."""

    cells: NDArray[np.intp]
    """Shape (n, 81): where the digit of each cell of the image comes from."""

    digits: NDArray[np.uint8]
    """Shape (n, 10): what each digit becomes; 0 stays 0."""

    def apply(self, grids: Grids) -> Grids:
        """The image of each grid under its row's isomorphism; shape (n, 81)."""
        moved = np.take_along_axis(grids, self.cells, axis=1)
        return np.take_along_axis(self.digits, moved.astype(np.intp), axis=1)

    def inverse(self) -> Isomorphisms:
        """The isomorphisms that take each image back."""
        cells = np.empty_like(self.cells)
        np.put_along_axis(cells, self.cells, np.arange(CELLS, dtype=np.intp)[None, :], axis=1)
        digits = np.empty_like(self.digits)
        np.put_along_axis(digits, self.digits.astype(np.intp), np.arange(10, dtype=np.uint8)[None, :], axis=1)
        return Isomorphisms(cells, digits)


def draw(streams: Streams) -> Isomorphisms:
    """A uniform element of the whole group for each stream."""
    digits = streams.permutations(9) + 1
    rows = _draw_lines(streams)
    columns = _draw_lines(streams)
    transposed = streams.below(2).astype(np.bool_)
    cells = (rows[:, :, None] * 9 + columns[:, None, :]).reshape(-1, CELLS)
    flipped = (columns[:, None, :] * 9 + rows[:, :, None]).reshape(-1, CELLS)
    cells = np.where(transposed[:, None], flipped, cells)
    zero = np.zeros((len(digits), 1), dtype=np.int64)
    return Isomorphisms(cells.astype(np.intp), np.hstack([zero, digits]).astype(np.uint8))


def _draw_lines(streams: Streams) -> NDArray[np.int64]:
    """An order of nine rows (or columns) that keeps the three of each band (or stack) together; shape (n, 9)."""
    bands = streams.permutations(3)
    within = np.stack([streams.permutations(3) for _ in range(3)], axis=1)
    order: NDArray[np.int64] = (bands[:, :, None] * 3 + within).reshape(-1, 9)
    return order
