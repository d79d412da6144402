from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import DigStatus, Solver, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.cell_orders import Order, cells_in_order
from sudokumill.grids.description import describe
from sudokumill.grids.symmetries import Symmetry, orbits, symmetries
from sudokumill.registry import load_registry
from sudokumill.streams import position_seeds
from sudokumill_classic.dfs import Dfs
from sudokumill_classic.holes import Holes
from sudokumill_classic.matrix_transform import MatrixTransform
from sudokumill_classic.options import BacktrackingOptions, HolesOptions, MatrixTransformOptions


@pytest.fixture(scope="module")
def solver() -> Solver:
    return load_registry().solver("native")


@pytest.fixture(scope="module")
def checker() -> Solver:
    return load_registry().solver("exact-cover")


def _finals(count: int) -> Grids:
    return MatrixTransform(MatrixTransformOptions()).generate(position_seeds(11, np.arange(count))).finals


def _assert_sound(puzzles: Grids, finals: Grids, checker: Solver) -> None:
    assert ((puzzles == 0) | (puzzles == finals)).all()
    result = checker.solve(puzzles)
    assert (result.status == SolveStatus.UNIQUE).all()
    np.testing.assert_array_equal(result.solutions, finals)


def _are_minimal(puzzles: Grids, checker: Solver) -> list[bool]:
    answers = []
    for puzzle in puzzles:
        clues = np.flatnonzero(puzzle)
        fewer = np.tile(puzzle, (len(clues), 1))
        fewer[np.arange(len(clues)), clues] = 0
        answers.append(bool((checker.solve(fewer).counts == 2).all()))
    return answers


def _dig_one_by_one(
    final: Grids, order: Order, symmetry: Symmetry, line_min: int, aim: int, checker: Solver
) -> list[int]:
    """The method without lockstep and without trial digits: blank the orbit, count solutions, or put it back."""
    rank = {cell: place for place, cell in enumerate(cells_in_order(order))}
    puzzle = final.copy()
    for orbit in sorted(orbits(symmetry), key=lambda orbit: min(rank[cell] for cell in orbit)):
        fewer = puzzle.copy()
        fewer[list(orbit)] = 0
        lines = (fewer > 0).reshape(9, 9)
        enough = min(lines.sum(axis=0).min(), lines.sum(axis=1).min()) >= line_min
        if np.count_nonzero(fewer) >= aim and enough and checker.solve(fewer[None, :]).counts[0] == 1:
            puzzle = fewer
    clues: list[int] = puzzle.tolist()
    return clues


@pytest.mark.parametrize("order", [Order.JUMP, Order.SNAKE, Order.ROWS])
@pytest.mark.parametrize(
    ("symmetry", "line_min", "clues"),
    [
        (Symmetry.NONE, 0, 17),
        (Symmetry.NONE, 0, 33),
        (Symmetry.NONE, 2, 22),
        (Symmetry.ROT90, 0, None),
        (Symmetry.DIAGONAL, 1, None),
        (Symmetry.FULL, 0, None),
    ],
)
def test_it_digs_what_the_method_says(
    order: Order, symmetry: Symmetry, line_min: int, clues: int | None, solver: Solver, checker: Solver
) -> None:
    finals = _finals(6)
    options = HolesOptions(
        clues=clues, minimal=clues is None, order=order, symmetry=symmetry, row_min=line_min, column_min=line_min
    )
    result = Holes(options, solver).dig(finals, position_seeds(1, np.arange(6)))
    expected = [_dig_one_by_one(final, order, symmetry, line_min, clues or 0, checker) for final in finals]
    assert result.puzzles.tolist() == expected


@pytest.mark.parametrize("order", Order)
def test_default_puzzles_are_sound_and_have_22_to_30_clues(order: Order, solver: Solver, checker: Solver) -> None:
    finals = _finals(100)
    result = Holes(HolesOptions(order=order), solver).dig(finals, position_seeds(2, np.arange(100)))
    _assert_sound(result.puzzles, finals, checker)
    clues = np.count_nonzero(result.puzzles, axis=1)
    dug = result.status == DigStatus.DUG
    np.testing.assert_array_equal(dug, (clues >= 22) & (clues <= 30))
    assert dug.mean() > 0.95


def test_clue_counts_are_drawn_from_the_whole_range(solver: Solver) -> None:
    options = HolesOptions(clues_min=32, clues_max=36)
    result = Holes(options, solver).dig(_finals(500), position_seeds(3, np.arange(500)))
    assert (result.status == DigStatus.DUG).all()
    counts = np.bincount(np.count_nonzero(result.puzzles, axis=1), minlength=37)
    assert counts[:32].sum() == 0
    assert (counts[32:] >= 70).all()


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_levels_are_those_of_the_paper(level: int, solver: Solver, checker: Solver) -> None:
    finals = _finals(200)
    result = Holes(HolesOptions(level=level), solver).dig(finals, position_seeds(4, np.arange(200)))
    _assert_sound(result.puzzles, finals, checker)
    dug = result.status == DigStatus.DUG
    assert dug.mean() > 0.95
    assert (describe(result.puzzles[dug]).paper_level == level).all()


def test_a_level_moves_the_blank_corner_about(solver: Solver) -> None:
    finals, seeds = _finals(200), position_seeds(5, np.arange(200))
    fixed = Holes(HolesOptions(order=Order.ROWS, clues_min=22, clues_max=27), solver).dig(finals, seeds).puzzles
    level = Holes(HolesOptions(level=5), solver).dig(finals, seeds).puzzles
    blank_fixed, blank_level = (fixed == 0).mean(axis=0), (level == 0).mean(axis=0)
    assert (blank_fixed[:9] == 1).all()
    assert blank_level.min() > 0.5
    assert blank_level.max() < 0.9


def test_a_level_with_a_symmetry_keeps_it(solver: Solver, checker: Solver) -> None:
    finals = _finals(60)
    options = HolesOptions(level=4, symmetry=Symmetry.ROT180)
    result = Holes(options, solver).dig(finals, position_seeds(5, np.arange(60)))
    _assert_sound(result.puzzles, finals, checker)
    assert set(symmetries(result.puzzles)) <= {Symmetry.ROT180, Symmetry.ROT90, Symmetry.FULL}
    assert (result.status == DigStatus.DUG).sum() > 30


@pytest.mark.parametrize("symmetry", [each for each in Symmetry if each is not Symmetry.NONE])
def test_clue_cells_have_the_symmetry(symmetry: Symmetry, solver: Solver, checker: Solver) -> None:
    finals = _finals(30)
    options = HolesOptions(symmetry=symmetry, clues_min=30, clues_max=45)
    result = Holes(options, solver).dig(finals, position_seeds(6, np.arange(30)))
    _assert_sound(result.puzzles, finals, checker)
    for orbit in orbits(symmetry):
        clues = (result.puzzles[:, list(orbit)] > 0).sum(axis=1)
        assert set(clues.tolist()) <= {0, len(orbit)}


@pytest.mark.parametrize(
    ("symmetry", "order", "clues"),
    [
        (Symmetry.ROT90, Order.RANDOM, 40),
        (Symmetry.ROT90, Order.RANDOM, 41),
        (Symmetry.ROT180, Order.RANDOM, 36),
        (Symmetry.ROT180, Order.ROWS, 36),
        (Symmetry.DIAGONAL, Order.JUMP, 41),
        (Symmetry.DIAGONAL, Order.ROWS, 40),
        (Symmetry.FULL, Order.RANDOM, 57),
    ],
)
def test_a_symmetric_puzzle_hits_odd_and_even_counts(
    symmetry: Symmetry, order: Order, clues: int, solver: Solver
) -> None:
    options = HolesOptions(symmetry=symmetry, order=order, clues=clues)
    result = Holes(options, solver).dig(_finals(200), position_seeds(7, np.arange(200)))
    dug = result.status == DigStatus.DUG
    assert dug.mean() >= (1 if symmetry in {Symmetry.ROT90, Symmetry.ROT180} else 0.99)
    assert (np.count_nonzero(result.puzzles[dug], axis=1) == clues).all()


@pytest.mark.parametrize("clues", [36, 37])
def test_an_odd_clue_count_keeps_the_centre(clues: int, solver: Solver) -> None:
    options = HolesOptions(symmetry=Symmetry.ROT180, clues=clues)
    result = Holes(options, solver).dig(_finals(100), position_seeds(7, np.arange(100)))
    assert (result.status == DigStatus.DUG).all()
    assert ((result.puzzles[:, 40] > 0) == (clues % 2 == 1)).all()


def test_least_clues_of_rows_and_columns_are_kept(solver: Solver) -> None:
    options = HolesOptions(clues_min=22, clues_max=40, row_min=3, column_min=1)
    result = Holes(options, solver).dig(_finals(100), position_seeds(8, np.arange(100)))
    found = describe(result.puzzles)
    assert found.row_min.min() == 3
    assert found.column_min.min() == 1


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"order": Order.SNAKE},
        {"symmetry": Symmetry.HORIZONTAL},
        {"symmetry": Symmetry.ROT180},
        {"row_min": 2},
    ],
)
def test_minimal_means_that_no_single_clue_can_go(wish: dict[str, Any], solver: Solver, checker: Solver) -> None:
    finals = _finals(60)
    options = HolesOptions(minimal=True, clues_min=17, clues_max=40, **wish)
    result = Holes(options, solver).dig(finals, position_seeds(9, np.arange(60)))
    _assert_sound(result.puzzles, finals, checker)
    dug = result.status == DigStatus.DUG
    assert dug.tolist() == _are_minimal(result.puzzles, checker)
    if set(wish) <= {"order"}:
        assert dug.all()
    else:
        assert not dug.all()


def test_where_the_solver_gives_up_the_clues_stay(checker: Solver) -> None:
    finals = _finals(12)
    weak = Dfs(BacktrackingOptions(max_nodes=3))
    result = Holes(HolesOptions(minimal=True), weak).dig(finals, position_seeds(10, np.arange(12)))
    _assert_sound(result.puzzles, finals, checker)
    assert (result.status == DigStatus.MISSED).all()
    assert np.count_nonzero(result.puzzles) / 12 > 30


def test_dfs_digs_the_same_as_native(solver: Solver) -> None:
    finals, seeds = _finals(4), position_seeds(12, np.arange(4))
    options = HolesOptions(clues=40)
    by_dfs = Holes(options, Dfs(BacktrackingOptions(max_nodes=None))).dig(finals, seeds)
    np.testing.assert_array_equal(by_dfs.puzzles, Holes(options, solver).dig(finals, seeds).puzzles)


def test_a_batch_of_wrong_shape_raises(solver: Solver) -> None:
    digger = Holes(HolesOptions(), solver)
    with pytest.raises(BatchShapeError, match="finals must be"):
        digger.dig(_finals(2)[:, :80], position_seeds(1, np.arange(2)))
    with pytest.raises(BatchShapeError, match=r"seeds must be .* of shape \(2,\)"):
        digger.dig(_finals(2), position_seeds(1, np.arange(3)))


@pytest.mark.cases("dig", ids=["C023", "C024", "C026"])
def test_cases_of_sound_puzzles(case: dict[str, Any], solver: Solver, checker: Solver) -> None:
    given, expect = case["input"], case["expect"]
    seeds = np.array(given["seeds"], dtype=np.uint64)
    lines = given["finals"] if len(given["finals"]) > 1 else given["finals"] * len(seeds)
    finals = from_lines(lines)
    options = HolesOptions.model_validate(given["options"] | {"clues_min": 17, "clues_max": 40})
    result = Holes(options, solver).dig(finals, seeds)
    _assert_sound(result.puzzles, finals, checker)
    assert (result.status == DigStatus.DUG).all()
    if options.minimal:
        assert all(_are_minimal(result.puzzles, checker))
    if "pattern_symmetry" in expect:
        assert [each.value for each in symmetries(result.puzzles)] == [expect["pattern_symmetry"]]
    if "clues_between" in expect:
        least, most = expect["clues_between"]
        clues = np.count_nonzero(result.puzzles, axis=1)
        assert least <= clues.min()
        assert clues.max() <= most
    if "every_puzzle_keeps_at_least_one_of" in expect:
        names = expect["every_puzzle_keeps_at_least_one_of"]
        cells = [9 * int(name[1]) + int(name[3]) - 10 for name in names]
        assert (result.puzzles[:, cells] > 0).any(axis=1).all()


def test_what_is_no_final_is_refused_and_the_others_go_on(
    solver: Solver, cases: Mapping[str, dict[str, Any]]
) -> None:
    wrong, good = from_lines(cases["C025"]["input"]["finals"]), _finals(1)
    options, seeds = HolesOptions(), np.array([1, 2, 3], dtype=np.uint64)
    result = Holes(options, solver).dig(np.concatenate([wrong, good, wrong]), seeds)
    assert result.status.tolist() == [DigStatus.NOT_A_FINAL, DigStatus.DUG, DigStatus.NOT_A_FINAL]
    assert not result.puzzles[[0, 2]].any()
    np.testing.assert_array_equal(result.puzzles[1:2], Holes(options, solver).dig(good, seeds[1:2]).puzzles)


def test_a_clue_count_that_is_not_reached_is_said(
    solver: Solver, checker: Solver, cases: Mapping[str, dict[str, Any]]
) -> None:
    given = cases["C027"]["input"]
    finals = from_lines(given["finals"])
    result = Holes(HolesOptions(clues=given["options"]["clues"]), solver).dig(
        finals, np.array([3], dtype=np.uint64)
    )
    _assert_sound(result.puzzles, finals, checker)
    assert result.status.tolist() == [DigStatus.MISSED]
    assert np.count_nonzero(result.puzzles) > 17
