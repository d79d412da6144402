"""The check of diggers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import DigResult, DigStatus, Role
from sudokumill.grids.batch import Grids
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.targets import ClueTarget
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.reference import ReferenceSolver
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_digger(target: Target, options: Values | None = None, *, count: int = 8) -> None:
    """Checks a digger.

    Every puzzle is a part of its final and has no other solution; one that is said to be on target has the clue
    count, symmetry and minimality of its options, if these are a ``ClueTarget``; a grid that is no final is
    refused by its status, a batch of a wrong shape or dtype by an exception. A digger that uses the job's solver
    gets the kit's, which is slow; a few finals are enough.

    Args:
        target: a descriptor, an implementation of a registry, or its name (see ``Target``).
        options: option values; None is the defaults.
        count: finals of the sample, to which two grids that are no finals are added.

    Raises:
        ConformanceError, UnfindableError, UsageError: as ``check_generator``.
    """
    trial = Trial.of(find_subject(Role.DIGGER, target, options), count)
    result = check_invariance(trial)
    assert isinstance(result, DigResult)
    assert trial.inputs.grids is not None
    finals = trial.inputs.grids
    trial.check_refusals()
    valid = are_finals(finals)
    refused = result.status == DigStatus.NOT_A_FINAL
    trial.refuse_rows("what is no final is refused", ~valid & ~refused, "is no final and has another status")
    trial.refuse_rows("finals are not refused", valid & refused, "is a final and was refused")
    sound = np.isin(result.status, [DigStatus.DUG, DigStatus.MISSED])
    trial.refuse_rows("zeros where nothing was dug", ~sound & result.puzzles.any(axis=1), "is not all zeros")
    if not sound.any():
        raise trial.broke("puzzles are dug", f"it dug none of {int(valid.sum())}")
    foreign = ((result.puzzles != 0) & (result.puzzles != finals)).any(axis=1)
    trial.refuse_rows("clues are those of the final", sound & foreign, "has a clue that its final has not")
    counts = np.ones(len(finals), dtype=np.int64)
    counts[sound] = ReferenceSolver().solve(result.puzzles[sound]).counts
    trial.refuse_rows("one solution", counts != 1, "has more than one solution")
    if isinstance(trial.subject.options, ClueTarget):
        _check_target(trial, trial.subject.options, result.puzzles, result.status == DigStatus.DUG)
    check_processes(trial, result)


def _check_target(trial: Trial, target: ClueTarget, puzzles: Grids, on_target: NDArray[np.bool_]) -> None:
    least, most = target.clue_range()
    clues = (puzzles > 0).sum(axis=1)
    outside = (clues < least) | (clues > most)
    trial.refuse_rows("what is dug is on target", on_target & outside, f"has not {least} to {most} clues")
    if target.symmetry is not Symmetry.NONE:
        broken = np.zeros(len(puzzles), dtype=np.bool_)
        for orbit in orbits(target.symmetry):
            given = puzzles[:, list(orbit)] > 0
            broken |= given.any(axis=1) & ~given.all(axis=1)
        trial.refuse_rows(
            "what is dug is on target", on_target & broken, f"is not symmetric ({target.symmetry.value})"
        )
    if target.minimal:
        for row in np.flatnonzero(on_target):
            cells = np.flatnonzero(puzzles[row])
            fewer = np.tile(puzzles[row], (len(cells), 1))
            fewer[np.arange(len(cells)), cells] = 0
            if (ReferenceSolver().solve(fewer).counts == 1).any():
                raise trial.broke("what is dug is on target", f"row {row} is not minimal", f"{row}:{row + 1}")
