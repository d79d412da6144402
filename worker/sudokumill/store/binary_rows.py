"""Rows as the bytes of a binary COPY, as PostgreSQL takes them: the same as ``tuple_rows`` in each column."""

from __future__ import annotations

import hashlib
import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeStatus
from sudokumill.grids.batch import CELLS, Grids
from sudokumill.rows import FinalRows, Grades, LevelRows, SolutionRows
from sudokumill.store.columns import FIGURES, Sheet, states, status_names
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

_BOUNDS: Final = ("clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max")


def pack_finals(
    held: Claim,
    rows: FinalRows | LevelRows,
    classes: list[bytes | None] | None = None,
    on_target: NDArray[np.bool_] | None = None,
) -> tuple[list[bytes], Sheet]:
    """What ``tuple_rows.pack_finals`` gives."""
    ids = ids_of(rows.finals)
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


def pack_puzzles(
    held: Claim,
    rows: LevelRows,
    final_ids: list[bytes],
    licence: str,
    classes: list[bytes | None],
    on_target: NDArray[np.bool_],
) -> tuple[list[bytes], Sheet]:
    """What ``tuple_rows.pack_puzzles`` gives."""
    ids = ids_of(rows.puzzles)
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


def pack_solutions(held: Claim, rows: SolutionRows) -> CopyRows:
    """What ``tuple_rows.pack_solutions`` gives."""
    fields = {
        **_origin(held, rows.positions),
        "status": texts(status_names(rows)),
        "count": integers(rows.counts),
        "nodes": integers(rows.nodes),
        "digits": digits(rows.solutions, null=rows.counts == 0),
    }
    return copy_rows(len(rows.positions), fields)


def pack_grades(
    held: Claim, ids: list[bytes], positions: NDArray[np.int64], grades: Grades, graded_by: tuple[str, str]
) -> Sheet:
    """What ``tuple_rows.pack_grades`` gives."""
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
        "status": texts(states(some)),
        "rating": doubles(np.where(ended, some.rating, np.nan)),
        "at_least": doubles(np.where(ended, np.nan, some.rating)),
        "hardest": texts([code if there else None for code, there in zip(some.hardest, told, strict=True)]),
        "techniques": documents(
            [json.dumps(used) if there else None for used, there in zip(some.techniques, told, strict=True)]
        ),
        "steps": counts(some.steps, null=~ended),
        **{name: doubles(np.where(ended, getattr(some, name), np.nan)) for name in FIGURES},
        "bottleneck": counts(bottleneck, null=~ended | np.isnan(some.bottleneck)),
        **_origin(held, positions[order]),
    }
    return copy_rows(len(order), fields)


def ids_of(grids: Grids) -> list[bytes]:
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
