from __future__ import annotations

import subprocess
import sys

import numpy as np
import pluggy
import pytest
from pydantic import ValidationError

from sudokumill import hookspecs
from sudokumill.contracts import DigStatus, GradeStatus, SolveStatus
from sudokumill_native import _kernel, plugin
from sudokumill_native.options import ExplainerOptions, SearchOptions


@pytest.fixture
def hooks() -> pluggy.HookRelay:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    return manager.hook


def test_what_is_registered(hooks: pluggy.HookRelay) -> None:
    (generators,) = hooks.sudokumill_register_generators()
    (diggers,) = hooks.sudokumill_register_diggers()
    (solvers,) = hooks.sudokumill_register_solvers()
    (graders,) = hooks.sudokumill_register_graders()
    named = [(found.name, found.version) for found in (*generators, *diggers, *solvers, *graders)]
    assert named == [("native", "2"), ("native", "1"), ("native", "2"), ("exact-cover", "1"), ("explainer", "1")]


def test_a_row_through_the_whole_line(hooks: pluggy.HookRelay) -> None:
    ((generator,),) = hooks.sudokumill_register_generators()
    ((digger,),) = hooks.sudokumill_register_diggers()
    checkers = [found for solvers in hooks.sudokumill_register_solvers() for found in solvers]
    assert [checker.search for checker in checkers] == ["native", "exact-cover"]
    assert digger.engine == "native"
    seeds = np.arange(10, dtype=np.uint64)
    finals = generator.factory(generator.options()).generate(seeds).finals
    puzzles = digger.factory(digger.options()).dig(finals, seeds).puzzles
    for checker in checkers:
        result = checker.factory(checker.options()).solve(puzzles)
        assert (result.status == SolveStatus.UNIQUE).all()
        assert np.array_equal(result.solutions, finals)
    ((grader,),) = hooks.sudokumill_register_graders()
    graded = grader.factory(grader.options()).grade(puzzles)
    assert (graded.status == GradeStatus.GRADED).all()
    assert set(graded.hardest) <= set(grader.codes)
    assert tuple(graded.extras) == grader.extras


@pytest.mark.parametrize("max_nodes", [0, -1, 2**63, 1.5, "many"])
def test_node_budgets_that_are_none(max_nodes: object) -> None:
    with pytest.raises(ValidationError):
        SearchOptions.model_validate({"max_nodes": max_nodes})


@pytest.mark.parametrize("asked", [{"effort": 0}, {"effort": 2**63}, {"ceiling": 0.5}, {"ceiling": "high"}])
def test_grader_options_that_are_none(asked: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ExplainerOptions.model_validate(asked)


def test_the_kernel_has_the_statuses_of_the_contract() -> None:
    assert _kernel.solve_statuses == {status.name: status.value for status in SolveStatus}
    assert _kernel.dig_statuses == {status.name: status.value for status in DigStatus}
    assert _kernel.grade_statuses == {status.name: status.value for status in GradeStatus}


def test_registering_does_not_load_the_kernel() -> None:
    program = (
        "import sys; from sudokumill_native import plugin;"
        "[list(register()) for register in (plugin.sudokumill_register_generators,"
        " plugin.sudokumill_register_diggers, plugin.sudokumill_register_solvers,"
        " plugin.sudokumill_register_graders)];"
        "sys.exit('sudokumill_native._kernel' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
