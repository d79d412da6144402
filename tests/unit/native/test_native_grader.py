"""Grader ``explainer``: what it says of puzzles, and what it does not depend on."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudokumill.contracts import Explainer, GradeResult, GradeStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import UNITS, Grids, from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Streams, position_seeds
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import (
    ExplainerOptions,
    NativeDiggerOptions,
    NativeGeneratorOptions,
    SearchOptions,
)
from sudokumill_native.solvers import ExactCoverSolver
from sudokumill_native.techniques import TECHNIQUES

Cases = Mapping[str, dict[str, Any]]

GRADER = ExplainerGrader(ExplainerOptions())


@pytest.fixture(scope="module")
def graded(minimal_puzzles: Grids) -> GradeResult:
    return GRADER.grade(minimal_puzzles)


def check_equal(one: GradeResult, other: GradeResult) -> None:
    """Nothing that is said differs."""
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_array_equal(one.rating, other.rating)
    np.testing.assert_array_equal(one.steps, other.steps)
    assert one.hardest == other.hardest
    assert one.techniques == other.techniques
    assert one.extras.keys() == other.extras.keys()
    for name in one.extras:
        np.testing.assert_array_equal(one.extras[name], other.extras[name], err_msg=name)


def rows_of(result: GradeResult, rows: NDArray[np.intp]) -> GradeResult:
    return GradeResult(
        rating=result.rating[rows],
        hardest=[result.hardest[row] for row in rows],
        techniques=[result.techniques[row] for row in rows],
        steps=result.steps[rows],
        status=result.status[rows],
        extras={name: figures[rows] for name, figures in result.extras.items()},
    )


def test_the_kernel_has_these_techniques() -> None:
    assert [(one.code, round(one.rating * 10)) for one in TECHNIQUES] == list(_kernel.techniques)
    assert len({one.code for one in TECHNIQUES}) == len(TECHNIQUES)


def test_it_shows_its_way() -> None:
    assert isinstance(GRADER, Explainer)


@pytest.mark.parametrize("name", ["C043", "C044"])
def test_known_puzzles(name: str, cases: Cases) -> None:
    case = cases[name]
    result = GRADER.grade(from_lines([case["input"]["grid"]]))
    expected = case["expect"]
    assert [result.extras[which][0] for which in ("er", "ep", "ed")] == [
        expected["er"],
        expected["ep"],
        expected["ed"],
    ]
    assert result.hardest == [expected["hardest"].lower().replace(" ", "-")]


def test_clue_counts_do_not_make_it_hard(cases: Cases) -> None:
    case = cases["C046"]
    result = GRADER.grade(from_lines(case["input"]["grids"]))
    assert result.rating.tolist() == [row["er"] for row in case["expect"]["rows"]]


def test_what_is_no_puzzle_is_told_apart(cases: Cases) -> None:
    result = GRADER.grade(from_lines(cases["C047"]["input"]["grids"]))
    statuses = [GradeStatus.NOT_UNIQUE, GradeStatus.NO_SOLUTION, GradeStatus.CLASH, GradeStatus.COMPLETE]
    assert result.status.tolist() == statuses
    assert np.isnan(result.rating).all()
    assert result.hardest == [None] * 4
    assert result.techniques == [{}] * 4
    assert result.steps.tolist() == [0] * 4
    for figures in result.extras.values():
        assert np.isnan(figures).all()
    assert [GRADER.path(grid) for grid in from_lines(cases["C047"]["input"]["grids"])] == [()] * 4


def test_numbers_above_nine_are_a_clash(minimal_puzzles: Grids) -> None:
    grids = minimal_puzzles[:2].copy()
    grids[0, 40] = 10
    assert GRADER.grade(grids).status.tolist() == [GradeStatus.CLASH, GradeStatus.GRADED]


def test_one_is_as_in_a_batch(minimal_puzzles: Grids, graded: GradeResult, cases: Cases) -> None:
    known = from_lines([cases["C048"]["input"]["grid"]])
    assert GRADER.grade(known).rating.tolist() == [cases["C048"]["expect"]["er"]]
    for row in range(0, len(minimal_puzzles), 20):
        where = np.array([row], dtype=np.intp)
        check_equal(GRADER.grade(minimal_puzzles[row : row + 1]), rows_of(graded, where))


def test_order_does_not_matter(minimal_puzzles: Grids, graded: GradeResult) -> None:
    order = np.random.default_rng(5).permutation(len(minimal_puzzles))
    check_equal(GRADER.grade(np.ascontiguousarray(minimal_puzzles[order])), rows_of(graded, order))


def test_threads_do_not_matter(minimal_puzzles: Grids, graded: GradeResult) -> None:
    check_equal(ExplainerGrader(ExplainerOptions(), threads=3).grade(minimal_puzzles), graded)
    with pytest.raises(ValueError, match="threads"):
        ExplainerGrader(ExplainerOptions(), threads=0).grade(minimal_puzzles[:1])


@pytest.mark.parametrize("build", _kernel.builds)
def test_builds_do_not_matter(build: str, minimal_puzzles: Grids, graded: GradeResult) -> None:
    some = np.arange(100)
    check_equal(ExplainerGrader(ExplainerOptions(), build).grade(minimal_puzzles[:100]), rows_of(graded, some))


def test_no_puzzles() -> None:
    result = GRADER.grade(np.zeros((0, 81), dtype=np.uint8))
    assert (len(result.rating), result.hardest, result.techniques) == (0, [], [])


def test_what_is_no_batch_is_refused(minimal_puzzles: Grids) -> None:
    with pytest.raises(BatchShapeError):
        GRADER.grade(minimal_puzzles[:, :80])
    with pytest.raises(BatchShapeError):
        GRADER.path(minimal_puzzles[0, :80])
    with pytest.raises(BatchShapeError):
        GRADER.path(minimal_puzzles[:2])


@settings(max_examples=2)
@given(seed=st.integers(0, 2**32))
def test_isomorphs_are_graded_alike(seed: int, minimal_puzzles: Grids, graded: GradeResult) -> None:
    isomorphisms = draw(Streams(position_seeds(seed, np.arange(len(minimal_puzzles)))))
    check_equal(GRADER.grade(isomorphisms.apply(minimal_puzzles)), graded)


def test_hard_isomorphs_are_graded_alike(cases: Cases) -> None:
    puzzles = np.repeat(from_lines([cases["C045"]["input"]["grid"]]), 6, axis=0)
    isomorphisms = draw(Streams(position_seeds(3, np.arange(len(puzzles)))))
    first = GRADER.grade(puzzles)
    check_equal(GRADER.grade(isomorphisms.apply(puzzles)), first)
    assert first.rating[0] == pytest.approx(cases["C045"]["expect"]["er"], abs=0.15)


def check_path(puzzle: NDArray[np.uint8], solution: NDArray[np.uint8]) -> Counter[str]:
    """Follows the path on a grid of candidates of its own: each step is right, and the last cell is filled."""
    values = puzzle.copy()
    used: Counter[str] = Counter()
    for step in GRADER.path(puzzle):
        used[step.technique] += 1
        assert step.placements or step.eliminations
        assert list(step.cells) == sorted(step.cells)
        assert set(step.digits) <= set(range(1, 10))
        for cell, digit in step.placements:
            assert solution[cell] == digit, step
            values[cell] = digit
        for cell, digit in step.eliminations:
            assert solution[cell] != digit, step
            assert puzzle[cell] == 0, step
    assert np.array_equal(values, solution)
    return used


def test_the_path_solves_and_is_what_was_graded(minimal_puzzles: Grids, graded: GradeResult) -> None:
    solutions = ExactCoverSolver(SearchOptions()).solve(minimal_puzzles).solutions
    for row in range(len(minimal_puzzles)):
        used = check_path(minimal_puzzles[row], solutions[row])
        assert used == graded.techniques[row]
        assert sum(used.values()) == graded.steps[row]


def test_the_figures_are_those_of_the_path(minimal_puzzles: Grids, graded: GradeResult) -> None:
    least = {one.code: one.rating for one in TECHNIQUES}
    for row in range(0, len(minimal_puzzles), 10):
        steps = GRADER.path(minimal_puzzles[row])
        ratings = [step.rating for step in steps]
        first = next(number for number, step in enumerate(steps) if step.placements)
        assert all(step.rating >= least[step.technique] for step in steps)
        assert graded.rating[row] == graded.extras["er"][row] == max(ratings)
        assert graded.extras["ed"][row] == ratings[0]
        assert graded.extras["ep"][row] == max(ratings[: first + 1])
        assert graded.extras["rating_sum"][row] == pytest.approx(sum(ratings))
        hardest = next(step.technique for step in steps if step.rating == max(ratings))
        assert least[hardest] <= max(ratings)
        assert graded.hardest[row] in {step.technique for step in steps if step.rating == max(ratings)}


def test_a_hint_needs_no_search_to_be_checked(minimal_puzzles: Grids) -> None:
    """A hidden single is the only place of its digit in a region, by what stands and what was ruled out."""
    checked = 0
    for puzzle in minimal_puzzles[:100]:
        possible = np.ones((81, 10), dtype=np.bool_)
        values = puzzle.copy()
        for step in GRADER.path(puzzle):
            for cell, digit in step.eliminations:
                possible[cell, digit] = False
            if step.technique in ("hidden-single-box", "hidden-single-line"):
                ((cell, digit),) = step.placements
                allowed = [
                    bool(possible[other, digit]) and (other == cell or values[other] == 0) for other in range(81)
                ]
                for unit in UNITS:
                    if digit in values[unit]:
                        for other in unit:
                            allowed[other] = allowed[other] and other == cell
                assert any(
                    [other for other in unit if allowed[other]] == [cell] for unit in UNITS if cell in unit
                ), step
                checked += 1
            for cell, digit in step.placements:
                values[cell] = digit
    assert checked > 1_000


def test_the_bottleneck_of_easy_and_hard(minimal_puzzles: Grids, graded: GradeResult) -> None:
    bottleneck = graded.extras["bottleneck"]
    assert (bottleneck >= 1).all()
    assert (bottleneck <= 81 - (minimal_puzzles > 0).sum(axis=1)).all()
    assert bottleneck[graded.rating <= 1.5].mean() > bottleneck[graded.rating >= 7].mean()
    # a last cell is one to choose from
    final = ExactCoverSolver(SearchOptions()).solve(minimal_puzzles[:1]).solutions
    final[0, 30] = 0
    only = GRADER.grade(final)
    assert (only.extras["bottleneck"].tolist(), only.steps.tolist()) == ([1], [1])
    assert only.techniques == [{"hidden-single-last": 1}]


@pytest.mark.parametrize("ceiling", [1.2, 1.5, 2.0, 4.3, 6.6, 7.5])
def test_a_ceiling_changes_nothing_below(ceiling: float, minimal_puzzles: Grids, graded: GradeResult) -> None:
    result = ExplainerGrader(ExplainerOptions(ceiling=ceiling)).grade(minimal_puzzles)
    below = np.flatnonzero(graded.rating <= ceiling)
    above = graded.rating > ceiling
    check_equal(rows_of(result, below), rows_of(graded, below))
    assert (result.status[above] == GradeStatus.ABOVE).all()
    assert (result.rating[above] > ceiling).all()
    assert (result.rating[above] <= graded.rating[above]).all()
    assert (result.steps[above] < graded.steps[above]).all()


def test_a_small_budget_gives_a_lower_bound(minimal_puzzles: Grids, graded: GradeResult) -> None:
    grader = ExplainerGrader(ExplainerOptions(effort=1))
    result = grader.grade(minimal_puzzles)
    gave_up = result.status == GradeStatus.GAVE_UP
    assert (gave_up | (result.status == GradeStatus.GRADED)).all()
    check_equal(rows_of(result, np.flatnonzero(~gave_up)), rows_of(graded, np.flatnonzero(~gave_up)))
    assert gave_up[graded.rating >= 8.5].all()
    assert not gave_up[graded.rating <= 6.2].any()
    assert (result.rating[gave_up] >= 6.5).all()
    assert (result.rating[gave_up] <= graded.rating[gave_up]).all()
    row = int(np.flatnonzero(gave_up)[0])
    assert len(grader.path(minimal_puzzles[row])) == result.steps[row]


def test_a_budget_runs_out_for_all_isomorphs_or_none(minimal_puzzles: Grids, graded: GradeResult) -> None:
    hard = np.ascontiguousarray(minimal_puzzles[graded.rating >= 7.6])
    grader = ExplainerGrader(ExplainerOptions(effort=2_000))
    isomorphisms = draw(Streams(position_seeds(8, np.arange(len(hard)))))
    check_equal(grader.grade(isomorphisms.apply(hard)), grader.grade(hard))


@pytest.mark.parametrize("symmetry", ["rot180", "diagonal"])
def test_puzzles_that_are_their_own_image(symmetry: str) -> None:
    seeds = np.arange(50, dtype=np.uint64)
    finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals
    puzzles = NativeDigger(NativeDiggerOptions.model_validate({"symmetry": symmetry})).dig(finals, seeds).puzzles
    isomorphisms = draw(Streams(position_seeds(1, np.arange(len(puzzles)))))
    check_equal(GRADER.grade(isomorphisms.apply(puzzles)), GRADER.grade(puzzles))


def test_hash_seeds_and_processes_do_not_matter(cases: Cases) -> None:
    grid = cases["C048"]["input"]["grid"]
    program = (
        "from sudokumill.grids.batch import from_lines; from sudokumill_native.grader import ExplainerGrader;"
        "from sudokumill_native.options import ExplainerOptions;"
        f"grader = ExplainerGrader(ExplainerOptions()); grids = from_lines([{grid!r}]);"
        "print(grader.grade(grids), grader.path(grids[0]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
