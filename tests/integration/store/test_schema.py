from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from sudokumill.errors import (
    BadDatabaseUrlError,
    DatabaseUnreachableError,
    NewerSchemaError,
    NotADatabaseError,
    OlderSchemaError,
    StoreError,
)
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.models import Base
from sudokumill.store.reading import jobs, level_columns

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture
def database(path: Path) -> Any:
    opened = Database(f"sqlite:///{path}")
    yield opened
    opened.dispose()


def _names(database: Database) -> set[str]:
    with database.read() as connection:
        found = inspect(connection)
        return {*found.get_table_names(), *found.get_view_names()}


def test_up_and_down_again(database: Database) -> None:
    assert schema.revision_of(database) is None
    for _ in range(2):
        schema.upgrade(database)
        assert schema.revision_of(database) == schema.REVISIONS[-1]
        assert _names(database) == {*Base.metadata.tables, "level", "alembic_version"}
        schema.require(database)
        schema.upgrade(database)  # once more does nothing
        schema.downgrade(database, "base")
        assert _names(database) == {"alembic_version"}
        assert schema.revision_of(database) is None


def test_models_and_migrations_agree(database: Database) -> None:
    schema.upgrade(database)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_foreign_keys_and_unique_columns_agree(database: Database, tmp_path: Path) -> None:
    schema.upgrade(database)
    other = Database(f"sqlite:///{tmp_path / 'models.db'}")
    with other.write() as connection:
        Base.metadata.create_all(connection)
    with database.read() as migrated, other.read() as modelled:
        one, two = inspect(migrated), inspect(modelled)
        for table in Base.metadata.tables:
            assert one.get_pk_constraint(table) == two.get_pk_constraint(table)
            assert one.get_foreign_keys(table) == two.get_foreign_keys(table)
            assert one.get_unique_constraints(table) == two.get_unique_constraints(table)
            columns = [(column["name"], column["nullable"]) for column in one.get_columns(table)]
            assert columns == [(column["name"], column["nullable"]) for column in two.get_columns(table)]
    other.dispose()


def test_the_view_has_the_columns_that_are_read(database: Database) -> None:
    schema.upgrade(database)
    with database.read() as connection:
        view = {column["name"] for column in inspect(connection).get_columns("level")}
    read = {column.key for column in level_columns()} - {"chunk_id", "origin_position"}
    assert read <= view


def test_a_new_file_is_made_ready_only_when_asked(database: Database, path: Path) -> None:
    with pytest.raises(NotADatabaseError, match="it is empty; run an order, or: sudokumill db upgrade"):
        schema.require(database)
    schema.require(database, create=True)
    schema.require(database)
    assert path.stat().st_size > 0


def test_a_newer_schema_is_left_alone(database: Database) -> None:
    schema.upgrade(database)
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for act in (schema.require, schema.upgrade):
        with pytest.raises(NewerSchemaError, match=r"has schema 9999, which this sudokumill .* update sudokumill"):
            act(database)
    assert "job" in _names(database)


def test_an_older_schema_names_the_way_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    schema.upgrade(database)
    monkeypatch.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0002"))
    with pytest.raises(OlderSchemaError, match="needs 0002; run: sudokumill db upgrade"):
        schema.require(database, create=True)


def test_a_database_of_something_else(database: Database, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE invoice (id INTEGER)")
    connection.close()
    for create in (False, True):
        with pytest.raises(NotADatabaseError, match=r"tables of something else \(invoice\)"):
            schema.require(database, create=create)
    with pytest.raises(NotADatabaseError):
        schema.upgrade(database)
    assert _names(database) == {"invoice"}


@pytest.mark.parametrize("content", [b"this is a letter, not a database\n" * 100, b"\x00" * 4096, b"xy"])
def test_a_file_that_is_no_database(database: Database, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match="the file is no SQLite database"):
        schema.require(database, create=True)
    assert path.read_bytes() == content


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'none' / 'new.db'}")
    with pytest.raises(DatabaseUnreachableError, match="does its folder exist"):
        schema.require(database, create=True)


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachableError, match="cannot be opened"):
        schema.require(Database(f"sqlite:///{tmp_path}"), create=True)


def test_a_file_that_may_only_be_read(database: Database, path: Path) -> None:
    schema.upgrade(database)
    database.dispose()
    only_read = Database(f"sqlite:///file:{path}?mode=ro&uri=true")
    schema.require(only_read)
    with (
        pytest.raises(DatabaseUnreachableError, match="read-only; change its rights"),
        only_read.write() as connection,
    ):
        connection.execute(text("INSERT INTO alembic_version VALUES ('x')"))
    only_read.dispose()


def test_a_damaged_file_is_said_to_be_damaged(database: Database, path: Path) -> None:
    schema.upgrade(database)
    database.dispose()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="malformed") as caught:
        jobs(database)
    assert str(path) in str(caught.value)


def test_a_migration_that_fails_leaves_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.write() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("CREATE TABLE solution (only INTEGER)"))
    with pytest.raises(StoreError, match="solution"):
        schema.upgrade(database)
    assert _names(database) == {"alembic_version", "solution"}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("no url", "it is not a URL"),
        ("", "it is not a URL"),
        ("mysql://host/name", "only sqlite and postgresql are known"),
        ("sqlite://", "it must be a file"),
        ("sqlite:///:memory:", "it must be a file"),
    ],
)
def test_urls_that_cannot_be_used(url: str, reason: str) -> None:
    with pytest.raises(BadDatabaseUrlError, match=reason):
        Database(url)


def test_no_password_is_shown() -> None:
    with pytest.raises(BadDatabaseUrlError) as caught:
        Database("mysql://me:secret@host/name")
    assert "secret" not in str(caught.value)
    assert "secret" not in Database("postgresql://me:secret@host/name").name


def test_a_new_file_that_may_only_be_read(path: Path) -> None:
    sqlite3.connect(path).close()
    path.touch()
    only_read = Database(f"sqlite:///file:{path}?mode=ro&uri=true")
    with pytest.raises(DatabaseUnreachableError, match="read-only"):
        schema.require(only_read, create=True)
    only_read.dispose()


def test_what_was_written_wrongly_is_not_called_the_databases_fault(database: Database) -> None:
    schema.upgrade(database)
    insert = text("INSERT INTO input VALUES (1, 0, '', NULL)")
    with pytest.raises(IntegrityError), database.write() as connection:
        connection.execute(insert)


def test_many_processes_may_make_the_same_new_file(path: Path) -> None:
    go = FORK.Event()

    def make() -> None:
        database = Database(f"sqlite:///{path}")
        go.wait(30)
        schema.require(database, create=True)
        schema.require(database)

    processes = [FORK.Process(target=make) for _ in range(4)]
    for process in processes:
        process.start()
    go.set()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
