from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sudokumill.contracts import Role
from sudokumill.registry import load_registry
from sudokumill.registry.canonicaliser import find_canonicaliser

SOLVERS = """
from sudokumill.testing import ReferenceSolver

class Able(ReferenceSolver):
    def __init__(self, options):
        pass
    def canonical(self, puzzles, solutions):
        return puzzles

def broken(options):
    raise OSError("no licence")

@hookimpl
def sudokumill_register_solvers():
    yield SolverDescriptor(name="a-broken", version="1", summary="s", factory=broken, rate=1)
    yield SolverDescriptor(name="b-plain", version="1", summary="s", factory=lambda _: ReferenceSolver(), rate=1)
    yield SolverDescriptor(name="c-able", version="1", summary="s", factory=Able, rate=1)
"""


def test_the_first_solver_that_can_is_found(write_plugin: Callable[[str, str], Path]) -> None:
    registry = load_registry("solvers", write_plugin("solvers", SOLVERS))
    assert len(registry.implementations(Role.SOLVER)) == 3
    assert type(find_canonicaliser(registry)).__name__ == "Able"


def test_there_may_be_none() -> None:
    assert find_canonicaliser(load_registry("none")) is None


def test_what_is_installed_can() -> None:
    assert type(find_canonicaliser(load_registry())).__module__.startswith("sudokumill_native.")
