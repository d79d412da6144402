"""Hidden single: a digit has one place left in a region, so it goes there.

::

    . 7 . | . . . | . . .      In the upper right box 7 has only r3c8: the 7s of rows 1 and 2 and of column 9 leave
    . . . | . 7 . | . . .      nothing else. It is easier to see in a box than in a row or a column, and easiest
    . . . | . . . | 4 * 5      where only one cell of the region is blank.
    ------+-------+------
    . . . | . . . | . . 7
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sudokumill_classic.candidates import BOXES, LINES, REGIONS, Candidates, Region
from sudokumill_classic.techniques.found import Found


def last_in_region(grid: Candidates) -> Iterator[Found]:
    """The last blank of a region."""
    return _in(grid, (region for region in REGIONS if len(grid.blanks(region)) == 1))


def in_box(grid: Candidates) -> Iterator[Found]:
    """A digit's only place in a box."""
    return _in(grid, BOXES)


def in_line(grid: Candidates) -> Iterator[Found]:
    """A digit's only place in a row or column."""
    return _in(grid, LINES)


def _in(grid: Candidates, regions: Iterable[Region]) -> Iterator[Found]:
    for region in regions:
        for digit in grid.missing(region):
            places = grid.places(digit, region)
            if len(places) == 1:
                yield Found((places[0],), (digit,), placements=((places[0], digit),))
