"""Generator ``template-permutation``: every final that one template gives by exchange of digits and of rows.

The method of the seed program that writes a million finals. Row k of the template is the first row, turned left
by 0, 3, 6 (first band), 1, 4, 7 (second), 2, 5, 8 (third)::

    1 2 3 | 4 5 6 | 7 8 9
    4 5 6 | 7 8 9 | 1 2 3
    7 8 9 | 1 2 3 | 4 5 6
    ------+-------+------
    2 3 4 | 5 6 7 | 8 9 1
    ...

The top-left digit is chosen. The other eight are exchanged in all 8! = 40,320 ways; rows 2-3, 4-6 and 7-9 are
put in all 2 * 6 * 6 = 72 orders. The first row stays, so it shows the exchange, and the first column then shows
the order of the rows: the 2,903,040 finals are all different.

A final is thus nine rows out of 40,320 * 9, in some order. These rows are a table of 3.3 MB, and making finals
is copying nine pieces of nine bytes each (70 ns). Exchanging 81 digits one by one through a table of digits
took three times as long.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.grids.batch import CELLS
from sudokumill.streams import Seeds, check_seeds
from sudokumill_classic.options import TemplatePermutationOptions

_LEFT_TURNS: Final = (0, 3, 6, 1, 4, 7, 2, 5, 8)

_TEMPLATE: Final = np.array([[(turn + column) % 9 for column in range(9)] for turn in _LEFT_TURNS], dtype=np.intp)
"""Shape (9, 9), symbols 0 .. 8; symbol 0 is the top-left one."""

_ROW_ORDERS: Final = np.array(
    [
        (0, *second, *middle, *lowest)
        for second in permutations((1, 2))
        for middle in permutations((3, 4, 5))
        for lowest in permutations((6, 7, 8))
    ],
    dtype=np.intp,
)
"""Shape (72, 9): which row of the template stands in each row of the final."""

for _table in (_TEMPLATE, _ROW_ORDERS):
    _table.setflags(write=False)


class TemplatePermutation:
    """Final number ``72 * exchange + order``, both in lexicographic order.

    Args:
        options: the top-left digit.
    """

    def __init__(self, options: TemplatePermutationOptions) -> None:
        first = options.first_digit
        others = [digit for digit in range(1, 10) if digit != first]
        exchanges = np.array([(first, *order) for order in permutations(others)], dtype=np.uint8)
        self._size = len(exchanges) * len(_ROW_ORDERS)
        # Nine bytes as one item, so that taking an item copies a row of a grid.
        self._rows = np.ascontiguousarray(exchanges[:, _TEMPLATE]).reshape(-1, 9).view("V9").reshape(-1)

    def generate(self, seeds: Seeds) -> GenerateResult:
        """The finals with these numbers.

        Args:
            seeds: shape (n,), uint64: positions 0 .. 2,903,039. A position beyond them gives no final: its
                status is ``GAVE_UP``.
        """
        check_seeds(seeds)
        beyond = seeds >= np.uint64(self._size)
        exchange, order = np.divmod(np.where(beyond, np.uint64(0), seeds).astype(np.intp), len(_ROW_ORDERS))
        rows = self._rows.take(exchange[:, None] * 9 + _ROW_ORDERS[order])
        finals = rows.view(np.uint8).reshape(-1, CELLS)
        finals[beyond] = 0
        status = np.where(beyond, GenerateStatus.GAVE_UP, GenerateStatus.MADE).astype(np.uint8)
        return GenerateResult(finals, status)
