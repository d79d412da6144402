"""What commands share: consoles, JSON, drawing of grids, opening of the store."""

# what costs time is imported when it is needed, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from sudokumill.errors import BadOrderError, NoDatabaseError, NoDatabaseSetError

if TYPE_CHECKING:
    from rich.console import Console

    from sudokumill.settings import Settings
    from sudokumill.store.database import Database

GREATEST_ID: Final = 2**63 - 1
"""Of a job: what a database can hold."""

FORMAT_NAMES: Final = ("line", "blocks")
"""Names of the text formats, for --help, which does not load the formats themselves."""

_WIDTH_WITHOUT_TERMINAL: Final = 120


def out() -> Console:
    """Standard output. Its width is that of the terminal or of COLUMNS; else what most tables need."""
    from rich.console import Console

    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = None if known else _WIDTH_WITHOUT_TERMINAL
    return Console(highlight=False, markup=False, emoji=False, width=width)


def err() -> Console:
    """Standard error: progress, warnings, remarks."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(value: Mapping[str, Any] | list[Any], err: bool = False) -> None:
    """One JSON document on one line of standard output, or of standard error."""
    click.echo(json.dumps(value, default=str), err=err)


def open_store(settings: Settings, create: bool = False) -> Database:
    """The store of the settings, with the schema that this version needs.

    A command opens it once and hands it on.

    Args:
        settings: where it is.
        create: make it if it is not there. Otherwise a SQLite file that is missing stays missing.

    Raises:
        NoDatabaseError: it is not there.
        StoreError: it cannot be used; the message says what to do.
    """
    from sudokumill.store import schema
    from sudokumill.store.database import Database

    database = Database(settings.database_url)
    if not create and database.path is not None and not database.path.exists():
        raise (NoDatabaseError if settings.names_database else NoDatabaseSetError)(path=database.path)
    schema.require(database, create=create)
    return database


def misplaced_option(ctx: click.Context) -> BadOrderError:
    """What is to be said of options of a group that stand before one of its commands, which has its own."""
    command = f"{ctx.info_name} {ctx.invoked_subcommand}"
    return BadOrderError(
        reason=f"{ctx.invoked_subcommand} takes no option that stands before it; "
        f"write them behind it: sudokumill {command} --help"
    )


def shown_id(grid_id: bytes) -> str:
    """A grid's id as a person sees it: a UUID."""
    return str(uuid.UUID(bytes=bytes(grid_id)))


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
