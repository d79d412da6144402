from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.streams import Streams, position_seeds
from sudokumill_classic.hole_orders import cells_in_order, draw_orders
from sudokumill_classic.options import Order

FIXED = [Order.JUMP, Order.SNAKE, Order.ROWS]


@pytest.mark.parametrize("order", FIXED)
def test_every_cell_comes_once(order: Order) -> None:
    assert sorted(cells_in_order(order)) == list(range(81))


def test_jump_takes_every_other_cell_and_then_the_skipped_ones() -> None:
    cells = cells_in_order(Order.JUMP)
    assert cells[:6] == [0, 2, 4, 6, 8, 10]
    assert cells[41:45] == [1, 3, 5, 7]


def test_snake_turns_round_at_the_end_of_each_row() -> None:
    cells = cells_in_order(Order.SNAKE)
    steps = [abs(a // 9 - b // 9) + abs(a % 9 - b % 9) for a, b in pairwise(cells)]
    assert set(steps) == {1}
    assert cells[7:12] == [7, 8, 17, 16, 15]


def test_rows_reads() -> None:
    assert cells_in_order(Order.ROWS) == list(range(81))


def test_random_has_no_fixed_order() -> None:
    with pytest.raises(ValueError, match="drawn for each row"):
        cells_in_order(Order.RANDOM)


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
