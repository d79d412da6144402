"""``db``: the database's schema."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click

from sudokumill.cli.strict import StrictGroup


@click.group(cls=StrictGroup)
def db() -> None:
    """Brings the database (SUDOKUMILL_DATABASE_URL) to the schema that this version needs.

    \b
    Example:
      sudokumill db upgrade
    """


@db.command(short_help="Makes a new database ready, or upgrades an older one.")
def upgrade() -> None:
    """Makes a new database ready, or upgrades an older one; nothing that is stored is lost.

    \b
    Example:
      sudokumill db upgrade
    """
    from sudokumill.settings import load_settings
    from sudokumill.store import schema
    from sudokumill.store.database import Database

    database = Database(load_settings().database_url)
    before = schema.revision_of(database)
    schema.upgrade(database)
    now = schema.REVISIONS[-1]
    click.echo(
        f"{database.name} is at schema {now}" + (f", it was at {before}" if before not in {None, now} else "")
    )
