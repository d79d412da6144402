"""The canonical form: one grid that stands for all those that are essentially the same.

Two grids are *isomorphic* if one of the 9! * 2 * 6**8 isomorphisms takes one to the other. Exactly then their
canonical forms are equal. What the form is:

*The least form of a grid* is the least of its images under the whole group, read as 81 digits with 0 for blanks.
Which digits it has is settled by where they stand: to be least, the digits must be numbered as they turn up in
reading order. So one looks at the 2 * 6**8 ways to place the cells, row by row, and keeps those alone whose rows
so far are the least::

    a way to start: orientation, order of the columns       a row that comes next, relabelled
    2 * 6**4 of them                                        5 . 3 | . 1 . | . . .   ->   1 0 2 | 0 3 0 | 0 0 0

*The canonical form of a grid with one solution*, a final or a puzzle, goes through its solution. The isomorphisms
that take the solution to its least form are as many as the solution has automorphisms: one as a rule, 648 at most.
The canonical form is the least of the grid's images under these. So it is a part of the canonical form of its
final, and a final's is its least form.

*Any other grid*, with several solutions or none, has its least form as its canonical form.

What is here is the definition, in Python, with 20 to 100 grids a second. A solver that is a
``contracts.Canonicaliser`` has the same forms for grids with one solution, much faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import CELLS, Grids, check_batch, read_only
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.isomorphisms import Isomorphisms

Fast = Callable[[Grids, Grids], Grids]
"""``contracts.Canonicaliser.canonical``."""

_LINE_ORDERS: Final = np.array(
    [
        [3 * band + line for band, within in zip(bands, lines, strict=True) for line in within]
        for bands in permutations(range(3))
        for lines in product(permutations(range(3)), repeat=3)
    ],
    dtype=np.intp,
)
"""Shape (1296, 9): every order of nine columns that keeps the three of each stack together."""

_PLACES: Final = 10 ** np.arange(8, -1, -1, dtype=np.int64)
"""Nine digits times these make a row one number."""

_LINE_ORDERS.setflags(write=False)
_PLACES.setflags(write=False)


def canonical_forms(grids: Grids, solutions: Grids | None = None, fast: Fast | None = None) -> Grids:
    """The canonical form of each grid; its digest (``batch.digests``) names the class.

    Args:
        grids: shape (n, 81).
        solutions: shape (n, 81), the only solution of each grid; a row of zeros where it has none or several. One
            of several solutions must not stand here: the form would depend on which one it is. None: all zeros,
            which is right for no puzzle.
        fast: gives the forms of those with a solution; None: that is done here.

    Returns:
        Shape (n, 81). What is canonical stays as it is.

    Raises:
        BatchShapeError: not batches of grids.
        ValueError: a number above 9; unequal lengths; a solution that is not one.
    """
    check_batch(grids, "grids")
    solutions = np.zeros_like(grids) if solutions is None else check_batch(solutions, "solutions")
    if len(solutions) != len(grids):
        raise ValueError(f"there must be one solution a grid, got {len(solutions)} for {len(grids)}")
    if grids.size and grids.max() > 9:
        raise ValueError("a number above 9 is in the grids")
    solved: NDArray[np.bool_] = np.any(solutions, axis=1)
    keeps_clues = np.logical_or(grids == 0, grids == solutions).all(axis=1)
    wrong = np.flatnonzero(solved & ~np.logical_and(are_finals(solutions), keeps_clues))
    if wrong.size:
        raise ValueError(f"row {wrong[0]} of the solutions is none of its grid")
    forms = np.empty_like(grids)
    if fast is not None:
        forms[solved] = _checked(fast(read_only(grids[solved]), read_only(solutions[solved])), grids[solved])
    for row in np.flatnonzero(~solved if fast is not None else np.ones_like(solved)):
        isomorphisms = least_isomorphisms(solutions[row] if solved[row] else grids[row])
        images = isomorphisms.apply(np.tile(grids[row], (len(isomorphisms.cells), 1)))
        forms[row] = min(images, key=bytes)
    return forms


def _checked(forms: Grids, grids: Grids) -> Grids:
    """The forms that a plugin gave, if they can be those of these grids."""
    check_batch(forms, "canonical forms")
    if len(forms) != len(grids) or not np.array_equal((forms > 0).sum(axis=1), (grids > 0).sum(axis=1)):
        raise ValueError("a canonical form has as many clues as its grid, and one of these has not")
    return forms


def relabelled(grids: Grids) -> Grids:
    """Each grid with its digits numbered as they turn up in reading order.

    Two grids become equal exactly if one is the other with its digits exchanged: a key that, unlike the canonical
    form, keeps the pattern of the clues.

    Args:
        grids: shape (n, 81), no number above 9.
    """
    labels = _Labels.fresh(len(check_batch(grids)))
    return np.ascontiguousarray(labels.number(grids))


def least_isomorphisms(grid: NDArray[np.uint8]) -> Isomorphisms:
    """The isomorphisms that take a grid to its least form.

    Lines or bands with equal content, such as two blank rows of a band, can be exchanged at will; of the
    isomorphisms that differ in nothing else, one is listed. A final has no such lines, so all of its are here: as
    many as it has automorphisms.

    Args:
        grid: shape (81,), no number above 9.
    """
    straight = grid.reshape(9, 9)
    squares = (straight, straight.T)
    starts = [(flipped, order) for flipped in (0, 1) for order in _unlike_orders(squares[flipped])]
    flipped = np.array([start[0] for start in starts])
    columns = _LINE_ORDERS[[start[1] for start in starts]]
    tables = np.stack(squares)
    turned = tables[flipped[:, None, None], np.arange(9)[None, :, None], columns[:, None, :]]

    start = np.arange(len(starts))  # of each way that is still in the running, where it began,
    rows = np.empty((len(starts), 0), dtype=np.intp)  # the rows that it took,
    labels = _Labels.fresh(len(starts))  # and what became of the digits
    twins = np.stack([_twins(square) for square in squares])
    for _ in range(9):
        way, row = _next_rows(rows, twins[flipped[start]])
        start, rows, labels = start[way], np.column_stack([rows[way], row]), labels.take(way)
        images = labels.number(turned[start, row])
        numbers = images @ _PLACES
        best = np.flatnonzero(numbers == numbers.min())
        start, rows, labels = start[best], rows[best], labels.take(best)

    across, down = columns[start][:, None, :], rows[:, :, None]
    cells = np.where(flipped[start][:, None, None] == 1, across * 9 + down, down * 9 + across)
    return Isomorphisms(cells.reshape(-1, CELLS), labels.complete())


def _unlike_orders(square: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Which of ``_LINE_ORDERS`` make unlike grids of this one: all, unless columns are equal."""
    arranged = np.moveaxis(square[:, _LINE_ORDERS], 0, 1).reshape(len(_LINE_ORDERS), CELLS)
    first: NDArray[np.intp] = np.unique(arranged, axis=0, return_index=True)[1]
    return np.sort(first)


def _twins(square: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Shape (9, 9): whether row r may be left out where row s < r can be had, for what it begins is the same.

    That is so for equal rows of one band, and for all rows of a band if an earlier band has the same three.
    """
    rows = [bytes(row) for row in square]
    bands = [sorted(rows[first : first + 3]) for first in (0, 3, 6)]
    return np.array(
        [
            [
                s < r and (rows[r] == rows[s] if r // 3 == s // 3 else bands[r // 3] == bands[s // 3])
                for s in range(9)
            ]
            for r in range(9)
        ]
    )


def _next_rows(rows: NDArray[np.intp], twins: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Every way to go on by one row: the number of the way so far, and the row.

    Args:
        rows: shape (m, k), what m ways have taken.
        twins: shape (m, 9, 9), of each way's square.
    """
    taken = (rows[:, :, None] == np.arange(9)).any(axis=1)
    begun = taken.reshape(-1, 3, 3).any(axis=2).repeat(3, axis=1)
    free = begun & ~taken if rows.shape[1] % 3 else ~begun  # the rest of the last band, or a new one
    free &= ~(twins & free[:, None, :]).any(axis=2)
    way, row = np.nonzero(free)
    return way, row


@dataclass
class _Labels:
    """For each of m grids, how its digits are numbered as they turn up."""

    of: NDArray[np.uint8]
    """Shape (m, 10): the number of each digit; 0 as long as it has not turned up."""

    @classmethod
    def fresh(cls, count: int) -> _Labels:
        return cls(np.zeros((count, 10), dtype=np.uint8))

    def take(self, which: NDArray[np.intp]) -> _Labels:
        return _Labels(self.of[which])

    def number(self, digits: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The digits (m, k) by their numbers; those that are new get the next ones, from left to right."""
        each = np.arange(len(digits))
        for column in digits.T:
            new = (column > 0) & (self.of[each, column] == 0)
            self.of[each[new], column[new]] = self.of[new].max(axis=1) + 1
        return np.take_along_axis(self.of, digits.astype(np.intp), axis=1)

    def complete(self) -> NDArray[np.uint8]:
        """Shape (m, 10): the digits that never turned up get the numbers that are left."""
        labels = self.of.copy()
        for own in labels:
            own[1:][own[1:] == 0] = np.setdiff1d(np.arange(1, 10, dtype=np.uint8), own)
        return labels
