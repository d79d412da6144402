from __future__ import annotations

import numpy as np
import pytest

from sudokumill.grids.cell_orders import Order, cells_in_order
from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.streams import Streams, position_seeds
from sudokumill_classic.hole_orders import draw_orders


@pytest.mark.parametrize("symmetry", Symmetry)
@pytest.mark.parametrize("order", Order)
def test_orbits_come_once_and_where_their_first_cell_does(order: Order, symmetry: Symmetry) -> None:
    groups = orbits(symmetry)
    drawn = draw_orders(order, groups, Streams(position_seeds(1, np.arange(5))), 5)
    assert drawn.shape == (5, len(groups))
    assert (np.sort(drawn, axis=1) == np.arange(len(groups))).all()
    if order is Order.RANDOM:
        assert len(np.unique(drawn, axis=0)) == 5
    else:
        assert len(np.unique(drawn, axis=0)) == 1
        rank = {cell: place for place, cell in enumerate(cells_in_order(order))}
        first = [min(rank[cell] for cell in groups[orbit]) for orbit in drawn[0]]
        assert first == sorted(first)
