"""Grader ``singles-and-pairs``: solves a puzzle as a person does, and says what that took.

The scale is the classic one of Sudoku Explainer 1.2.1, up to 3.4. Solving goes by rounds:

1. The techniques are tried in the order of ``LADDER``. The first that sees anything ends the search.
2. Everything that it sees is a step. Things with the same effect are one step.
3. All these steps are done, and the next round begins from the top.

Sudoku Explainer does the first thing that it sees, and starts again. What is first depends on how the grid is
turned, and so may all that comes after it. The set of all that a technique sees does not, and neither does the
grade.

A puzzle's rating is that of its hardest step. What these techniques do not solve is given up, and its rating is at
least 3.6, the least that any other technique has. What they do solve is solved for certain: each step holds in
every solution, so the one that they come to is the only one. Only where they end is it searched whether there is
one.

It is written to be read; ``explainer`` of the plugin ``native`` has the whole scale, and is a thousand times as
fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeResult, GradeStatus, Step
from sudokumill.grids.batch import CELLS, Grids, check_batch
from sudokumill.grids.clashes import have_clashes
from sudokumill_classic.candidates import REGIONS, Candidates, ContradictionError
from sudokumill_classic.options import SinglesAndPairsOptions
from sudokumill_classic.solution_count import count_solutions
from sudokumill_classic.techniques import hidden_single, hidden_subset, locked_candidates
from sudokumill_classic.techniques.found import Found
from sudokumill_classic.techniques.naked_pair import naked_pair
from sudokumill_classic.techniques.naked_single import naked_single
from sudokumill_classic.techniques.x_wing import x_wing

Find = Callable[[Candidates], Iterator[Found]]

LADDER: Final[tuple[tuple[float, str, Find], ...]] = (
    (1.0, "hidden-single-last", hidden_single.last_in_region),
    (1.2, "hidden-single-box", hidden_single.in_box),
    (1.5, "hidden-single-line", hidden_single.in_line),
    (1.7, "direct-pointing", locked_candidates.direct_pointing),
    (1.9, "direct-claiming", locked_candidates.direct_claiming),
    (2.0, "direct-hidden-pair", hidden_subset.direct_hidden_pair),
    (2.3, "naked-single", naked_single),
    (2.5, "direct-hidden-triplet", hidden_subset.direct_hidden_triplet),
    (2.6, "pointing", locked_candidates.pointing),
    (2.8, "claiming", locked_candidates.claiming),
    (3.0, "naked-pair", naked_pair),
    (3.2, "x-wing", x_wing),
    (3.4, "hidden-pair", hidden_subset.hidden_pair),
)
"""Rating, code and technique, in the order in which they are tried."""

NAMES: Final = {
    "hidden-single-last": "hidden single, the last empty cell of a row, column or box",
    "hidden-single-box": "hidden single in a box",
    "hidden-single-line": "hidden single in a row or column",
    "direct-pointing": "pointing that places a digit at once",
    "direct-claiming": "claiming that places a digit at once",
    "direct-hidden-pair": "hidden pair that places a digit at once",
    "naked-single": "naked single, the only digit that a cell can have",
    "direct-hidden-triplet": "hidden triplet that places a digit at once",
    "pointing": "pointing, a digit of a box that lies in one line",
    "claiming": "claiming, a digit of a line that lies in one box",
    "naked-pair": "naked pair",
    "x-wing": "X-wing",
    "hidden-pair": "hidden pair",
}
"""What each technique is called, by its code."""

BEYOND: Final = 3.6
"""The least rating of the techniques that the scale has and this grader has not."""

EXTRAS: Final = ("er", "ep", "ed", "rating_sum", "bottleneck")


@dataclass
class Walk:
    """The way to a puzzle's solution, as far as it was gone."""

    status: GradeStatus
    rounds: list[tuple[Step, ...]] = field(default_factory=list)
    """The steps of each round; one at least."""

    choices: list[int] = field(default_factory=list)
    """Of the rounds that place digits: in how many cells a digit could be placed. A round in which all that are
    blank can be filled is left out, unless it is the first: at the end of every puzzle there are few."""

    bound: float = 0.0
    """If it ended before the solution: the least rating of what comes next."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in their order."""
        return tuple(step for steps in self.rounds for step in steps)


class SinglesAndPairs:
    """Grades by the techniques of ``LADDER``.

    Args:
        options: where it stops.
    """

    def __init__(self, options: SinglesAndPairsOptions) -> None:
        self._ceiling = options.ceiling
        self._max_nodes = options.max_nodes

    def grade(self, puzzles: Grids) -> GradeResult:
        """One grade a puzzle.

        Args:
            puzzles: shape (n, 81).

        Raises:
            BatchShapeError: not a batch of grids.
        """
        return grades_of(self.walks(puzzles))

    def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
        """The steps that ``grade`` counts, in their order.

        Args:
            puzzle: shape (81,).

        Raises:
            BatchShapeError: not a grid.
        """
        (walk,) = self.walks(np.ascontiguousarray(puzzle[None]))
        return walk.steps

    def walks(self, puzzles: Grids) -> list[Walk]:
        """The way to the solution of each puzzle, round by round.

        Args:
            puzzles: shape (n, 81).

        Raises:
            BatchShapeError: not a batch of grids.
        """
        clashes = have_clashes(check_batch(puzzles, "puzzles"))
        return [
            Walk(GradeStatus.CLASH) if clash else self._walk(grid)
            for grid, clash in zip(puzzles.tolist(), clashes, strict=True)
        ]

    def _walk(self, puzzle: list[int]) -> Walk:
        if all(puzzle):
            return Walk(GradeStatus.COMPLETE)
        walk = Walk(GradeStatus.GRADED)
        try:
            grid = Candidates(puzzle)
            while not grid.is_complete:
                steps = look(grid)
                walk.bound = steps[0].rating if steps else BEYOND
                if not steps or (self._ceiling is not None and walk.bound > self._ceiling):
                    return self._stopped(walk, grid)
                walk.rounds.append(steps)
                placed = {cell for step in steps for cell, _ in step.placements}
                if placed:
                    choice = max(len(placed), len(cells_of_singles(grid)))
                    if not walk.choices or choice < len(grid.blanks()):
                        walk.choices.append(choice)
                for step in steps:
                    apply(step, grid)
        except ContradictionError:
            return Walk(GradeStatus.NO_SOLUTION)
        return walk

    def _stopped(self, walk: Walk, grid: Candidates) -> Walk:
        """What is said of a puzzle where the way ends: whether it is one was not known up to here."""
        count = count_solutions(grid, self._max_nodes)
        if count.solutions == 2:
            return Walk(GradeStatus.NOT_UNIQUE)
        if count.solutions == 0 and not count.gave_up:
            return Walk(GradeStatus.NO_SOLUTION)
        is_above = self._ceiling is not None and walk.bound > self._ceiling and not count.gave_up
        walk.status = GradeStatus.ABOVE if is_above else GradeStatus.GAVE_UP
        return walk


def look(grid: Candidates) -> tuple[Step, ...]:
    """All that the first technique sees that sees anything; none if none does."""
    for rating, code, find in LADDER:
        seen: dict[object, Step] = {}
        for found in find(grid):
            step = Step(code, rating, found.cells, found.digits, found.placements, found.eliminations)
            seen.setdefault((step.placements, step.eliminations), step)
        if seen:
            return tuple(seen.values())
    return ()


def apply(step: Step, grid: Candidates) -> None:
    """Does a step; what was done already stays so.

    Raises:
        ContradictionError: it cannot be done, so the grid has no solution.
    """
    for cell, digit in step.placements:
        if grid.values[cell] != digit:
            grid.place(cell, digit)
    for cell, digit in step.eliminations:
        grid.rule_out(cell, digit)


def cells_of_singles(grid: Candidates) -> set[int]:
    """The cells that a hidden or a naked single fills."""
    hidden = (grid.places(digit, region) for region in REGIONS for digit in grid.missing(region))
    return {places[0] for places in hidden if len(places) == 1} | {
        cell for cell in range(CELLS) if len(grid.of[cell]) == 1
    }


def grades_of(walks: list[Walk]) -> GradeResult:
    """What is said of puzzles whose ways are known."""
    figures = [_figures(walk) for walk in walks]
    extras = {name: np.array([each[name] for each in figures], dtype=np.float64) for name in EXTRAS}
    return GradeResult(
        rating=extras["er"].copy(),
        hardest=[_hardest(walk) for walk in walks],
        techniques=[Counter(step.technique for step in walk.steps) for walk in walks],
        steps=np.array([len(walk.steps) for walk in walks], dtype=np.int64),
        status=np.array([walk.status for walk in walks], dtype=np.uint8),
        extras=extras,
    )


def _figures(walk: Walk) -> Mapping[str, float]:
    """``EXTRAS`` of one puzzle."""
    if walk.status not in (GradeStatus.GRADED, GradeStatus.GAVE_UP, GradeStatus.ABOVE):
        return dict.fromkeys(EXTRAS, nan)
    ratings = [steps[0].rating for steps in walk.rounds]  # those of one round are equal
    until_placed = next((number for number, steps in enumerate(walk.rounds, 1) if steps[0].placements), None)
    if walk.status != GradeStatus.GRADED:
        ratings.append(walk.bound)
    return {
        "er": max(ratings),
        "ep": max(ratings[:until_placed]),
        "ed": ratings[0],
        "rating_sum": round(sum(step.rating for step in walk.steps), 1),
        "bottleneck": min(walk.choices, default=nan),
    }


def _hardest(walk: Walk) -> str | None:
    """The technique of the highest rating; None where there is no grade, or the hardest step is still to come."""
    if walk.status != GradeStatus.GRADED:
        return None
    return max(walk.steps, key=lambda step: step.rating).technique
