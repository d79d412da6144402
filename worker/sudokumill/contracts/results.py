"""What implementations return: a row for each row of the batch, with its status; and the steps of a grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import Grids


class GenerateStatus(IntEnum):
    """What became of a row that was to be made."""

    MADE = 0
    GAVE_UP = 1


class DigStatus(IntEnum):
    """What became of a final that was dug."""

    DUG = 0
    MISSED = 1
    """The puzzle is sound, but not what the options asked for (its clue count, for example). Where no sound puzzle
    was left, as of a pattern of clues that has several solutions, the row is all zeros."""
    NOT_A_FINAL = 2
    GAVE_UP = 3


class SolveStatus(IntEnum):
    """What is known of a grid's solutions."""

    UNIQUE = 0
    SEVERAL = 1
    """Two or more; exact when the count is below the limit."""
    NO_SOLUTION = 2
    CLASH = 3
    """Givens contradict each other, or a number is above 9; no search was started."""
    GAVE_UP = 4
    """The node budget ran out; the count is a lower bound."""
    SOLVABLE = 5
    """One was found and the limit was 1, so it is not known whether there are more."""


class GradeStatus(IntEnum):
    """What became of a puzzle that was graded."""

    GRADED = 0
    NOT_UNIQUE = 1
    NO_SOLUTION = 2
    CLASH = 3
    COMPLETE = 4
    GAVE_UP = 5
    """The budget ran out; the rating is a lower bound."""
    ABOVE = 6
    """The rating is surely above the option ``ceiling``, and grading stopped there; it is a lower bound."""


@dataclass(frozen=True)
class Report:
    """A figure that an implementation reports of each row: ``total[i] / weight[i]``.

    A job shows the least and the greatest of these, and sum(total) / sum(weight) over all its rows. So a mean is
    a total with weight one, and a share of tries is successes with tries as weight.
    """

    total: NDArray[np.float64]
    """Shape (n,)."""

    weight: NDArray[np.float64] | None = None
    """Shape (n,), zero or above; None means one for each row. Zero: there is no figure for this row."""


Reports = Mapping[str, Report]


@dataclass(frozen=True)
class GenerateResult:
    """Finals, one a seed."""

    finals: Grids
    """Shape (n, 81). A row that was not made is all zeros."""

    status: NDArray[np.uint8]
    """Shape (n,), ``GenerateStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class DigResult:
    """Puzzles, one a final: a subset of its clues that has it as its only solution."""

    puzzles: Grids
    """Shape (n, 81). A row that could not be dug, or of which no puzzle was left, is all zeros."""

    status: NDArray[np.uint8]
    """Shape (n,), ``DigStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class SolveResult:
    """Counts and solutions, one row a puzzle."""

    counts: NDArray[np.int64]
    """Shape (n,): solutions found; the search stops at the limit."""

    solutions: Grids
    """Shape (n, 81): the first one found in the solver's fixed order, zeros when there is none."""

    nodes: NDArray[np.int64]
    """Shape (n,): placements that the search tried and did not deduce."""

    status: NDArray[np.uint8]
    """Shape (n,), ``SolveStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class GradeResult:
    """Grades, one row a puzzle."""

    rating: NDArray[np.float64]
    """Shape (n,); NaN where there is no grade. With ``GAVE_UP`` and ``ABOVE`` a lower bound."""

    hardest: list[str | None]
    """Code of the hardest technique of each row; None where there is no grade."""

    techniques: list[Mapping[str, int]]
    """How often each technique was used, for each row; empty where there is no grade."""

    steps: NDArray[np.int64]
    """Shape (n,): 0 where there is no grade."""

    status: NDArray[np.uint8]
    """Shape (n,), ``GradeStatus``."""

    extras: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Further figures of this grader, each of shape (n,), NaN where there is none; see ``KNOWN_EXTRAS``."""


KNOWN_EXTRAS: Final[Mapping[str, str]] = {
    "er": "highest rating of a step",
    "ep": "highest rating of a step up to and with the first that places a digit",
    "ed": "rating of the first step",
    "rating_sum": "ratings of all steps, added up",
    "bottleneck": "least number of placements that were available at any step",
}
"""Names of ``GradeResult.extras`` that mean the same with every grader; the store has a column for each. A grader
may have others, which are shown and not stored."""


LINK_REASONS: Final = ("assumed", "cell", "row", "column", "box")
"""What ``Link.why`` may be beside the code of a technique; ``assumed`` comes first."""


@dataclass(frozen=True)
class Link:
    """One conclusion of a chain: a candidate is right (on), or it is wrong."""

    cell: int
    digit: int
    on: bool

    why: str
    """``assumed`` is what a chain begins with. ``cell``, ``row``, ``column``, ``box``: a candidate is on because
    all others of its cell, or of its digit in that unit, are off; it is off because another one there is on. Else
    the code of a technique that sees it once the candidates of ``since`` are gone."""

    since: tuple[int, ...] = ()
    """Indexes of earlier links of the same chain: those that it follows from."""


@dataclass(frozen=True)
class Step:
    """One step of the way to a puzzle's solution. Cells are numbered 0 .. 80, row-major; digits are 1 .. 9."""

    technique: str
    """Its code, one of the grader's."""

    rating: float

    cells: tuple[int, ...]
    """The cells that make up the pattern, rising."""

    digits: tuple[int, ...]
    """The digits that make it up, rising."""

    placements: tuple[tuple[int, int], ...] = ()
    """(cell, digit) that it places."""

    eliminations: tuple[tuple[int, int], ...] = ()
    """(cell, digit) that it rules out. What follows from a placement in its row, column and box is not listed."""

    chains: tuple[tuple[Link, ...], ...] = ()
    """For a technique of assumptions: each chain with what it assumes and all that follows. Either the chain that
    assumes the opposite of what the step concludes meets a candidate that is both on and off; or there is a chain
    for each of several cases of which one must be right (a candidate on and off, the candidates of a cell, the
    places of a digit in a row, column or box), and every one of them ends in what the step concludes. Other
    techniques have none: their cells and digits say it all."""
