"""Writing stored rows as text: what a job delivered, or all levels."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from sqlalchemy import Row

from sudokumill.cli.console import shown_id
from sudokumill.errors import FileUnwritableError
from sudokumill.formats import FORMATS, TextFormat
from sudokumill.grids.batch import from_lines
from sudokumill.jobs import JobKind
from sudokumill.store.database import Database
from sudokumill.store.reading import Progress, delivered_rows

_WRITTEN_AT_A_TIME: Final = 5_000
_LEVEL_FIELDS: Final = (
    "clues", "solution", "clue_count", "row_min", "row_max", "column_min", "column_max", "box_min", "box_max",
    "symmetry", "minimal", "nodes", "paper_level", "licence", "state", "job_id",
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
) -> int:
    """Writes what a job delivered, in the order of positions.

    Args:
        database: where it is.
        found: the job.
        path: where to; ``-`` is standard output. A file appears under its name only when it is whole.
        name: of the text format; None chooses by the path.
        as_json: one object a line instead.
        solutions: of levels, their solutions instead of their clues.

    Returns:
        How many grids were written.

    Raises:
        FileUnwritableError: the file cannot be written.
    """
    rows = delivered_rows(database, found)
    if as_json:
        return write_objects(path, (_object(found.kind, row) for row in rows))
    field = "clues" if found.kind in {JobKind.LEVELS, JobKind.DIG} and not solutions else "solution"
    if found.kind in {JobKind.GENERATE, JobKind.SOLVE}:
        field = "digits"
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
    return {"id": shown_id(row.id), **{name: getattr(row, name) for name in _LEVEL_FIELDS}}


def _object(kind: JobKind, row: Row[Any]) -> dict[str, Any]:
    if kind is JobKind.GENERATE:
        return {"id": shown_id(row.id), "digits": row.digits, "position": row.position}
    if kind is JobKind.SOLVE:
        return {
            "position": row.position,
            "status": row.status,
            "solutions": row.solutions,
            "nodes": row.nodes,
            "solution": row.digits,
        }
    return {**level_object(row), "position": row.position}


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file to write, which takes its name when it is whole; ``-`` and what is no regular file as they are."""
    target = Path(path)
    if path == "-":
        with _spoken_of("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with _spoken_of(path):
        if target.exists() and not target.is_file():
            with target.open("wb") as special:
                yield special
            return
        part = target.with_name(target.name + ".part")
        try:
            with part.open("wb") as file:
                yield file
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _spoken_of(name: str) -> Iterator[None]:
    """Makes an error of the system one that names the file; a reader that has gone is no error of ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileUnwritableError(path=name, reason=error.strerror or str(error)) from error
