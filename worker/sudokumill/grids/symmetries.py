"""Symmetries of clue patterns: which cells go together, and which symmetry a pattern has."""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import CELLS, Grids

_SQUARE: Final = np.arange(CELLS, dtype=np.intp).reshape(9, 9)


class Symmetry(StrEnum):
    """The symmetries that a puzzle's clue cells can be asked to have."""

    NONE = "none"
    ROT180 = "rot180"
    ROT90 = "rot90"
    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"
    DIAGONAL = "diagonal"
    ANTIDIAGONAL = "antidiagonal"
    FULL = "full"


_MOVES: Final[dict[Symmetry, tuple[NDArray[np.intp], ...]]] = {
    Symmetry.NONE: (),
    Symmetry.ROT180: (np.rot90(_SQUARE, 2).ravel(),),
    Symmetry.ROT90: (np.rot90(_SQUARE).ravel(),),
    # horizontal: left and right are mirrored; vertical: top and bottom are
    Symmetry.HORIZONTAL: (_SQUARE[:, ::-1].ravel(),),
    Symmetry.VERTICAL: (_SQUARE[::-1, :].ravel(),),
    Symmetry.DIAGONAL: (_SQUARE.T.ravel(),),
    Symmetry.ANTIDIAGONAL: (np.rot90(_SQUARE, 2).T.ravel(),),
    Symmetry.FULL: (np.rot90(_SQUARE).ravel(), _SQUARE.T.ravel()),
}
"""Each symmetry's generating moves as permutations of cells: cell ``i`` goes with cell ``move[i]``."""

for _moves in _MOVES.values():
    for _move in _moves:
        _move.setflags(write=False)

_STRONGEST_FIRST: Final = (
    Symmetry.FULL,
    Symmetry.ROT90,
    Symmetry.ROT180,
    Symmetry.HORIZONTAL,
    Symmetry.VERTICAL,
    Symmetry.DIAGONAL,
    Symmetry.ANTIDIAGONAL,
)


@cache
def orbits(symmetry: Symmetry) -> tuple[tuple[int, ...], ...]:
    """The cells that must be clues together or blank together, each orbit in reading order.

    Sizes: none 1; rot180 2 and the centre; rot90 4 and the centre; mirrors 2 and the nine cells of the axis; full
    8, 4 and the centre.
    """
    seen: set[int] = set()
    found: list[tuple[int, ...]] = []
    for cell in range(CELLS):
        if cell in seen:
            continue
        orbit = {cell}
        frontier = [cell]
        while frontier:
            here = frontier.pop()
            for move in _MOVES[symmetry]:
                there = int(move[here])
                if there not in orbit:
                    orbit.add(there)
                    frontier.append(there)
        seen |= orbit
        found.append(tuple(sorted(orbit)))
    return tuple(found)


def deciding_orbit(symmetry: Symmetry) -> int | None:
    """The number of the only orbit with an odd number of cells (the centre, under a rotation), or None.

    a b c | . . .      Under a half turn, 41 orbits: 40 pairs and the centre. Whether it goes decides whether
    . . . | . . .      the number of clues is odd. So a digger that aims at 30 clues digs it at once, which a
    ------+------      final always allows, and one that aims at 31 never does; left to its turn, it would
    . . . | c b a      spoil one aim or the other.
    """
    odd = [number for number, orbit in enumerate(orbits(symmetry)) if len(orbit) % 2]
    return odd[0] if len(odd) == 1 else None


@cache
def _orbit_sums(sizes: tuple[int, ...]) -> frozenset[int]:
    reachable = {0}
    for size in sizes:
        reachable |= {count + size for count in reachable}
    return frozenset(reachable)


def possible_clue_counts(symmetry: Symmetry, blank: Set[int] = frozenset()) -> frozenset[int]:
    """Every number of clues, 0 .. 81, that a pattern with this symmetry can have.

    Args:
        symmetry: of the pattern.
        blank: cells that are no clues, and so none of their orbits' are.
    """
    return _orbit_sums(tuple(sorted(len(orbit) for orbit in orbits(symmetry) if blank.isdisjoint(orbit))))


def symmetries(grids: Grids) -> list[Symmetry]:
    """The symmetry of each grid's clue cells.

    Where a pattern has several, the one with the largest group is named (full, then rot90), and of equal ones
    the first in the order of ``Symmetry``.
    """
    clues = grids > 0
    names = [Symmetry.NONE] * len(grids)
    undecided = np.arange(len(grids))
    for symmetry in _STRONGEST_FIRST:
        rest = clues[undecided]
        has = np.ones(len(rest), dtype=np.bool_)
        for move in _MOVES[symmetry]:
            has &= (rest == rest[:, move]).all(axis=1)
        for row in undecided[has]:
            names[row] = symmetry
        undecided = undecided[~has]
    return names
