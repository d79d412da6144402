"""The conformance kit: proof that a plugin keeps its contract, in three lines of its author's own test file::

    from sudokumill.testing import check_generator

    def test_shifted_rows() -> None:
        check_generator("shifted-rows")

Every check raises ``ConformanceError``, an ``AssertionError`` that names the rule, the row and a command that
shows it again. ``invariance`` holds the rules that all roles share, ``generators``, ``diggers``, ``solvers`` and
``graders`` (with ``paths``) those of one role, ``samples`` what they are fed, ``reference`` the solver that judges
counts.
"""

from __future__ import annotations

from sudokumill.errors import ConformanceError
from sudokumill.testing.diggers import check_digger
from sudokumill.testing.generators import check_generator
from sudokumill.testing.graders import check_grader
from sudokumill.testing.reference import ReferenceSolver
from sudokumill.testing.solvers import check_solver

__all__ = [
    "ConformanceError",
    "ReferenceSolver",
    "check_digger",
    "check_generator",
    "check_grader",
    "check_solver",
]
