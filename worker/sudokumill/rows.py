"""What a batch of a chunk comes to: rows that passed their checks, and the errors of those that did not.

The line makes these and the store keeps them; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import Grids
from sudokumill.grids.description import Descriptions
from sudokumill.jobs import Part

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class FinalRows:
    """Finals that are valid."""

    positions: Positions
    """Shape (m,), rising."""
    finals: Grids
    """Shape (m, 81)."""


@dataclass(frozen=True)
class LevelRows:
    """Puzzles with exactly one solution, counted by the checker, which is their final."""

    positions: Positions
    """Shape (m,), rising; so for every array below."""
    finals: Grids
    puzzles: Grids
    on_target: NDArray[np.bool_]
    """False where the puzzle is sound but not what was asked for."""
    nodes: NDArray[np.int64]
    """Search nodes of the job's solver; -1 where it gave up."""
    minimal: NDArray[np.bool_]
    """True where no single clue can be taken."""
    descriptions: Descriptions


@dataclass(frozen=True)
class SolutionRows:
    """What the solver found of each input."""

    positions: Positions
    """Shape (m,), rising; so for every array below."""
    counts: NDArray[np.int64]
    nodes: NDArray[np.int64]
    status: NDArray[np.uint8]
    """``SolveStatus``."""
    solutions: Grids
    """The first solution; zeros where there is none."""


@dataclass(frozen=True)
class ItemError:
    """A position that came to nothing, and why."""

    position: int
    part: Part
    owner: str
    """The implementation at fault, as ``NAME==VERSION of plugin ...``."""
    reason: str
    """One line, at most 300 characters, without numbers that differ from row to row."""


@dataclass(frozen=True)
class ReportSum:
    """A report added up over rows: ``total / weight`` is the figure of all, ``least`` and ``greatest`` of one."""

    total: float
    weight: float
    least: float
    greatest: float

    def plus(self, other: ReportSum) -> ReportSum:
        """The report of both sets of rows together."""
        return ReportSum(
            self.total + other.total,
            self.weight + other.weight,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
        )


@dataclass(frozen=True)
class Batch:
    """What one call of the line made of a range of positions."""

    rows: FinalRows | LevelRows | SolutionRows
    errors: tuple[ItemError, ...] = ()
    reports: Mapping[str, ReportSum] = field(default_factory=dict)


def merge(into: dict[str, ReportSum], more: Mapping[str, ReportSum]) -> None:
    """Adds reports of further rows to those that were added up so far."""
    for name, report in more.items():
        into[name] = into[name].plus(report) if name in into else report
