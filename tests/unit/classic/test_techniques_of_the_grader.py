"""Each technique on a grid that shows nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from sudokumill_classic.candidates import DIGITS, Candidates, ContradictionError
from sudokumill_classic.techniques import hidden_single, hidden_subset, locked_candidates
from sudokumill_classic.techniques.found import Found
from sudokumill_classic.techniques.naked_pair import naked_pair
from sudokumill_classic.techniques.naked_single import naked_single
from sudokumill_classic.techniques.x_wing import x_wing

Find = Callable[[Candidates], Iterator[Found]]


def cell(row: int, column: int) -> int:
    """The number of r1c1 .. r9c9."""
    return 9 * row + column - 10


def row(number: int) -> list[int]:
    return [cell(number, column) for column in range(1, 10)]


def box(number: int) -> list[int]:
    first = 27 * ((number - 1) // 3) + 3 * ((number - 1) % 3)
    return [first + 9 * down + across for down in range(3) for across in range(3)]


def without(digit: int, cells: list[int], but: list[int]) -> Candidates:
    """An empty grid where a digit is ruled out in some cells."""
    grid = Candidates([0] * 81)
    for each in cells:
        if each not in but:
            grid.rule_out(each, digit)
    return grid


def with_candidates(cells: Mapping[int, str]) -> Candidates:
    """An empty grid where some cells have few candidates."""
    grid = Candidates([0] * 81)
    for each, kept in cells.items():
        for digit in set(DIGITS) - set(map(int, kept)):
            grid.rule_out(each, digit)
    return grid


def only(find: Find, grid: Candidates) -> Found:
    """The one thing that is found."""
    (found,) = find(grid)
    return found


def test_the_last_cell_of_a_region() -> None:
    grid = Candidates([1, 2, 3, 4, 5, 6, 7, 8, 0] + [0] * 72)
    assert only(hidden_single.last_in_region, grid) == Found((8,), (9,), placements=((8, 9),))


def test_hidden_single_in_a_box_and_in_a_line() -> None:
    in_box = without(7, box(5), but=[cell(6, 4)])
    assert only(hidden_single.in_box, in_box).placements == ((cell(6, 4), 7),)
    assert not list(hidden_single.in_line(in_box))
    in_row = without(7, row(6), but=[cell(6, 4)])
    assert only(hidden_single.in_line, in_row).placements == ((cell(6, 4), 7),)
    assert not list(hidden_single.in_box(in_row))


def test_naked_single() -> None:
    assert only(naked_single, with_candidates({30: "4"})) == Found((30,), (4,), placements=((30, 4),))


def test_pointing() -> None:
    places = [cell(1, 1), cell(1, 3)]
    found = only(locked_candidates.pointing, without(5, box(1), but=places))
    assert (found.cells, found.digits) == (tuple(places), (5,))
    assert found.eliminations == tuple((cell(1, column), 5) for column in range(4, 10))
    assert not list(locked_candidates.claiming(without(5, box(1), but=places)))


def test_claiming() -> None:
    places = [cell(1, 4), cell(1, 5)]
    found = only(locked_candidates.claiming, without(5, row(1), but=places))
    assert (found.cells, found.digits) == (tuple(places), (5,))
    assert found.eliminations == tuple((cell(down, column), 5) for down in (2, 3) for column in (4, 5, 6))


def test_direct_pointing() -> None:
    # in box 2 the digit has r1c4 and r2c6; row 1 is taken by box 1
    grid = without(5, box(1) + box(2), but=[cell(1, 1), cell(1, 3), cell(1, 4), cell(2, 6)])
    found = only(locked_candidates.direct_pointing, grid)
    assert found == Found((cell(1, 1), cell(1, 3)), (5,), placements=((cell(2, 6), 5),))


def test_direct_claiming() -> None:
    # row 1 has the digit in box 2 alone, so row 2 has it there no more, and r2c9 is left
    grid = without(5, row(1) + row(2), but=[cell(1, 4), cell(1, 5), cell(2, 6), cell(2, 9)])
    found = only(locked_candidates.direct_claiming, grid)
    assert found == Found((cell(1, 4), cell(1, 5)), (5,), placements=((cell(2, 9), 5),))
    # the digit is in box 1 in row 3 alone, which points at box 3: so it is, wherever claiming places a digit
    found = only(locked_candidates.direct_pointing, grid)
    assert found == Found((cell(3, 1), cell(3, 2), cell(3, 3)), (5,), placements=((cell(2, 9), 5),))


def hidden_in_row(digits: str, columns: list[int]) -> Candidates:
    """A grid where digits have no place in row 1 beside some columns."""
    grid = Candidates([0] * 81)
    for digit in map(int, digits):
        for column in range(1, 10):
            if column not in columns:
                grid.rule_out(cell(1, column), digit)
    return grid


def test_hidden_pair() -> None:
    found = only(hidden_subset.hidden_pair, hidden_in_row("12", [2, 9]))
    assert (found.cells, found.digits) == ((cell(1, 2), cell(1, 9)), (1, 2))
    assert found.eliminations == tuple((cell(1, column), digit) for column in (2, 9) for digit in range(3, 10))


@pytest.mark.parametrize(
    ("find", "digits", "columns"),
    [(hidden_subset.direct_hidden_pair, "12", [2, 9]), (hidden_subset.direct_hidden_triplet, "123", [2, 5, 9])],
)
def test_direct_hidden_subsets(find: Find, digits: str, columns: list[int]) -> None:
    grid = hidden_in_row(digits, columns)
    assert not list(find(grid))
    for column in set(range(1, 10)) - {*columns, 7}:
        grid.rule_out(cell(1, column), 8)
    # 8 has r1c7 and the cells of the subset
    found = only(find, grid)
    assert found.cells == tuple(cell(1, column) for column in columns)
    assert found.digits == tuple(map(int, digits))
    assert found.placements == ((cell(1, 7), 8),)


def test_naked_pair() -> None:
    found = only(naked_pair, with_candidates({cell(1, 1): "47", cell(1, 8): "47"}))
    assert (found.cells, found.digits) == ((cell(1, 1), cell(1, 8)), (4, 7))
    assert found.eliminations == tuple(
        (cell(1, column), digit) for column in (2, 3, 4, 5, 6, 7, 9) for digit in (4, 7)
    )
    assert not list(naked_pair(with_candidates({cell(1, 1): "47", cell(1, 8): "48"})))


def test_x_wing() -> None:
    corners = [cell(1, 2), cell(1, 7), cell(4, 2), cell(4, 7)]
    found = only(x_wing, without(3, row(1) + row(4), but=corners))
    assert (found.cells, found.digits) == (tuple(corners), (3,))
    others = [cell(down, across) for down in (2, 3, 5, 6, 7, 8, 9) for across in (2, 7)]
    assert found.eliminations == tuple((each, 3) for each in others)


def test_what_has_no_effect_is_not_found() -> None:
    everywhere_else = [each for each in range(81) if each not in (cell(1, 1), cell(1, 3))]
    grid = without(5, [each for each in everywhere_else if each in box(1) + row(1)], but=[])
    assert not list(locked_candidates.pointing(grid))


def test_contradictions_are_seen() -> None:
    with pytest.raises(ContradictionError):
        Candidates([1, 2, 3, 4, 5, 6, 7, 8, 0] + [0] * 8 + [9] + [0] * 63)
    grid = Candidates([5] + [0] * 80)
    with pytest.raises(ContradictionError):
        grid.place(1, 5)
    other = grid.copy()
    other.place(1, 6)
    assert grid.values[1] == 0
    assert 6 in grid.of[2]
