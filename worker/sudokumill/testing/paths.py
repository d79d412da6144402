"""The check of the ways that graders show."""

from __future__ import annotations

from sudokumill.contracts import Explainer, GraderDescriptor, GradeResult, GradeStatus, SolveStatus
from sudokumill.errors import WrongPathError
from sudokumill.grading import RATED
from sudokumill.grids.batch import read_only
from sudokumill.path_checking import verified_path
from sudokumill.testing.reference import ReferenceSolver
from sudokumill.testing.trial import Trial


def check_paths(trial: Trial, explainer: Explainer, result: GradeResult) -> None:
    """Every path of the sample is one that the host shows; what has no grade has none.

    Raises:
        ConformanceError: of the first rule that is broken.
    """
    grids = trial.inputs.grids
    assert grids is not None
    descriptor = trial.subject.implementation.descriptor
    assert isinstance(descriptor, GraderDescriptor)
    solved = ReferenceSolver().solve(grids)
    for row, grid in enumerate(grids):
        rows = f"{row}:{row + 1}"
        if result.status[row] not in RATED or solved.status[row] != SolveStatus.UNIQUE:
            _check_none(trial, explainer, row)
            continue
        try:
            verified_path(
                explainer,
                grid,
                solved.solutions[row],
                counted=result.techniques[row],
                codes=descriptor.codes,
                whole=result.status[row] == GradeStatus.GRADED,
            )
        except WrongPathError as error:
            raise trial.broke("the path is right", f"row {row}: {error}", rows) from error


def _check_none(trial: Trial, explainer: Explainer, row: int) -> None:
    grids, rows = trial.inputs.grids, f"{row}:{row + 1}"
    assert grids is not None
    try:
        path = explainer.path(read_only(grids[row]))
    except Exception as error:
        raise trial.broke("every grid has a path", f"{type(error).__name__}: {error}", rows) from error
    if path:
        raise trial.broke("no grade, no path", f"row {row} has {len(path)} steps", rows)
