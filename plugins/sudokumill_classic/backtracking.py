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
from sudokumill.grids.batch import CELLS, Grids, check_batch
from sudokumill.grids.clashes import have_clashes

CellOrder = Callable[[Grids], list[list[int]]]
"""From a batch of n grids: the 81 cells in the order of the search, for each grid."""

_ALL_DIGITS: Final = 0b11_1111_1110


@dataclass
class Outcome:
    """What a search has found."""

    count: int = 0
    """Solutions found."""

    solution: list[int] | None = None
    """The first of them, 81 digits."""

    nodes: int = 0
    """Placements tried."""

    gave_up: bool = False
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
    solutions = np.zeros((n, CELLS), dtype=np.uint8)
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
    taken = [0] * 27  # for each row, column and box; bit d is set: digit d stands there
    for cell, digit in enumerate(grid):
        if digit:
            for unit in _units(cell):
                taken[unit] |= 1 << digit
    cells = [cell for cell in order if not grid[cell]]
    units = [_units(cell) for cell in cells]
    later = _later_blanks(units) if look_ahead else [[]] * len(cells)
    placed = [0] * len(cells)  # the digit that stands at each depth, as a bit
    found = Outcome()

    def fill(depth: int) -> None:
        if depth == len(cells):
            found.count += 1
            found.solution = found.solution or _filled(grid, cells, placed)
            return
        row, column, box = units[depth]
        untried = _ALL_DIGITS & ~(taken[row] | taken[column] | taken[box])
        while untried and found.count < limit and not found.gave_up:
            if found.nodes == max_nodes:
                found.gave_up = True
                return
            found.nodes += 1
            bit = untried & -untried
            untried ^= bit
            placed[depth] = bit
            taken[row] ^= bit
            taken[column] ^= bit
            taken[box] ^= bit
            if not any(taken[r] | taken[c] | taken[b] == _ALL_DIGITS for r, c, b in later[depth]):
                fill(depth + 1)
            taken[row] ^= bit
            taken[column] ^= bit
            taken[box] ^= bit

    fill(0)
    return found


def _units(cell: int) -> tuple[int, int, int]:
    """Row, column and box of a cell: units 0 .. 8, 9 .. 17 and 18 .. 26."""
    return cell // 9, 9 + cell % 9, 18 + cell // 27 * 3 + cell % 9 // 3


def _later_blanks(units: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """For each cell, the units of those after it that share one with it."""
    return [
        [other for other in units[depth + 1 :] if not set(own).isdisjoint(other)]
        for depth, own in enumerate(units)
    ]


def _filled(grid: list[int], cells: list[int], placed: list[int]) -> list[int]:
    """The grid with its blanks filled; ``placed`` has the digit of each as a bit."""
    solution = list(grid)
    for cell, bit in zip(cells, placed, strict=True):
        solution[cell] = bit.bit_length() - 1
    return solution
