"""Counts the solutions of a grid whose candidates are marked, up to two."""

from __future__ import annotations

from dataclasses import dataclass

from sudokumill_classic.candidates import Candidates, ContradictionError


@dataclass
class Count:
    """What a search has found."""

    solutions: int = 0
    """0, 1, or 2 for several."""

    nodes_left: int | None = None
    """Placements that it may still try; None: no bound."""

    gave_up: bool = False


def count_solutions(grid: Candidates, max_nodes: int | None) -> Count:
    """Tries every candidate of the cell that has the fewest, and so on.

    Args:
        grid: what is to be searched; it is left as it is.
        max_nodes: placements at which it gives up; None: no bound.
    """
    count = Count(nodes_left=max_nodes)
    _search(grid, count)
    return count


def _search(grid: Candidates, count: Count) -> None:
    if grid.is_complete:
        count.solutions += 1
        return
    cell = min(grid.blanks(), key=lambda cell: len(grid.of[cell]))
    for digit in sorted(grid.of[cell]):
        if count.nodes_left == 0:
            count.gave_up = True
        if count.gave_up or count.solutions == 2:
            return
        if count.nodes_left is not None:
            count.nodes_left -= 1
        tried = grid.copy()
        try:
            tried.place(cell, digit)
        except ContradictionError:
            continue
        _search(tried, count)
