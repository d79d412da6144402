"""A subject, its sample, and how to repeat what is done with them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import ConformanceError
from sudokumill.testing.replay import Replay, as_slice
from sudokumill.testing.rows import Inputs, Result, call, sample
from sudokumill.testing.shapes import shape_fault, wrong_grids, wrong_seeds
from sudokumill.testing.subject import Subject


@dataclass(frozen=True)
class Trial:
    """A subject, its sample, and how to repeat what is done with it."""

    subject: Subject
    inputs: Inputs
    replay: Replay

    @classmethod
    def of(cls, subject: Subject, count: int, hard: bool = False) -> Trial:
        """The trial of a subject on ``count`` rows."""
        return cls(subject, sample(subject, count, hard), Replay(subject, count, hard))

    def run(self, rows: str = ":", built: object | None = None, limit: int = 2) -> Result:
        """One call on some rows, its shapes checked; what it raises breaks a rule as well.

        Args:
            rows: a slice of the sample.
            built: the object to call; None is a new one.
            limit: for solvers.
        """
        inputs = self.inputs.cut(as_slice(rows))
        try:
            result = call(self.subject, self.subject.build() if built is None else built, inputs, limit)
        except Exception as error:
            raise self.broke("good rows do not raise", f"{type(error).__name__}: {error}", rows, limit) from error
        fault = shape_fault(result, len(inputs))
        if fault is not None:
            raise self.broke("shapes and dtypes", f"it {fault}", rows, limit)
        return result

    def broke(self, rule: str, reason: str, rows: str = ":", limit: int = 2) -> ConformanceError:
        """The error for a rule that shows on some rows."""
        return self.subject.broke(rule, reason, self.replay.command(rows, limit=limit))

    def refuse_rows(self, rule: str, bad: NDArray[np.bool_], what: str) -> None:
        """Raises for the first row that is marked, as one that ``what``."""
        for row in np.flatnonzero(bad):
            raise self.broke(rule, f"row {row} {what}", f"{row}:{row + 1}")

    def check_refusals(self) -> None:
        """Grids and seeds of a wrong shape or dtype must raise; quietly wrong rows would be worse."""
        built = self.subject.build()
        grids, seeds = self.inputs.grids, self.inputs.seeds
        wrong = (
            {}
            if grids is None
            else {
                f"grids of {what}; call sudokumill.grids.batch.check_batch first": replace(
                    self.inputs, grids=array
                )
                for what, array in wrong_grids(grids).items()
            }
        )
        wrong |= (
            {}
            if seeds is None
            else {
                f"seeds of {what}; call sudokumill.streams.check_seeds first": replace(self.inputs, seeds=array)
                for what, array in wrong_seeds(seeds, one_a_grid=grids is not None).items()
            }
        )
        for what, inputs in wrong.items():
            if not self._raises(built, inputs):
                raise self.subject.broke(
                    "a wrong shape or dtype raises", f"it took {what}", "pass it such an array"
                )

    def _raises(self, built: object, inputs: Inputs) -> bool:
        try:
            call(self.subject, built, inputs)
        except Exception:
            return True
        return False
