from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.grids.batch import Grids, cell_name, from_lines
from sudokumill.grids.clashes import Clash, are_finals, clashes, have_clashes
from sudokumill.grids.isomorphisms import draw as draw_isomorphisms
from sudokumill.streams import Streams

FINAL = from_lines(["482716539135829647679354821953172468867495312241638975526941783314587296798263154"])


def units() -> list[tuple[str, list[tuple[int, int]]]]:
    """Every unit's name and its cells as (row, column), written down without the code under test."""
    named = [(f"row {row + 1}", [(row, column) for column in range(9)]) for row in range(9)]
    named += [(f"column {column + 1}", [(row, column) for row in range(9)]) for column in range(9)]
    named += [
        (f"box {box + 1}", [(box // 3 * 3 + cell // 3, box % 3 * 3 + cell % 3) for cell in range(9)])
        for box in range(9)
    ]
    return named


def plain_clashes(grid: Grids) -> list[Clash]:
    found = []
    for name, cells in units():
        for digit in range(1, 10):
            holders = [9 * row + column for row, column in cells if grid[9 * row + column] == digit]
            if len(holders) > 1:
                found.append(Clash(name, digit, tuple(f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in holders)))
    return found


@st.composite
def some_grids(draw: st.DrawFn) -> Grids:
    """From finals to noise: an isomorph of a final in which some cells were blanked and some overwritten."""
    count = draw(st.integers(1, 5))
    seeds = draw(st.lists(st.integers(0, 2**64 - 1), min_size=count, max_size=count))
    grids = draw_isomorphisms(Streams(np.asarray(seeds, dtype=np.uint64))).apply(FINAL.repeat(count, axis=0))
    for row in range(count):
        for cell in draw(st.sets(st.integers(0, 80), max_size=81)):
            grids[row, cell] = 0
        for cell in draw(st.sets(st.integers(0, 80), max_size=3)):
            grids[row, cell] = draw(st.integers(0, 9))
    return grids


@pytest.mark.cases("check")
def test_clashes_are_named_exactly(case: dict[str, Any]) -> None:
    grid = from_lines([case["input"]["grid"]])
    named = [{"unit": each.unit, "digit": each.digit, "cells": list(each.cells)} for each in clashes(grid[0])]
    assert named == case["expect"]["clashes"]
    assert have_clashes(grid).tolist() == [bool(named)]
    assert int((grid > 0).sum()) == case["expect"]["givens"]


@given(grids=some_grids())
def test_checks_agree_with_a_plain_loop(grids: Grids) -> None:
    plain = [plain_clashes(grid) for grid in grids]
    assert [clashes(grid) for grid in grids] == plain
    assert have_clashes(grids).tolist() == [bool(found) for found in plain]
    full = [bool(grid.all()) for grid in grids]
    assert are_finals(grids).tolist() == [
        not found and complete for found, complete in zip(plain, full, strict=True)
    ]


@given(cell=st.integers(0, 80), digit=st.integers(0, 255))
def test_one_wrong_cell_makes_it_no_final(cell: int, digit: int) -> None:
    grid = FINAL.copy()
    grid[0, cell] = digit
    assert are_finals(grid).tolist() == [digit == FINAL[0, cell]]
    assert have_clashes(grid).tolist() == [digit not in (0, FINAL[0, cell])]


@pytest.mark.parametrize("swapped", ["rows", "columns"])
def test_good_lines_with_bad_boxes_are_no_final(swapped: str) -> None:
    square = FINAL.reshape(9, 9)
    order = [3, 1, 2, 0, 4, 5, 6, 7, 8]
    grid = np.ascontiguousarray(square[order] if swapped == "rows" else square[:, order]).reshape(1, 81)
    assert are_finals(grid).tolist() == [False]
    assert {clash.unit.split()[0] for clash in clashes(grid[0])} == {"box"}


def test_good_boxes_and_rows_with_bad_columns_are_no_final() -> None:
    square = FINAL.reshape(9, 9).copy()
    square[0, [0, 1]] = square[0, [1, 0]]
    grid = square.reshape(1, 81)
    assert are_finals(grid).tolist() == [False]
    assert {clash.unit.split()[0] for clash in clashes(grid[0])} == {"column"}


def test_an_empty_batch_and_an_empty_grid() -> None:
    none = np.empty((0, 81), dtype=np.uint8)
    assert are_finals(none).tolist() == have_clashes(none).tolist() == []
    blank = np.zeros((1, 81), dtype=np.uint8)
    assert are_finals(blank).tolist() == have_clashes(blank).tolist() == [False]
    assert clashes(blank[0]) == []


def test_a_clash_reads_as_a_sentence() -> None:
    grid = np.zeros(81, dtype=np.uint8)
    grid[[1, 7]] = 4
    assert [str(clash) for clash in clashes(grid)] == ["row 1 has digit 4 at r1c2, r1c8"]
    assert [cell_name(cell) for cell in (0, 8, 9, 80)] == ["r1c1", "r1c9", "r2c1", "r9c9"]
