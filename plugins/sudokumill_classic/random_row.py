"""Generator ``random-row``: rows filled from shuffled digits, the method of the seed program.

Nine digits are shuffled, and a row is filled cell by cell: each cell takes the first of the nine that clashes
with nothing in its row, its column or its box so far::

    shuffled  7 1 4 9 2 ...           row 2 of the grid
    cell 1    7 stands in its box, 1 in its column, so 4
    cell 2    7 stands in its box, so 1
    ...

A cell for which all nine clash leaves the row stuck. The row is cleared and tried again with new digits; rows
that are finished are never touched. The seed program shuffles twice for this, once when it clears the row and
once when it tries it again, and counts both. A grid that comes to ``max_shuffles`` since its start is thrown
away and starts over.

A start succeeds in 85 of 100 cases. The mean is 49 shuffles; 9 are the least, and as each further try
costs two, the number is always odd.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GenerateResult, GenerateStatus, Report
from sudokumill.grids.batch import CELLS
from sudokumill.streams import Seeds, Streams
from sudokumill_classic.options import RandomRowOptions

_SWAPS: Final = 20
"""Swaps of one shuffle. Each needs a place 1 .. 8, three bits: one word of 64 bits serves a whole shuffle."""


class RandomRow:
    """All grids of a batch in lockstep: in each round every unfinished grid tries the row that it is at.

    Args:
        options: when a grid starts over, and when it is given up.
    """

    def __init__(self, options: RandomRowOptions) -> None:
        self._options = options

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed; reports ``shuffles``, those since the last start, of each that was made.

        Args:
            seeds: shape (n,), uint64.
        """
        n = len(seeds)
        streams = Streams(seeds)
        grids = np.zeros((n, 9, 9), dtype=np.uint8)
        at_row = np.zeros(n, dtype=np.intp)
        # bit d of a set: digit d stands in that column, or in that box of the band that is being filled
        in_column = np.zeros((n, 9), dtype=np.uint16)
        in_box = np.zeros((n, 3), dtype=np.uint16)
        shuffles = np.zeros(n, dtype=np.int64)
        starts = np.ones(n, dtype=np.int64)

        unfinished = np.arange(n)
        while len(unfinished):
            shuffles[unfinished] += 1

            over = unfinished[shuffles[unfinished] >= self._options.max_shuffles]
            grids[over], at_row[over], in_column[over], shuffles[over] = 0, 0, 0, 1
            starts[over] += 1
            unfinished = unfinished[starts[unfinished] <= self._options.max_starts]

            new_band = unfinished[at_row[unfinished] % 3 == 0]
            in_box[new_band] = 0

            digits = _shuffled_digits(streams.words(unfinished))
            rows, column_sets, box_sets, filled = _fill_rows(digits, in_column[unfinished], in_box[unfinished])

            done = unfinished[filled]
            grids[done, at_row[done]] = rows[filled]
            in_column[done], in_box[done] = column_sets[filled], box_sets[filled]
            at_row[done] += 1
            shuffles[unfinished[~filled]] += 1  # the one that clears the row; its digits are never used

            unfinished = unfinished[at_row[unfinished] < 9]

        made = at_row == 9
        grids[~made] = 0
        status = np.where(made, GenerateStatus.MADE, GenerateStatus.GAVE_UP).astype(np.uint8)
        report = Report(np.where(made, shuffles, 0).astype(np.float64), weight=made.astype(np.float64))
        return GenerateResult(grids.reshape(n, CELLS), status, {"shuffles": report})


def _shuffled_digits(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The digits 1 .. 9, shuffled as the seed program does: place 0 is swapped with a random other place, often.

    Twenty such swaps are not quite a uniform shuffle (a place is passed over by all of them in 7 of 100 cases).
    That is kept: it belongs to the method, and the number of shuffles depends on it.

    Args:
        words: shape (n,), uint64, one random word a shuffle.

    Returns:
        Shape (n, 9).
    """
    each = np.arange(len(words))
    digits = np.tile(np.arange(1, 10, dtype=np.uint8), (len(words), 1))
    for swap in range(_SWAPS):
        place = ((words >> np.uint64(3 * swap)) & np.uint64(7)).astype(np.intp) + 1
        digits[:, 0], digits[each, place] = digits[each, place], digits[:, 0].copy()
    return digits


def _fill_rows(
    digits: NDArray[np.uint8], in_column: NDArray[np.uint16], in_box: NDArray[np.uint16]
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.bool_]]:
    """Fills one row of each grid from its shuffled digits.

    Args:
        digits: shape (n, 9), the shuffled digits.
        in_column: shape (n, 9), the sets of digits that stand in each column so far.
        in_box: shape (n, 3), the same for the three boxes that the row crosses.

    Returns:
        The rows, shape (n, 9); both kinds of sets with the row's digits added; and which rows got no cell stuck,
        shape (n,). What the other three hold for a row that got stuck has no meaning.
    """
    n = len(digits)
    each = np.arange(n)
    bits = np.left_shift(np.uint16(1), digits, dtype=np.uint16)
    rows = np.zeros((n, 9), dtype=np.uint8)
    in_row = np.zeros(n, dtype=np.uint16)
    in_column, in_box = in_column.copy(), in_box.copy()
    filled = np.ones(n, dtype=np.bool_)
    for column in range(9):
        taken = in_row | in_column[:, column] | in_box[:, column // 3]
        free = (bits & taken[:, None]) == 0
        first = free.argmax(axis=1)
        filled &= free[each, first]
        rows[:, column] = digits[each, first]
        bit = bits[each, first]
        in_row |= bit
        in_column[:, column] |= bit
        in_box[:, column // 3] |= bit
    return rows, in_column, in_box, filled
