"""Digger ``holes``: takes clues out of a final, cell by cell in a given order, while the solution stays unique.

The method of "Sudoku Puzzles Generating: from Easy to Evil" (Xue, Jiang, Li, Yan, Sun): a cell may be dug when
none of the other eight digits in its place gives a solution, for then every solution has the final's digit
there, and the clues that were unique with the cell are unique without it. A cell that was refused is not tried
again: what cannot go now cannot go later, with fewer clues.

**Orbits.** With a symmetry, the cells of an orbit are dug together. They may go when, with all of them blank, no
other digit in *any* of them gives a solution: a second solution must differ from the final in a dug cell, and
if it agrees with all other clues, that cell lies in this orbit.

**The end.** Each row draws the clue count that it aims at from the range, and digs until it is reached, never
below, or until all orbits were tried. ``minimal`` digs to the end instead, and counts single clues also where
orbits were dug.

**Variety.** The fixed orders leave the same corner of every puzzle blank. So with a level a random isomorphism T
follows, as in the paper. The puzzle must stay a subset of the *given* final F, so it is not F that is dug but
its preimage::

    F' = T^-1(F)      P' = dig(F')      P = T(P')      P' lies in F', so P lies in T(F') = F

A symmetry would not survive a T that moves cells, and a T that only exchanges digits changes nothing of which
clues go. So with a symmetry there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import DigResult, DigStatus, Solver, SolveStatus
from sudokumill.grids.batch import CELLS, PEERS, Grids, check_batch
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.isomorphisms import draw
from sudokumill.grids.symmetries import Symmetry, deciding_orbit, orbits, possible_clue_counts
from sudokumill.streams import Seeds, Streams, check_seeds
from sudokumill_classic.hole_orders import draw_orders
from sudokumill_classic.options import HolesOptions


@dataclass(frozen=True)
class _Verdict:
    """Can a cell hold a digit other than the final's? Both arrays have shape (n,)."""

    other_solution: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    """No other solution was found, but the solver gave up on one of the digits."""


class Holes:
    """Digs all finals of a batch in lockstep: at step k every row tries the k-th orbit of its own order.

    Args:
        options: clue range, order, least clues, symmetry, minimality, or a level.
        solver: decides whether another digit gives a solution. Where it gives up, the clues stay.
    """

    def __init__(self, options: HolesOptions, solver: Solver) -> None:
        self._options = options
        self._solver = solver
        self._orbits = orbits(options.symmetry)
        least, most = options.aimed_range()
        possible = possible_clue_counts(options.symmetry)
        self._aims = np.array([count for count in range(least, most + 1) if count in possible])
        self._centre = None if options.minimal else deciding_orbit(options.symmetry)

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        """One puzzle a final; ``MISSED`` when it is sound but its clue count, or minimality, is not as asked.

        Args:
            finals: shape (n, 81).
            seeds: shape (n,), uint64.

        Raises:
            BatchShapeError: ``finals`` is no batch of grids, or there is not one seed a final.
        """
        check_batch(finals, "finals")
        check_seeds(seeds, len(finals))
        puzzles = np.zeros_like(finals)
        status = np.full(len(finals), DigStatus.NOT_A_FINAL, dtype=np.uint8)
        sound = np.flatnonzero(are_finals(finals))
        streams = Streams(seeds[sound])
        if self._options.level is not None and self._options.symmetry is Symmetry.NONE:
            isomorphisms = draw(streams)
            dug, met = self._dig_in_order(isomorphisms.inverse().apply(finals[sound]), streams)
            puzzles[sound] = isomorphisms.apply(dug)
        else:
            puzzles[sound], met = self._dig_in_order(finals[sound], streams)
        status[sound] = np.where(met, DigStatus.DUG, DigStatus.MISSED)
        return DigResult(puzzles, status)

    def _dig_in_order(self, finals: Grids, streams: Streams) -> tuple[Grids, NDArray[np.bool_]]:
        """The puzzles, and which of them are as asked."""
        rows = len(finals)
        aims = self._aims[streams.below(len(self._aims))]
        order = draw_orders(self._options.cell_order(), self._orbits, streams, rows)
        if self._centre is not None:
            order = np.take_along_axis(order, np.argsort(order != self._centre, axis=1, kind="stable"), axis=1)
        sizes = np.array([len(orbit) for orbit in self._orbits])[order]
        deciding_step = _last_odd_step(sizes)
        cells = _padded(self._orbits)[order]
        puzzles = finals.copy()
        needed = np.zeros(finals.shape, dtype=np.bool_)  # clues that were proved to be needed, one by one
        for step in range(len(self._orbits)):
            blanked = puzzles.copy()  # every row as if its orbit had gone; taken over below where it may go
            np.put_along_axis(blanked, cells[:, step], 0, axis=1)
            may = self._keeps_least_clues(blanked)
            if not self._options.minimal:
                left = np.count_nonzero(puzzles, axis=1) - aims
                may &= (left >= sizes[:, step]) & ((step != deciding_step) | (left % 2 == 1))
            for place in range(int(sizes[:, step].max(initial=0))):
                tried = np.flatnonzero(may & (place < sizes[:, step]))
                cell = cells[tried, step, place]
                verdict = self._look_for_another(blanked[tried], finals[tried], cell)
                may[tried] &= ~(verdict.other_solution | verdict.unknown)
                needed[tried, cell] = verdict.other_solution & (sizes[tried, step] == 1)
            puzzles[may] = blanked[may]
        least, most = self._options.clue_range()
        clues = np.count_nonzero(puzzles, axis=1)
        met: NDArray[np.bool_] = (least <= clues) & (clues <= most)
        if self._options.minimal:
            met &= self._are_minimal(puzzles, finals, needed)
        return puzzles, met

    def _keeps_least_clues(self, puzzles: Grids) -> NDArray[np.bool_]:
        """Which puzzles have the least clues of every row and column; shape (n,)."""
        row_min, column_min = self._options.line_mins()
        clues = (puzzles > 0).reshape(-1, 9, 9)
        enough: NDArray[np.bool_] = (clues.sum(axis=2) >= row_min).all(axis=1)
        enough &= (clues.sum(axis=1) >= column_min).all(axis=1)
        return enough

    def _look_for_another(self, blanked: Grids, finals: Grids, cells: NDArray[np.intp]) -> _Verdict:
        """Tries every digit but the final's in one blank cell of each grid.

        A digit that a peer shows clashes and needs no search. All others of the batch are searched in one call.

        Args:
            blanked: shape (n, 81), clues of the finals.
            finals: shape (n, 81).
            cells: shape (n,), one blank cell of each grid.
        """
        each = np.arange(len(cells))
        possible = np.ones((len(cells), 10), dtype=np.bool_)
        possible[:, 0] = False
        possible[each, finals[each, cells]] = False
        for peer in PEERS[cells].T:
            possible[each, blanked[each, peer]] = False  # a blank peer only strikes digit 0
        grid, digit = np.nonzero(possible)
        trials = blanked[grid]
        trials[np.arange(len(grid)), cells[grid]] = digit
        result = self._solver.solve(trials, limit=1)

        other_solution = np.zeros(len(cells), dtype=np.bool_)
        other_solution[grid[result.counts > 0]] = True
        gave_up = np.zeros(len(cells), dtype=np.bool_)
        gave_up[grid[result.status == SolveStatus.GAVE_UP]] = True
        return _Verdict(other_solution, gave_up & ~other_solution)

    def _are_minimal(self, puzzles: Grids, finals: Grids, needed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """From which puzzles no single clue can go; shape (n,).

        Most clues were already proved to be needed when they were refused: that holds for good, as clues only
        get fewer. Left are those of larger orbits, and those that stayed for the sake of a row or column.
        """
        minimal = np.ones(len(puzzles), dtype=np.bool_)
        for cell in range(CELLS):
            tried = np.flatnonzero(minimal & (puzzles[:, cell] > 0) & ~needed[:, cell])
            blanked = puzzles[tried]
            blanked[:, cell] = 0
            cells = np.full(len(tried), cell, dtype=np.intp)
            minimal[tried] = self._look_for_another(blanked, finals[tried], cells).other_solution
        return minimal


def _padded(orbit_cells: tuple[tuple[int, ...], ...]) -> NDArray[np.intp]:
    """Shape (orbits, cells of the largest); a smaller orbit repeats its first cell."""
    width = max(map(len, orbit_cells))
    return np.array([orbit + orbit[:1] * (width - len(orbit)) for orbit in orbit_cells], dtype=np.intp)


def _last_odd_step(sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """The step after which only orbits with an even number of cells follow; -1 if none follow. Shape (n,).

    From then on the clue count stays odd or even. So an orbit that comes at this step goes only where the number
    of clues that are still to go is odd.

    Args:
        sizes: shape (n, orbits), cells of the orbit that each row tries at each step.
    """
    odd = sizes % 2 == 1
    return np.where(odd[:, -1], -1, odd.shape[1] - 1 - odd[:, ::-1].argmax(axis=1))
