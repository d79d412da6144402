"""Both solvers, and the search that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.contracts import Solver, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.clashes import have_clashes
from sudokumill.streams import position_seeds
from sudokumill.testing.reference import ReferenceSolver
from sudokumill_classic.backtracking import search
from sudokumill_classic.dfs import Dfs
from sudokumill_classic.matrix_transform import TEMPLATES, MatrixTransform
from sudokumill_classic.options import BacktrackingOptions, MatrixTransformOptions, RandomBlankOptions
from sudokumill_classic.random_blank import RandomBlank

SOLVERS = [Dfs(BacktrackingOptions()), RandomBlank(RandomBlankOptions())]
NAMES = ["dfs", "random-blank"]


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
@given(
    final=st.integers(0, 7),
    blanks=st.sets(st.integers(0, 80), max_size=34),
    wrong=st.none() | st.tuples(st.integers(0, 80), st.integers(1, 9)),
    limit=st.integers(1, 4),
)
def test_counts_are_those_of_another_search(
    solver: Solver, final: int, blanks: set[int], wrong: tuple[int, int] | None, limit: int
) -> None:
    grid = TEMPLATES[final : final + 1].copy()
    grid[0, sorted(blanks)] = 0
    if wrong is not None:
        grid[0, wrong[0]] = wrong[1]
    expected = ReferenceSolver().solve(grid, limit)
    got = solver.solve(grid, limit)
    assert got.counts.tolist() == expected.counts.tolist()
    assert got.status.tolist() == expected.status.tolist()
    if got.counts[0]:
        assert not have_clashes(got.solutions).any()
        assert (got.solutions > 0).all()
        assert (got.solutions[grid > 0] == grid[grid > 0]).all()
    else:
        assert not got.solutions.any()


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_clash_starts_no_search(solver: Solver) -> None:
    grids = from_lines(["11" + "0" * 79, "0" * 80 + "1"]).copy()
    grids[1, 0] = 10
    result = solver.solve(grids)
    assert result.status.tolist() == [SolveStatus.CLASH, SolveStatus.CLASH]
    assert not result.nodes.any()
    assert not result.counts.any()
    assert not result.solutions.any()


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_final_is_its_own_solution_without_a_node(solver: Solver) -> None:
    result = solver.solve(TEMPLATES)
    assert (result.status == SolveStatus.UNIQUE).all()
    assert not result.nodes.any()
    np.testing.assert_array_equal(result.solutions, TEMPLATES)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_count_that_met_its_limit_claims_no_more(solver: Solver) -> None:
    two = from_lines(["349618572782359...651742389273895...195476238864231957527164893918523764436987125"])
    statuses = [(int(r.counts[0]), int(r.status[0])) for r in (solver.solve(two, limit) for limit in (1, 2, 3))]
    assert statuses == [(1, SolveStatus.SOLVABLE), (2, SolveStatus.SEVERAL), (2, SolveStatus.SEVERAL)]


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_wrong_calls_raise(solver: Solver) -> None:
    with pytest.raises(ValueError, match="limit must be 1 or more, got 0"):
        solver.solve(TEMPLATES, limit=0)
    with pytest.raises(BatchShapeError):
        solver.solve(TEMPLATES[:, :80])


@pytest.mark.parametrize(
    "solver",
    [Dfs(BacktrackingOptions(max_nodes=1_000)), RandomBlank(RandomBlankOptions(max_nodes=1_000))],
    ids=NAMES,
)
def test_giving_up_is_a_result(solver: Solver, cases: Mapping[str, dict[str, Any]]) -> None:
    case = cases["C021"]["input"]
    assert case["max_nodes"] == 1_000
    result = solver.solve(from_lines([case["grid"]]), limit=case["limit"])
    assert result.status.tolist() == [SolveStatus.GAVE_UP]
    assert result.nodes.tolist() == [1_000]


def test_dfs_gives_the_least_solution_and_counts_placements() -> None:
    # Four cells of two digits: r1c1 takes 1, then three cells follow; then r1c1 takes 2 and three cells follow.
    final = TEMPLATES[0].copy()
    corner = next(
        (9 * a + i, 9 * a + j, 9 * b + i, 9 * b + j)
        for a in range(9)
        for b in range(a + 1, 9)
        for i in range(9)
        for j in range(i + 1, 9)
        if final[9 * a + i] == final[9 * b + j]
        and final[9 * a + j] == final[9 * b + i]
        and (a // 3 == b // 3) != (i // 3 == j // 3)
    )
    small, large = sorted({int(final[cell]) for cell in corner})
    final[list(corner)] = [large, small, small, large]
    grid = final.copy()
    grid[list(corner)] = 0
    result = Dfs(BacktrackingOptions()).solve(grid[None, :])
    assert result.counts.tolist() == [2]
    assert result.nodes.tolist() == [8]
    final[list(corner)] = [small, large, large, small]
    np.testing.assert_array_equal(result.solutions[0], final)


def test_a_budget_counts_exactly() -> None:
    order = list(range(81))
    grid = TEMPLATES[0].tolist()
    for cell in range(30):
        grid[cell] = 0
    free = search(grid, order, 2, None)
    assert not free.gave_up
    assert search(grid, order, 2, free.nodes) == free
    short = search(grid, order, 2, free.nodes - 1)
    assert short.gave_up
    assert short.nodes == free.nodes - 1


def test_random_blank_takes_another_order_with_another_seed_and_puzzle() -> None:
    finals = MatrixTransform(MatrixTransformOptions()).generate(position_seeds(1, np.arange(20))).finals
    puzzles = finals.copy()
    puzzles[:, 10:40] = 0
    puzzles[:, 0] = 0
    results = [RandomBlank(RandomBlankOptions(seed=seed)).solve(puzzles, limit=100) for seed in (0, 1)]
    np.testing.assert_array_equal(results[0].counts, results[1].counts)
    assert (results[0].nodes != results[1].nodes).sum() >= 15
    # the same blanks under other digits are taken in another order: the node counts differ
    renamed = np.where(puzzles > 0, puzzles % 9 + 1, 0).astype(np.uint8)
    other = RandomBlank(RandomBlankOptions()).solve(renamed, limit=100)
    np.testing.assert_array_equal(results[0].counts, other.counts)
    assert (results[0].nodes != other.nodes).sum() >= 15


def test_looking_ahead_finds_the_same_with_fewer_placements() -> None:
    order = [cell * 32 % 81 for cell in range(81)]
    for template in TEMPLATES.tolist():
        grid = [digit if cell % 2 else 0 for cell, digit in enumerate(template)]
        plain, ahead = search(grid, order, 50, None), search(grid, order, 50, None, look_ahead=True)
        assert (ahead.count, ahead.solution, ahead.gave_up) == (plain.count, plain.solution, False)
        assert ahead.nodes < plain.nodes


def test_random_blank_is_done_with_thirty_clues(thirty_clue_puzzles: Grids) -> None:
    result = RandomBlank(RandomBlankOptions()).solve(thirty_clue_puzzles[:12])
    assert (result.status == SolveStatus.UNIQUE).all()
    assert np.median(result.nodes) < 20_000
