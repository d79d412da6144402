"""The grid as a person solves it: the digits that stand, and in each blank cell those that still can.

::

    r1c1  { 1 4 }        A *candidate* of a blank cell is a digit that nothing rules out there. Placing a digit
    r1c2  5              rules it out in every cell that shares a row, a column or a box; techniques rule out
    r1c3  { 1 4 9 }      more. Here r1c3 has 9, if no other blank of row 1 can.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sudokumill.grids.batch import CELLS, PEERS, UNITS

DIGITS: Final = range(1, 10)

Region = tuple[int, ...]
"""The nine cells of a box, a row or a column, rising."""


def _regions(units: slice) -> tuple[Region, ...]:
    return tuple(tuple(cells) for cells in UNITS[units].tolist())


ROWS: Final = _regions(slice(0, 9))
COLUMNS: Final = _regions(slice(9, 18))
BOXES: Final = _regions(slice(18, 27))
LINES: Final = ROWS + COLUMNS
REGIONS: Final = BOXES + LINES

_PEERS: Final = tuple(tuple(cells) for cells in PEERS.tolist())


class ContradictionError(Exception):
    """A cell is left with nothing, or is to have what was ruled out: the grid has no solution."""


class Candidates:
    """One grid and its candidates.

    Args:
        puzzle: 81 digits, 0 = blank.

    Raises:
        ContradictionError: the clues alone leave a cell without a candidate.
    """

    def __init__(self, puzzle: Iterable[int]) -> None:
        self.values = [0] * CELLS
        """The digit of each cell, 0 where there is none yet."""
        self.of: list[set[int]] = [set(DIGITS) for _ in range(CELLS)]
        """The candidates of each cell; none where a digit stands. To be changed by the methods alone."""
        for cell, digit in enumerate(puzzle):
            if digit:
                self.place(cell, digit)

    def copy(self) -> Candidates:
        """The same grid, to be changed on its own."""
        other = Candidates(())
        other.values = list(self.values)
        other.of = [set(digits) for digits in self.of]
        return other

    @property
    def is_complete(self) -> bool:
        """Whether a digit stands in every cell."""
        return 0 not in self.values

    def blanks(self, region: Iterable[int] = range(CELLS)) -> list[int]:
        """The blank cells of a region, or of the grid."""
        return [cell for cell in region if not self.values[cell]]

    def missing(self, region: Iterable[int]) -> list[int]:
        """The digits that do not stand in a region yet, rising."""
        standing = {self.values[cell] for cell in region}
        return [digit for digit in DIGITS if digit not in standing]

    def places(self, digit: int, region: Iterable[int]) -> list[int]:
        """The cells of a region that have a digit as a candidate; none once it stands there."""
        return [cell for cell in region if digit in self.of[cell]]

    def place(self, cell: int, digit: int) -> None:
        """Puts a digit into a blank cell, and rules it out in all that see the cell.

        Raises:
            ContradictionError: it is no candidate of the cell, or another cell is left with nothing.
        """
        if digit not in self.of[cell]:
            raise ContradictionError
        self.values[cell] = digit
        self.of[cell] = set()
        for peer in _PEERS[cell]:
            self.rule_out(peer, digit)

    def rule_out(self, cell: int, digit: int) -> None:
        """Takes a candidate away; nothing happens where it is none.

        Raises:
            ContradictionError: it was the cell's last one.
        """
        if digit in self.of[cell]:
            self.of[cell].discard(digit)
            if not self.of[cell]:
                raise ContradictionError
