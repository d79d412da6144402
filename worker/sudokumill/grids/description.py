"""What can be said of a puzzle without solving it: clue counts, their spread, symmetry, the paper's level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import Grids
from sudokumill.grids.symmetries import Symmetry, symmetries


@dataclass(frozen=True)
class PaperLevel:
    """A level of the paper "Sudoku Puzzles Generating: from Easy to Evil" (Xue, Jiang, Li, Yan, Sun)."""

    level: int
    name: str
    clues_min: int
    clues_max: int
    line_clues_min: int
    """Least clues in every row and in every column."""


PAPER_LEVELS: Final = (
    PaperLevel(1, "extremely easy", 50, 81, 5),
    PaperLevel(2, "easy", 36, 49, 4),
    PaperLevel(3, "medium", 32, 35, 3),
    PaperLevel(4, "difficult", 28, 31, 2),
    PaperLevel(5, "evil", 22, 27, 0),
)


@dataclass(frozen=True)
class Descriptions:
    """One row a puzzle; every array has shape (n,)."""

    clue_count: NDArray[np.int64]
    row_min: NDArray[np.int64]
    row_max: NDArray[np.int64]
    column_min: NDArray[np.int64]
    column_max: NDArray[np.int64]
    box_min: NDArray[np.int64]
    box_max: NDArray[np.int64]
    symmetry: list[Symmetry]
    paper_level: NDArray[np.int64]
    """1 .. 5, or 0 for fewer than 22 clues, which the paper does not rate."""


def describe(puzzles: Grids) -> Descriptions:
    """Clue counts, their least and greatest per row, column and box, symmetry and paper level of each puzzle."""
    clues = (puzzles > 0).astype(np.int64)
    square = clues.reshape(-1, 9, 9)
    rows = square.sum(axis=2)
    columns = square.sum(axis=1)
    boxes = clues.reshape(-1, 3, 3, 3, 3).sum(axis=(2, 4)).reshape(-1, 9)
    clue_count = clues.sum(axis=1)
    row_min, column_min = rows.min(axis=1), columns.min(axis=1)
    return Descriptions(
        clue_count=clue_count,
        row_min=row_min,
        row_max=rows.max(axis=1),
        column_min=column_min,
        column_max=columns.max(axis=1),
        box_min=boxes.min(axis=1),
        box_max=boxes.max(axis=1),
        symmetry=symmetries(puzzles),
        paper_level=_paper_levels(clue_count, np.minimum(row_min, column_min)),
    )


def _paper_levels(clue_count: NDArray[np.int64], line_min: NDArray[np.int64]) -> NDArray[np.int64]:
    """The easiest level of which a puzzle meets both bounds, the clue count's and the lines'."""
    found = np.zeros(len(clue_count), dtype=np.int64)
    for level in reversed(PAPER_LEVELS):
        meets = (clue_count >= level.clues_min) & (line_min >= level.line_clues_min)
        found[meets] = level.level
    return found
