"""Is the database ours, and of our version? Making a new one, and upgrading an old one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

import sudokumill
from sudokumill.errors import DatabaseUnreachableError, NewerSchemaError, NotADatabaseError, OlderSchemaError
from sudokumill.store.database import Database

REVISIONS: Final = ("0001", "0002", "0003", "0004")
"""Every schema revision, oldest first. Known here so that a start need not load Alembic (0.3 s)."""

_VERSION_TABLE: Final = "alembic_version"
_OUR_TABLES: Final = frozenset({"job", "chunk", "final"})
"""Every revision has these."""

_OLDEST_POSTGRESQL: Final = (13,)
_UPGRADE_LOCK: Final = int.from_bytes(b"sudokumi")
"""PostgreSQL's advisory locks have numbers; whoever changes the schema holds this one."""


def revision_of(database: Database) -> str | None:
    """The schema revision of a database; None for an empty one.

    Raises:
        NotADatabaseError: it holds something else.
        DatabaseUnreachableError: it cannot be opened, or the server is too old.
    """
    with database.read() as connection:
        _check_server(database, connection)
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return None
        if _VERSION_TABLE not in tables:
            raise NotADatabaseError(url=database.name, reason=f"it has tables of something else ({min(tables)})")
        found = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()  # noqa: S608
    if found is not None and found not in REVISIONS and not tables >= _OUR_TABLES:
        one = min(tables - {_VERSION_TABLE}, default=_VERSION_TABLE)
        raise NotADatabaseError(url=database.name, reason=f"it has tables of something else ({one})")
    return None if found is None else str(found)


def _check_server(database: Database, connection: Connection) -> None:
    version = connection.dialect.server_version_info
    if connection.dialect.name == "postgresql" and version is not None and version < _OLDEST_POSTGRESQL:
        oldest = ".".join(map(str, _OLDEST_POSTGRESQL))
        raise DatabaseUnreachableError(
            url=database.name,
            reason=f"its server is PostgreSQL {'.'.join(map(str, version))}; {oldest} or newer is needed",
        )


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
        if connection.dialect.name == "postgresql":
            # of two that start on a new database the second waits, and then finds it ready
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPGRADE_LOCK})
        config.attributes["connection"] = connection
        getattr(commands, command)(config, revision)
