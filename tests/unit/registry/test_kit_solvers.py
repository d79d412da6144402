"""The kit of solvers passes what is right, and names the rule that something breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import ConformanceError
from sudokumill.registry import Implementation, load_registry
from sudokumill.testing import check_solver

Find = Callable[[str], Implementation]

PLUGIN = """
from sudokumill.grids.canonical import canonical_forms, relabelled
from sudokumill.minimality import minimal_by_counts
from sudokumill.testing import ReferenceSolver

class Reference(ReferenceSolver):
    def __init__(self, options):
        self.options = options
    def solve(self, puzzles, limit=2):
        return self.changed(super().solve(puzzles, limit), puzzles, limit)
    def changed(self, result, puzzles, limit):
        return result

class Budget(Options):
    nodes: int | None = None

class Tired(Reference):
    "Gives up where it took too many nodes, with the count that it says."
    says = 1
    def changed(self, result, puzzles, limit):
        if self.options.nodes is not None:
            over = result.nodes > self.options.nodes
            result.status[over] = SolveStatus.GAVE_UP
            result.counts[over] *= self.says
        return result

class Liar(Tired):
    says = 3

class Overcounts(Reference):
    def changed(self, result, puzzles, limit):
        result.counts[result.counts == 2] = 3
        return result

class Vague(Reference):
    def changed(self, result, puzzles, limit):
        result.status[result.status == SolveStatus.NO_SOLUTION] = SolveStatus.CLASH
        return result

class Wanders(Reference):
    "Another first solution for another limit."
    def changed(self, result, puzzles, limit):
        if limit > 5:
            swap = np.array([0, 2, 1, *range(3, 10)], dtype=np.uint8)
            both = (result.counts > 1) & ~np.isin(puzzles, [1, 2]).any(axis=1)
            result.solutions[both] = swap[result.solutions[both]]
        return result

class WrongGrid(Reference):
    def changed(self, result, puzzles, limit):
        result.solutions[result.counts == 1] = FINAL[0][::-1]
        return result

class Forms(Reference):
    "Knows canonical forms."
    def canonical(self, puzzles, solutions):
        return canonical_forms(puzzles, solutions)

class Relabels(Reference):
    "Takes the order of the digits for the canonical form."
    def canonical(self, puzzles, solutions):
        return relabelled(puzzles)

class Tests(Reference):
    "Knows minimal puzzles."
    def minimal(self, puzzles, solutions):
        fits = ((puzzles == 0) | (puzzles == solutions)).all(axis=1)
        return (minimal_by_counts(self, puzzles) == 1) & fits

class Believes(Reference):
    "Takes few clues for minimal."
    def minimal(self, puzzles, solutions):
        return (puzzles > 0).sum(axis=1) < 30

class Numbers(Tests):
    def minimal(self, puzzles, solutions):
        return super().minimal(puzzles, solutions).astype(np.int8)

@hookimpl
def sudokumill_register_solvers():
    for kind in (Reference, Tired, Liar, Overcounts, Vague, Wanders, WrongGrid, Forms, Relabels, Tests, Believes,
                 Numbers):
        yield SolverDescriptor(name=kind.__name__.lower(), version="1", summary="s", factory=kind,
                               options=Budget, rate=9)
"""


@pytest.fixture
def find(write_plugin: Callable[[str, str], Path]) -> Find:
    registry = load_registry("others", write_plugin("others", PLUGIN))
    return lambda name: registry.find(Role.SOLVER, name)


def test_the_reference_solver_passes_its_own_check(find: Find) -> None:
    check_solver(find("reference"), hard=True)
    check_solver(find("tired"), budget={"nodes": 3})
    check_solver(find("forms"))
    check_solver(find("tests"))


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("overcounts", "answers are right"),
        ("relabels", "canonical forms are right"),
        ("believes", "minimal puzzles are right"),
        ("numbers", "minimal puzzles are right"),
        ("vague", "answers are right"),
        ("wronggrid", "answers are right"),
        ("wanders", "the first solution is kept"),
        ("liar", "what gave up is a lower bound"),
        ("reference", "the budget is kept"),
    ],
)
def test_a_bad_solver_is_told_its_rule(find: Find, name: str, rule: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_solver(find(name), budget={"nodes": 3})
    assert caught.value.fields["rule"] == rule, str(caught.value)
