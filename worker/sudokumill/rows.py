"""What a batch of a chunk comes to: rows that passed their checks, and the errors of those that did not.

The line makes these and the store keeps them; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

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
    forms: Grids | None = None
    """Canonical forms, where the job wants no isomorphs; zeros where nobody could find one."""


@dataclass(frozen=True)
class Grades:
    """What a grader says of puzzles, one row each; every array has shape (m,)."""

    status: NDArray[np.uint8]
    """``GradeStatus``: GRADED, or GAVE_UP and ABOVE, of which the rating is a lower bound."""
    rating: NDArray[np.float64]
    hardest: list[str | None]
    techniques: list[Mapping[str, int]]
    steps: NDArray[np.int64]
    er: NDArray[np.float64]
    """So below as in ``KNOWN_EXTRAS``; NaN where the grader does not say."""
    ep: NDArray[np.float64]
    ed: NDArray[np.float64]
    rating_sum: NDArray[np.float64]
    bottleneck: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> Grades:
        """These rows of it."""
        return Grades(**{one.name: _taken(getattr(self, one.name), rows) for one in fields(self)})


def _taken(values: Any, rows: NDArray[np.intp]) -> Any:
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


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
    minimal: NDArray[np.int8]
    """1 where no single clue can be taken, 0 where one can, -1 where the solver gave up on that."""
    descriptions: Descriptions
    grades: Grades | None = None
    """Where the job has a grader."""
    forms: Grids | None = None
    """Canonical forms of the puzzles, where somebody can find them; zeros where it could not."""


@dataclass(frozen=True)
class GradeRows:
    """What the grader says of inputs that are puzzles."""

    positions: Positions
    """Shape (m,), rising; so for every array below."""
    puzzles: Grids
    grades: Grades


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
    """One line, at most 300 characters."""


@dataclass(frozen=True)
class Failure:
    """Item errors with the same cause, counted."""

    owner: str
    reason: str
    times: int
    first: int
    """The lowest of their positions."""


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


Rows = FinalRows | LevelRows | GradeRows | SolutionRows


@dataclass(frozen=True)
class Batch:
    """What one call of the line made of a range of positions."""

    rows: Rows
    errors: tuple[ItemError, ...] = ()
    reports: Mapping[str, ReportSum] = field(default_factory=dict)
    barren: int = 0
    """Positions that missed the target and of which no puzzle was left: neither a row nor an error."""

    @property
    def hits(self) -> int:
        """Rows that are as ordered; some may yet repeat others."""
        rows = self.rows
        return int(rows.on_target.sum()) if isinstance(rows, LevelRows) else len(rows.positions)


def merge(into: dict[str, ReportSum], more: Mapping[str, ReportSum], part: Part | None = None) -> None:
    """Adds reports of further rows to those that were added up so far.

    Args:
        into: what there is.
        more: what comes.
        part: whose they are, put before each name: two parts may use the same one.
    """
    for name, report in more.items():
        key = name if part is None else f"{part.value} {name}"
        into[key] = into[key].plus(report) if key in into else report


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows of several batches of one chunk, in their order and at least one, as one."""
    rows: Rows = _stacked(parts)
    return rows


def _stacked(parts: Sequence[Any]) -> Any:
    """Values under each other: arrays, lists, or records of such; None where none has any."""
    first = parts[0]
    if len(parts) == 1 or first is None:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, list):
        return [value for part in parts for value in part]
    return type(first)(*(_stacked([getattr(part, one.name) for part in parts]) for one in fields(first)))
