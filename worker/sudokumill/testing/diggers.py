"""The check of diggers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import DigResult, DigStatus, Role
from sudokumill.grids.batch import Grids
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.targets import ClueRange, ClueTarget
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.reference import ReferenceSolver
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_digger(target: Target, options: Values | None = None, *, count: int = 8) -> None:
    """Checks a digger.

    Every puzzle is a part of its final and has no other solution. If the options are a ``ClueRange`` or a
    ``ClueTarget``, a puzzle is ``DUG`` if it has the clue count, symmetry and minimality of these, and only then;
    where further options are set, they may ask for more. A row that is ``MISSED`` may be all zeros. With the
    default options at least one final is ``DUG``.
    A grid that is no final is refused by its status, a batch of a wrong shape or dtype by an exception. A digger
    that uses the job's solver gets the kit's, which is slow; a few finals are enough.

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
    left = result.puzzles.any(axis=1)
    sound = (result.status == DigStatus.DUG) | ((result.status == DigStatus.MISSED) & left)
    trial.refuse_rows("zeros where nothing was dug", ~sound & left, "is not all zeros")
    if not sound.any():
        raise trial.broke("puzzles are dug", f"it dug none of {int(valid.sum())}")
    foreign = ((result.puzzles != 0) & (result.puzzles != finals)).any(axis=1)
    trial.refuse_rows("clues are those of the final", sound & foreign, "has a clue that its final has not")
    counts = np.ones(len(finals), dtype=np.int64)
    counts[sound] = ReferenceSolver().solve(result.puzzles[sound]).counts
    trial.refuse_rows("one solution", counts != 1, "has more than one solution")
    dug = result.status == DigStatus.DUG
    asked = trial.subject.options
    if isinstance(asked, ClueRange):
        off = _off_target(asked, result.puzzles, sound)
        for what, rows in off.items():
            trial.refuse_rows("what is dug is on target", dug & rows, what)
        if asked.model_fields_set <= set(ClueTarget.model_fields):
            met = sound & ~np.logical_or.reduce(list(off.values()))
            trial.refuse_rows("what is on target is dug", met & ~dug, "meets what was asked for and is not DUG")
    if not trial.subject.values and not dug.any():
        raise trial.broke(
            "what is on target is dug", f"none of {int(valid.sum())} is DUG with the default options"
        )
    check_processes(trial, result)


def _off_target(target: ClueRange, puzzles: Grids, sound: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """What a sound puzzle may lack of a target, in words, and which do; each of shape (n,)."""
    least, most = target.clue_range()
    clues = (puzzles > 0).sum(axis=1)
    off = {f"has not {least} to {most} clues": (clues < least) | (clues > most)}
    if not isinstance(target, ClueTarget):
        return off
    if target.symmetry is not Symmetry.NONE:
        off[f"is not symmetric ({target.symmetry.value})"] = ~_are_symmetric(puzzles, target.symmetry)
    if target.minimal:
        off["is not minimal"] = np.array(
            [not (ok and _is_minimal(row)) for ok, row in zip(sound, puzzles, strict=True)]
        )
    return off


def _are_symmetric(puzzles: Grids, symmetry: Symmetry) -> NDArray[np.bool_]:
    whole = np.ones(len(puzzles), dtype=np.bool_)
    for orbit in orbits(symmetry):
        given = puzzles[:, list(orbit)] > 0
        whole &= given.all(axis=1) | ~given.any(axis=1)
    return whole


def _is_minimal(puzzle: NDArray[np.uint8]) -> bool:
    cells = np.flatnonzero(puzzle)
    fewer = np.tile(puzzle, (len(cells), 1))
    fewer[np.arange(len(cells)), cells] = 0
    return not (ReferenceSolver().solve(fewer).counts == 1).any()
