"""What every digger promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import DiggerDescriptor, DigStatus, Role, SolverDescriptor, SolveStatus
from sudokumill.errors import RefusedOptionsError, SameCheckerError
from sudokumill.grids.batch import from_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.jobs import JobKind, Part
from sudokumill.orders import Order, specify
from sudokumill.registry import Implementation, Registry
from sudokumill.streams import position_seeds
from sudokumill.testing import check_digger

NAMES = {Part.GENERATOR: "native", Part.SOLVER: "native"}

FRAME = "111111111110000011101000101100101001100010001100101001101000101110000011111111111"

WISHES: list[dict[str, Any]] = [
    {},
    {"minimal": True},
    {"symmetry": "rot180"},
    {"clues": 34},
    {"level": 5},
    {"order": "snake", "row_min": 2},
    {"added": 3, "symmetry": "diagonal"},
]


def _knows(digger: Implementation, wish: dict[str, Any]) -> bool:
    return set(wish) <= set(digger.descriptor.options.model_fields)


def _checkers(digger: Implementation, registry: Registry) -> list[str]:
    """Solvers without a budget that the host lets check this digger, where solver native is the job's."""
    found = []
    for solver in registry.implementations(Role.SOLVER):
        names = {**NAMES, Part.DIGGER: digger.name, Part.CHECKER: solver.name}
        try:
            specify(Order(JobKind.LEVELS, 1, names), registry)
        except SameCheckerError:
            continue
        budget = solver.descriptor.options.model_fields.get("max_nodes")
        if budget is None or budget.default is None:
            found.append(solver.name)
    return found


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"minimal": True, "symmetry": "rot180"},
        {"level": 5},
        {"order": "jump", "column_min": 2},
        {"empty_cells": "r1c1"},
        {"pattern": FRAME},
        {"added": 2},
    ],
    ids=str,
)
def test_it_keeps_the_contract(digger: Implementation, wish: dict[str, Any]) -> None:
    if not _knows(digger, wish):
        pytest.skip(f"it has no option {', '.join(wish)}")
    assert isinstance(digger.descriptor, DiggerDescriptor)
    # with the solver of the kit, which is in Python, a final takes a quarter of a second
    check_digger(digger, wish, count=2 if digger.descriptor.uses_solver else 8)


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_its_puzzles_are_sound_by_other_solvers(
    digger: Implementation, wish: dict[str, Any], registry: Registry
) -> None:
    if not _knows(digger, wish):
        pytest.skip(f"it has no option {', '.join(wish)}")
    seeds = position_seeds(5, np.arange(300))
    finals = registry.generator("native").generate(seeds).finals
    result = registry.digger(digger.name, solver=registry.solver("native"), **wish).dig(finals, seeds)
    assert np.isin(result.status, [DigStatus.DUG, DigStatus.MISSED]).all()
    assert (result.status == DigStatus.DUG).any()
    assert ((result.puzzles == 0) | (result.puzzles == finals)).all()
    checkers = _checkers(digger, registry)
    assert checkers
    for name in checkers:
        solved = registry.solver(name).solve(result.puzzles)
        assert (solved.status == SolveStatus.UNIQUE).all()
        np.testing.assert_array_equal(solved.solutions, finals)


def test_what_is_no_final_does_not_stop_the_others(
    digger: Implementation, registry: Registry, cases: dict[str, dict[str, Any]]
) -> None:
    wrong = from_lines(cases["C025"]["input"]["finals"])
    good = registry.generator("native").generate(position_seeds(1, np.arange(2))).finals
    grids = np.concatenate([good[:1], wrong, good[1:]])
    assert are_finals(grids).tolist() == [True, False, True]
    dig = registry.digger(digger.name, solver=registry.solver("native")).dig
    result = dig(grids, np.array([5, 6, 7], dtype=np.uint64))
    assert result.status[1] == DigStatus.NOT_A_FINAL
    assert not result.puzzles[1].any()
    alone = dig(good, np.array([5, 7], dtype=np.uint64))
    np.testing.assert_array_equal(result.puzzles[[0, 2]], alone.puzzles)


@pytest.mark.parametrize("wish", [{"clues": 60}, {"clues_min": 41}], ids=str)
def test_a_minimal_puzzle_of_so_many_clues_is_refused(
    digger: Implementation, wish: dict[str, Any], registry: Registry
) -> None:
    if not _knows(digger, {"minimal": True, **wish}):
        pytest.skip("it has no option minimal")
    with pytest.raises(RefusedOptionsError, match="no minimal puzzle of more than 40 clues is known"):
        registry.options(digger, {"minimal": "true", **wish})


def test_an_engine_that_a_digger_names_is_one_of_a_solver(digger: Implementation, registry: Registry) -> None:
    assert isinstance(digger.descriptor, DiggerDescriptor)
    solvers = [solver.descriptor for solver in registry.implementations(Role.SOLVER)]
    engines = {solver.search for solver in solvers if isinstance(solver, SolverDescriptor)}
    assert digger.descriptor.engine is None or digger.descriptor.engine in engines
