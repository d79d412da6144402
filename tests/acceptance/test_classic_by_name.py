from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokumill.grids.batch import from_lines
from sudokumill.grids.clashes import are_finals

Outcome = Callable[..., dict[str, Any]]
Exported = Callable[..., list[dict[str, Any]]]

# level: (clues from, to, least clues in every row and column), from "Sudoku Puzzles Generating: from Easy to Evil"
PAPER = {1: (50, 81, 5), 2: (36, 49, 4), 3: (32, 35, 3), 4: (28, 31, 2), 5: (22, 27, 0)}


@pytest.mark.parametrize("name", ["random-row", "matrix-transform", "las-vegas", "template-permutation", "native"])
def test_every_generator_by_name(name: str, outcome: Outcome, exported: Exported) -> None:
    made = outcome("run", "generate", "--count", 300, "--generator", name)
    assert made["delivered"] == 300
    digits = [final["digits"] for final in exported(1)]
    assert len(set(digits)) == 300
    assert are_finals(from_lines(digits)).all()
    if name == "las-vegas":
        assert made["reports"]["generator successful tries"]["mean"] > 0.9


@pytest.mark.parametrize("level", PAPER)
def test_the_levels_of_the_paper(level: int, outcome: Outcome, exported: Exported) -> None:
    least, most, line_least = PAPER[level]
    made = outcome("run", "levels", "--count", 20, "--seed", 1, "--digger", "holes", "--option", f"level={level}")
    assert made["delivered"] == 20
    levels = exported(1)
    assert len({one["id"] for one in levels}) == 20
    for one in levels:
        clues = (from_lines([one["clues"]]) > 0).reshape(9, 9)
        assert least <= clues.sum() == one["clue_count"] <= most
        rows, columns = clues.sum(axis=1), clues.sum(axis=0)
        assert (rows.min(), rows.max()) == (one["row_min"], one["row_max"])
        assert (columns.min(), columns.max()) == (one["column_min"], one["column_max"])
        assert min(rows.min(), columns.min()) >= line_least
        assert one["paper_level"] == level
        assert np.count_nonzero(clues) == one["clue_count"]
