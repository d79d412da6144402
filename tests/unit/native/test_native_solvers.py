from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.contracts import Solver, SolveResult, SolveStatus
from sudokumill.grids.batch import PEERS, Grids, from_lines, to_lines
from sudokumill.grids.clashes import are_finals
from sudokumill_native.options import SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

KINDS: Mapping[str, Callable[[SearchOptions], Solver]] = {"native": NativeSolver, "exact-cover": ExactCoverSolver}
Cases = Mapping[str, dict[str, Any]]

EMPTY = np.zeros((1, 81), dtype=np.uint8)


@pytest.fixture(params=sorted(KINDS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def solver(name: str) -> Solver:
    return KINDS[name](SearchOptions())


def plain_solutions(grid: list[int]) -> Iterator[list[int]]:
    """All solutions by plain backtracking: the blank that fits the fewest digits gets each of them."""
    fitting = {
        cell: set(range(1, 10)) - {grid[peer] for peer in PEERS[cell]} for cell in range(81) if grid[cell] == 0
    }
    if not fitting:
        yield grid
        return
    cell = min(fitting, key=lambda blank: len(fitting[blank]))
    for digit in fitting[cell]:
        yield from plain_solutions([*grid[:cell], digit, *grid[cell + 1 :]])


def equal(one: SolveResult, other: SolveResult) -> bool:
    return all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in ("counts", "solutions", "nodes", "status")
    )


def test_every_kind_of_row_gets_its_own_answer(solver: Solver, cases: Cases) -> None:
    case = cases["C020"]
    result = solver.solve(from_lines(case["input"]["grids"]), limit=2)
    for row, expected in enumerate(case["expect"]["rows"]):
        status = SolveStatus[expected["status"].replace(" ", "_").upper()]
        assert (result.counts[row], result.status[row]) == (expected["count"], status)
        if "solution" in expected:
            assert to_lines(result.solutions[row : row + 1]) == [expected["solution"]]
        if expected["count"] == 0:
            assert not result.solutions[row].any()
            assert result.nodes[row] >= 0


def test_types_and_shapes(solver: Solver, minimal_puzzles: Grids) -> None:
    for puzzles in (minimal_puzzles[:5], minimal_puzzles[:0]):
        result = solver.solve(puzzles)
        n = len(puzzles)
        assert result.counts.dtype == np.int64
        assert result.counts.shape == (n,)
        assert result.nodes.dtype == np.int64
        assert result.nodes.shape == (n,)
        assert result.status.dtype == np.uint8
        assert result.status.shape == (n,)
        assert result.solutions.dtype == np.uint8
        assert result.solutions.shape == (n, 81)
        assert result.solutions.flags.c_contiguous
        assert result.solutions.flags.writeable


@pytest.mark.parametrize("limit", [1, 2, 25, 26, 27, 100])
def test_count_stops_at_the_limit_and_is_exact_below_it(solver: Solver, cases: Cases, limit: int) -> None:
    result = solver.solve(from_lines([cases["C019"]["input"]["grid"]]), limit=limit)
    assert result.counts[0] == min(limit, 26)
    assert result.status[0] == (SolveStatus.SOLVABLE if limit == 1 else SolveStatus.SEVERAL)


def test_first_solution_is_one_of_plain_backtracking(solver: Solver, cases: Cases) -> None:
    grid = from_lines([cases["C019"]["input"]["grid"]])
    solutions = [bytes(solution) for solution in plain_solutions(grid[0].tolist())]
    assert len(solutions) == 26
    assert solver.solve(grid).solutions.tobytes() in solutions


@pytest.fixture(scope="module")
def fewer_clues(thirty_clue_puzzles: Grids) -> Grids:
    puzzles = thirty_clue_puzzles[:32].copy()
    for row, puzzle in enumerate(puzzles):
        puzzle[np.flatnonzero(puzzle)[: row // 8]] = 0  # 0 to 3 clues fewer: some have several solutions
    return puzzles


@pytest.fixture(scope="module")
def plain_counts(fewer_clues: Grids) -> list[int]:
    return [len(list(plain_solutions(puzzle.tolist()))) for puzzle in fewer_clues]


def test_counts_of_plain_backtracking(solver: Solver, fewer_clues: Grids, plain_counts: list[int]) -> None:
    assert plain_counts.count(1) >= 8
    assert max(plain_counts) > 10
    assert solver.solve(fewer_clues, limit=1_000_000).counts.tolist() == plain_counts


def test_statuses_with_limit_one(solver: Solver, cases: Cases, minimal_puzzles: Grids) -> None:
    result = solver.solve(minimal_puzzles, limit=1)
    assert (result.status == SolveStatus.SOLVABLE).all()
    none = from_lines([cases["C020"]["input"]["grids"][3]])
    assert solver.solve(none, limit=1).status.tolist() == [SolveStatus.NO_SOLUTION]


def test_complete_grids_are_unique_without_a_guess(solver: Solver, minimal_puzzles: Grids) -> None:
    finals = solver.solve(minimal_puzzles).solutions
    assert are_finals(finals).all()
    result = solver.solve(finals)
    assert (result.status == SolveStatus.UNIQUE).all()
    assert not result.nodes.any()
    assert np.array_equal(result.solutions, finals)


@pytest.mark.parametrize("number", [10, 255])
def test_numbers_above_nine_clash(solver: Solver, number: int) -> None:
    grid = EMPTY.copy()
    grid[0, 80] = number
    result = solver.solve(grid)
    assert (result.counts[0], result.nodes[0], result.status[0]) == (0, 0, SolveStatus.CLASH)


@pytest.mark.parametrize("case", ["C013", "C014", "C015"])
def test_a_million_solutions_are_counted_at_once(solver: Solver, cases: Cases, case: str) -> None:
    result = solver.solve(from_lines([cases[case]["input"]["grid"]]), limit=1_000_000)
    assert (result.counts[0], result.status[0]) == (1_000_000, SolveStatus.SEVERAL)


def test_node_budget_ends_a_count_that_would_not_end(name: str, cases: Cases) -> None:
    case = cases["C021"]["input"]
    result = KINDS[name](SearchOptions(max_nodes=case["max_nodes"])).solve(
        from_lines([case["grid"]]), case["limit"]
    )
    assert result.status.tolist() == [SolveStatus.GAVE_UP]
    assert result.nodes[0] == case["max_nodes"]
    assert 1 < result.counts[0] < case["limit"]


def test_a_budget_that_suffices_changes_nothing(name: str, minimal_puzzles: Grids) -> None:
    free = KINDS[name](SearchOptions()).solve(minimal_puzzles)
    most = int(free.nodes.max())
    assert most > 10
    assert equal(KINDS[name](SearchOptions(max_nodes=most)).solve(minimal_puzzles), free)
    tight = KINDS[name](SearchOptions(max_nodes=most - 1)).solve(minimal_puzzles)
    assert np.array_equal(tight.status == SolveStatus.GAVE_UP, free.nodes == most)
    assert (tight.counts <= free.counts).all()


def test_a_count_at_the_limit_is_not_given_up(name: str) -> None:
    free = KINDS[name](SearchOptions()).solve(EMPTY, limit=3)
    spent = int(free.nodes[0])
    assert equal(KINDS[name](SearchOptions(max_nodes=spent)).solve(EMPTY, limit=3), free)
    tight = KINDS[name](SearchOptions(max_nodes=spent - 1)).solve(EMPTY, limit=3)
    assert (tight.counts[0], tight.status[0]) == (2, SolveStatus.GAVE_UP)


@pytest.mark.parametrize("limit", [2**63 - 1, 2**63, 10**30])
def test_a_limit_beyond_all_counts_is_none(solver: Solver, cases: Cases, limit: int) -> None:
    result = solver.solve(from_lines([cases["C019"]["input"]["grid"]]), limit=limit)
    assert (result.counts[0], result.status[0]) == (26, SolveStatus.SEVERAL)


@pytest.mark.parametrize("limit", [0, -1, -(10**30)])
def test_a_limit_below_one_is_refused(solver: Solver, limit: int) -> None:
    with pytest.raises(ValueError, match="limit must be 1 or more"):
        solver.solve(EMPTY, limit=limit)


def test_a_row_does_not_depend_on_its_batch(solver: Solver, minimal_puzzles: Grids) -> None:
    puzzles = minimal_puzzles[:120].copy()
    puzzles[::3, 40:] = 0
    puzzles[1::3, :9] = np.arange(1, 10)
    whole = solver.solve(puzzles, limit=20)
    backwards = solver.solve(np.ascontiguousarray(puzzles[::-1]), limit=20)
    for row in range(len(puzzles)):
        alone = solver.solve(puzzles[row : row + 1], limit=20)
        for field in ("counts", "solutions", "nodes", "status"):
            expected = getattr(whole, field)[row]
            assert np.array_equal(getattr(alone, field)[0], expected)
            assert np.array_equal(getattr(backwards, field)[len(puzzles) - 1 - row], expected)


def test_the_solvers_agree_on_puzzles(minimal_puzzles: Grids, thirty_clue_puzzles: Grids) -> None:
    puzzles = np.concatenate([minimal_puzzles, thirty_clue_puzzles])
    one, other = (kind(SearchOptions()).solve(puzzles) for kind in KINDS.values())
    assert (one.status == SolveStatus.UNIQUE).all()
    assert (other.status == SolveStatus.UNIQUE).all()
    assert np.array_equal(one.solutions, other.solutions)
    assert are_finals(one.solutions).all()
    assert (one.solutions == puzzles)[puzzles > 0].all()


@given(seed=st.integers(0, 2**32), changes=st.integers(1, 5))
def test_the_solvers_agree_on_spoiled_puzzles(minimal_puzzles: Grids, seed: int, changes: int) -> None:
    random = np.random.default_rng(seed)
    puzzles = minimal_puzzles[random.integers(0, len(minimal_puzzles), 50)]
    rows = np.arange(len(puzzles))
    for _ in range(changes):
        puzzles[rows, random.integers(0, 81, len(puzzles))] = random.integers(0, 10, len(puzzles))
    one, other = (kind(SearchOptions()).solve(puzzles, limit=30) for kind in KINDS.values())
    assert np.array_equal(one.counts, other.counts)
    assert np.array_equal(one.status, other.status)
    for result in (one, other):
        found = result.counts > 0
        assert are_finals(result.solutions[found]).all()
        assert (result.solutions == puzzles)[found][puzzles[found] > 0].all()


@pytest.mark.parametrize("limit", [float("inf"), 2.0, "2", None])
def test_a_limit_is_a_whole_number(solver: Solver, limit: Any) -> None:
    with pytest.raises(TypeError):
        solver.solve(EMPTY, limit=limit)
