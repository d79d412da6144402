"""The orders in which ``holes`` tries cells: ``random``, ``jump``, ``snake`` and ``rows``.

    jump                       snake                      rows
     1  .  2  .  3  .  4 ..     1  2  3  4  5  6 ..  9     1  2  3  4  5  6 ..  9
     .  6  .  7  .  8  . ..    18 17 16 15 14 13 .. 10    10 11 12 13 14 15 .. 18
    10  .  .. then the dots    19 20 21 ..                19 20 21 ..

The orders are those of the paper "Sudoku Puzzles Generating: from Easy to Evil". With a symmetry, orbits take
the place of cells: an orbit comes where the first of its cells does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import CELLS
from sudokumill.streams import Streams
from sudokumill_classic.options import Order


def draw_orders(order: Order, orbits: Sequence[Sequence[int]], streams: Streams, rows: int) -> NDArray[np.int64]:
    """The order of the orbits for each row of a batch.

    Args:
        order: only ``random`` draws from the streams; the others are the same for all rows.
        orbits: cells that are dug together, together all 81.
        streams: one for each row.
        rows: length of the batch.

    Returns:
        Shape (rows, orbits): indices into ``orbits``.
    """
    if order is Order.RANDOM:
        return streams.permutations(len(orbits))
    rank = {cell: place for place, cell in enumerate(cells_in_order(order))}
    in_order = sorted(range(len(orbits)), key=lambda orbit: min(rank[cell] for cell in orbits[orbit]))
    return np.tile(np.array(in_order, dtype=np.int64), (rows, 1))


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
    raise ValueError(f"order {order.value} is drawn for each row")
