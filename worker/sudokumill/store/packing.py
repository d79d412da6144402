"""Packing: a chunk's rows as the database takes them.

This takes no lock, so it is done before the transaction: on SQLite only one process writes at a time. SQLite takes
tuples, PostgreSQL the bytes of a binary COPY.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from math import isnan
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeStatus, SolveStatus
from sudokumill.grids.batch import CELLS, Grids, digests, to_lines
from sudokumill.jobs import Distinct
from sudokumill.rows import FinalRows, GradeRows, Grades, LevelRows, Rows, SolutionRows
from sudokumill.store.copying import (
    CopyRows,
    Field,
    copy_rows,
    counts,
    digits,
    documents,
    doubles,
    flags,
    integers,
    raw,
    raw_or_null,
    small_integers,
    texts,
)
from sudokumill.store.leases import Claim
from sudokumill.store.models import GradeState

Values = tuple[Any, ...]
Sheet = list[Values] | CopyRows
"""Rows of one table."""

FINAL_COLUMNS: Final = ("id", "digits", "job_id", "chunk_id", "position")

CLASSED_FINAL_COLUMNS: Final = (*FINAL_COLUMNS, "class_id", "on_target")
"""Of jobs that want no isomorphs."""

PUZZLE_COLUMNS: Final = (
    "id", "clues", "final_id", "size", "box_rows", "box_columns", "variant",
    "clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max",
    "symmetry", "minimal", "nodes", "paper_level",
    "on_target", "licence", "state", "job_id", "chunk_id", "position", "class_id",
)  # fmt: skip

GRADE_COLUMNS: Final = (
    "puzzle_id", "grader", "version", "status", "rating", "at_least", "hardest", "techniques", "steps",
    "er", "ep", "ed", "rating_sum", "bottleneck", "job_id", "chunk_id", "position",
)  # fmt: skip

_FIGURES: Final = ("er", "ep", "ed", "rating_sum")

_GRADE_STATES: Final = {
    GradeStatus.GRADED: GradeState.GRADED,
    GradeStatus.GAVE_UP: GradeState.GAVE_UP,
    GradeStatus.ABOVE: GradeState.ABOVE,
}

_BOUNDS: Final = ("clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max")


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
        return PackedSolutions(_binary_solutions(held, rows) if binary else _solutions(held, rows))
    pack_grades = _binary_grades if binary else _grades
    if isinstance(rows, GradeRows):
        sheet = pack_grades(held, _ids(rows.puzzles), rows.positions, rows.grades, graded_by)
        return PackedGrades(sheet, len(rows.positions))
    pack_finals = _binary_finals if binary else _finals
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
    puzzle_ids, puzzles = (_binary_puzzles if binary else _puzzles)(held, rows, ids, licence, classes, on_target)
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
    return [each if there else None for each, there in zip(_ids(forms), known, strict=True)]


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


def _finals(
    held: Claim,
    rows: FinalRows | LevelRows,
    classes: list[bytes | None] | None = None,
    on_target: NDArray[np.bool_] | None = None,
) -> tuple[list[bytes], Sheet]:
    """Ids in the order of positions, and rows in the order of ids; with classes, where these are given."""
    lines = to_lines(rows.finals)
    ids = digests(lines)
    job, chunk = held.job, held.chunk
    values: list[Values] = [
        (each, line, job, chunk, position)
        for each, line, position in zip(ids, lines, rows.positions.tolist(), strict=True)
    ]
    if classes is not None and on_target is not None:
        more = zip(values, classes, on_target.tolist(), strict=True)
        values = [(*value, class_id, hit) for value, class_id, hit in more]
    values.sort(key=itemgetter(0))
    return ids, values


def _puzzles(
    held: Claim,
    rows: LevelRows,
    final_ids: list[bytes],
    licence: str,
    classes: list[bytes | None],
    on_target: NDArray[np.bool_],
) -> tuple[list[bytes], Sheet]:
    """Ids in the order of positions, and rows in the order of ids."""
    clues = to_lines(rows.puzzles)
    ids = digests(clues)
    about = rows.descriptions
    columns = zip(
        ids, clues, final_ids,
        about.clue_count.tolist(), about.row_min.tolist(), about.row_max.tolist(),
        about.column_min.tolist(), about.column_max.tolist(), about.box_min.tolist(), about.box_max.tolist(),
        about.symmetry, rows.minimal.tolist(), rows.nodes.tolist(), about.paper_level.tolist(),
        on_target.tolist(), rows.positions.tolist(), classes,
        strict=True,
    )  # fmt: skip
    values: list[Values] = [
        (
            each, text, final, 9, 3, 3, "classic",
            count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry.value, None if minimal < 0 else bool(minimal), None if nodes < 0 else nodes, level or None,
            hit, licence, "available", held.job, held.chunk, position, class_id,
        )
        for (
            each, text, final, count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry, minimal, nodes, level, hit, position, class_id,
        ) in columns
    ]  # fmt: skip
    values.sort(key=itemgetter(0))
    return ids, values


def _grades(
    held: Claim, ids: list[bytes], positions: NDArray[np.int64], grades: Grades, graded_by: tuple[str, str]
) -> Sheet:
    """Rows in the order of ids; of puzzles that come again only the first."""
    columns = zip(
        ids, _states(grades), grades.rating.tolist(), grades.hardest, grades.techniques, grades.steps.tolist(),
        *(_nullable(getattr(grades, name)) for name in _FIGURES), _nullable(grades.bottleneck),
        positions.tolist(),
        strict=True,
    )  # fmt: skip
    values: dict[bytes, Values] = {}
    for each, state, rating, hardest, used, steps, er, ep, ed, total, bottleneck, position in columns:
        if each in values:
            continue
        says: Values = (None, rating, None, None, None, None, None, None, None, None)
        if state == GradeState.GRADED:
            least = None if bottleneck is None else int(bottleneck)
            says = (rating, None, hardest, json.dumps(used), steps, er, ep, ed, total, least)
        values[each] = (each, *graded_by, state, *says, held.job, held.chunk, position)
    return sorted(values.values(), key=itemgetter(0))


def _states(grades: Grades) -> list[str]:
    return [_GRADE_STATES[GradeStatus(status)].value for status in grades.status.tolist()]


def _nullable(figures: NDArray[np.float64]) -> list[float | None]:
    return [None if isnan(figure) else figure for figure in figures.tolist()]


def _status_names(rows: SolutionRows) -> list[str]:
    return [SolveStatus(status).name.lower().replace("_", " ") for status in rows.status.tolist()]


def _solutions(held: Claim, rows: SolutionRows) -> list[dict[str, Any]]:
    return [
        {
            "job_id": held.job, "position": position, "chunk_id": held.chunk, "status": name, "count": count,
            "nodes": nodes, "digits": line if count else None,
        }
        for position, name, count, nodes, line in zip(
            rows.positions.tolist(), _status_names(rows), rows.counts.tolist(), rows.nodes.tolist(),
            to_lines(rows.solutions),
            strict=True,
        )
    ]  # fmt: skip


def _binary_finals(
    held: Claim,
    rows: FinalRows | LevelRows,
    classes: list[bytes | None] | None = None,
    on_target: NDArray[np.bool_] | None = None,
) -> tuple[list[bytes], Sheet]:
    """What ``_finals`` gives, for COPY."""
    ids = _ids(rows.finals)
    keys = raw(ids).data
    order = _sorted(keys)
    fields = {
        "id": Field(keys[order]),
        "digits": digits(rows.finals[order]),
        **_origin(held, rows.positions[order]),
    }
    if classes is not None and on_target is not None:
        fields |= {"class_id": raw_or_null([classes[row] for row in order]), "on_target": flags(on_target[order])}
    return ids, copy_rows(len(ids), fields)


def _binary_puzzles(
    held: Claim,
    rows: LevelRows,
    final_ids: list[bytes],
    licence: str,
    classes: list[bytes | None],
    on_target: NDArray[np.bool_],
) -> tuple[list[bytes], Sheet]:
    """What ``_puzzles`` gives, for COPY."""
    ids = _ids(rows.puzzles)
    keys = raw(ids).data
    order = _sorted(keys)
    about = rows.descriptions
    minimal, nodes, level = rows.minimal[order], rows.nodes[order], about.paper_level[order]
    fields = {
        "id": Field(keys[order]),
        "clues": digits(rows.puzzles[order]),
        "final_id": Field(raw(final_ids).data[order]),
        "size": small_integers(np.array(9)),
        "box_rows": small_integers(np.array(3)),
        "box_columns": small_integers(np.array(3)),
        "variant": texts(["classic"]),
        **{name: small_integers(getattr(about, name)[order]) for name in _BOUNDS},
        "symmetry": texts([about.symmetry[row].value for row in order]),
        "minimal": flags(minimal > 0, null=minimal < 0),
        "nodes": integers(nodes, null=nodes < 0),
        "paper_level": small_integers(level, null=level == 0),
        "on_target": flags(on_target[order]),
        "licence": texts([licence]),
        "state": texts(["available"]),
        **_origin(held, rows.positions[order]),
        "class_id": raw_or_null([classes[row] for row in order]),
    }
    return ids, copy_rows(len(ids), fields)


def _binary_solutions(held: Claim, rows: SolutionRows) -> CopyRows:
    """What ``_solutions`` gives, for COPY."""
    fields = {
        **_origin(held, rows.positions),
        "status": texts(_status_names(rows)),
        "count": integers(rows.counts),
        "nodes": integers(rows.nodes),
        "digits": digits(rows.solutions, null=rows.counts == 0),
    }
    return copy_rows(len(rows.positions), fields)


def _binary_grades(
    held: Claim, ids: list[bytes], positions: NDArray[np.int64], grades: Grades, graded_by: tuple[str, str]
) -> Sheet:
    """What ``_grades`` gives, for COPY."""
    keys = raw(ids).data
    order = _sorted(keys)
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    order = order[first]
    some = grades.take(order)
    ended = some.status == GradeStatus.GRADED
    told = ended.tolist()
    bottleneck = np.nan_to_num(some.bottleneck).astype(np.int64)
    fields = {
        "puzzle_id": Field(keys[order]),
        "grader": texts([graded_by[0]]),
        "version": texts([graded_by[1]]),
        "status": texts(_states(some)),
        "rating": doubles(np.where(ended, some.rating, np.nan)),
        "at_least": doubles(np.where(ended, np.nan, some.rating)),
        "hardest": texts([code if there else None for code, there in zip(some.hardest, told, strict=True)]),
        "techniques": documents(
            [json.dumps(used) if there else None for used, there in zip(some.techniques, told, strict=True)]
        ),
        "steps": counts(some.steps, null=~ended),
        **{name: doubles(np.where(ended, getattr(some, name), np.nan)) for name in _FIGURES},
        "bottleneck": counts(bottleneck, null=~ended | np.isnan(some.bottleneck)),
        **_origin(held, positions[order]),
    }
    return copy_rows(len(order), fields)


def _ids(grids: Grids) -> list[bytes]:
    """What ``digests`` gives of the grids' lines. No texts are made of them first: two thirds of the time."""
    lines: list[bytes] = digits(grids).data.view(f"S{CELLS}").ravel().tolist()
    blake2b = hashlib.blake2b
    return [blake2b(line, digest_size=16).digest() for line in lines]


def _sorted(keys: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The order of ids, which is that of their bytes; rows with the same one stay in the order of positions."""
    halves = keys.view(">u8").astype(np.uint64)
    order = np.argsort(halves[:, 0])
    firsts = halves[order, 0]
    if (firsts[1:] != firsts[:-1]).all():
        return order
    return np.lexsort((halves[:, 1], halves[:, 0]))


def _origin(held: Claim, positions: NDArray[np.int64]) -> dict[str, Field]:
    return {
        "job_id": integers(np.array(held.job)),
        "chunk_id": integers(np.array(held.chunk)),
        "position": integers(positions),
    }
