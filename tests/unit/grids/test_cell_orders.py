from __future__ import annotations

from itertools import pairwise

import pytest

from sudokumill.grids.cell_orders import Order, cells_in_order, orbits_in_order
from sudokumill.grids.symmetries import Symmetry, orbits

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
    with pytest.raises(ValueError, match="drawn for each grid"):
        cells_in_order(Order.RANDOM)
    with pytest.raises(ValueError, match="drawn for each grid"):
        orbits_in_order(Order.RANDOM, orbits(Symmetry.ROT180))


@pytest.mark.parametrize("order", FIXED)
def test_an_orbit_comes_where_its_first_cell_does(order: Order) -> None:
    assert orbits_in_order(order, orbits(Symmetry.NONE)) == cells_in_order(order)
    pairs = orbits(Symmetry.ROT180)
    first = [min(map(cells_in_order(order).index, pairs[number])) for number in orbits_in_order(order, pairs)]
    assert first == sorted(first)
    assert len(first) == 41
