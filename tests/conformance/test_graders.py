"""What every grader promises. One that has not the whole scale may give up, but must then say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import Explainer, GraderDescriptor, GradeStatus, Role
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.registry import Implementation, Registry
from sudokumill.testing import check_grader

STATUSES = {
    "not unique": GradeStatus.NOT_UNIQUE,
    "no solution": GradeStatus.NO_SOLUTION,
    "clash": GradeStatus.CLASH,
    "already complete": GradeStatus.COMPLETE,
}

BUILT_IN = ["explainer", "singles-and-pairs"]

FAST = 1_000
"""Puzzles a second from which a grader is also tried on what costs others seconds."""


def test_it_keeps_the_contract(grader: Implementation) -> None:
    check_grader(grader, hard=grader.descriptor.rate >= FAST)


def test_what_is_no_puzzle_gets_no_number(
    grader: Implementation, registry: Registry, cases: Mapping[str, dict[str, Any]], minimal_puzzles: Grids
) -> None:
    case = cases["C047"]
    grids = np.concatenate([from_lines(case["input"]["grids"]), minimal_puzzles[:1]])
    result = registry.grader(grader.name).grade(grids)
    expected = [STATUSES[row["status"]] for row in case["expect"]["rows"]]
    assert [GradeStatus(int(status)) for status in result.status[:-1]] == expected
    assert np.isnan(result.rating[:-1]).all()
    assert result.status[-1] in (GradeStatus.GRADED, GradeStatus.GAVE_UP)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_ones_declare_what_orders_are_checked_by(name: str, registry: Registry) -> None:
    descriptor = registry.find(Role.GRADER, name).descriptor
    assert isinstance(descriptor, GraderDescriptor)
    assert descriptor.techniques
    assert descriptor.scale is not None
    assert set(descriptor.extras) >= {"er", "ep", "ed"}
    assert descriptor.has_ceiling
    assert isinstance(registry.grader(name), Explainer)
