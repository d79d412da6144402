"""Pointing and claiming: what a box and a line have in common.

If all places of a digit in one region lie in another one too, then it stands in one of them, and nowhere else in
the other::

    pointing, from a box to a line      d . d | x . x | . . x      gone: the three x
                                        . . . | . . . | . . .
                                        . . . | . . . | . . .

    claiming, from a line to a box      . . . | d d . | . . .      row 1 has d in the middle box alone
                                        . . . | . x x | . . .      gone: the three x
                                        . . . | x . . | . . .

``direct`` is the same thing when it pays at once: when one of the other boxes (or lines) that lose x is left with
one place for the digit. A person sees that without any marks in the cells, so it is rated lower.

Direct claiming is on the scale, and never the first to be found. Say it locks a digit into box 2 in row 1, and so
leaves it one place in row 2, in box 3. Then box 1 has the digit in neither row, and points along row 3 at box 3,
which leaves that the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sudokumill_classic.candidates import BOXES, COLUMNS, DIGITS, LINES, ROWS, Candidates, Region
from sudokumill_classic.techniques.found import Found


@dataclass(frozen=True)
class _Locked:
    """A digit whose places in a region all lie in another one."""

    digit: int
    region: Region
    places: list[int]
    gone: list[int]
    """Its other places in the other region; one at least."""


def pointing(grid: Candidates) -> Iterator[Found]:
    """From a box to a line."""
    return _eliminations(_locked(grid, BOXES, LINES))


def claiming(grid: Candidates) -> Iterator[Found]:
    """From a line to a box."""
    return _eliminations(_locked(grid, LINES, BOXES))


def direct_pointing(grid: Candidates) -> Iterator[Found]:
    """From a box to a line, which leaves another box with one place for the digit."""
    return _placements(grid, _locked(grid, BOXES, LINES), (BOXES,))


def direct_claiming(grid: Candidates) -> Iterator[Found]:
    """From a line to a box, which leaves another line of the same direction with one place for the digit."""
    return _placements(grid, _locked(grid, LINES, BOXES), (ROWS, COLUMNS))


def _locked(grid: Candidates, regions: Sequence[Region], others: Sequence[Region]) -> Iterator[_Locked]:
    for digit in DIGITS:
        for region in regions:
            places = grid.places(digit, region)
            if len(places) < 2:
                continue  # a single, or nothing
            for other in others:
                if set(places) <= set(other):
                    gone = [cell for cell in grid.places(digit, other) if cell not in places]
                    if gone:
                        yield _Locked(digit, region, places, gone)


def _eliminations(all_locked: Iterator[_Locked]) -> Iterator[Found]:
    for locked in all_locked:
        eliminations = tuple((cell, locked.digit) for cell in locked.gone)
        yield Found(tuple(locked.places), (locked.digit,), eliminations=eliminations)


def _placements(
    grid: Candidates, all_locked: Iterator[_Locked], kinds: Sequence[Sequence[Region]]
) -> Iterator[Found]:
    for locked in all_locked:
        (like_it,) = (regions for regions in kinds if locked.region in regions)
        for region in like_it:
            before = grid.places(locked.digit, region)
            after = [cell for cell in before if cell not in locked.gone]
            if len(after) == 1 < len(before):
                yield Found(tuple(locked.places), (locked.digit,), placements=((after[0], locked.digit),))
