"""The digits that a blank cell still can have, as a person pencils them in on the way through a puzzle."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final

from sudokumill.grids.batch import CELLS, PEERS, UNITS

UNIT_KINDS: Final = ("row", "column", "box")
"""The kinds of ``UNITS``, nine of each in this order."""

_PEERS: Final = tuple(tuple(cells) for cells in PEERS.tolist())


def _units_of(cell: int) -> dict[str, tuple[int, ...]]:
    rows = [number for number, cells in enumerate(UNITS.tolist()) if cell in cells]
    return {UNIT_KINDS[number // 9]: tuple(UNITS[number].tolist()) for number in rows}


UNITS_OF: Final = tuple(_units_of(cell) for cell in range(CELLS))
"""The nine cells of each cell's ``row``, ``column`` and ``box``."""


def sees(one: tuple[int, int], other: tuple[int, int]) -> Set[str]:
    """Where two candidates, (cell, digit) each, exclude each other: ``cell``, or ``row``, ``column``, ``box``."""
    (cell, digit), (other_cell, other_digit) = one, other
    if cell == other_cell:
        return frozenset({"cell"} if digit != other_digit else ())
    if digit != other_digit:
        return frozenset()
    return {kind for kind, cells in UNITS_OF[cell].items() if other_cell in cells}


class Candidates:
    """A grid with its candidates.

    Args:
        puzzle: 81 digits, 0 = blank.
    """

    def __init__(self, puzzle: Iterable[int]) -> None:
        self.digits = [0] * CELLS
        """What stands in each cell; 0: nothing yet."""
        self.of: list[set[int]] = [set(range(1, 10)) for _ in range(CELLS)]
        """The candidates of each cell; none where a digit stands."""
        for cell, digit in enumerate(puzzle):
            if digit:
                self.place(cell, int(digit))

    def place(self, cell: int, digit: int) -> None:
        """Puts a digit into a cell, and takes it from all cells that see it."""
        self.digits[cell] = digit
        self.of[cell] = set()
        for peer in _PEERS[cell]:
            self.of[peer].discard(digit)

    def rule_out(self, cell: int, digit: int) -> None:
        """Takes a candidate away; nothing happens if it is not there."""
        self.of[cell].discard(digit)

    def others(self, cell: int, digit: int, where: str) -> set[tuple[int, int]]:
        """The other candidates of a cell, or of a digit in one of the cell's units, as (cell, digit).

        Args:
            cell: 0 .. 80.
            digit: 1 .. 9.
            where: ``cell``, ``row``, ``column`` or ``box``.
        """
        if where == "cell":
            return {(cell, other) for other in self.of[cell] if other != digit}
        cells = UNITS_OF[cell][where]
        return {(other, digit) for other in cells if other != cell and digit in self.of[other]}
