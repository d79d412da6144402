"""The check of the ways that graders show."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Explainer, GradeResult, GradeStatus, SolveStatus, Step
from sudokumill.grids.batch import CELLS, cell_name, read_only
from sudokumill.testing.reference import ReferenceSolver
from sudokumill.testing.trial import Trial

_SHOWN = (GradeStatus.GRADED, GradeStatus.GAVE_UP, GradeStatus.ABOVE)


def check_paths(trial: Trial, explainer: Explainer, result: GradeResult) -> None:
    """Every path of the sample has the steps that were counted, and each step is right.

    Raises:
        ConformanceError: of the first rule that is broken.
    """
    grids = trial.inputs.grids
    assert grids is not None
    solved = ReferenceSolver().solve(grids)
    for row, grid in enumerate(grids):
        rows = f"{row}:{row + 1}"
        try:
            path = explainer.path(read_only(grid))
        except Exception as error:
            raise trial.broke("every grid has a path", f"{type(error).__name__}: {error}", rows) from error
        if result.status[row] not in _SHOWN:
            if path:
                raise trial.broke("no grade, no path", f"row {row} has {len(path)} steps", rows)
            continue
        counts = Counter(step.technique for step in path)
        if len(path) != result.steps[row] or counts != Counter(result.techniques[row]):
            raise trial.broke(
                "the path has the steps that were counted",
                f"row {row} has {dict(counts)}, and {dict(result.techniques[row])} was counted",
                rows,
            )
        if solved.status[row] == SolveStatus.UNIQUE:
            fault = _step_fault(grid, solved.solutions[row], path)
            if fault is None and result.status[row] == GradeStatus.GRADED:
                fault = _gap(grid, path)
            if fault is not None:
                raise trial.broke("the path is right", f"row {row}: {fault}", rows)


def _step_fault(puzzle: NDArray[np.uint8], solution: NDArray[np.uint8], path: tuple[Step, ...]) -> str | None:
    for number, step in enumerate(path, 1):
        where = f"step {number}, {step.technique}"
        named = [*step.placements, *step.eliminations]
        if not all(0 <= cell < CELLS and 1 <= digit <= 9 for cell, digit in named):
            return f"{where}: it names a cell or digit that there is not"
        if not named:
            return f"{where}: it changes nothing"
        if list(step.cells) != sorted(set(step.cells)) or list(step.digits) != sorted(set(step.digits)):
            return f"{where}: its cells or digits do not rise"
        for cell, digit in step.placements:
            if puzzle[cell] or solution[cell] != digit:
                return f"{where}: {digit} does not go into {cell_name(cell)}"
        for cell, digit in step.eliminations:
            if puzzle[cell] or solution[cell] == digit:
                return f"{where}: {digit} cannot be ruled out in {cell_name(cell)}"
    return None


def _gap(puzzle: NDArray[np.uint8], path: tuple[Step, ...]) -> str | None:
    filled = np.flatnonzero(puzzle).tolist() + [cell for step in path for cell, _ in step.placements]
    missing = sorted(set(range(CELLS)) - set(filled))
    return f"it does not fill {cell_name(missing[0])}" if missing else None
