"""The check of graders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Explainer, Grader, GraderDescriptor, GradeResult, GradeStatus, Role
from sudokumill.grading import RATED, Promises, verified_grade
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.paths import check_paths
from sudokumill.testing.samples import CLASH, Known, known_grids
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_grader(target: Target, options: Values | None = None, *, hard: bool = False) -> None:
    """Checks a grader on the grids that ``check_solver`` uses.

    What has one solution is graded or given up; what has none, several, a clash or no blank has its status and
    nothing else. A grade keeps to what the descriptor declares: its techniques, their least ratings, the scale,
    the extras; and only with a ceiling is anything above it. With a ceiling, what is not above has the same grade.
    The way that an ``Explainer`` shows has the steps that were counted, solves the puzzle, and is right at each of
    them and in each link of their chains. Whatever else the host holds a grader to is held here too.

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
    trial.check_refusals()
    _check_statuses(trial, result, hard)
    _check_figures(trial, result)
    _check_declared(trial, result)
    _check_host(trial)
    _check_ceiling(trial, result, hard)
    explainer = trial.subject.build()
    if isinstance(explainer, Explainer):
        check_paths(trial, explainer, result)
    check_processes(trial, result)


def _check_statuses(trial: Trial, result: GradeResult, hard: bool) -> None:
    table, grids = known_grids(hard)
    may_be_above = getattr(trial.subject.options, "ceiling", None) is not None
    for row, known in enumerate(table):
        wanted = _grade_status(known, grids[row])
        allowed = {wanted}
        if wanted is GradeStatus.GRADED:
            allowed |= {GradeStatus.GAVE_UP, GradeStatus.ABOVE} if may_be_above else {GradeStatus.GAVE_UP}
        status = GradeStatus(int(result.status[row]))
        if status not in allowed:
            raise trial.broke(
                "statuses are right", f"{known.what}: {status.name}, not {wanted.name}", f"{row}:{row + 1}"
            )


def _grade_status(known: Known, grid: NDArray[np.uint8]) -> GradeStatus:
    if known.count == CLASH:
        return GradeStatus.CLASH
    if known.count == 0:
        return GradeStatus.NO_SOLUTION
    if known.count > 1:
        return GradeStatus.NOT_UNIQUE
    return GradeStatus.COMPLETE if grid.all() else GradeStatus.GRADED


def _check_figures(trial: Trial, result: GradeResult) -> None:
    graded = result.status == GradeStatus.GRADED
    trial.refuse_rows("what is graded has a rating", graded & np.isnan(result.rating), "is graded without one")
    rated = np.isin(result.status, RATED)
    trial.refuse_rows("no grade, no rating", ~rated & ~np.isnan(result.rating), "has a rating and no grade")
    rows = zip(result.hardest, result.techniques, result.steps, strict=True)
    says = np.array([code is not None or bool(used) or bool(steps) for code, used, steps in rows])
    for column in result.extras.values():
        says |= ~np.isnan(column)
    trial.refuse_rows("no grade, no figures", ~rated & says, "has techniques, steps or extras and no grade")
    unused = np.array(
        [code is None or code not in used for code, used in zip(result.hardest, result.techniques, strict=True)]
    )
    trial.refuse_rows("the hardest technique was used", graded & unused, "names one that it did not use")


def _check_declared(trial: Trial, result: GradeResult) -> None:
    """The host refuses orders by what a grader declares, so it must keep to it."""
    descriptor = trial.subject.implementation.descriptor
    assert isinstance(descriptor, GraderDescriptor)
    if descriptor.techniques:
        strange = np.array([not used.keys() <= set(descriptor.codes) for used in result.techniques])
        trial.refuse_rows("techniques are declared", strange, "has a technique that the descriptor does not name")
    if descriptor.scale is not None:
        least, most = descriptor.scale
        graded = result.status == GradeStatus.GRADED
        outside = (result.rating < least) | (result.rating > most)
        trial.refuse_rows("ratings lie on the scale", graded & outside, f"is not rated from {least} to {most}")
    if set(result.extras) != set(descriptor.extras):
        reason = f"it gave {', '.join(sorted(result.extras)) or 'none'}"
        raise trial.broke("extras are declared", f"{reason}, not {', '.join(descriptor.extras) or 'none'}")


def _check_host(trial: Trial) -> None:
    """What the host would refuse, in its words."""
    descriptor, grids = trial.subject.implementation.descriptor, trial.inputs.grids
    assert isinstance(descriptor, GraderDescriptor)
    assert grids is not None
    grader: Grader = trial.subject.build()  # type: ignore[assignment] # it is a grader
    promises = Promises.of(descriptor, trial.subject.options)
    for row, reason in verified_grade(grader, grids, promises).failed:
        raise trial.broke("the host takes every grade", f"row {row}: {reason}", f"{row}:{row + 1}")


def _check_ceiling(trial: Trial, result: GradeResult, hard: bool) -> None:
    """With a ceiling below some of the ratings, or all, the other rows keep their grades."""
    descriptor = trial.subject.implementation.descriptor
    assert isinstance(descriptor, GraderDescriptor)
    ceilings = set(result.rating[result.status == GradeStatus.GRADED].tolist())
    if descriptor.scale is not None:
        ceilings.add(float(descriptor.scale[0]))  # nearly all is above it
    if not descriptor.has_ceiling or getattr(trial.subject.options, "ceiling", None) is not None:
        return
    for ceiling in sorted(ceilings):
        values = {**trial.subject.values, "ceiling": ceiling}
        lower = Trial.of(find_subject(Role.GRADER, trial.subject.implementation, values), 0, hard)
        found = lower.run()
        assert isinstance(found, GradeResult)
        for row, status in enumerate(result.status):
            above = found.status[row] == GradeStatus.ABOVE
            may_be_above = status in RATED and not result.rating[row] <= ceiling
            if above and not (may_be_above and ceiling < found.rating[row] <= result.rating[row]):
                reason = (
                    f"row {row} is above {ceiling}, at {found.rating[row]}; its rating is {result.rating[row]}"
                )
                raise lower.broke("a ceiling keeps what is not above", reason, f"{row}:{row + 1}")
            if not above and not _same_grade(found, result, row):
                reason = f"row {row} has another grade than without the ceiling {ceiling}"
                raise lower.broke("a ceiling keeps what is not above", reason, f"{row}:{row + 1}")


def _same_grade(one: GradeResult, other: GradeResult, row: int) -> bool:
    figures = [(one.rating, other.rating), *((one.extras[name], other.extras[name]) for name in other.extras)]
    return (
        (one.status[row], one.hardest[row], one.steps[row])
        == (other.status[row], other.hardest[row], other.steps[row])
        and dict(one.techniques[row]) == dict(other.techniques[row])
        and all(np.array_equal(a[row], b[row], equal_nan=True) for a, b in figures)
    )
