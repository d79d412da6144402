"""The check of graders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeResult, GradeStatus, Role
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.samples import CLASH, Known, known_grids
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_grader(target: Target, options: Values | None = None, *, hard: bool = False) -> None:
    """Checks a grader on the grids that ``check_solver`` uses.

    What has one solution is graded or given up; what has none, several, a clash or no blank has its status and no
    rating; the hardest technique is one of those that were used.

    Args:
        target: a descriptor, an implementation of a registry, or its name (see ``Target``).
        options: option values; None is the defaults.
        hard: also on the empty grid and on minimal puzzles.

    Raises:
        ConformanceError, UnfindableError, UsageError: as ``check_generator``.
    """
    trial = Trial.of(find_subject(Role.GRADER, target, options), 0, hard)
    result = check_invariance(trial)
    assert isinstance(result, GradeResult)
    table, grids = known_grids(hard)
    trial.check_refusals()
    for row, known in enumerate(table):
        wanted = _grade_status(known, grids[row])
        status = GradeStatus(int(result.status[row]))
        if status is not wanted and (status, wanted) != (GradeStatus.GAVE_UP, GradeStatus.GRADED):
            raise trial.broke(
                "statuses are right", f"{known.what}: {status.name}, not {wanted.name}", f"{row}:{row + 1}"
            )
    graded = result.status == GradeStatus.GRADED
    trial.refuse_rows("what is graded has a rating", graded & np.isnan(result.rating), "is graded without one")
    rated = np.isin(result.status, [GradeStatus.GRADED, GradeStatus.GAVE_UP])
    trial.refuse_rows("no grade, no rating", ~rated & ~np.isnan(result.rating), "has a rating and no grade")
    unused = np.array(
        [code is None or code not in used for code, used in zip(result.hardest, result.techniques, strict=True)]
    )
    trial.refuse_rows("the hardest technique was used", graded & unused, "names one that it did not use")
    check_processes(trial, result)


def _grade_status(known: Known, grid: NDArray[np.uint8]) -> GradeStatus:
    if known.count == CLASH:
        return GradeStatus.CLASH
    if known.count == 0:
        return GradeStatus.NO_SOLUTION
    if known.count > 1:
        return GradeStatus.NOT_UNIQUE
    return GradeStatus.COMPLETE if grid.all() else GradeStatus.GRADED
