"""Minimality with any solver: can a single clue go without a second solution?

Asked of every puzzle that is dug, whoever dug it and whatever it was asked for. A solver that is a
``MinimalityTester`` says so itself; with any other all one-clue-less grids are counted to two.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import MinimalityTester, Solver, SolveStatus
from sudokumill.grids.batch import CELLS, Grids, read_only
from sudokumill.isolation import isolate, take_answers
from sudokumill.solving import verified_solve

Minimality = NDArray[np.int8]
"""Shape (n,): 1 for yes, 0 for no, -1 where the solver gave up and so nobody knows."""

_GROWTH: Final = 3


def are_minimal(solver: Solver, puzzles: Grids, solutions: Grids) -> Minimality:
    """Which puzzles lose uniqueness with any single clue.

    Args:
        solver: a plugin's. Rows of which it fails to say so are counted by it.
        puzzles: shape (n, 81).
        solutions: shape (n, 81), the only solution of each.
    """
    if not isinstance(solver, MinimalityTester):
        return minimal_by_counts(solver, puzzles)
    tester: MinimalityTester = solver
    shown, known = read_only(puzzles), read_only(solutions)
    pieces = isolate(lambda rows: tester.minimal(shown[rows], known[rows]), take_answers, len(puzzles))
    minimal = np.full(len(puzzles), -1, dtype=np.int8)
    for where, answers in pieces.good:
        minimal[where] = answers
    failed = np.array([row for row, _ in pieces.failed], dtype=np.intp)
    if len(failed):
        minimal[failed] = minimal_by_counts(solver, puzzles[failed])
    return minimal


def minimal_by_counts(solver: Solver, puzzles: Grids) -> Minimality:
    """The same by counting to two the solutions without each clue.

    Clues that are tried first are those of the first cells, a clue of every puzzle at a time; a puzzle with one that
    can go is decided and drops out, so puzzles with clues to spare cost a few counts, not thirty.

    Args:
        solver: a plugin's.
        puzzles: shape (n, 81).
    """
    minimal = np.ones(len(puzzles), dtype=np.int8)
    unknown = np.zeros(len(puzzles), dtype=np.bool_)
    counts = (puzzles > 0).sum(axis=1)
    order = np.argsort(puzzles == 0, axis=1, kind="stable")
    done, step = 0, 1
    while done < int(counts.max(initial=0)):
        left = np.flatnonzero(minimal)
        tried = np.arange(done, min(done + step, CELLS))
        rows, places = np.repeat(left, len(tried)), np.tile(tried, len(left))
        real = places < counts[rows]
        rows, places = rows[real], places[real]
        fewer = puzzles[rows]
        fewer[np.arange(len(rows)), order[rows, places]] = 0
        status = verified_solve(solver, fewer).result.status
        minimal[rows[status == SolveStatus.UNIQUE]] = 0
        unknown[rows[status == SolveStatus.GAVE_UP]] = True
        done, step = done + step, step * _GROWTH
    minimal[unknown & (minimal == 1)] = -1
    return minimal
