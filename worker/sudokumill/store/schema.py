"""Is the database ours, and of our version? Making a new one, and upgrading an old one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import inspect, text

import sudokumill
from sudokumill.errors import NewerSchemaError, NotADatabaseError, OlderSchemaError
from sudokumill.store.database import Database

REVISIONS: Final = ("0001",)
"""Every schema revision, oldest first. Known here so that a start need not load Alembic (0.3 s)."""

_VERSION_TABLE: Final = "alembic_version"


def revision_of(database: Database) -> str | None:
    """The schema revision of a database; None for an empty one.

    Raises:
        NotADatabaseError: it holds something else.
        DatabaseUnreachableError: it cannot be opened.
    """
    with database.read() as connection:
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return None
        if _VERSION_TABLE not in tables:
            raise NotADatabaseError(url=database.name, reason=f"it has tables of something else ({min(tables)})")
        found = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()  # noqa: S608
    return None if found is None else str(found)


def require(database: Database, create: bool = False) -> None:
    """Makes sure that the database has the schema that this version works with.

    Args:
        database: where.
        create: make an empty database ready.

    Raises:
        NewerSchemaError, OlderSchemaError, NotADatabaseError: it has not.
    """
    found = revision_of(database)
    if found == REVISIONS[-1]:
        return
    if found is None and create:
        upgrade(database)
    elif found is None:
        raise NotADatabaseError(url=database.name, reason="it is empty; run an order, or: sudokumill db upgrade")
    elif found in REVISIONS:
        raise OlderSchemaError(url=database.name, found=found, wanted=REVISIONS[-1])
    else:
        raise NewerSchemaError(url=database.name, found=found, version=sudokumill.__version__)


def upgrade(database: Database, revision: str = "head") -> None:
    """Brings the database to a revision, by default the newest; one transaction on PostgreSQL and SQLite.

    Raises:
        NewerSchemaError: it is at a revision that this version does not know.
    """
    found = revision_of(database)
    if found is not None and found not in REVISIONS:
        raise NewerSchemaError(url=database.name, found=found, version=sudokumill.__version__)
    if found is None and database.path is not None:
        database.keep_log()  # never in a file that is not ours
    _alembic(database, "upgrade", revision)


def downgrade(database: Database, revision: str) -> None:
    """Takes the database back to an earlier revision; ``base`` empties it."""
    _alembic(database, "downgrade", revision)


def _alembic(database: Database, command: str, revision: str) -> None:
    from alembic import command as commands  # noqa: PLC0415 - heavy, and rarely needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with database.write() as connection:
        config.attributes["connection"] = connection
        getattr(commands, command)(config, revision)
