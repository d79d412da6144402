"""Rows as tuples, as SQLite's driver takes them: in the order of their ids, columns as in ``columns``."""

from __future__ import annotations

import json
from math import isnan
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokumill.grids.batch import digests, to_lines
from sudokumill.rows import FinalRows, Grades, LevelRows, SolutionRows
from sudokumill.store.columns import FIGURES, Sheet, Values, states, status_names
from sudokumill.store.leases import Claim
from sudokumill.store.models import GradeState


def pack_finals(
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


def pack_puzzles(
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


def pack_grades(
    held: Claim, ids: list[bytes], positions: NDArray[np.int64], grades: Grades, graded_by: tuple[str, str]
) -> Sheet:
    """Rows in the order of ids; of puzzles that come again only the first."""
    columns = zip(
        ids, states(grades), grades.rating.tolist(), grades.hardest, grades.techniques, grades.steps.tolist(),
        *(_nullable(getattr(grades, name)) for name in FIGURES), _nullable(grades.bottleneck),
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


def _nullable(figures: NDArray[np.float64]) -> list[float | None]:
    return [None if isnan(figure) else figure for figure in figures.tolist()]


def pack_solutions(held: Claim, rows: SolutionRows) -> list[dict[str, Any]]:
    """By column, as SQLAlchemy inserts them, in the order of positions."""
    return [
        {
            "job_id": held.job, "position": position, "chunk_id": held.chunk, "status": name, "count": count,
            "nodes": nodes, "digits": line if count else None,
        }
        for position, name, count, nodes, line in zip(
            rows.positions.tolist(), status_names(rows), rows.counts.tolist(), rows.nodes.tolist(),
            to_lines(rows.solutions),
            strict=True,
        )
    ]  # fmt: skip
