"""Batches as the kit handles them: inputs that can be cut by rows, results as one text a row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import (
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    GradeResult,
    GradeStatus,
    Reports,
    Role,
    SolveResult,
    SolveStatus,
)
from sudokumill.grids.batch import Grids, to_lines
from sudokumill.registry.registration import METHODS
from sudokumill.streams import Seeds
from sudokumill.testing.samples import known_grids, sample_finals, sample_positions, sample_seeds
from sudokumill.testing.subject import Subject

S = TypeVar("S", bound=np.generic)

Result = GenerateResult | DigResult | SolveResult | GradeResult


@dataclass(frozen=True)
class Inputs:
    """What a batch is made from."""

    grids: Grids | None
    seeds: Seeds | None

    def __len__(self) -> int:
        given = self.seeds if self.grids is None else self.grids
        return 0 if given is None else len(given)

    def cut(self, rows: slice) -> Inputs:
        """Some of the rows, as arrays of their own that cannot be written to."""
        grids, seeds = self.grids, self.seeds
        return Inputs(
            None if grids is None else _frozen(grids[rows]), None if seeds is None else _frozen(seeds[rows])
        )

    def arguments(self) -> tuple[Grids | Seeds, ...]:
        """For the method of the role."""
        return tuple(part for part in (self.grids, self.seeds) if part is not None)


def sample(subject: Subject, count: int, hard: bool = False) -> Inputs:
    """The sample for a subject: seeds, positions, finals with seeds, or the table of known grids."""
    if subject.role is Role.GENERATOR:
        size = subject.size
        return Inputs(None, sample_seeds(count) if size is None else sample_positions(size, count))
    if subject.role is Role.DIGGER:
        finals = sample_finals(count)
        return Inputs(finals, sample_seeds(len(finals)))
    return Inputs(known_grids(hard)[1], None)


def call(subject: Subject, built: object, inputs: Inputs, limit: int = 2) -> Result:
    """One call of the method of the role; ``limit`` is for solvers."""
    extra = {"limit": limit} if subject.role is Role.SOLVER else {}
    result: Result = getattr(built, METHODS[subject.role])(*inputs.arguments(), **extra)
    return result


def row_texts(result: Result) -> list[str]:
    """Everything that a result says of each row, as text; equal texts mean equal rows."""
    match result:
        case GenerateResult():
            columns = [_cells(result.finals), _names(result.status, GenerateStatus)]
        case DigResult():
            columns = [_cells(result.puzzles), _names(result.status, DigStatus)]
        case SolveResult():
            columns = [
                _cells(result.solutions),
                _names(result.status, SolveStatus),
                [f"count={count} nodes={nodes}" for count, nodes in zip(result.counts, result.nodes, strict=True)],
            ]
        case GradeResult():
            columns = [
                [f"rating={rating}" for rating in result.rating],
                _names(result.status, GradeStatus),
                [f"hardest={code}" for code in result.hardest],
                [str(dict(sorted(used.items()))) for used in result.techniques],
                [f"steps={steps}" for steps in result.steps],
                *([f"{name}={figure}" for figure in result.extras[name]] for name in sorted(result.extras)),
            ]
    if not isinstance(result, GradeResult):
        columns += _reported(result.reports)
    return [" ".join(parts) for parts in zip(*columns, strict=True)]


def _cells(grids: Grids) -> list[str]:
    """81 digits a row; a row with a number above 9, which no rule allows, in hexadecimal."""
    return [to_lines(row[None, :])[0] if row.max(initial=0) <= 9 else row.tobytes().hex() for row in grids]


def _frozen(part: NDArray[S]) -> NDArray[S]:
    copy = np.array(part, order="C")
    copy.setflags(write=False)
    return copy


def _names(status: NDArray[np.uint8], kind: type[IntEnum]) -> list[str]:
    return [kind(int(value)).name for value in status]


def _reported(reports: Reports) -> list[list[str]]:
    return [_column(name, reports) for name in sorted(reports)]


def _column(name: str, reports: Reports) -> list[str]:
    report = reports[name]
    weights = np.ones_like(report.total) if report.weight is None else report.weight
    return [f"{name}={total}/{weight}" for total, weight in zip(report.total, weights, strict=True)]
