"""The order in which ``holes`` tries the cells of each final of a batch.

With a symmetry, orbits take the place of cells: an orbit comes where the first of its cells does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.cell_orders import Order, orbits_in_order
from sudokumill.streams import Streams


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
    return np.tile(np.array(orbits_in_order(order, orbits), dtype=np.int64), (rows, 1))
