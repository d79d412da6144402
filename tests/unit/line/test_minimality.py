"""Whether puzzles are minimal is asked of any solver, and no faulty one is believed in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import MinimalityTester, Solver
from sudokumill.grids.batch import Grids
from sudokumill.minimality import are_minimal, minimal_by_counts
from sudokumill.registry import Registry


class Answers:
    """Solver native, with answers of its own about minimal puzzles; remembers how many it was asked about."""

    def __init__(self, solver: Solver, answer: Any) -> None:
        self.solve = solver.solve
        self.answer = answer
        self.asked = 0

    def minimal(self, puzzles: Grids, solutions: Grids) -> Any:
        assert not puzzles.flags.writeable
        assert not solutions.flags.writeable
        self.asked += len(puzzles)
        return self.answer(puzzles)


@pytest.fixture
def puzzles(minimal_puzzles: Grids, thirty_clue_puzzles: Grids) -> Grids:
    """30 that are minimal, and 10 that are not."""
    return np.concatenate([minimal_puzzles[:30], thirty_clue_puzzles[:10]])


@pytest.fixture
def solutions(puzzles: Grids, registry: Registry) -> Grids:
    return registry.solver("native").solve(puzzles).solutions


def test_one_that_says_it_is_asked(registry: Registry, puzzles: Grids, solutions: Grids) -> None:
    native = registry.solver("native")
    assert isinstance(native, MinimalityTester)
    expected = [1] * 30 + [0] * 10
    assert minimal_by_counts(native, puzzles).tolist() == expected
    assert are_minimal(native, puzzles, solutions).tolist() == expected
    tester = Answers(native, lambda grids: (grids > 0).sum(axis=1) < 30)
    answers = are_minimal(tester, puzzles, solutions)  # type: ignore[arg-type]
    assert answers.dtype == np.int8
    assert answers.tolist() == expected
    assert tester.asked == 40


def test_any_other_one_counts(registry: Registry, puzzles: Grids, solutions: Grids) -> None:
    for solver in (registry.solver("exact-cover"), registry.solver("native", max_nodes=10_000)):
        assert not isinstance(solver, MinimalityTester)
        assert are_minimal(solver, puzzles, solutions).tolist() == [1] * 30 + [0] * 10


def test_a_row_for_which_it_raises_is_counted(registry: Registry, puzzles: Grids, solutions: Grids) -> None:
    bad = puzzles[35]

    def answer(grids: Grids) -> Any:
        if (grids == bad).all(axis=1).any():
            raise RuntimeError("not that one")
        return np.ones(len(grids), dtype=np.bool_)

    tester = Answers(registry.solver("native"), answer)
    expected = np.ones(40, dtype=np.int8)
    expected[35] = 0
    np.testing.assert_array_equal(are_minimal(tester, puzzles, solutions), expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "answer",
    [
        lambda grids: None,
        lambda grids: [True] * len(grids),
        lambda grids: np.ones(len(grids), dtype=np.int8),
        lambda grids: np.ones(len(grids) + 1, dtype=np.bool_),
        lambda grids: np.ones((len(grids), 1), dtype=np.bool_),
    ],
)
def test_what_breaks_the_contract_is_not_believed(
    registry: Registry, puzzles: Grids, solutions: Grids, answer: Any
) -> None:
    tester = Answers(registry.solver("native"), answer)
    assert are_minimal(tester, puzzles, solutions).tolist() == [1] * 30 + [0] * 10  # type: ignore[arg-type]


def test_no_rows(registry: Registry) -> None:
    none = np.zeros((0, 81), dtype=np.uint8)
    assert are_minimal(registry.solver("native"), none, none).shape == (0,)
    assert minimal_by_counts(registry.solver("native"), none).shape == (0,)
