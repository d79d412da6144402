"""Naked pair: two cells of a region have the same two candidates, so no other cell there has these.

::

    row   1 2 | 1 2 | 1 2 3 | 1 4 5 | 3 4 5        gone: 1 and 2 of the third cell, 1 of the fourth
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sudokumill_classic.candidates import REGIONS, Candidates
from sudokumill_classic.techniques.found import Found


def naked_pair(grid: Candidates) -> Iterator[Found]:
    """Two cells with two candidates. In a region of three blanks the third is a single."""
    for region in REGIONS:
        blanks = grid.blanks(region)
        if len(blanks) < 4:
            continue
        for pair in combinations([cell for cell in blanks if len(grid.of[cell]) == 2], 2):
            digits = grid.of[pair[0]]
            if digits != grid.of[pair[1]]:
                continue
            others = [cell for cell in blanks if cell not in pair]
            gone = tuple((cell, digit) for cell in others for digit in sorted(digits & grid.of[cell]))
            if gone:
                yield Found(pair, tuple(sorted(digits)), eliminations=gone)
