"""What every digger promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import DiggerDescriptor, DigStatus, Role, SolveStatus
from sudokumill.grids.batch import from_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.registry import Implementation, Registry
from sudokumill.streams import position_seeds
from sudokumill.testing import check_digger

WISHES: list[dict[str, Any]] = [{}, {"minimal": True}, {"symmetry": "rot180"}, {"clues": 34}, {"level": 5}]


def _knows(digger: Implementation, wish: dict[str, Any]) -> bool:
    return set(wish) <= set(digger.descriptor.options.model_fields)


def _relies_on(digger: Implementation) -> str:
    """The solver that must not check this digger: the one it is given, or the one that is its own code."""
    assert isinstance(digger.descriptor, DiggerDescriptor)
    return "native" if digger.descriptor.uses_solver else digger.descriptor.shares_code_with or ""


@pytest.mark.parametrize("wish", [{}, {"minimal": True, "symmetry": "rot180"}, {"level": 5}], ids=str)
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
    # every solver without a budget that the digger did not rely on
    checkers = {"native", "exact-cover"} - {_relies_on(digger)}
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


def test_every_digger_says_which_solver_it_relies_on(digger: Implementation, registry: Registry) -> None:
    assert isinstance(digger.descriptor, DiggerDescriptor)
    if not digger.descriptor.uses_solver and digger.descriptor.shares_code_with is not None:
        assert digger.descriptor.shares_code_with in {one.name for one in registry.implementations(Role.SOLVER)}
