"""Generator ``native``."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.streams import Seeds, check_seeds
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
            BatchShapeError: they are no seeds.
        """
        finals = _kernel.make_finals(check_seeds(seeds))
        return GenerateResult(finals=finals, status=np.full(len(finals), GenerateStatus.MADE, dtype=np.uint8))
