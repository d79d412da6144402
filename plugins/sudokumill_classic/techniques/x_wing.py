"""X-wing: a digit has the same two places in two parallel lines, so it is nowhere else in the two that cross them.

::

    . d . | . . . | d . .      rows 1 and 4 have d in columns 2 and 7 only: one of them has it left and the other
    . . . | . . . | x . .      right, or the other way round, so columns 2 and 7 have it there
    . x . | . . . | . . .      gone: every x
    ------+-------+------
    . d . | . . . | d . .
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sudokumill_classic.candidates import COLUMNS, DIGITS, ROWS, Candidates
from sudokumill_classic.techniques.found import Found


def x_wing(grid: Candidates) -> Iterator[Found]:
    """Two columns with the same two rows for a digit, or two rows with the same two columns."""
    for digit in DIGITS:
        for lines, crossing in ((COLUMNS, ROWS), (ROWS, COLUMNS)):
            twos = [places for line in lines if len(places := grid.places(digit, line)) == 2]
            for wing in combinations(twos, 2):
                cells = sorted(wing[0] + wing[1])
                covers = [line for line in crossing if not set(line).isdisjoint(cells)]
                if len(covers) == 2:
                    places = sorted(cell for line in covers for cell in grid.places(digit, line))
                    gone = tuple((cell, digit) for cell in places if cell not in cells)
                    if gone:
                        yield Found(tuple(cells), (digit,), eliminations=gone)
