"""Writing stored rows as text: what a job delivered, or all levels."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Row

from sudokumill.cli.bars import counted
from sudokumill.cli.console import shown_id
from sudokumill.difficulty import shown_range, shown_rating
from sudokumill.formats import FORMATS, TextFormat
from sudokumill.grids.batch import from_lines
from sudokumill.jobs import JobKind
from sudokumill.output import opened
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.progress import Progress

_WRITTEN_AT_A_TIME: Final = 5_000
_GRADE_FIELDS: Final = (
    "band", "rating", "rating_at_least", "hardest", "techniques", "steps", "er", "ep", "ed", "rating_sum",
    "bottleneck", "grader", "grader_version", "grade_status",
)  # fmt: skip
_LEVEL_FIELDS: Final = (
    "clues", "solution", "clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max",
    "symmetry", "minimal", "on_target", "nodes", "paper_level", "licence", "state", "job_id", *_GRADE_FIELDS,
)  # fmt: skip


def format_for(path: str, name: str | None) -> TextFormat:
    """The format that is asked for; without a name, blocks for ``.txt`` and line for all else."""
    if name is None:
        name = "blocks" if Path(path).suffix == ".txt" else "line"
    return FORMATS[name]


def write_delivered(
    database: Database,
    found: Progress,
    path: str,
    name: str | None,
    as_json: bool = False,
    solutions: bool = False,
    limit: int | None = None,
) -> int:
    """Writes what a job delivered, in the order of positions.

    Args:
        database: where it is.
        found: the job.
        path: where to; ``-`` is standard output. A file appears under its name only when it is whole.
        name: of the text format; None chooses by the path.
        as_json: one object a line instead.
        solutions: of levels, their solutions instead of their clues.
        limit: the first so many; None for all.

    Returns:
        How many grids were written.

    Raises:
        FileUnwritableError: the file cannot be written.
    """
    total = found.delivered if limit is None else min(limit, found.delivered)
    rows = counted(itertools.islice(delivered_rows(database, found), limit), f"job {found.id}: written", total)
    if as_json:
        return write_objects(path, (_object(found.kind, row) for row in rows))
    field = "clues" if found.kind in {JobKind.LEVELS, JobKind.DIG} and not solutions else "solution"
    if found.kind in {JobKind.GENERATE, JobKind.SOLVE}:
        field = "digits"
    if found.kind is JobKind.GRADE:
        field = "puzzle"
    return write_grids(path, (getattr(row, field) for row in rows), format_for(path, name))


def write_grids(path: str, lines: Iterable[str | None], text: TextFormat) -> int:
    """Writes grids in a text format; one that is None (no solution was found) is a grid of blanks."""
    written = 0
    with opened(path) as file:
        source = iter(lines)
        while batch := list(itertools.islice(source, _WRITTEN_AT_A_TIME)):
            file.write(text.write(from_lines([line or "0" * 81 for line in batch])))
            written += len(batch)
    return written


def write_objects(path: str, objects: Iterable[dict[str, Any]]) -> int:
    """Writes one JSON object a line."""
    written = 0
    with opened(path) as file:
        for one in objects:
            file.write(json.dumps(one).encode() + b"\n")
            written += 1
    return written


def level_object(row: Row[Any]) -> dict[str, Any]:
    """A level as a game takes it: id, clues, solution and metadata."""
    fields = {name: getattr(row, name) for name in _LEVEL_FIELDS}
    class_id = row._mapping["class"]
    fields["class"] = None if class_id is None else shown_id(class_id)
    return {"id": shown_id(row.id), **fields, "at_least": row.rating_at_least is not None}


def shown_grade(row: Row[Any]) -> str:
    """A level's grade in one line."""
    known = row.rating is not None
    rated = f"rating {shown_rating(row.rating) if known else shown_range(row.rating_at_least, inf)}"
    band = "" if row.band is None else f" ({row.band})"
    hardest = "" if row.hardest is None else f", hardest technique {row.hardest}"
    steps = "" if row.steps is None else f", {row.steps} steps"
    return f"{rated}{band}{hardest}{steps}; grader {row.grader}=={row.grader_version}"


def _object(kind: JobKind, row: Row[Any]) -> dict[str, Any]:
    if kind is JobKind.GENERATE:
        return {"id": shown_id(row.id), "digits": row.digits, "position": row.position}
    if kind is JobKind.SOLVE:
        return {
            "position": row.position,
            "line": row.line,
            "puzzle": row.puzzle,
            "status": row.status,
            "solutions": row.solutions,
            "nodes": row.nodes,
            "solution": row.digits,
        }
    if kind is JobKind.GRADE:
        return {
            "position": row.position,
            "line": row.line,
            "puzzle": row.puzzle,
            "id": shown_id(row.id),
            **{name: getattr(row, name) for name in _GRADE_FIELDS},
            "at_least": row.rating_at_least is not None,
        }
    return {**level_object(row), "position": row.position}
