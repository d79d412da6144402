"""The Protocols of the four roles, and of what an object may have beside its role."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts.results import DigResult, GenerateResult, GradeResult, SolveResult, Step
from sudokumill.grids.batch import Grids
from sudokumill.streams import Seeds


class Role(StrEnum):
    """What an implementation can be."""

    GENERATOR = "generator"
    DIGGER = "digger"
    SOLVER = "solver"
    GRADER = "grader"


class Generator(Protocol):
    """Makes finals."""

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed. A generator that enumerates gets positions 0, 1, 2, ... in place of seeds."""
        ...


class Digger(Protocol):
    """Takes clues out of finals so that puzzles remain."""

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        """One puzzle a final."""
        ...


class Solver(Protocol):
    """Counts and finds solutions."""

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` (1 or more) solutions of each puzzle."""
        ...


class Grader(Protocol):
    """Says how hard a puzzle is for a person."""

    def grade(self, puzzles: Grids) -> GradeResult:
        """One grade a puzzle."""
        ...


@runtime_checkable
class Explainer(Grader, Protocol):
    """A grader that can show its way."""

    def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
        """The steps that ``grade`` counts, in their order, from the clues to the solution.

        Args:
            puzzle: shape (81,).

        Returns:
            All steps; of a puzzle that is given up or above the ceiling, those that were taken. For what has none
            or several solutions, clashes, or has no blank: none.
        """
        ...


@runtime_checkable
class Canonicaliser(Protocol):
    """A solver that also brings grids to their canonical form, faster than the host can."""

    def canonical(self, puzzles: Grids, solutions: Grids) -> Grids:
        """The canonical form of each puzzle or final, exactly that of ``grids.canonical.canonical_forms``.

        Args:
            puzzles: shape (n, 81).
            solutions: shape (n, 81), the only solution of each.

        Returns:
            Shape (n, 81); zeros where the solution is not a final that keeps the clues.
        """
        ...


@runtime_checkable
class MinimalityTester(Protocol):
    """A solver that also says which puzzles are minimal, faster than by counts without each clue."""

    def minimal(self, puzzles: Grids, solutions: Grids) -> NDArray[np.bool_]:
        """Which puzzles have several solutions without any single clue: exactly what ``solve`` would count.

        Args:
            puzzles: shape (n, 81).
            solutions: shape (n, 81), the only solution of each.

        Returns:
            Shape (n,); of a row whose solution is not a final that keeps the clues, False.
        """
        ...
