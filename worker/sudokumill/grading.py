"""Grading with any grader: a row that raises or breaks the contract costs only itself."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Grader, GradeResult, GradeStatus
from sudokumill.grids.batch import Grids, read_only
from sudokumill.isolation import isolate, take_graded
from sudokumill.rows import Grades

REFUSALS: Final = {
    GradeStatus.NOT_UNIQUE: "not unique: it has two or more solutions",
    GradeStatus.NO_SOLUTION: "no solution",
    GradeStatus.CLASH: "clash: two equal givens in a row, column or box",
    GradeStatus.COMPLETE: "already complete",
}
"""Why a grid has no grade, by its status."""

_RATED: Final = (GradeStatus.GRADED, GradeStatus.GAVE_UP, GradeStatus.ABOVE)

_DECIMALS: Final = 6
"""Ratings are compared and shown as decimal numbers: 6.6 + 0.1 and 6.7 must be the same."""

_GREATEST: Final = 1e6
_MOST_STEPS: Final = 1_000_000


@dataclass(frozen=True)
class Graded:
    """What a grader said, as far as it can be believed."""

    grades: Grades
    """One row a puzzle. A failed row has no rating and the status NO_SOLUTION."""

    failed: tuple[tuple[int, str], ...]
    """(row, reason) of what the grader itself got wrong, in the order of rows."""

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Which rows have a grade, be it a lower bound; shape (n,)."""
        return np.isin(self.grades.status, _RATED)


def verified_grade(grader: Grader, puzzles: Grids) -> Graded:
    """Grades puzzles, and checks what can be checked without grading again.

    Args:
        grader: a plugin's.
        puzzles: shape (n, 81).
    """
    count = len(puzzles)
    shown = read_only(puzzles)
    pieces = isolate(lambda rows: grader.grade(shown[rows]), take_graded, count)
    failed: dict[int, str] = dict(pieces.failed)
    grades = _nothing(count)
    for where, result in pieces.good:
        _fill(grades, where, result)
    rated = np.isin(grades.status, _RATED)
    for reason, bad in (
        ("it gives no rating", rated & ~((grades.rating >= 0) & (grades.rating <= _GREATEST))),
        ("it gives a rating to what has none", ~rated & ~np.isnan(grades.rating)),
        ("its number of steps is none", (grades.steps < 0) | (grades.steps > _MOST_STEPS)),
        ("it names no hardest technique that it used", _lacks_hardest(grades)),
    ):
        for row in np.flatnonzero(bad):
            failed.setdefault(int(row), reason)
    lost = sorted(failed)
    grades.status[lost], grades.rating[lost], grades.steps[lost] = GradeStatus.NO_SOLUTION, np.nan, 0
    for each in lost:
        grades.hardest[each], grades.techniques[each] = None, {}
    return Graded(grades, tuple(sorted(failed.items())))


def spread(grades: Grades, rows: NDArray[np.intp], count: int) -> Grades:
    """Grades of some rows of a batch, at their places; all others have none.

    Args:
        grades: shape (m,).
        rows: shape (m,), rising: their places.
        count: rows of the batch.
    """
    if len(rows) == count:
        return grades
    whole = _nothing(count)
    for one in fields(grades):
        values, into = getattr(grades, one.name), getattr(whole, one.name)
        if isinstance(into, list):
            for row, value in zip(rows.tolist(), values, strict=True):
                into[row] = value
        else:
            into[rows] = values
    return whole


def _nothing(count: int) -> Grades:
    def figures() -> NDArray[np.float64]:
        return np.full(count, np.nan)

    return Grades(
        status=np.full(count, GradeStatus.NO_SOLUTION, dtype=np.uint8),
        rating=figures(),
        hardest=[None] * count,
        techniques=[{}] * count,
        steps=np.zeros(count, dtype=np.int64),
        er=figures(),
        ep=figures(),
        ed=figures(),
        rating_sum=figures(),
        bottleneck=figures(),
    )


def _fill(grades: Grades, where: slice, result: GradeResult) -> None:
    grades.status[where], grades.steps[where] = result.status, result.steps
    grades.rating[where] = np.round(result.rating, _DECIMALS)
    grades.hardest[where], grades.techniques[where] = result.hardest, result.techniques
    for name in ("er", "ep", "ed", "rating_sum", "bottleneck"):
        if name in result.extras:
            known = np.abs(result.extras[name]) <= _GREATEST
            getattr(grades, name)[where] = np.where(known, np.round(result.extras[name], _DECIMALS), np.nan)


def _lacks_hardest(grades: Grades) -> NDArray[np.bool_]:
    """Where a grade that came to an end says not which technique was the hardest of those that it counts."""
    graded = grades.status == GradeStatus.GRADED
    return np.array(
        [
            ended and (code is None or code not in used)
            for ended, code, used in zip(graded.tolist(), grades.hardest, grades.techniques, strict=True)
        ],
        dtype=np.bool_,
    )
