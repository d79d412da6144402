"""Generator ``native``."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.streams import Seeds
from sudokumill_native import _kernel


class NativeGenerator:
    """Random boxes on a diagonal, the rest by search, then a random isomorphism. Every seed gives a final.

    Each cell holds each digit equally often. Finals of one class (equal up to an isomorphism) are equally
    likely; classes that leave the search more ways are found more often than others.
    """

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed; other threads run meanwhile.

        Args:
            seeds: uint64, shape (n,), C-contiguous.

        Raises:
            TypeError: seeds of another type, dtype, shape or memory order.
        """
        finals = _kernel.make_finals(seeds)
        return GenerateResult(finals=finals, status=np.full(len(finals), GenerateStatus.MADE, dtype=np.uint8))
