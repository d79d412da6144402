"""What commands share: consoles, JSON, drawing of grids, reading of input files."""

# what costs time is imported when it is needed, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sudokumill.formats import Reading
    from sudokumill.settings import Settings
    from sudokumill.store.database import Database

FORMAT_NAMES: Final = ("line", "blocks")
"""Names of the text formats, for --help, which does not load the formats themselves."""


def out() -> Console:
    """Standard output; as wide as a table needs where it is no terminal."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 120)


def err() -> Console:
    """Standard error: progress, warnings, remarks."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(value: Mapping[str, Any] | list[Any], err: bool = False) -> None:
    """One JSON document on one line of standard output, or of standard error."""
    click.echo(json.dumps(value, default=str), err=err)


def open_store(settings: Settings, create: bool = False) -> Database:
    """The store of the settings, with the schema that this version needs.

    Args:
        settings: where it is.
        create: make it if it is not there. Otherwise a SQLite file that is missing stays missing.

    Raises:
        StoreError: it cannot be used; the message says what to do.
    """
    from sudokumill.store import schema
    from sudokumill.store.database import Database

    database = Database(settings.database_url)
    if not create and database.path is not None and not database.path.exists():
        raise click.ClickException(
            f"there is no database at {database.path} yet; order something first, for example: "
            "sudokumill run levels --count 10"
        )
    schema.require(database, create=create)
    return database


def read_input(path: str, text_format: str | None, lenient: bool) -> Reading:
    """The grids of a file (``-``: standard input); faults are said on standard error.

    Raises:
        FileUnreadableError: it cannot be read.
        NoGridsError: it has no grid that can be used.
    """
    from sudokumill.formats import read_grids

    reading = read_grids(sys.stdin.buffer if path == "-" else path, text_format, lenient)
    shown = "standard input" if path == "-" else path
    # a file without any grid is one error, which names the first fault, not a list of what a picture holds
    reading.require_grids(shown)
    console = err()
    for fault in reading.faults[:20]:
        console.print(f"{shown}: {fault}")
    if len(reading.faults) > 20:
        console.print(f"{shown}: and {len(reading.faults) - 20:,} more faults")
    return reading


def shown_id(grid_id: bytes) -> str:
    """A grid's id as a person sees it: a UUID."""
    return str(uuid.UUID(bytes=bytes(grid_id)))


def plain_table(*columns: str) -> Table:
    """A table that reads well on a terminal and in a log."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="right" if right else "left", overflow="fold")
    return table


def draw(digits: str, clues: str | None = None) -> str:
    """A grid as lines of text, with rules between boxes; blanks are dots.

    Args:
        digits: 81 digits, 0 for blanks.
        clues: the puzzle of a final: digits that are not clues are drawn dim.
    """
    lines: list[str] = []
    for row in range(9):
        if row in {3, 6}:
            lines.append("------+-------+------")
        cells: list[str] = []
        for column in range(9):
            if column in {3, 6}:
                cells.append("|")
            cell = row * 9 + column
            digit = digits[cell] if digits[cell] != "0" else "."
            dim = clues is not None and clues[cell] == "0"
            cells.append(click.style(digit, dim=True) if dim else digit)
        lines.append(" ".join(cells))
    return "\n".join(lines)
