"""Generator ``shifted-rows``: write nine digits once, and shift them for each further row.

Within a band each row is the one above, shifted by three cells (or six); each band begins one cell further::

    1 2 3 4 5 6 7 8 9      shift 3:  row 1 begins at place 0, row 2 at 3, row 3 at 6
    4 5 6 7 8 9 1 2 3
    7 8 9 1 2 3 4 5 6
    2 3 4 5 6 7 8 9 1      next band: 1, 4, 7
    ...

All of these are one final up to relabelling, so it is turned at random as well.
"""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Seeds, Streams


class ShiftedRows:
    """Makes one final a seed.

    Args:
        mix: draw an element of the whole group of 9! * 2 * 6**8 operations for each final.
        shift: 3 or 6.
    """

    def __init__(self, mix: bool, shift: int) -> None:
        self._mix = mix
        rows = np.arange(9)
        starts = rows // 3 + rows % 3 * shift
        self._places = (starts[:, None] + np.arange(9)) % 9

    def generate(self, seeds: Seeds) -> GenerateResult:
        """Row i is drawn from ``seeds[i]`` alone: each row of ``Streams`` is a random generator of its own."""
        streams = Streams(seeds)
        digits = (streams.permutations(9) + 1).astype(np.uint8)
        finals = digits[:, self._places.ravel()]
        if self._mix:
            finals = draw(streams).apply(finals)
        return GenerateResult(
            finals=np.ascontiguousarray(finals),
            status=np.full(len(seeds), GenerateStatus.MADE, dtype=np.uint8),
        )
