from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import IntegrityError

from servers.postgresql import PostgreSQL
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
from sudokumill.store.grades import grade_columns
from sudokumill.store.levels import level_columns
from sudokumill.store.models import Base, Chunk, Job
from sudokumill.store.progress import jobs

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture
def file(path: Path) -> Iterator[Database]:
    """A SQLite file that is not there yet."""
    opened = Database(f"sqlite:///{path}")
    yield opened
    opened.dispose()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A new database of each kind."""
    opened = Database(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def modelled(database: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of the same kind, made from the models."""
    name = None
    if database.path is None:
        server: PostgreSQL = request.getfixturevalue("postgresql_server")
        name = server.new_database()
    other = Database(f"sqlite:///{tmp_path / 'models.db'}" if name is None else server.url(name))
    with other.write() as connection:
        Base.metadata.create_all(connection)
    yield other
    other.dispose()
    if name is not None:
        server.drop_database(name)


def _names(database: Database) -> set[str]:
    with database.read() as connection:
        found = inspect(connection)
        return {*found.get_table_names(), *found.get_view_names()}


def test_up_and_down_again(database: Database) -> None:
    assert schema.revision_of(database) is None
    for _ in range(2):
        schema.upgrade(database)
        assert schema.revision_of(database) == schema.REVISIONS[-1]
        assert _names(database) == {*Base.metadata.tables, "delivered", "level", "level_grade", "alembic_version"}
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


def test_foreign_keys_and_unique_columns_agree(database: Database, modelled: Database) -> None:
    schema.upgrade(database)
    with database.read() as here, modelled.read() as there:
        one, two = inspect(here), inspect(there)
        for table in Base.metadata.tables:
            assert one.get_pk_constraint(table) == two.get_pk_constraint(table)
            assert _by_name(one.get_foreign_keys(table)) == _by_name(two.get_foreign_keys(table))
            assert _by_name(one.get_unique_constraints(table)) == _by_name(two.get_unique_constraints(table))
            columns = {column["name"]: column["nullable"] for column in one.get_columns(table)}
            assert columns == {column["name"]: column["nullable"] for column in two.get_columns(table)}


def _by_name(found: Sequence[Any]) -> list[Any]:
    return sorted(found, key=lambda each: str(each["name"]))


def test_the_view_has_the_columns_that_are_read(database: Database) -> None:
    schema.upgrade(database)
    with database.read() as connection:
        view = {column["name"] for column in inspect(connection).get_columns("level")}
    read = {column.key for column in (*level_columns(), *grade_columns())} - {"chunk_id", "origin_position"}
    assert read <= view


def test_a_new_file_is_made_ready_only_when_asked(file: Database, path: Path) -> None:
    with pytest.raises(NotADatabaseError, match="it is empty; run an order, or: sudokumill db upgrade"):
        schema.require(file)
    schema.require(file, create=True)
    schema.require(file)
    assert path.stat().st_size > 0


def test_a_newer_schema_is_left_alone(database: Database) -> None:
    schema.upgrade(database)
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for act in (schema.require, schema.upgrade):
        with pytest.raises(NewerSchemaError, match=r"has schema 9999, which this sudokumill .* update sudokumill"):
            act(database)
    assert "job" in _names(database)


_FIRST_JOBS = (
    "INSERT INTO job (id, kind, state, count, seed, spec, planned, worked, ordered_at) "
    "VALUES ({id}, '{kind}', 'running', 40, 1, '{{}}', 40, 0, '2026-01-02 03:04:05')"
)
_FIRST_CHUNKS = (
    "INSERT INTO chunk (id, job_id, start, stop, state, attempt, moved, delivered, already, repeated, missed, "
    "not_new, failed, seconds) VALUES ({id}, {job}, {start}, {start} + 10, 'waiting', 0, 0, 0, 0, 0, 0, 0, 0, 0)"
)


def test_what_the_first_schema_held_goes_up_and_down(database: Database) -> None:
    schema.upgrade(database, "0001")
    with database.write() as connection:
        for job, kind in ((1, "levels"), (2, "generate")):
            connection.execute(text(_FIRST_JOBS.format(id=job, kind=kind)))
        for chunk in range(1, 7):
            # the jobs' chunks lie in turn: 1, 2, 1, 2, ...
            values = {"id": chunk, "job": 2 - chunk % 2, "start": (chunk - 1) // 2 * 10}
            connection.execute(text(_FIRST_CHUNKS.format(**values)))
    with database.read() as connection:
        before = connection.execute(text("SELECT id, job_id, start, stop, state FROM chunk ORDER BY id")).all()
    schema.upgrade(database)
    with database.read() as connection:
        chunks = connection.execute(select(Chunk).order_by(Chunk.job_id, Chunk.start)).all()
        assert connection.execute(select(Job.priority)).scalars().all() == [0, 0]
    assert [chunk.kind for chunk in chunks] == ["levels"] * 3 + ["generate"] * 3
    for own in (chunks[:3], chunks[3:]):
        assert own[0].turn == 0
        assert sorted({chunk.turn for chunk in own}) == [chunk.turn for chunk in own]
    schema.downgrade(database, "0001")
    with database.read() as connection:
        after = connection.execute(text("SELECT id, job_id, start, stop, state FROM chunk ORDER BY id")).all()
    assert after == before


@pytest.mark.parametrize("revision", schema.REVISIONS[:-1])
def test_an_older_schema_names_the_way_up(database: Database, revision: str) -> None:
    schema.upgrade(database, revision)
    newest = schema.REVISIONS[-1]
    with pytest.raises(
        OlderSchemaError, match=f"has schema {revision}, .* needs {newest}; run: sudokumill db upgrade"
    ):
        schema.require(database, create=True)
    schema.upgrade(database)
    schema.require(database)


def test_a_database_of_something_else(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("CREATE TABLE invoice (id INTEGER)"))
    for create in (False, True):
        with pytest.raises(NotADatabaseError, match=r"tables of something else \(invoice\)"):
            schema.require(database, create=create)
    with pytest.raises(NotADatabaseError):
        schema.upgrade(database)
    assert _names(database) == {"invoice"}


def test_another_program_that_keeps_its_revision_alike(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("CREATE TABLE job (id INTEGER)"))
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('1975ea83b712')"))
    for act in (schema.require, schema.upgrade):
        with pytest.raises(NotADatabaseError, match=r"tables of something else \(job\)"):
            act(database)


@pytest.mark.parametrize("content", [b"this is a letter, not a database\n" * 100, b"\x00" * 4096, b"xy"])
def test_a_file_that_is_no_database(file: Database, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match="the file is no SQLite database"):
        schema.require(file, create=True)
    assert path.read_bytes() == content


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'none' / 'new.db'}")
    with pytest.raises(DatabaseUnreachableError, match="does its folder exist"):
        schema.require(database, create=True)


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachableError, match="cannot be opened"):
        schema.require(Database(f"sqlite:///{tmp_path}"), create=True)


def test_a_file_that_may_only_be_read(file: Database, path: Path) -> None:
    schema.upgrade(file)
    file.dispose()
    only_read = Database(f"sqlite:///file:{path}?mode=ro&uri=true")
    schema.require(only_read)
    with (
        pytest.raises(DatabaseUnreachableError, match="read-only; change its rights"),
        only_read.write() as connection,
    ):
        connection.execute(text("INSERT INTO alembic_version VALUES ('x')"))
    only_read.dispose()


def test_a_damaged_file_is_said_to_be_damaged(file: Database, path: Path) -> None:
    schema.upgrade(file)
    file.dispose()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="malformed") as caught:
        jobs(file)
    assert str(path) in str(caught.value)


def test_a_migration_that_fails_leaves_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.write() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("CREATE TABLE solution (one INTEGER)"))
    with pytest.raises(StoreError, match="solution"):
        schema.upgrade(database)
    assert _names(database) == {"alembic_version", "solution"}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("no url", "it is not a URL"),
        ("", "it is not a URL"),
        ("mysql://host/name", "only sqlite and postgresql are known"),
        ("postgresql+psycopg2://host/name", "let it begin with postgresql://"),
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
    insert = text("INSERT INTO input (job_id, position, digits) VALUES (1, 0, '')")
    with pytest.raises(IntegrityError), database.write() as connection:
        connection.execute(insert)


def test_many_processes_may_make_the_same_new_database(database_url: str) -> None:
    go = FORK.Event()

    def make() -> None:
        database = Database(database_url)
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
