"""The check of generators."""

from __future__ import annotations

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus, Role
from sudokumill.grids.clashes import are_finals
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_generator(target: Target, options: Values | None = None, *, count: int = 64) -> None:
    """Checks a generator.

    Finals are valid; distinct seeds (or positions, if it enumerates) give distinct finals; a row that was not
    made is all zeros; seeds of a wrong shape or dtype are refused by an exception. The shared rules are those of
    ``check_invariance``.

    Args:
        target: a descriptor, an implementation of a registry, or its name (see ``Target``).
        options: option values; None is the defaults.
        count: rows of the sample, 8 or more.

    Raises:
        ConformanceError: names the rule, the row and a command that shows it again.
        UnfindableError: another process could not find the target.
        UsageError: no such implementation; options that it refuses.
    """
    trial = Trial.of(find_subject(Role.GENERATOR, target, options), count)
    result = check_invariance(trial)
    assert isinstance(result, GenerateResult)
    made = result.status == GenerateStatus.MADE
    if not made.any():
        raise trial.broke("finals are made", f"it made none of {len(made)}")
    trial.refuse_rows("finals are valid", made & ~are_finals(result.finals), "is no final")
    trial.refuse_rows("zeros where nothing was made", ~made & result.finals.any(axis=1), "is not all zeros")
    seen: dict[bytes, int] = {}
    for row in np.flatnonzero(made):
        first = seen.setdefault(result.finals[row].tobytes(), int(row))
        if first != row:
            what = "seeds" if trial.subject.size is None else "positions"
            raise trial.broke("distinct finals", f"rows {first} and {row} have distinct {what} and the same final")
    trial.check_refusals()
    check_processes(trial, result)
