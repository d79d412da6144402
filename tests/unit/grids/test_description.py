from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.grids.batch import Grids
from sudokumill.grids.description import PAPER_LEVELS, describe
from sudokumill.grids.symmetries import symmetries


@given(seed=st.integers(0, 2**32), share=st.floats(0, 1), count=st.integers(1, 8))
def test_counts_agree_with_a_plain_loop(seed: int, share: float, count: int) -> None:
    noise = np.random.default_rng(seed)
    grids = np.where(noise.random((count, 81)) < share, noise.integers(1, 10, (count, 81)), 0).astype(np.uint8)
    said = describe(grids)
    for place, grid in enumerate(grids):
        cells = [(cell // 9, cell % 9) for cell in range(81) if grid[cell]]
        rows = [sum(row == index for row, _ in cells) for index in range(9)]
        columns = [sum(column == index for _, column in cells) for index in range(9)]
        boxes = [sum(row // 3 * 3 + column // 3 == index for row, column in cells) for index in range(9)]
        assert said.clue_count[place] == len(cells)
        assert (said.row_min[place], said.row_max[place]) == (min(rows), max(rows))
        assert (said.column_min[place], said.column_max[place]) == (min(columns), max(columns))
        assert (said.box_min[place], said.box_max[place]) == (min(boxes), max(boxes))
        assert said.paper_level[place] == plain_level(len(cells), min(rows + columns))
    assert said.symmetry == symmetries(grids)


def plain_level(clues: int, least_in_a_line: int) -> int:
    for level, clues_min, line_min in ((1, 50, 5), (2, 36, 4), (3, 32, 3), (4, 28, 2), (5, 22, 0)):
        if clues >= clues_min and least_in_a_line >= line_min:
            return level
    return 0


def pattern(clues: int, in_the_thinnest_row: int) -> Grids:
    """A grid with so many clues: one row has the given number, the rest lie as evenly as they can."""
    grid = np.zeros((9, 9), dtype=np.uint8)
    grid[0, :in_the_thinnest_row] = 1
    rest = [(row, (row + step) % 9) for step in range(9) for row in range(1, 9)]
    for row, column in rest[: clues - in_the_thinnest_row]:
        grid[row, column] = 1
    return grid.reshape(1, 81)


@pytest.mark.parametrize(
    ("clues", "thinnest", "level"),
    [
        (81, 9, 1),
        (50, 5, 1),
        (50, 4, 2),
        (49, 5, 2),
        (36, 4, 2),
        (36, 3, 3),
        (35, 3, 3),
        (32, 3, 3),
        (32, 2, 4),
        (31, 3, 4),
        (28, 2, 4),
        (28, 1, 5),
        (27, 2, 5),
        (22, 0, 5),
        (60, 0, 5),
        (21, 2, 0),
        (17, 1, 0),
    ],
)
def test_the_papers_level(clues: int, thinnest: int, level: int) -> None:
    said = describe(pattern(clues, thinnest))
    assert said.clue_count.tolist() == [clues]
    assert min(said.row_min[0], said.column_min[0]) <= thinnest
    assert said.paper_level.tolist() == [level]


def test_the_papers_table() -> None:
    assert [
        (each.level, each.name, each.clues_min, each.clues_max, each.line_clues_min) for each in PAPER_LEVELS
    ] == [
        (1, "extremely easy", 50, 81, 5),
        (2, "easy", 36, 49, 4),
        (3, "medium", 32, 35, 3),
        (4, "difficult", 28, 31, 2),
        (5, "evil", 22, 27, 0),
    ]


def test_of_stored_puzzles(minimal_puzzles: Grids, thirty_clue_puzzles: Grids) -> None:
    minimal, thirty = describe(minimal_puzzles), describe(thirty_clue_puzzles)
    assert (thirty.clue_count == 30).all()
    assert 23 < minimal.clue_count.mean() < 25
    assert set(minimal.paper_level.tolist()) <= {0, 4, 5}
    assert len(minimal.symmetry) == 1000


def test_an_empty_batch() -> None:
    said = describe(np.empty((0, 81), dtype=np.uint8))
    assert len(said.clue_count) == len(said.paper_level) == len(said.symmetry) == len(said.box_max) == 0
