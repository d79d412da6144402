"""Canonical forms, by the definition and by the solver that is faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokumill.contracts import Canonicaliser, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.canonical import canonical_forms, least_isomorphisms, relabelled
from sudokumill.grids.isomorphisms import draw
from sudokumill.registry import load_registry
from sudokumill.streams import Streams, position_seeds

Case = dict[str, Any]
Forms = Callable[[list[str]], Grids]

REGISTRY = load_registry()
SOLVER = REGISTRY.solver("native")

FINAL = "482716539135829647679354821953172468867495312241638975526941783314587296798263154"
TWO_SOLUTIONS = "000052000825009010407800000000001000043000198061348052000700240006910300000080061"
TWO_CLUES = "0" * 30 + "7" + "0" * 20 + "3" + "0" * 29
SOME = [FINAL, TWO_SOLUTIONS, TWO_CLUES, "0" * 81]


def solutions_of(grids: Grids) -> Grids:
    solved = SOLVER.solve(grids)
    unique = solved.status == SolveStatus.UNIQUE
    return np.ascontiguousarray(np.where(unique[:, None], solved.solutions, 0).astype(np.uint8))


@pytest.fixture(params=["definition", "native"])
def forms(request: pytest.FixtureRequest) -> Forms:
    assert isinstance(SOLVER, Canonicaliser)
    fast = SOLVER.canonical if request.param == "native" else None

    def canonical(lines: list[str]) -> Grids:
        grids = from_lines(lines)
        return canonical_forms(grids, solutions_of(grids), fast)

    return canonical


# --- cases -----------------------------------------------------------------------------------------------


@pytest.mark.cases("canonical", ids=["C050", "C051", "C052", "C053", "C054", "C055", "C056", "C057"])
def test_pairs_have_the_same_form_exactly_if_they_are_isomorphic(case: Case, forms: Forms) -> None:
    for pair in case["input"].get("pairs", [case["input"]]):
        one, other = forms([pair["a"], pair["b"]])
        assert np.array_equal(one, other) is case["expect"]["same_canonical"], pair.get("how")


@pytest.mark.cases("canonical", ids=["C054"])
def test_puzzles_of_one_final_are_parts_of_one_form(case: Case, forms: Forms) -> None:
    pair = from_lines([case["input"]["a"], case["input"]["b"]])
    finals = canonical_forms(solutions_of(pair), solutions_of(pair))
    np.testing.assert_array_equal(*finals)
    puzzles = forms([case["input"]["a"], case["input"]["b"]])
    np.testing.assert_array_equal(puzzles, np.where(puzzles, finals, 0))


@pytest.mark.cases("canonical", ids=["C058"])
@pytest.mark.timeout(20)
def test_a_final_of_many_automorphisms(case: Case, forms: Forms) -> None:
    lines = [case["input"]["grid"], *case["input"]["copies"]]
    found = forms(lines)
    assert (found == found[0]).all()
    for grid in from_lines(lines):
        assert len(least_isomorphisms(grid).cells) == case["expect"]["automorphisms"]


@pytest.mark.cases("canonical", ids=["C059"])
def test_classes_are_counted(case: Case, forms: Forms) -> None:
    first_seen: dict[bytes, int] = {}
    classes = [first_seen.setdefault(form.tobytes(), len(first_seen)) for form in forms(case["input"]["grids"])]
    assert classes == case["expect"]["classes"]
    assert len(first_seen) == case["expect"]["number_of_classes"]
    assert len(classes) - len(first_seen) == case["expect"]["duplicates"]


@pytest.mark.cases("canonical", ids=["C060"])
def test_there_are_two_keys(case: Case, forms: Forms) -> None:
    lines = [case["input"][name] for name in ("grid", "relabelled", "turned")]
    found = forms(lines)
    assert (found == found[0]).all()
    np.testing.assert_array_equal(canonical_forms(found, solutions_of(found)), found)
    same, as_same, other = relabelled(from_lines(lines))
    np.testing.assert_array_equal(same, as_same)
    assert not np.array_equal(same, other)
    np.testing.assert_array_equal(same > 0, from_lines(lines)[0] > 0)


# --- what the form is ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", SOME)
def test_the_least_form_is_an_image_and_no_image_is_less(line: str) -> None:
    grid = from_lines([line])
    (form,) = canonical_forms(grid, grid if line == FINAL else None)
    ways = least_isomorphisms(grid[0])
    np.testing.assert_array_equal(
        ways.apply(grid.repeat(len(ways.cells), axis=0)), np.tile(form, (len(ways.cells), 1))
    )
    images = relabelled(draw(Streams(position_seeds(5, np.arange(20_000)))).apply(grid.repeat(20_000, axis=0)))
    assert min(map(bytes, images)) >= bytes(form)


def test_a_final_begins_with_the_digits_in_order(forms: Forms) -> None:
    (form,) = forms([FINAL])
    assert form[:9].tolist() == list(range(1, 10))
    assert form[9:12].tolist() in ([4, 5, 6], [4, 5, 7])


@settings(max_examples=15)
@given(seed=st.integers(0, 2**64 - 1))
def test_isomorphs_have_one_form(seed: int) -> None:
    grids = from_lines(SOME)
    images = draw(Streams(np.full(len(grids), seed, dtype=np.uint64))).apply(grids)
    np.testing.assert_array_equal(
        canonical_forms(images, solutions_of(images)), canonical_forms(grids, solutions_of(grids))
    )


def test_puzzles_have_the_form_of_their_isomorphs(minimal_puzzles: Grids) -> None:
    puzzles = np.ascontiguousarray(minimal_puzzles[:20])
    images = draw(Streams(position_seeds(6, np.arange(20)))).apply(puzzles)
    found = canonical_forms(puzzles, solutions_of(puzzles))
    np.testing.assert_array_equal(canonical_forms(images, solutions_of(images)), found)
    np.testing.assert_array_equal(canonical_forms(found, solutions_of(found)), found)
    assert len(np.unique(found, axis=0)) == 20


def test_lines_that_are_alike_cost_no_time() -> None:
    # each of the 2 * 6**8 ways to place the cells of an empty grid gives the same
    assert len(least_isomorphisms(np.zeros(81, dtype=np.uint8)).cells) == 2


# --- what is refused -------------------------------------------------------------------------------------


def test_what_is_no_batch_is_refused() -> None:
    grids = from_lines([FINAL])
    with pytest.raises(BatchShapeError):
        canonical_forms(grids.astype(np.int64))
    with pytest.raises(BatchShapeError):
        canonical_forms(grids, grids[0])
    with pytest.raises(ValueError, match="got 0 for 1"):
        canonical_forms(grids, grids[:0])


def test_numbers_above_nine_are_refused() -> None:
    grids = from_lines([FINAL])
    grids[0, 7] = 10
    with pytest.raises(ValueError, match="above 9"):
        canonical_forms(grids)


@pytest.mark.parametrize("column", [0, 1], ids=["no final", "not of this grid"])
def test_a_solution_that_is_none_is_refused(column: int) -> None:
    grids = from_lines([FINAL, FINAL])
    solutions = grids.copy()
    solutions[1] = np.roll(grids[1].reshape(9, 9), column + 2, axis=1).ravel() if column else 1
    with pytest.raises(ValueError, match="row 1 of the solutions"):
        canonical_forms(grids, solutions)


@pytest.mark.parametrize("fault", ["one clue less", "one row less"])
def test_forms_of_a_plugin_that_cannot_be_right_are_refused(fault: str) -> None:
    grids = from_lines([FINAL])

    def wrong(puzzles: Grids, solutions: Grids) -> Grids:
        forms = puzzles.copy()
        forms[0, 0] = 0
        return forms if fault == "one clue less" else forms[:0]

    with pytest.raises(ValueError, match="as many clues"):
        canonical_forms(grids, grids, wrong)


def test_the_empty_batch() -> None:
    assert canonical_forms(np.zeros((0, 81), dtype=np.uint8)).shape == (0, 81)
    assert relabelled(np.zeros((0, 81), dtype=np.uint8)).shape == (0, 81)
