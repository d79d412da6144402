from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.grids.batch import UNITS, from_lines
from sudokumill.grids.clashes import are_finals, clashes, have_clashes
from sudokumill.grids.isomorphisms import draw_from_seeds

FINAL = "482716539135829647679354821953172468867495312241638975526941783314587296798263154"


@pytest.mark.cases("check")
def test_clashes_are_named_exactly(case: dict[str, Any]) -> None:
    grid = from_lines([case["input"]["grid"]])
    named = [{"unit": each.unit, "digit": each.digit, "cells": list(each.cells)} for each in clashes(grid[0])]
    assert named == case["expect"]["clashes"]
    assert have_clashes(grid).tolist() == [bool(named)]
    assert int((grid > 0).sum()) == case["expect"]["givens"]
