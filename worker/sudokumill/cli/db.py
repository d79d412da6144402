"""``db``: the database's schema."""

from __future__ import annotations

import click

from sudokumill.settings import load_settings
from sudokumill.store import schema
from sudokumill.store.database import Database


@click.group()
def db() -> None:
    """Brings the database (SUDOKUMILL_DATABASE_URL) to the schema that this version needs.

    \b
    Example:
      sudokumill db upgrade
    """


@db.command()
def upgrade() -> None:
    """Makes a new database ready, or upgrades an older one; nothing that is stored is lost.

    \b
    Example:
      sudokumill db upgrade
    """
    database = Database(load_settings().database_url)
    before = schema.revision_of(database)
    schema.upgrade(database)
    now = schema.REVISIONS[-1]
    click.echo(
        f"{database.name} is at schema {now}" + (f", it was at {before}" if before not in {None, now} else "")
    )
