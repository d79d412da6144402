"""Grading with any grader: a row that raises, breaks the contract or what was declared costs only itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Grader, GraderDescriptor, GradeResult, GradeStatus, Options
from sudokumill.grids.batch import Grids, read_only
from sudokumill.isolation import isolate, take_extras, take_graded
from sudokumill.rows import Grades

REFUSALS: Final = {
    GradeStatus.NOT_UNIQUE: "not unique: it has two or more solutions",
    GradeStatus.NO_SOLUTION: "no solution",
    GradeStatus.CLASH: "clash: two equal givens in a row, column or box",
    GradeStatus.COMPLETE: "already complete",
}
"""Why a grid has no grade, by its status."""

RATED: Final = (GradeStatus.GRADED, GradeStatus.GAVE_UP, GradeStatus.ABOVE)
"""Of what has a rating; ``AT_LEAST`` of these is a lower bound."""

AT_LEAST: Final = (GradeStatus.GAVE_UP, GradeStatus.ABOVE)

_DECIMALS: Final = 6
"""Ratings are compared and shown as decimal numbers: 6.6 + 0.1 and 6.7 must be the same."""

_GREATEST: Final = 1e6
_MOST_STEPS: Final = 1_000_000
_OF_STEPS: Final = ("er", "ep", "ed")
"""Extras that are ratings of steps, and so lie on the scale."""


@dataclass(frozen=True)
class Promises:
    """What a grader has declared and was asked for, so far as its grades are held to it.

    Orders are refused by what is declared: for a rating off the scale, for a technique that is not named, for one
    that is harder than the rating may be. So a grade that is none of this would make those answers wrong.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    """By the codes of its techniques the least rating of each; empty: it declares none, and may use any."""

    scale: tuple[float, float] | None = None
    extras: tuple[str, ...] = ()

    ceiling: float | None = None
    """What it was told not to grade beyond."""

    @classmethod
    def of(cls, declared: GraderDescriptor, options: Options) -> Promises:
        """Those of a grader that was built with these options."""
        return cls(
            least={one.code: one.rating for one in declared.techniques},
            scale=declared.scale,
            extras=declared.extras,
            ceiling=getattr(options, "ceiling", None),
        )


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
        return np.isin(self.grades.status, RATED)


def verified_grade(grader: Grader, puzzles: Grids, promises: Promises) -> Graded:
    """Grades puzzles, and checks what can be checked without grading again.

    Args:
        grader: a plugin's.
        puzzles: shape (n, 81).
        promises: what its grades are held to.
    """
    count = len(puzzles)
    shown = read_only(puzzles)

    def take(result: GradeResult, rows: int) -> GradeResult:
        taken = take_graded(result, rows)
        take_extras(taken.extras, promises.extras)
        return taken

    pieces = isolate(lambda rows: grader.grade(shown[rows]), take, count)
    failed: dict[int, str] = dict(pieces.failed)
    grades = _nothing(count)
    for where, result in pieces.good:
        _fill(grades, where, result)
    for faults in (_own_faults(grades), _broken_promises(grades, promises)):
        for row, reason in faults:
            failed.setdefault(row, reason)
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


def _own_faults(grades: Grades) -> Iterator[tuple[int, str]]:
    """(row, reason) of grades that contradict themselves."""
    rated = np.isin(grades.status, RATED)
    says = np.array(
        [code is not None or bool(used) for code, used in zip(grades.hardest, grades.techniques, strict=True)],
        dtype=np.bool_,
    )
    for reason, bad in (
        ("it gives no rating", rated & ~((grades.rating >= 0) & (grades.rating <= _GREATEST))),
        ("it gives a rating to what has none", ~rated & ~np.isnan(grades.rating)),
        ("it names techniques or steps of what has no grade", ~rated & (says | (grades.steps != 0))),
        (
            "its number of steps is none",
            (grades.steps < 0)
            | (grades.steps > _MOST_STEPS)
            | ((grades.status == GradeStatus.GRADED) & (grades.steps == 0)),
        ),
        ("it names no hardest technique that it used", _lacks_hardest(grades)),
        ("its bottleneck is no whole number from 0", (grades.bottleneck < 0) | (grades.bottleneck % 1 > 0)),
    ):
        for row in np.flatnonzero(bad):
            yield int(row), reason


def _broken_promises(grades: Grades, promises: Promises) -> Iterator[tuple[int, str]]:
    """(row, reason) of grades that are not as the grader has declared."""
    if promises.least:
        yield from _undeclared_techniques(grades, promises.least)
    rated = np.isin(grades.status, RATED)
    if promises.scale is not None:
        low, high = promises.scale
        graded = grades.status == GradeStatus.GRADED
        for name in ("rating", *_OF_STEPS):
            figures: NDArray[np.float64] = getattr(grades, name)
            for row in np.flatnonzero((rated & (figures < low)) | (graded & (figures > high))).tolist():
                yield row, f"its {name} {figures[row]:g} is off its scale, {low:g} to {high:g}"
    above = grades.status == GradeStatus.ABOVE
    if promises.ceiling is None:
        for row in np.flatnonzero(above).tolist():
            yield row, "it says ABOVE, and no ceiling was asked for"
    else:
        for row in np.flatnonzero(above & (grades.rating <= promises.ceiling)).tolist():
            bound = grades.rating[row]
            yield row, f"it says ABOVE with the lower bound {bound:g}, and the ceiling is {promises.ceiling:g}"


def _undeclared_techniques(grades: Grades, least: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    """(row, reason) where a technique is not declared, or declared to be rated higher than the whole puzzle is."""
    rows = zip(grades.techniques, grades.hardest, grades.rating.tolist(), grades.status.tolist(), strict=True)
    for row, (used, hardest, rating, status) in enumerate(rows):
        named = used.keys() if hardest is None or hardest in used else {*used, hardest}
        strange = named - least.keys()
        if strange:
            yield row, f"it uses technique {min(strange)}, which it does not declare"
        elif named and status == GradeStatus.GRADED:
            hard = max(named, key=least.__getitem__)
            if least[hard] > rating:
                yield (
                    row,
                    f"it rates {rating:g} with {hard}, which it declares to be rated {least[hard]:g} or more",
                )


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
            getattr(grades, name)[where] = np.round(result.extras[name], _DECIMALS)


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
