"""The C++ kernel over batches. Every function releases the GIL for the whole batch and keeps no state.

A signal that raises, as Ctrl-C does, ends a batch that was called from the main thread; its rows are lost. (None
of this is so of ``Peer``.)

What takes ``threads`` splits the batch among so many of them, of which the caller's is one; rows do not depend on
it, and none of the threads outlives the call. Where the system gives no more threads, RuntimeError is raised.

Arrays that are passed in must have exactly the dtype, shape and memory order named; they are never converted.
Another one raises TypeError. What comes out is new and C-contiguous.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

builds: tuple[str, ...]
"""The builds that this machine can run, the fastest first, of ``avx512``, ``avx2`` and ``portable``."""

solve_statuses: Mapping[str, int]
dig_statuses: Mapping[str, int]
grade_statuses: Mapping[str, int]
"""The kernel's own values of ``SolveStatus``, ``DigStatus`` and ``GradeStatus``, by their names."""

techniques: tuple[tuple[str, int], ...]
"""(code, lowest rating in tenths) of each technique of grader ``explainer``, at the place of its number."""

def solve(
    puzzles: NDArray[np.uint8],
    limit: int,
    max_nodes: int | None,
    build: str,
    together: int = ...,
    threads: int = 1,
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Counts up to ``limit`` solutions of each grid of a batch of shape (n, 81), by one of ``builds``.

    ``together`` is how many rows are searched at a time, at most 65,536, which changes nothing but the time: with
    1 each row is a call of its own.

    Returns:
        counts (n,) int64, first solutions (n, 81) uint8, nodes (n,) int64, ``SolveStatus`` (n,) uint8; the same
        for every build.

    Raises:
        ValueError: limit, max_nodes, together or threads below 1, or a build that this machine cannot run.
    """

def search_cover(
    puzzles: NDArray[np.uint8], limit: int, max_nodes: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """The same by a search over the constraints of the exact cover, row by row."""

def make_finals(seeds: NDArray[np.uint64], uniformity: int, build: str, threads: int = 1) -> NDArray[np.uint8]:
    """One final a seed; seeds (n,), finals (n, 81); the same for every build.

    Args:
        seeds: shape (n,).
        uniformity: every final comes up with a probability of 2**-uniformity where its start was drawn, but for a
            share of finals that never does.
        build: one of ``builds``.

    Raises:
        ValueError: a uniformity that is not 11 to 40, threads below 1, or a build that this machine cannot run.
    """

def dig(
    finals: NDArray[np.uint8],
    seeds: NDArray[np.uint64],
    orbits: NDArray[np.uint8],
    aims: Sequence[int],
    clue_range: tuple[int, int],
    minimal: bool,
    build: str,
    threads: int = 1,
    shuffled: bool = True,
    row_min: int = 0,
    column_min: int = 0,
    blank: NDArray[np.uint8] | None = None,
    pattern: bool = False,
    added: int = 0,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """One puzzle a final.

    Args:
        finals: shape (n, 81).
        seeds: shape (n,).
        orbits: shape (81,), numbers 0 .. 80; cells with equal numbers are dug together or not at all. Without
            ``shuffled`` they are tried in the order of the numbers.
        aims: clue counts, 0 .. 81; each row's seed draws the one at which the row stops.
        clue_range: the least and the greatest clue count that make a row ``DUG``.
        minimal: dig to the end whatever the aim, and call a row ``DUG`` only if no single clue can go.
        build: one of ``builds``; all give the same puzzles.
        threads: how many do the batch.
        shuffled: each row's seed draws the order in which orbits are tried.
        row_min: least clues in every row, 0 .. 9.
        column_min: least clues in every column, 0 .. 9.
        blank: shape (81,); cells that are not 0 here go first, with their orbits, and a row is ``DUG`` only if all
            of them are gone.
        pattern: dig the cells of ``blank`` and no others. A row for which these clues have several solutions is
            ``MISSED``, and all zeros.
        added: dig to the end whatever the aim, and then put so many clues back, orbit by orbit in an order that the
            row's seed draws: 0 .. 81. A row that has too few blanks is ``MISSED``.

    Returns:
        puzzles (n, 81), ``DigStatus`` (n,) uint8.

    Raises:
        ValueError: not one seed a final, no aim, an orbit's number above 80, a least number of clues that is not
            0 to 9, clues to put back that are not 0 to 81, threads below 1, or a build that this machine cannot run.
    """

def minimal(
    puzzles: NDArray[np.uint8], solutions: NDArray[np.uint8], build: str, threads: int = 1
) -> NDArray[np.uint8]:
    """1 for each puzzle from which no single clue can be taken without a second solution, else 0.

    Args:
        puzzles: shape (n, 81).
        solutions: shape (n, 81), the only solution of each puzzle.
        build: one of ``builds``; all give the same answers.

    Returns:
        Shape (n,); 0 too where the solution is not a final that keeps the clues.

    Raises:
        ValueError: not one solution a puzzle, threads below 1, or a build that this machine cannot run.
    """

def canonical_forms(grids: NDArray[np.uint8], solutions: NDArray[np.uint8], threads: int = 1) -> NDArray[np.uint8]:
    """The canonical form of each grid, as ``sudokumill.grids.canonical`` says what it is.

    Args:
        grids: shape (n, 81).
        solutions: shape (n, 81), the only solution of each grid.

    Returns:
        Shape (n, 81); zeros where the solution is not a final that keeps the grid's clues.

    Raises:
        ValueError: not one solution a grid, or threads below 1.
    """

def grade(
    grids: NDArray[np.uint8], effort: int, ceiling: int | None, build: str, threads: int = 1
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.uint16],
    NDArray[np.uint16],
    NDArray[np.uint16],
    NDArray[np.uint8],
    NDArray[np.uint16],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Grades each grid of a batch of shape (n, 81) by grader ``explainer``. Ratings are in tenths, 0 for none.

    Args:
        grids: shape (n, 81).
        effort: assumptions that one puzzle may cost before it is given up.
        ceiling: a puzzle that is surely rated above is not graded to its end; None: all are.
        build: one of ``builds``, which counts the solutions.

    Returns:
        ``GradeStatus``, ER (a lower bound for ``GAVE_UP`` and ``ABOVE``), EP, ED, number of the hardest technique,
        how often each technique was used (n, len(techniques)), steps, sum of their ratings, bottleneck. What is no
        puzzle has nothing but its status.

    Raises:
        ValueError: threads below 1, or a build that this machine cannot run.
    """

def grade_path(
    grid: NDArray[np.uint8], effort: int, ceiling: int | None, build: str
) -> list[
    tuple[
        int,
        int,
        tuple[int, ...],
        tuple[int, ...],
        tuple[tuple[int, int], ...],
        tuple[tuple[int, int], ...],
        tuple[tuple[tuple[int, int, bool, int, int, tuple[int, ...]], ...], ...],
    ]
]:
    """The steps that ``grade`` counts for one grid of shape (81,): none if it is no puzzle.

    Returns:
        Number of the technique, rating in tenths, cells, digits, placements and eliminations as (cell, digit), and
        chains of each; cells are 0 .. 80, digits 1 .. 9. A chain is a tuple of (cell, digit, on, why, technique,
        since): ``why`` is a place in ``LINK_REASONS``, or the first number after them for ``technique``, a number
        that means nothing otherwise; ``since`` are the places of the links that it follows from.

    Raises:
        ValueError: a build that this machine cannot run.
    """

class Peer:
    """Another engine, to measure beside: a shared library that is called as tdoku is.

    Its methods keep the GIL, and no signal ends them.

    Raises:
        RuntimeError: the library or one of its functions is not there.
    """

    def __init__(self, path: str) -> None: ...
    def solve(self, puzzles: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Counts up to two and first solutions; it checks nothing."""

    def dig(self, finals: NDArray[np.uint8], seeds: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Minimal puzzles by a loop: 44 cells at once, then one by one."""

    def make_finals(self, seeds: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Finals by solving eleven clues at random."""
