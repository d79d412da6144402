"""Solving with any solver: a row that raises, breaks the contract or calls something a solution that is none costs
only itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Solver, SolveResult, SolveStatus
from sudokumill.grids.batch import CELLS, Grids, read_only
from sudokumill.grids.clashes import are_finals
from sudokumill.isolation import add_up, isolate, take_solved
from sudokumill.rows import ReportSum, merge


@dataclass(frozen=True)
class Solved:
    """What a solver found, as far as it can be believed."""

    result: SolveResult
    """One row a puzzle. A failed row has no solution, no nodes and the status GAVE_UP."""

    failed: tuple[tuple[int, str], ...]
    """(row, reason) of what the solver itself got wrong, in the order of rows."""

    reports: dict[str, ReportSum]
    """What the solver reported, added up."""


def verified_solve(solver: Solver, puzzles: Grids, limit: int = 2) -> Solved:
    """Counts up to ``limit`` solutions of each puzzle, and checks what can be checked without counting again.

    Args:
        solver: a plugin's.
        puzzles: shape (n, 81).
        limit: 1 or more.
    """
    count = len(puzzles)
    shown = read_only(puzzles)
    reports: dict[str, ReportSum] = {}
    counts = np.zeros(count, dtype=np.int64)
    solutions = np.zeros((count, CELLS), dtype=np.uint8)
    nodes = np.zeros(count, dtype=np.int64)
    status = np.full(count, SolveStatus.GAVE_UP, dtype=np.uint8)
    pieces = isolate(lambda rows: solver.solve(shown[rows], limit=limit), take_solved, count)
    failed = dict(pieces.failed)
    for where, result in pieces.good:
        counts[where], solutions[where] = result.counts, result.solutions
        nodes[where], status[where] = result.nodes, result.status
        merge(reports, add_up(result.reports))
    for reason, bad in (
        ("its count and its status contradict each other", ~_agree(counts, status, limit)),
        ("its solution is none", ~_are_solutions(puzzles, counts, solutions)),
    ):
        for row in np.flatnonzero(bad):
            failed.setdefault(int(row), reason)
    lost = np.array(sorted(failed), dtype=np.intp)
    counts[lost], solutions[lost], nodes[lost], status[lost] = 0, 0, 0, SolveStatus.GAVE_UP
    return Solved(SolveResult(counts, solutions, nodes, status), tuple(sorted(failed.items())), reports)


def _are_solutions(puzzles: Grids, counts: NDArray[np.int64], solutions: Grids) -> NDArray[np.bool_]:
    """Where a final that completes the puzzle is given, or none where none was counted."""
    none = (solutions == 0).all(axis=1)
    one = are_finals(solutions) & ((puzzles == 0) | (puzzles == solutions)).all(axis=1)
    right: NDArray[np.bool_] = np.where(counts > 0, one, none)
    return right


def _agree(counts: NDArray[np.int64], status: NDArray[np.uint8], limit: int) -> NDArray[np.bool_]:
    """Where the count is one that goes with the status."""
    allowed = {
        SolveStatus.UNIQUE: counts == 1,
        SolveStatus.SEVERAL: (counts >= 2) & (counts <= limit),
        SolveStatus.NO_SOLUTION: counts == 0,
        SolveStatus.CLASH: counts == 0,
        SolveStatus.GAVE_UP: (counts >= 0) & (counts <= limit),
        SolveStatus.SOLVABLE: (counts == 1) & (limit == 1),
    }
    agree = np.zeros(len(counts), dtype=np.bool_)
    for kind, right in allowed.items():
        agree |= (status == kind) & right
    return agree
