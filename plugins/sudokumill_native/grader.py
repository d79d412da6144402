"""Grader ``explainer``: ratings on the classic Sudoku Explainer scale."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import LINK_REASONS, GradeResult, GradeStatus, Link, Step
from sudokumill.grids.batch import Grids, check_batch
from sudokumill_native import _kernel
from sudokumill_native.builds import chosen_build
from sudokumill_native.options import ExplainerOptions

_CODES: Final = tuple(code for code, _ in _kernel.techniques)

_ROWS_TOGETHER: Final = 1 << 16
"""So few that what comes of them before it is turned into dictionaries stays small."""


class ExplainerGrader:
    """Solves as a person would, by the easiest technique that finds anything, and says what that took.

    At each step all hints of that technique are taken (of the lowest rating, where it has several), so that
    nothing in a grade depends on how a puzzle is turned or relabelled.

    Args:
        options: the budget, and where to stop.
        build: one of the kernel's builds; None: the one that the environment names, else the fastest.
        threads: how many do a batch; a host that has a process for each core wants one.
    """

    def __init__(self, options: ExplainerOptions, build: str | None = None, threads: int = 1) -> None:
        self._effort = options.effort
        # the ceiling belongs to what is not above it
        self._ceiling = None if options.ceiling is None else int(options.ceiling * 10 + 1e-6)
        self._build = build or chosen_build()
        self._threads = threads

    def grade(self, puzzles: Grids) -> GradeResult:
        """One grade a puzzle; other threads run meanwhile, and Ctrl-C ends it.

        What is given up, or above the ceiling, has a lower bound for its rating, and the techniques and steps
        so far.

        Args:
            puzzles: uint8, shape (n, 81), C-contiguous.

        Raises:
            BatchShapeError: not a batch of grids.
        """
        check_batch(puzzles, "puzzles")
        status, er, ep, ed, hardest, counts, steps, rating_sum, bottleneck = _kernel.grade(
            puzzles, self._effort, self._ceiling, self._build, self._threads
        )
        rating = _in_points(er)
        return GradeResult(
            rating=rating,
            hardest=_hardest(status, hardest),
            techniques=_techniques(counts),
            steps=steps,
            status=status,
            extras={
                "er": rating.copy(),
                "ep": _in_points(ep),
                "ed": _in_points(ed),
                "rating_sum": _in_points(rating_sum),
                "bottleneck": np.where(bottleneck > 0, bottleneck.astype(np.float64), np.nan),
            },
        )

    def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
        """The steps that ``grade`` counts, from the clues to the solution.

        Args:
            puzzle: uint8, shape (81,), C-contiguous.

        Returns:
            All steps; of a puzzle that is given up or above the ceiling, those that were taken. None of what is no
            puzzle.

        Raises:
            BatchShapeError: not a grid.
        """
        grids = check_batch(puzzle[np.newaxis], "puzzle")
        return tuple(
            Step(_CODES[number], tenths / 10, cells, digits, placements, eliminations, tuple(map(_chain, chains)))
            for number, tenths, cells, digits, placements, eliminations, chains in _kernel.grade_path(
                grids[0], self._effort, self._ceiling, self._build
            )
        )


def _chain(links: tuple[tuple[int, int, bool, int, int, tuple[int, ...]], ...]) -> tuple[Link, ...]:
    return tuple(
        Link(cell, digit, on, LINK_REASONS[why] if why < len(LINK_REASONS) else _CODES[technique], since)
        for cell, digit, on, why, technique, since in links
    )


def _in_points(tenths: NDArray[np.uint16] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Ratings as numbers with one decimal; NaN for none."""
    return np.where(tenths > 0, tenths / 10, np.nan)


def _hardest(status: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> list[str | None]:
    """The codes; None where there is no grade, or not all of it."""
    graded = (status == GradeStatus.GRADED).tolist()
    return [_CODES[number] if known else None for known, number in zip(graded, numbers.tolist(), strict=True)]


def _techniques(counts: NDArray[np.uint16]) -> list[Mapping[str, int]]:
    """How often each technique was used, those that were not left out."""
    used: list[Mapping[str, int]] = []
    for first in range(0, len(counts), _ROWS_TOGETHER):
        some = counts[first : first + _ROWS_TOGETHER]
        rows, numbers = np.nonzero(some)
        times = some[rows, numbers].tolist()
        codes = [_CODES[number] for number in numbers.tolist()]
        ends = np.searchsorted(rows, np.arange(len(some) + 1)).tolist()
        used += [dict(zip(codes[begin:end], times[begin:end], strict=True)) for begin, end in pairwise(ends)]
    return used
