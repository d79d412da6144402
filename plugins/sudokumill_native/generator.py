"""Generator ``native``."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.streams import Seeds, check_seeds
from sudokumill_native import _kernel
from sudokumill_native.builds import chosen_build
from sudokumill_native.options import NativeGeneratorOptions


class NativeGenerator:
    """A random band and stack, the rest by tossing coins and counting, so that all finals are equally likely.

    Every seed gives a final. Which share of all finals never comes up is told by the option ``uniformity``. (A
    puzzle that is dug from such a final is still not a uniform puzzle: finals that have more puzzles are not drawn
    more often, and of one final's puzzles a digger finds some more easily than others.)

    Args:
        options: how uniform the finals must be.
        build: one of the kernel's builds; None: the one that the environment names, else the fastest.
        threads: how many do a batch; a host that has a process for each core wants one.
    """

    def __init__(self, options: NativeGeneratorOptions, build: str | None = None, threads: int = 1) -> None:
        self._uniformity = options.uniformity
        self._build = build or chosen_build()
        self._threads = threads

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed; other threads run meanwhile, and Ctrl-C ends it.

        Args:
            seeds: uint64, shape (n,), C-contiguous.

        Raises:
            BatchShapeError: they are no seeds.
        """
        finals = _kernel.make_finals(check_seeds(seeds), self._uniformity, self._build, self._threads)
        return GenerateResult(finals=finals, status=np.full(len(finals), GenerateStatus.MADE, dtype=np.uint8))
