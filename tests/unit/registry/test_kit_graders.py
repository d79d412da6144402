"""The kit of graders passes what is right, and names the rule that something breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import ConformanceError
from sudokumill.registry import Implementation, load_registry
from sudokumill.testing import check_grader

Find = Callable[[str], Implementation]

PLUGIN = """
import dataclasses
from sudokumill.testing import ReferenceSolver

class Nodes:
    "Rates by search nodes."
    def __init__(self, options):
        pass
    def grade(self, puzzles):
        result = ReferenceSolver().solve(check_batch(puzzles))
        status = np.array([GradeStatus.GRADED, GradeStatus.NOT_UNIQUE, GradeStatus.NO_SOLUTION, GradeStatus.CLASH],
                          dtype=np.uint8)[result.status]
        complete = (puzzles > 0).all(axis=1) & (status == GradeStatus.GRADED)
        status[complete] = GradeStatus.COMPLETE
        graded = status == GradeStatus.GRADED
        rating = np.where(graded, result.nodes + 1.0, np.nan)
        used = [{"guess": int(n) + 1} if g else {} for g, n in zip(graded, result.nodes)]
        hardest = ["guess" if g else None for g in graded]
        return self.changed(GradeResult(rating, hardest, used, result.nodes, status))
    def changed(self, result):
        return result

class Rates(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, rating=np.nan_to_num(result.rating))

class Dreams(Nodes):
    def changed(self, result):
        result.hardest[:] = ["fish" if code else None for code in result.hardest]
        return result

class Blurs(Nodes):
    def changed(self, result):
        result.status[result.status == GradeStatus.COMPLETE] = GradeStatus.GRADED
        return result

class Short(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, hardest=result.hardest[:-1])

@hookimpl
def sudokumill_register_graders():
    for kind in (Nodes, Rates, Dreams, Blurs, Short):
        yield GraderDescriptor(name=kind.__name__.lower(), version="1", summary="s", factory=kind, rate=9)
"""


@pytest.fixture
def find(write_plugin: Callable[[str, str], Path]) -> Find:
    registry = load_registry("others", write_plugin("others", PLUGIN))
    return lambda name: registry.find(Role.GRADER, name)


def test_a_good_grader_passes(find: Find) -> None:
    check_grader(find("nodes"), hard=True)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("rates", "no grade, no rating"),
        ("dreams", "the hardest technique was used"),
        ("blurs", "statuses are right"),
        ("short", "shapes and dtypes"),
    ],
)
def test_a_bad_grader_is_told_its_rule(find: Find, name: str, rule: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_grader(find(name))
    assert caught.value.fields["rule"] == rule, str(caught.value)
