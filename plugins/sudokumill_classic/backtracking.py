"""Backtracking over the blanks of a grid in a fixed order: the search of ``dfs`` and of ``random-blank``.

The tables say which digits stand in each row, column and box. A blank takes the smallest digit that is in none
of its three, then the next blank is looked at; a blank with no digit left sends the search back to the one
before. Nothing is deduced, so every placement is a node::

    depth      0     1     2     3
    cell     r1c1  r1c4  r1c5  r2c1   blanks, in the solver's order
    untried   --9   -5-   3-7   ---   r2c1 has no digit left: back to r1c5, which takes 3

In reading order a blank without a digit is soon reached. In another order it may be the last one, with millions
of placements before it. So the search can look ahead: a placement that leaves any later blank without a digit is
taken back at once. Only blanks that see the placed cell can be hit by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from sudokumill.contracts import SolveResult, SolveStatus
from sudokumill.grids.batch import Grids, check_batch
from sudokumill.grids.clashes import have_clashes

CellOrder = Callable[[Grids], list[list[int]]]
"""From a batch of n grids: the 81 cells in the order of the search, for each grid."""

_ALL_DIGITS: Final = 0b11_1111_1110


@dataclass(frozen=True)
class Outcome:
    """What a search found."""

    count: int
    """Solutions found."""

    solution: list[int] | None
    """The first of them, 81 digits."""

    nodes: int
    """Placements tried."""

    gave_up: bool
    """The budget ran out, so there may be more."""


def solve_batch(
    puzzles: Grids, limit: int, cell_order: CellOrder, max_nodes: int | None, look_ahead: bool = False
) -> SolveResult:
    """Searches each grid that has no clash.

    Args:
        puzzles: shape (n, 81).
        limit: solutions at which the search of a grid ends, 1 or more.
        cell_order: the order in which the cells of each grid are taken.
        max_nodes: placements at which the search of a grid gives up; None: no bound.
        look_ahead: take back what leaves a later blank without a digit.

    Raises:
        BatchShapeError: ``puzzles`` is no batch of grids.
        ValueError: the limit is below 1.
    """
    check_batch(puzzles, "puzzles")
    if limit < 1:
        raise ValueError(f"limit must be 1 or more, got {limit}")
    n = len(puzzles)
    counts = np.zeros(n, dtype=np.int64)
    solutions = np.zeros((n, 81), dtype=np.uint8)
    nodes = np.zeros(n, dtype=np.int64)
    status = np.full(n, SolveStatus.CLASH, dtype=np.uint8)
    sound = np.flatnonzero(~have_clashes(puzzles))
    orders = cell_order(puzzles[sound])
    for row, grid, order in zip(sound, puzzles[sound].tolist(), orders, strict=True):
        outcome = search(grid, order, limit, max_nodes, look_ahead)
        counts[row] = outcome.count
        nodes[row] = outcome.nodes
        status[row] = _status(outcome, limit)
        if outcome.solution is not None:
            solutions[row] = outcome.solution
    return SolveResult(counts, solutions, nodes, status)


def _status(outcome: Outcome, limit: int) -> SolveStatus:
    if outcome.gave_up:
        return SolveStatus.GAVE_UP
    if outcome.count == 0:
        return SolveStatus.NO_SOLUTION
    if outcome.count > 1:
        return SolveStatus.SEVERAL
    return SolveStatus.SOLVABLE if limit == 1 else SolveStatus.UNIQUE


def search(
    grid: list[int], order: list[int], limit: int, max_nodes: int | None, look_ahead: bool = False
) -> Outcome:
    """Counts the solutions of one grid up to the limit.

    Args:
        grid: 81 digits without a clash, 0 = blank.
        order: the 81 cells in the order in which blanks are taken.
        limit: solutions at which the search ends, 1 or more.
        max_nodes: placements at which it gives up; None: no bound.
        look_ahead: take back what leaves a later blank without a digit.
    """
    in_row, in_column, in_box = [0] * 9, [0] * 9, [0] * 9  # bit d is set: digit d stands there
    for cell, digit in enumerate(grid):
        if digit:
            in_row[cell // 9] |= 1 << digit
            in_column[cell % 9] |= 1 << digit
            in_box[_box(cell)] |= 1 << digit

    cells = [cell for cell in order if not grid[cell]]
    if not cells:
        return Outcome(1, list(grid), 0, False)
    rows = [cell // 9 for cell in cells]
    columns = [cell % 9 for cell in cells]
    boxes = [_box(cell) for cell in cells]
    later = _later_blanks(cells) if look_ahead else [[]] * len(cells)

    count, nodes = 0, 0
    solution: list[int] | None = None
    deepest = len(cells) - 1
    placed = [0] * len(cells)  # the digit that stands at each depth, as a bit
    untried = [0] * len(cells)  # those that each depth has still to try
    depth = 0
    untried[0] = _ALL_DIGITS & ~(in_row[rows[0]] | in_column[columns[0]] | in_box[boxes[0]])
    while True:
        if not untried[depth]:
            if depth == 0:
                return Outcome(count, solution, nodes, False)
            depth -= 1
            bit = placed[depth]
            in_row[rows[depth]] ^= bit
            in_column[columns[depth]] ^= bit
            in_box[boxes[depth]] ^= bit
            continue
        if nodes == max_nodes:
            return Outcome(count, solution, nodes, True)
        nodes += 1
        bit = untried[depth] & -untried[depth]
        untried[depth] ^= bit
        placed[depth] = bit
        if depth == deepest:
            count += 1
            if solution is None:
                solution = list(grid)
                for cell, digit_bit in zip(cells, placed, strict=True):
                    solution[cell] = digit_bit.bit_length() - 1
            if count == limit:
                return Outcome(count, solution, nodes, False)
            continue
        in_row[rows[depth]] ^= bit
        in_column[columns[depth]] ^= bit
        in_box[boxes[depth]] ^= bit
        if any(in_row[row] | in_column[column] | in_box[box] == _ALL_DIGITS for row, column, box in later[depth]):
            in_row[rows[depth]] ^= bit
            in_column[columns[depth]] ^= bit
            in_box[boxes[depth]] ^= bit
            continue
        depth += 1
        untried[depth] = _ALL_DIGITS & ~(in_row[rows[depth]] | in_column[columns[depth]] | in_box[boxes[depth]])


def _later_blanks(cells: list[int]) -> list[list[tuple[int, int, int]]]:
    """For each cell, those after it that share a unit with it, as (row, column, box)."""
    units = [(cell // 9, cell % 9, _box(cell)) for cell in cells]
    return [
        [other for other in units[depth + 1 :] if any(one == two for one, two in zip(other, own, strict=True))]
        for depth, own in enumerate(units)
    ]


def _box(cell: int) -> int:
    return cell // 27 * 3 + cell % 9 // 3
