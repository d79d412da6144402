"""Packing: a chunk's rows as the database takes them.

This takes no lock, so it is done before the transaction: on SQLite only one process writes at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np

from sudokumill.contracts import SolveStatus
from sudokumill.grids.batch import digests, to_lines
from sudokumill.rows import FinalRows, LevelRows, Rows, SolutionRows
from sudokumill.store.leases import Claim

Values = tuple[Any, ...]

FINAL_COLUMNS: Final = ("id", "digits", "job_id", "chunk_id", "position")

PUZZLE_COLUMNS: Final = (
    "id", "clues", "final_id", "size", "box_rows", "box_columns", "variant",
    "clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max",
    "symmetry", "minimal", "nodes", "paper_level",
    "on_target", "licence", "state", "job_id", "chunk_id", "position",
)  # fmt: skip


@dataclass(frozen=True)
class PackedFinals:
    """Finals, and which of them may be delivered."""

    finals: list[Values]
    """``FINAL_COLUMNS``, sorted by id."""
    hits: list[tuple[bytes, int]]
    """(id, position) of what may be delivered, in the order of positions."""


@dataclass(frozen=True)
class PackedLevels:
    """Puzzles with their finals."""

    finals: list[Values]
    """``FINAL_COLUMNS``, sorted by id."""
    puzzles: list[Values]
    """``PUZZLE_COLUMNS``, sorted by id."""
    hits: list[tuple[bytes, int]]
    """(id, position) of the puzzles on target, in the order of positions."""


@dataclass(frozen=True)
class PackedSolutions:
    """What a solver found."""

    solutions: list[dict[str, Any]]


Packed = PackedFinals | PackedLevels | PackedSolutions


def pack(held: Claim, rows: Rows, licence: str) -> Packed:
    """A chunk's rows for the database.

    Args:
        held: their origin.
        rows: all of the chunk's.
        licence: written beside each puzzle.
    """
    if isinstance(rows, SolutionRows):
        return PackedSolutions(_solutions(held, rows))
    ids, finals = _finals(held, rows)
    positions = rows.positions.tolist()
    if isinstance(rows, FinalRows):
        return PackedFinals(finals, list(zip(ids, positions, strict=True)))
    puzzle_ids, puzzles = _puzzles(held, rows, ids, licence)
    hits = [(puzzle_ids[row], positions[row]) for row in np.flatnonzero(rows.on_target)]
    return PackedLevels(finals, puzzles, hits)


def _finals(held: Claim, rows: FinalRows | LevelRows) -> tuple[list[bytes], list[Values]]:
    """Ids in the order of positions, and rows in the order of ids."""
    lines = to_lines(rows.finals)
    ids = digests(lines)
    job, chunk = held.job, held.chunk
    values: list[Values] = [
        (each, line, job, chunk, position)
        for each, line, position in zip(ids, lines, rows.positions.tolist(), strict=True)
    ]
    values.sort(key=itemgetter(0))
    return ids, values


def _puzzles(
    held: Claim, rows: LevelRows, final_ids: list[bytes], licence: str
) -> tuple[list[bytes], list[Values]]:
    """Ids in the order of positions, and rows in the order of ids."""
    clues = to_lines(rows.puzzles)
    ids = digests(clues)
    about = rows.descriptions
    columns = zip(
        ids, clues, final_ids,
        about.clue_count.tolist(), about.row_min.tolist(), about.row_max.tolist(),
        about.column_min.tolist(), about.column_max.tolist(), about.box_min.tolist(), about.box_max.tolist(),
        about.symmetry, rows.minimal.tolist(), rows.nodes.tolist(), about.paper_level.tolist(),
        rows.on_target.tolist(), rows.positions.tolist(),
        strict=True,
    )  # fmt: skip
    values: list[Values] = [
        (
            each, text, final, 9, 3, 3, "classic",
            count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry.value, None if minimal < 0 else bool(minimal), None if nodes < 0 else nodes, level or None,
            on_target, licence, "available", held.job, held.chunk, position,
        )
        for (
            each, text, final, count, row_min, row_max, column_min, column_max, box_min, box_max,
            symmetry, minimal, nodes, level, on_target, position,
        ) in columns
    ]  # fmt: skip
    values.sort(key=itemgetter(0))
    return ids, values


def _solutions(held: Claim, rows: SolutionRows) -> list[dict[str, Any]]:
    names = [SolveStatus(status).name.lower().replace("_", " ") for status in rows.status.tolist()]
    return [
        {
            "job_id": held.job, "position": position, "chunk_id": held.chunk, "status": name, "count": count,
            "nodes": nodes, "digits": line if count else None,
        }
        for position, name, count, nodes, line in zip(
            rows.positions.tolist(), names, rows.counts.tolist(), rows.nodes.tolist(), to_lines(rows.solutions),
            strict=True,
        )
    ]  # fmt: skip
