"""The grader that is written to be read, against the ratings of the classic program and the native grader."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import Explainer, GraderDescriptor, GradeResult, GradeStatus, Role, Step
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.registry import load_registry
from sudokumill.streams import Streams, position_seeds
from sudokumill.testing.samples import known_grids
from sudokumill_classic.options import SinglesAndPairsOptions
from sudokumill_classic.singles_and_pairs import BEYOND, SinglesAndPairs, Walk, grades_of

DATA = Path(__file__).parents[2] / "data"

RARE = {"X-Wing", "Hidden Pair", "Naked Pair"}

with (DATA / "rated_generated.csv").open(encoding="ascii") as _file:
    _TO_3_4 = [row for row in csv.DictReader(_file) if float(row["se_er"]) <= 3.4]
RATED = [row for number, row in enumerate(_TO_3_4) if number % 4 == 0 or row["se_hardest"] in RARE]
PUZZLES = from_lines([row["puzzle"] for row in RATED])

GRADER = SinglesAndPairs(SinglesAndPairsOptions())


@cache
def walks() -> list[Walk]:
    return GRADER.walks(PUZZLES)


@cache
def grades() -> GradeResult:
    return grades_of(walks())


@pytest.fixture(scope="module")
def native() -> Explainer:
    grader = load_registry().grader("explainer")
    assert isinstance(grader, Explainer)
    return grader


# --- against the classic program -------------------------------------------------------------------------


@pytest.mark.parametrize("figure", ["er", "ep", "ed"])
def test_ratings_are_those_of_the_classic_program(figure: str) -> None:
    expected = [float(row[f"se_{figure}"]) for row in RATED]
    assert grades().extras[figure].tolist() == expected


def test_the_hardest_technique_is_that_of_the_classic_program() -> None:
    singles = {"1.0": "hidden-single-last", "1.2": "hidden-single-box", "1.5": "hidden-single-line"}
    names = [singles.get(row["se_er"], row["se_hardest"].lower().replace(" ", "-")) for row in RATED]
    assert grades().hardest == names


def test_the_data_has_every_technique_but_the_one_that_never_occurs() -> None:
    used = set().union(*grades().techniques)
    descriptor = load_registry().find(Role.GRADER, "singles-and-pairs").descriptor
    assert isinstance(descriptor, GraderDescriptor)
    assert used == set(descriptor.codes) - {"direct-claiming"}


# --- against the native grader ---------------------------------------------------------------------------


def as_sets(steps: tuple[Step, ...]) -> Counter[tuple[object, ...]]:
    """What steps of one round do, without their order."""
    return Counter(
        (step.technique, step.rating, frozenset(step.placements), frozenset(step.eliminations)) for step in steps
    )


def test_every_step_is_one_of_the_native_grader(native: Explainer) -> None:
    for puzzle, walk in zip(PUZZLES, walks(), strict=True):
        path = native.path(puzzle)
        assert len(path) == len(walk.steps)
        start = 0
        for number, steps in enumerate(walk.rounds):
            theirs = path[start : start + len(steps)]
            assert as_sets(theirs) == as_sets(steps), f"{to_lines(puzzle[None])}, round {number}"
            start += len(steps)


def test_every_figure_is_that_of_the_native_grader(native: Explainer) -> None:
    ours, theirs = grades(), native.grade(PUZZLES)
    np.testing.assert_array_equal(ours.rating, theirs.rating)
    np.testing.assert_array_equal(ours.steps, theirs.steps)
    assert ours.hardest == theirs.hardest
    assert [dict(used) for used in ours.techniques] == [dict(used) for used in theirs.techniques]
    for name, figures in ours.extras.items():
        np.testing.assert_array_equal(figures, theirs.extras[name], err_msg=name)


def test_what_it_gives_up_is_rated_higher(native: Explainer, minimal_puzzles: Grids) -> None:
    puzzles = np.ascontiguousarray(minimal_puzzles[:60])
    ours, theirs = GRADER.grade(puzzles), native.grade(puzzles)
    gave_up = ours.status == GradeStatus.GAVE_UP
    assert 10 < gave_up.sum() < 50
    np.testing.assert_array_equal(gave_up, theirs.rating > 3.4)
    assert (ours.rating[gave_up] == BEYOND).all()
    np.testing.assert_array_equal(ours.rating[~gave_up], theirs.rating[~gave_up])
    assert [ours.hardest[row] for row in np.flatnonzero(gave_up)] == [None] * gave_up.sum()


# --- what it promises by itself --------------------------------------------------------------------------


def test_nothing_changes_when_a_puzzle_is_turned_or_relabelled() -> None:
    some = np.ascontiguousarray(PUZZLES[::6])
    images = draw(Streams(position_seeds(3, np.arange(len(some))))).apply(some)
    ours, theirs = GRADER.grade(some), GRADER.grade(images)
    np.testing.assert_array_equal(ours.rating, theirs.rating)
    np.testing.assert_array_equal(ours.steps, theirs.steps)
    assert ours.techniques == theirs.techniques
    assert ours.hardest == theirs.hardest
    for name, figures in ours.extras.items():
        np.testing.assert_array_equal(figures, theirs.extras[name], err_msg=name)


def test_every_step_is_right_and_the_path_ends_at_the_solution() -> None:
    some = np.ascontiguousarray(PUZZLES[::3])
    solutions = load_registry().solver("exact-cover").solve(some).solutions
    for puzzle, solution in zip(some, solutions, strict=True):
        filled = puzzle.copy()
        for step in GRADER.path(puzzle):
            assert all(solution[cell] != digit for cell, digit in step.eliminations)
            for cell, digit in step.placements:
                filled[cell] = digit
        np.testing.assert_array_equal(filled, solution)


@pytest.mark.cases("grade", ids=["C043", "C044", "C048"])
def test_cases(case: dict[str, Any]) -> None:
    grid = from_lines([case["input"]["grid"]])
    result = GRADER.grade(grid.repeat(3, axis=0))
    assert result.status.tolist() == [GradeStatus.GRADED] * 3
    assert result.rating.tolist() == [case["expect"]["er"]] * 3
    for figure in {"ep", "ed"} & case["expect"].keys():
        assert result.extras[figure][0] == case["expect"][figure]
    if "hardest" in case["expect"]:
        assert result.hardest[0] == case["expect"]["hardest"].replace(" ", "-").lower()


def test_what_is_no_puzzle_has_its_status_also_where_no_step_is_found() -> None:
    table, grids = known_grids(hard=True)
    status = dict(zip((known.what for known in table), GRADER.grade(grids).status.tolist(), strict=True))
    assert status["the empty grid"] == GradeStatus.NOT_UNIQUE
    assert status["a grid with one clue"] == GradeStatus.NOT_UNIQUE
    assert status["a grid with 22 clues that has no solution"] == GradeStatus.NO_SOLUTION
    assert status["a minimal puzzle with 22 clues"] == GradeStatus.GAVE_UP


def test_a_search_that_gives_up_leaves_a_lower_bound() -> None:
    table, grids = known_grids(hard=True)
    (empty,) = (row for row, known in enumerate(table) if known.what == "the empty grid")
    result = SinglesAndPairs(SinglesAndPairsOptions(max_nodes=5)).grade(grids[empty : empty + 1])
    assert result.status.tolist() == [GradeStatus.GAVE_UP]
    assert result.rating.tolist() == [BEYOND]


@pytest.mark.parametrize("ceiling", [1.2, 2.0, 2.8, 3.4, 6.0])
def test_a_ceiling_keeps_what_is_not_above(ceiling: float) -> None:
    rows = np.arange(0, len(PUZZLES), 12)
    result = SinglesAndPairs(SinglesAndPairsOptions(ceiling=ceiling)).grade(np.ascontiguousarray(PUZZLES[rows]))
    full = grades().rating[rows]
    above = result.status == GradeStatus.ABOVE
    np.testing.assert_array_equal(above, full > ceiling)
    np.testing.assert_array_equal(result.rating[~above], full[~above])
    assert ((result.rating[above] > ceiling) & (result.rating[above] <= full[above])).all()
    assert (result.steps[above] < grades().steps[rows][above]).all()


def test_the_ceiling_of_what_it_cannot_solve() -> None:
    table, grids = known_grids(hard=True)
    row = [known.what for known in table].index("a minimal puzzle with 22 clues")
    for ceiling, status in ((3.4, GradeStatus.ABOVE), (3.6, GradeStatus.GAVE_UP)):
        result = SinglesAndPairs(SinglesAndPairsOptions(ceiling=ceiling)).grade(grids[row : row + 1])
        assert (result.status.tolist(), result.rating.tolist()) == ([status], [BEYOND])


def test_what_is_no_batch_is_refused() -> None:
    with pytest.raises(BatchShapeError):
        GRADER.path(PUZZLES)
    with pytest.raises(BatchShapeError):
        GRADER.grade(PUZZLES[0])


def test_figures_of_a_short_way() -> None:
    final = from_lines(["826495173759213864134786925978562341312974658645138792467851239291347586583629417"])[0]
    puzzle = final.copy()
    puzzle[[0, 40]] = 0
    result = GRADER.grade(puzzle[None])
    assert result.extras == {"er": [1.0], "ep": [1.0], "ed": [1.0], "rating_sum": [2.0], "bottleneck": [2.0]}
    assert result.techniques == [{"hidden-single-last": 2}]
    assert GRADER.path(puzzle) == (
        Step("hidden-single-last", 1.0, (0,), (8,), placements=((0, 8),)),
        Step("hidden-single-last", 1.0, (40,), (7,), placements=((40, 7),)),
    )
