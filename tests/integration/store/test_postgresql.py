"""A PostgreSQL server that is away, refuses, or is not what it should be: one line that says so and what to do."""

from __future__ import annotations

import os
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from servers.postgresql import PostgreSQL
from servers.redis import Redis
from sudokumill.errors import (
    BadDatabaseUrlError,
    DatabaseUnreachableError,
    NewerSchemaError,
    NotADatabaseError,
    StorageFullError,
    SudokumillError,
)
from sudokumill.store import schema
from sudokumill.store.database import Database

_TCP = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)

SECRET = "hunter2-Zq"  # noqa: S105 - it opens nothing


@pytest.fixture
def name(postgresql_url: str) -> str:
    """Of a new database."""
    return postgresql_url.rpartition("/")[2]


@pytest.fixture
def clerk(postgresql_server: PostgreSQL, postgresql_url: str, name: str) -> Iterator[str]:
    """URL, for a user whose password is SECRET and who may do only what everybody may."""
    postgresql_server.execute(f"CREATE ROLE clerk LOGIN PASSWORD '{SECRET}'")
    yield postgresql_server.url(name, user="clerk", password=SECRET)
    postgresql_server.start()
    postgresql_server.execute("DROP OWNED BY clerk", name)
    postgresql_server.execute("DROP ROLE clerk")


def _refusal(act: Callable[[], object]) -> SudokumillError:
    """The error, which is one line, names the URL, and shows the password nowhere."""
    with pytest.raises(SudokumillError) as caught:
        act()
    error = caught.value
    assert "\n" not in str(error)
    shown = "".join(traceback.format_exception(error))
    for place in (str(error), repr(error), repr(error.fields), repr(error.__cause__), shown):
        assert SECRET not in place
    return error


def _require(url: str) -> SudokumillError:
    database = Database(url)
    try:
        error = _refusal(lambda: schema.require(database, create=True))
        assert SECRET not in f"{database.name} {database.engine!r}"
        assert database.name in str(error)
        return error
    finally:
        database.dispose()


def test_a_wrong_password(postgresql_server: PostgreSQL, name: str) -> None:
    error = _require(postgresql_server.url(name, password=SECRET))
    assert isinstance(error, DatabaseUnreachableError)
    assert str(error) == (
        f"the database postgresql://mill:***@127.0.0.1:{postgresql_server.port}/{name} cannot be used: "
        "the server refuses this user or password; mend SUDOKUMILL_DATABASE_URL"
    )


def test_a_password_among_the_options(postgresql_server: PostgreSQL, name: str) -> None:
    url = f"postgresql://mill@127.0.0.1:{postgresql_server.port}/{name}?password={SECRET}&sslpassword={SECRET}"
    assert "refuses this user or password" in str(_require(url))
    good = Database(url.replace(f"?password={SECRET}", f"?password={postgresql_server.password}"))
    assert schema.revision_of(good) is None
    assert SECRET not in f"{good.name} {good.engine!r}"
    assert postgresql_server.password not in f"{good.name} {good.engine!r} {good.url!r}"
    good.dispose()


def test_no_such_user(postgresql_server: PostgreSQL, name: str) -> None:
    error = _require(postgresql_server.url(name, user="nobody", password=SECRET))
    assert "refuses this user or password" in str(error)


def test_a_port_where_nothing_listens(postgresql_server: PostgreSQL, clerk: str) -> None:
    error = _require(clerk.replace(f":{postgresql_server.port}/", ":1/"))
    assert str(error).endswith("nothing listens there; is the server started, and are host and port right?")


def test_a_host_that_is_not_there(clerk: str) -> None:
    assert "there is no host of this name" in str(_require(clerk.replace("127.0.0.1", "nowhere.invalid")))


def test_a_redis_server(clerk: str, postgresql_server: PostgreSQL, redis_server: Redis) -> None:
    redis_server.start()
    url = clerk.replace(f":{postgresql_server.port}/", f":{redis_server.port}/")
    error = _require(f"{url}?connect_timeout=2")
    assert "no PostgreSQL server answered there within 2 s; are host and port right?" in str(error)


@contextmanager
def _stranger(answer: bytes) -> Iterator[int]:
    """A server of something else, which says one thing to the first who comes; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            connection.recv(1024)
            connection.sendall(answer)
            connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join(30)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "what answers there is no PostgreSQL server"),
        (b"", "ends the connection at once; is it a PostgreSQL server"),
    ],
)
def test_a_server_of_something_else(answer: bytes, reason: str) -> None:
    with _stranger(answer) as port:
        assert reason in str(_require(f"postgresql://me:{SECRET}@127.0.0.1:{port}/name?sslmode=prefer"))


def test_a_database_that_does_not_exist(postgresql_server: PostgreSQL, clerk: str, name: str) -> None:
    error = _require(clerk.replace(f"/{name}", "/elsewhere"))
    assert "the server has no database elsewhere; make it (createdb elsewhere), or name another" in str(error)


def test_a_database_that_is_closed_to_the_user(postgresql_server: PostgreSQL, clerk: str, name: str) -> None:
    postgresql_server.execute(f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
    assert f"GRANT CONNECT ON DATABASE {name} TO clerk" in str(_require(clerk))


def test_a_server_without_encryption(clerk: str) -> None:
    assert "the encrypted connection was not made" in str(_require(f"{clerk}?sslmode=require"))


@pytest.mark.parametrize("option", ["colour=blue", "sslmode=perhaps", "connect_timeout=soon"])
def test_options_that_cannot_be_used(clerk: str, option: str) -> None:
    error = _require(f"{clerk}?{option}")
    assert isinstance(error, BadDatabaseUrlError)
    assert option.partition("=")[0] in str(error)


def test_a_server_that_is_full() -> None:
    with PostgreSQL(max_connections=2, superuser_reserved_connections="0", max_wal_senders="0") as server:
        database = Database(server.url())
        with database.read(), database.read():
            error = _refusal(lambda: schema.require(Database(server.url())))
        database.dispose()
    assert "takes no more connections; run fewer processes, or raise its max_connections" in str(error)


# --- a database that is not what it should be --------------------------------------------------------------


def test_a_database_of_another_product(postgresql_server: PostgreSQL, clerk: str, name: str) -> None:
    postgresql_server.execute("CREATE TABLE invoice (id integer)", name)
    error = _require(clerk)
    assert isinstance(error, NotADatabaseError)
    assert "it has tables of something else (invoice); choose another with SUDOKUMILL_DATABASE_URL" in str(error)


@pytest.fixture
def store(postgresql_url: str) -> Iterator[Database]:
    """A store, with the superuser's rights."""
    opened = Database(postgresql_url)
    schema.upgrade(opened)
    yield opened
    opened.dispose()


def test_a_newer_schema(store: Database, clerk: str) -> None:
    with store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(text("GRANT SELECT ON alembic_version TO clerk"))
    error = _require(clerk)
    assert isinstance(error, NewerSchemaError)
    assert "has schema 9999" in str(error)
    assert str(error).endswith("update sudokumill")


def test_a_server_that_may_only_be_read(clerk: str, store: Database) -> None:
    with store.write() as connection:
        connection.execute(text("GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk"))
        connection.execute(text("ALTER ROLE clerk SET default_transaction_read_only = on"))
    database = Database(clerk)
    schema.require(database)

    def write() -> None:
        with database.write(7) as connection:
            connection.execute(text("DELETE FROM worker"))

    assert "the server lets it only be read (cannot execute DELETE in a read-only transaction)" in str(
        _refusal(write)
    )
    database.dispose()


def test_a_user_who_may_only_read(clerk: str, store: Database) -> None:
    database = Database(clerk)
    assert "user clerk lacks a right (permission denied for table alembic_version)" in str(
        _refusal(lambda: schema.require(database))
    )
    with store.write() as connection:
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk"))
    schema.require(database)

    def write() -> None:
        with database.write() as connection:
            connection.execute(text("DELETE FROM worker"))

    assert "user clerk lacks a right (permission denied for table worker); GRANT it" in str(_refusal(write))
    database.dispose()


def test_an_empty_database_in_which_the_user_may_make_nothing(
    postgresql_server: PostgreSQL, clerk: str, name: str
) -> None:
    postgresql_server.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC", name)
    assert "user clerk lacks a right (permission denied for schema public)" in str(_require(clerk))


def test_a_server_that_is_too_old(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    schema.require(store)
    monkeypatch.setattr(store.engine.dialect, "server_version_info", (12, 22))
    assert "its server is PostgreSQL 12.22; 13 or newer is needed" in str(_refusal(lambda: schema.require(store)))


# --- a server that goes away -------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [PostgreSQL.stop, PostgreSQL.kill])
@pytest.mark.parametrize("job", [None, 7])
def test_a_server_that_ends_in_a_transaction(
    postgresql_server: PostgreSQL, store: Database, end: Callable[[PostgreSQL], None], job: int | None
) -> None:
    def write() -> None:
        with store.write(job) as connection:
            connection.execute(text("DELETE FROM worker"))
            end(postgresql_server)
            connection.execute(text("DELETE FROM worker"))

    error = _refusal(write)
    assert isinstance(error, DatabaseUnreachableError)
    assert "the server ended the connection" in str(error)
    again = "try again" if job is None else "workers go on by themselves, and a run with: sudokumill jobs resume 7"
    assert str(error).endswith(f"when it runs again, {again}")
    assert "nothing listens there" in str(_refusal(write))
    postgresql_server.start()
    schema.require(store)  # the connections that broke are not used again


def test_a_commit_that_does_not_arrive(postgresql_server: PostgreSQL, store: Database) -> None:
    def write() -> None:
        with store.write() as connection:
            connection.execute(text("DELETE FROM worker"))
            postgresql_server.stop()

    assert "the server ended the connection" in str(_refusal(write))
    postgresql_server.start()


def test_a_disk_that_is_full(store: Database) -> None:
    def write() -> None:
        with store.write(7) as connection:
            connection.execute(text("DO $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$"))

    error = _refusal(write)
    assert isinstance(error, StorageFullError)
    assert str(error).endswith(
        "free some space, then workers go on by themselves, and a run with: sudokumill jobs resume 7"
    )


# --- URLs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:p@{SECRET}@host/name",
        f"postgresql://me:p@x/{SECRET}@host/name",
        f"postgresql://me:p@x:{SECRET}@host/name",
        f"postgresql://me:{SECRET}@host:port/name",
        f"mysql://me:{SECRET}@host/name",
        f"mysql://me@host/name?password={SECRET}",
        f"postgresql+asyncpg://me:{SECRET}@host/name",
    ],
)
def test_no_part_of_a_password_is_shown(url: str) -> None:
    assert isinstance(_refusal(lambda: Database(url)), BadDatabaseUrlError)


def test_how_long_a_server_is_waited_for(postgresql_url: str) -> None:
    for url, seconds in ((postgresql_url, "10"), (f"{postgresql_url}?connect_timeout=3", "3")):
        database = Database(url)
        with database.read() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            assert driver.info.get_parameters()["connect_timeout"] == seconds
        database.dispose()


def test_a_server_whose_machine_is_gone_is_noticed(postgresql_url: str) -> None:
    wanted = {"keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}
    for more, changed in (("", {}), ("?keepalives_idle=5&tcp_user_timeout=0", {"keepalives_idle": "5"})):
        database = Database(postgresql_url + more)
        with database.read() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            options = driver.info.get_parameters()
            assert {name: options[name] for name in wanted} == wanted | changed
            with socket.socket(fileno=os.dup(driver.fileno())) as used:
                tcp = [used.getsockopt(socket.IPPROTO_TCP, option) for option in _TCP]
        database.dispose()
        assert tcp == [int(options[name]) for name in wanted] + [0 if more else 30_000]


def test_an_encrypted_connection() -> None:
    if not PostgreSQL.has_tls():
        pytest.skip("this build of PostgreSQL has no TLS")
    with PostgreSQL(tls=True) as server:
        database = Database(server.url())
        schema.require(database, create=True)
        with database.read() as connection:
            used = connection.execute(
                text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            ).scalar_one()
        assert used is True
        database.dispose()
        assert server.certificate is not None
        other = server.url().replace(str(server.certificate), "system")
        assert "the encrypted connection was not made (" in str(_require(other))
