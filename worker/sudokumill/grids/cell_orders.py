"""Orders in which the cells of a grid can be gone through, and with them the orbits of a symmetry.

    jump                       snake                      rows
     1  .  2  .  3  .  4 ..     1  2  3  4  5  6 ..  9     1  2  3  4  5  6 ..  9
     .  6  .  7  .  8  . ..    18 17 16 15 14 13 .. 10    10 11 12 13 14 15 .. 18
    10  .  .. then the dots    19 20 21 ..                19 20 21 ..

They are those of the paper "Sudoku Puzzles Generating: from Easy to Evil" (Xue, Jiang, Li, Yan, Sun).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from sudokumill.grids.batch import CELLS


class Order(StrEnum):
    """The orders; ``random`` is drawn anew for each grid."""

    RANDOM = "random"
    JUMP = "jump"
    SNAKE = "snake"
    ROWS = "rows"


def cells_in_order(order: Order) -> list[int]:
    """The 81 cells in a fixed order.

    Raises:
        ValueError: the order is ``random``, which has none.
    """
    match order:
        case Order.ROWS:
            return list(range(CELLS))
        case Order.JUMP:
            return [*range(0, CELLS, 2), *range(1, CELLS, 2)]
        case Order.SNAKE:
            return [9 * row + (column if row % 2 == 0 else 8 - column) for row in range(9) for column in range(9)]
    raise ValueError(f"order {order.value} is drawn for each grid")


def orbits_in_order(order: Order, orbits: Sequence[Sequence[int]]) -> list[int]:
    """The orbits in a fixed order: each comes where the first of its cells does.

    Args:
        order: any but ``random``.
        orbits: cells that go together, together all 81.

    Returns:
        Indices into ``orbits``.

    Raises:
        ValueError: the order is ``random``, which has none.
    """
    rank = {cell: place for place, cell in enumerate(cells_in_order(order))}
    return sorted(range(len(orbits)), key=lambda orbit: min(rank[cell] for cell in orbits[orbit]))
