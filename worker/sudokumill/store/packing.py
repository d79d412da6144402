"""Packing: a chunk's rows as the database takes them.

This takes no lock, so it is done before the transaction: on SQLite only one process writes at a time. SQLite takes
tuples, PostgreSQL the bytes of a binary COPY.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import Grids
from sudokumill.jobs import Distinct
from sudokumill.rows import FinalRows, GradeRows, Rows, SolutionRows
from sudokumill.store import binary_rows, tuple_rows
from sudokumill.store.binary_rows import ids_of
from sudokumill.store.columns import Sheet
from sudokumill.store.copying import CopyRows
from sudokumill.store.leases import Claim


@dataclass(frozen=True)
class PackedFinals:
    """Finals, and which of them may be delivered."""

    finals: Sheet
    """``FINAL_COLUMNS``, or ``CLASSED_FINAL_COLUMNS``; sorted by id."""
    ids: list[bytes]
    """In the order of positions."""
    positions: NDArray[np.int64]
    classes: list[bytes] | None
    """In the order of positions, where the job wants no isomorphs. Then of each class only the first row is
    written as on target."""

    def hits(self) -> list[tuple[bytes, int]]:
        """(id, position) of what may be delivered, in the order of positions; only needed if some is not new."""
        return list(zip(self.ids, self.positions.tolist(), strict=True))


@dataclass(frozen=True)
class PackedLevels:
    """Puzzles with their finals."""

    finals: Sheet
    """``FINAL_COLUMNS``, sorted by id."""
    puzzles: Sheet
    """``PUZZLE_COLUMNS``, sorted by id."""
    hits: list[tuple[bytes, int]]
    """(id, position) of the puzzles on target, in the order of positions."""
    grades: Sheet | None
    """As in ``PackedGrades``, where the job has a grader."""
    classes: list[bytes] | None
    """Of the hits, as in ``PackedFinals``."""


@dataclass(frozen=True)
class PackedGrades:
    """What a grader said."""

    grades: Sheet
    """``GRADE_COLUMNS``, sorted by id, of each puzzle once."""
    count: int
    """How many positions have a grade."""


@dataclass(frozen=True)
class PackedSolutions:
    """What a solver found."""

    solutions: list[dict[str, Any]] | CopyRows


Packed = PackedFinals | PackedLevels | PackedGrades | PackedSolutions


def pack(
    held: Claim,
    rows: Rows,
    licence: str,
    *,
    binary: bool,
    grader: str | None = None,
    distinct: Distinct = Distinct.EXACT,
) -> Packed:
    """A chunk's rows for the database.

    Args:
        held: their origin.
        rows: all of the chunk's.
        licence: written beside each puzzle.
        binary: as PostgreSQL takes them, not as SQLite does.
        grader: who graded them, as NAME==VERSION.
        distinct: ISOMORPH: the job wants no isomorphs; each row has its canonical form.
    """
    named = (grader or "").partition("==")
    graded_by = named[0], named[2]
    if isinstance(rows, SolutionRows):
        pack_solutions = binary_rows.pack_solutions if binary else tuple_rows.pack_solutions
        return PackedSolutions(pack_solutions(held, rows))
    pack_grades = binary_rows.pack_grades if binary else tuple_rows.pack_grades
    if isinstance(rows, GradeRows):
        sheet = pack_grades(held, ids_of(rows.puzzles), rows.positions, rows.grades, graded_by)
        return PackedGrades(sheet, len(rows.positions))
    pack_finals = binary_rows.pack_finals if binary else tuple_rows.pack_finals
    classes = _classes(rows.forms, len(rows.positions))
    if isinstance(rows, FinalRows):
        if distinct is Distinct.EXACT:
            ids, finals = pack_finals(held, rows)
            return PackedFinals(finals, ids, rows.positions, None)
        firsts = _firsts(classes, np.ones(len(classes), dtype=np.bool_))
        ids, finals = pack_finals(held, rows, classes, firsts)
        return PackedFinals(finals, ids, rows.positions, _known(classes))
    ids, finals = pack_finals(held, rows)
    on_target = rows.on_target if distinct is Distinct.EXACT else _firsts(classes, rows.on_target)
    pack_puzzles = binary_rows.pack_puzzles if binary else tuple_rows.pack_puzzles
    puzzle_ids, puzzles = pack_puzzles(held, rows, ids, licence, classes, on_target)
    positions = rows.positions.tolist()
    where = np.flatnonzero(rows.on_target).tolist()
    hits = [(puzzle_ids[row], positions[row]) for row in where]
    grades = None
    if rows.grades is not None:
        grades = pack_grades(held, puzzle_ids, rows.positions, rows.grades, graded_by)
    classes_of_hits = None if distinct is Distinct.EXACT else _known([classes[row] for row in where])
    return PackedLevels(finals, puzzles, hits, grades, classes_of_hits)


def _classes(forms: Grids | None, count: int) -> list[bytes | None]:
    """Ids of classes, from canonical forms."""
    if forms is None:
        return [None] * count
    known: list[bool] = np.any(forms, axis=1).tolist()
    return [each if there else None for each, there in zip(ids_of(forms), known, strict=True)]


def _known(classes: list[bytes | None]) -> list[bytes]:
    known = [each for each in classes if each is not None]
    if len(known) < len(classes):
        raise ValueError("the rows of a job that wants no isomorphs need their canonical forms")
    return known


def _firsts(classes: list[bytes | None], among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of some rows are the first of their class, by position."""
    firsts = among.copy()
    seen: set[bytes | None] = set()
    for row in np.flatnonzero(among).tolist():
        firsts[row] = classes[row] not in seen
        seen.add(classes[row])
    return firsts
