"""What every solver promises. One that has a node budget by default may give up, but must then say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import SolveResult, SolveStatus
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.clashes import have_clashes
from sudokumill.registry import Implementation, Registry
from sudokumill.streams import position_seeds
from sudokumill.testing import check_solver

STATUSES = {
    "unique": SolveStatus.UNIQUE,
    "clash": SolveStatus.CLASH,
    "several": SolveStatus.SEVERAL,
    "no solution": SolveStatus.NO_SOLUTION,
}

EASY_ROWS_OF_C020 = {1, 2, 6}
"""A clash, 75 clues with two solutions, a final: no solver may give up on these."""

FEW_NODES = 100_000
"""A budget for hard grids, so that a solver that is to give up on them does it soon."""


def _hard_grid_options(solver: Implementation, unbounded: bool) -> Mapping[str, int]:
    return {} if unbounded else {"max_nodes": FEW_NODES}


def _gave_up(result: SolveResult, row: int, unbounded: bool) -> bool:
    """Whether the solver gave up on a row, which only one with a budget may."""
    gave_up = bool(result.status[row] == SolveStatus.GAVE_UP)
    assert not (gave_up and unbounded)
    return gave_up


def test_it_keeps_the_contract(solver: Implementation, unbounded: bool, budget: Mapping[str, int]) -> None:
    check_solver(solver, hard=unbounded, budget={"max_nodes": 10} if budget else None)


def test_a_count_at_its_limit_claims_no_more(
    solver: Implementation, unbounded: bool, registry: Registry, cases: Mapping[str, dict[str, Any]]
) -> None:
    case = cases["C019"]
    grid = from_lines([case["input"]["grid"]])
    built = registry.solver(solver.name, **_hard_grid_options(solver, unbounded))
    for run in case["expect"]["runs"]:
        result = built.solve(grid, limit=run["limit"])
        if _gave_up(result, 0, unbounded):
            assert result.counts[0] <= run["count"]
            continue
        assert result.counts[0] == run["count"]
        expected = SolveStatus.SOLVABLE if run["limit"] == 1 else SolveStatus.SEVERAL
        assert result.status[0] == expected


def test_one_bad_row_does_not_shift_the_others(
    solver: Implementation, unbounded: bool, registry: Registry, cases: Mapping[str, dict[str, Any]]
) -> None:
    case = cases["C020"]
    grids = from_lines(case["input"]["grids"])
    built = registry.solver(solver.name, **_hard_grid_options(solver, unbounded))
    result = built.solve(grids, limit=case["input"]["limit"])
    decided: set[int] = set()
    for row, expect in enumerate(case["expect"]["rows"]):
        if _gave_up(result, row, unbounded):
            assert result.counts[row] <= expect["count"]
            continue
        decided.add(row)
        assert result.counts[row] == expect["count"]
        assert result.status[row] == STATUSES[expect["status"]]
        if "solution" in expect:
            np.testing.assert_array_equal(result.solutions[row], from_lines([expect["solution"]])[0])
    assert decided >= (set(range(len(grids))) if unbounded else EASY_ROWS_OF_C020)
    for row in range(len(grids)):
        single = built.solve(grids[row : row + 1], limit=case["input"]["limit"])
        for part in ("counts", "solutions", "nodes", "status"):
            np.testing.assert_array_equal(getattr(single, part)[0], getattr(result, part)[row])


def test_giving_up_is_no_exact_count(
    solver: Implementation, budget: Mapping[str, int], registry: Registry, cases: Mapping[str, dict[str, Any]]
) -> None:
    if not budget:
        pytest.skip("it has no node budget")
    case = cases["C021"]["input"]
    assert case["max_nodes"] == budget["max_nodes"]
    result = registry.solver(solver.name, **budget).solve(from_lines([case["grid"]]), limit=case["limit"])
    assert result.status.tolist() == [SolveStatus.GAVE_UP]
    assert result.nodes[0] <= case["max_nodes"]
    assert result.counts[0] < case["limit"]


@pytest.fixture(scope="module")
def easy(registry: Registry) -> tuple[Grids, Grids]:
    """Puzzles with 45 clues and their finals; a few hundred placements for plain backtracking."""
    seeds = position_seeds(3, np.arange(30))
    finals = registry.generator("native").generate(seeds).finals
    puzzles = registry.digger("native", clues=45).dig(finals, seeds).puzzles
    assert (np.count_nonzero(puzzles, axis=1) == 45).all()
    return puzzles, finals


def test_all_solvers_agree_on_puzzles(
    solver: Implementation, registry: Registry, easy: tuple[Grids, Grids]
) -> None:
    puzzles, finals = easy
    result = registry.solver(solver.name).solve(puzzles)
    assert (result.status == SolveStatus.UNIQUE).all()
    assert (result.counts == 1).all()
    np.testing.assert_array_equal(result.solutions, finals)


def test_all_solvers_agree_on_counts(
    solver: Implementation, registry: Registry, easy: tuple[Grids, Grids]
) -> None:
    _, finals = easy
    # without three of the digits: 6 solutions at least, often dozens, with 54 clues
    grids = np.where(finals > 3, finals, 0).astype(np.uint8)
    result = registry.solver(solver.name).solve(grids, limit=10_000)
    expected = registry.solver("exact-cover" if solver.name == "native" else "native").solve(grids, limit=10_000)
    assert result.counts.min() >= 6
    np.testing.assert_array_equal(result.counts, expected.counts)
    np.testing.assert_array_equal(result.status, expected.status)


def test_all_solvers_agree_on_wrong_clues(
    solver: Implementation, registry: Registry, easy: tuple[Grids, Grids]
) -> None:
    puzzles, finals = easy
    wrong = puzzles.copy()
    for row in range(len(wrong)):  # one blank gets another digit than the final's, without a clash
        for cell in np.flatnonzero(wrong[row] == 0):
            for digit in range(1, 10):
                wrong[row, cell] = digit
                if digit != finals[row, cell] and not have_clashes(wrong[row : row + 1])[0]:
                    break
            else:
                wrong[row, cell] = 0
                continue
            break
    result = registry.solver(solver.name).solve(wrong)
    changed = (wrong != puzzles).any(axis=1)
    assert changed.sum() > 20
    assert (result.status[changed] == SolveStatus.NO_SOLUTION).all()
    assert not result.solutions[changed].any()
