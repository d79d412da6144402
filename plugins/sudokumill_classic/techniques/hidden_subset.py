"""Hidden pair: two digits have the same two places in a region, so these cells have no other digit.

::

    row   1 2 4 | 1 2 5 | 4 5 | 4 5 6 | 5 6        1 and 2 are in the first two cells only: gone are 4 and 5 there

``direct`` is the same when that leaves another digit of the region one place, here 4 if the third and fourth cell
were without it: a person sees at once that the two cells are taken. The direct form there is for three digits with
three places as well. A digit that has one place already is a single, and is in no subset.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sudokumill_classic.candidates import REGIONS, Candidates, Region
from sudokumill_classic.techniques.found import Found


def hidden_pair(grid: Candidates) -> Iterator[Found]:
    """Two digits with two places. In a region of four blanks or fewer the others are a naked pair, or less."""
    for region in REGIONS:
        if len(grid.blanks(region)) <= 4:
            continue
        for digits, cells in _subsets(grid, region, 2):
            others = tuple((cell, other) for cell in cells for other in sorted(grid.of[cell] - set(digits)))
            if others:
                yield Found(cells, digits, eliminations=others)


def direct_hidden_pair(grid: Candidates) -> Iterator[Found]:
    """Two digits with two places, which leave a third digit of the region one place."""
    return _direct(grid, 2)


def direct_hidden_triplet(grid: Candidates) -> Iterator[Found]:
    """Three digits with three places, which leave a fourth digit of the region one place."""
    return _direct(grid, 3)


def _direct(grid: Candidates, size: int) -> Iterator[Found]:
    for region in REGIONS:
        if len(grid.blanks(region)) <= size:
            continue
        for digits, cells in _subsets(grid, region, size):
            for other in sorted(set(grid.missing(region)) - set(digits)):
                before = grid.places(other, region)
                after = [cell for cell in before if cell not in cells]
                if len(after) == 1 < len(before):
                    yield Found(cells, digits, placements=((after[0], other),))


def _subsets(grid: Candidates, region: Region, size: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Digits of a region that have as many places between them as they are, each two at least; and the places."""
    places = {digit: grid.places(digit, region) for digit in grid.missing(region)}
    fitting = [digit for digit in places if 2 <= len(places[digit]) <= size]
    for digits in combinations(fitting, size):
        cells = {cell for digit in digits for cell in places[digit]}
        if len(cells) == size:
            yield digits, tuple(sorted(cells))
