"""Naked single: a cell has one candidate left, so that is its digit."""

from __future__ import annotations

from collections.abc import Iterator

from sudokumill_classic.candidates import Candidates
from sudokumill_classic.techniques.found import Found


def naked_single(grid: Candidates) -> Iterator[Found]:
    """A cell with one candidate."""
    for cell in grid.blanks():
        if len(grid.of[cell]) == 1:
            (digit,) = grid.of[cell]
            yield Found((cell,), (digit,), placements=((cell, digit),))
