"""The columns that results are written into, and the words that stand in them."""

from __future__ import annotations

from typing import Any, Final

from sudokumill.contracts import GradeStatus, SolveStatus
from sudokumill.rows import Grades, SolutionRows
from sudokumill.store.copying import CopyRows
from sudokumill.store.models import GradeState

Values = tuple[Any, ...]
Sheet = list[Values] | CopyRows
"""Rows of one table: tuples for SQLite, bytes for PostgreSQL."""

FINAL_COLUMNS: Final = ("id", "digits", "job_id", "chunk_id", "position")

CLASSED_FINAL_COLUMNS: Final = (*FINAL_COLUMNS, "class_id", "on_target")
"""Of jobs that want no isomorphs."""

PUZZLE_COLUMNS: Final = (
    "id", "clues", "final_id", "size", "box_rows", "box_columns", "variant",
    "clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max",
    "symmetry", "minimal", "nodes", "paper_level",
    "on_target", "licence", "state", "job_id", "chunk_id", "position", "class_id",
)  # fmt: skip

GRADE_COLUMNS: Final = (
    "puzzle_id", "grader", "version", "status", "rating", "at_least", "hardest", "techniques", "steps",
    "er", "ep", "ed", "rating_sum", "bottleneck", "job_id", "chunk_id", "position",
)  # fmt: skip

FIGURES: Final = ("er", "ep", "ed", "rating_sum")

_GRADE_STATES: Final = {
    GradeStatus.GRADED: GradeState.GRADED,
    GradeStatus.GAVE_UP: GradeState.GAVE_UP,
    GradeStatus.ABOVE: GradeState.ABOVE,
}


def states(grades: Grades) -> list[str]:
    """Of each grade how it came out."""
    return [_GRADE_STATES[GradeStatus(status)].value for status in grades.status.tolist()]


def status_names(rows: SolutionRows) -> list[str]:
    """Of each grid what is known of its solutions."""
    return [SolveStatus(status).name.lower().replace("_", " ") for status in rows.status.tolist()]
