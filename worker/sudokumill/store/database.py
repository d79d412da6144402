"""Opening a database, and its transactions, clock and errors."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import Float

from sudokumill.errors import BadDatabaseUrlError, DatabaseUnreachableError
from sudokumill.store.models import Base, Identity
from sudokumill.store.reasons import BUSY_SECONDS, CONNECT_SECONDS, explain

_BUSY_STEP_SECONDS: Final = 0.002
_CACHE_KIB: Final = 65_536
_POSTGRESQL: Final = "postgresql+psycopg"
_ALIVE: Final = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server whose machine is gone is noticed within a minute, not after the system's two hours: while a process
waits for an answer (seconds), and while what it sent is not acknowledged (milliseconds)."""


_ALIVE_FOR_SERVER: Final = {
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""The same for the other direction."""

IDLE_SECONDS: Final = 30
"""Between two statements of a transaction that is not a stream nothing takes so long."""

_SHOWN_OPTIONS: Final = frozenset(
    {
        "host", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "connect_timeout",
        "application_name", "target_session_attrs", "options", *_ALIVE,
        "mode", "uri", "cache", "immutable", "nolock", "vfs", "timeout",
    }
)  # fmt: skip
"""Options of a URL, PostgreSQL's and SQLite's, of which everybody may see what they are."""


class Now(FunctionElement[float]):
    """Seconds since 1970 by the database's clock, which is the only one that leases go by."""

    type = Float()
    inherit_cache = True


@compiles(Now, "sqlite")
def _now_sqlite(element: Now, compiler: SQLCompiler, **_: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(Now, "postgresql")
def _now_postgresql(element: Now, compiler: SQLCompiler, **_: Any) -> str:
    return "extract(epoch from clock_timestamp())::double precision"


class _Shared(threading.local):
    """The transaction that others of this thread are part of, while there is one."""

    connection: Connection | None = None


class Database:
    """A database that jobs and levels are kept in.

    Args:
        url: a SQLAlchemy URL, SQLite or PostgreSQL.
        lock_seconds: on PostgreSQL, how long to wait for a row that somebody else has locked; None: as long as
            it takes.

    Raises:
        BadDatabaseUrlError: not a URL, or of another kind of database.

    Attributes:
        url: of the database, with its password.
        name: the URL as it may be shown.
        engine: its connections.
    """

    def __init__(self, url: str, lock_seconds: float | None = None) -> None:
        self.url = _parse(url)
        self.name = _shown(self.url)
        self.engine = _engine(self.url, lock_seconds)
        self._file: tuple[int, int] | None = None
        self._shared = _Shared()

    @property
    def path(self) -> Path | None:
        """The file, for SQLite, also where the URL names it as SQLite's own kind of URI (`file:...`)."""
        name = self.url.database
        if self.url.get_backend_name() != "sqlite" or not name:
            return None
        if not name.startswith("file:"):
            return Path(name)
        return Path(unquote(urlsplit(name).path))

    @contextmanager
    def read(self, streaming: bool = False) -> Iterator[Connection]:
        """A transaction that only reads.

        Args:
            streaming: rows are handed on as they come, to somebody who may take his time between two.
        """
        if self._shared.connection is not None:
            with self._translated():
                yield self._shared.connection
            return
        with self._translated(), self.engine.connect() as connection, connection.begin():
            if streaming and connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout TO 0")
            yield connection

    @contextmanager
    def write(self, job: int | None = None, lasting: bool = True) -> Iterator[Connection]:
        """A transaction that writes: committed at its end, or not at all.

        On SQLite it takes the write lock at once: a transaction that reads first and writes later can fail
        with "database is locked" however long it would have waited.

        Args:
            job: named in the error when the disk is full.
            lasting: False for what is only bookkeeping of work that is made again if it gets lost. PostgreSQL then
                does not wait for its disk, and may forget the last moments of a crash, in the order of commits.
        """
        if self._shared.connection is not None:
            with self._translated(job), self._shared.connection.begin_nested():
                yield self._shared.connection
            return
        with (
            self._translated(job),
            self.engine.connect().execution_options(immediate=True) as connection,
            connection.begin(),
        ):
            self._check_file(job)
            if not lasting and connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
            yield connection

    @contextmanager
    def together(self, job: int | None = None) -> Iterator[bool]:
        """Makes one transaction of those that this thread begins inside, where only one can write: on SQLite.

        Two processes that store a chunk, look after its job and claim the next chunk in a transaction each fall
        into step, and each waits for the lock while the other stores (s), every time:

            A  make s...wait make      s...wait make      three transactions: after its rows A needs the lock
            B  make wait s   .make     wait s   .make     again, and B, which waited for it, has it then

            A  make s make s make s make                  one
            B  make   s make s make

        It takes the lock at once and keeps it to the end, so nothing is done inside that could be done before. One
        that fails inside is undone alone: the others are committed, if nobody lets its error pass. PostgreSQL
        locks rows; there the row of the job would be locked for as long as a chunk's rows take. Not to be called
        inside of ``write``.

        Args:
            job: named in the error when the disk is full.

        Yields:
            Whether it is one transaction.

        Raises:
            StoreError: it cannot be committed; nothing of it is there then.
        """
        if self.engine.dialect.name != "sqlite" or self._shared.connection is not None:
            yield self._shared.connection is not None
            return
        with self.write(job) as connection:
            self._shared.connection = connection
            try:
                yield True
            finally:
                self._shared.connection = None

    def keep_log(self) -> None:
        """Gives a SQLite file its write-ahead log: readers go on while one process writes.

        The file's header keeps it, so once is enough.

        Raises:
            StoreError: the file cannot be written.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        with self._translated(), self.engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            while True:
                try:
                    driver.execute("PRAGMA journal_mode = WAL")
                    return
                except sqlite3.Error as error:
                    # of two that set it at the same moment one is refused at once, however long it would wait
                    busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
                    if not busy or time.monotonic() > deadline:
                        raise DBAPIError("PRAGMA journal_mode", None, error) from error
                    time.sleep(_BUSY_STEP_SECONDS)

    def check_writable(self) -> None:
        """Makes sure that rows may be written, without writing any.

        Raises:
            StoreError: they may not: the server is a standby, the file is read-only, or the user lacks a right.
        """
        with self.write() as connection:
            connection.exec_driver_sql("DELETE FROM worker WHERE 1 = 0")
            for table in sorted({*Base.metadata.tables} - {Identity.__tablename__}):
                connection.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE 1 = 0")  # noqa: S608
            if connection.dialect.name == "postgresql":
                # rows come through such tables
                connection.exec_driver_sql("CREATE TEMPORARY TABLE coming (number integer) ON COMMIT DROP")

    def dispose(self) -> None:
        """Closes the connections of this process."""
        self.engine.dispose()

    def _check_file(self, job: int | None) -> None:
        """A SQLite file that was removed or replaced still takes all that is written, and keeps none of it."""
        if self.path is None:
            return
        try:
            stat = self.path.stat()
        except OSError:
            found = (0, 0)
        else:
            found = (stat.st_dev, stat.st_ino)
        if self._file is None:
            self._file = found
        if found != self._file or found == (0, 0):
            again = "" if job is None else f"; put it back, then run: sudokumill jobs resume {job}"
            raise DatabaseUnreachableError(
                url=self.name, reason=f"the file was removed or replaced while it was in use{again}"
            )

    @contextmanager
    def _translated(self, job: int | None = None) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # not the database's fault, but that of what was written
        except DBAPIError as error:
            raise explain(error, self.url, self.name, job) from error


def _parse(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise BadDatabaseUrlError(url="given", reason="it is not a URL") from None
    if url.get_backend_name() != "sqlite" and text.count("@") > 1:
        # then part of a password could stand where it would be shown
        raise BadDatabaseUrlError(url="given", reason="in a password @ must be written as %40, and / as %2F")
    url = _with_password(url)
    shown = _shown(url)
    if url.get_backend_name() not in {"sqlite", "postgresql", "postgres"}:
        raise BadDatabaseUrlError(url=shown, reason="only sqlite and postgresql are known")
    if url.drivername in {"postgresql", "postgres"}:
        url = url.set(drivername=_POSTGRESQL)
    if url.get_backend_name() != "sqlite" and url.drivername != _POSTGRESQL:
        raise BadDatabaseUrlError(
            url=shown, reason="its driver is not known here; let it begin with postgresql://"
        )
    in_memory = url.query.get("mode") == "memory" or ":memory:" in (url.database or ":memory:")
    if url.get_backend_name() == "sqlite" and in_memory:
        raise BadDatabaseUrlError(url=shown, reason="several processes share the store, so it must be a file")
    return url


def _with_password(url: URL) -> URL:
    """The URL with its password where one belongs, so that nobody shows it who shows a URL."""
    password = url.query.get("password")
    if url.get_backend_name() == "sqlite" or not isinstance(password, str):
        return url
    return url.set(password=password).difference_update_query(["password"])


def _shown(url: URL) -> str:
    """The URL without what it keeps secret: the password of its user part, and those among its options."""
    secret = {name: "***" for name in url.query if _is_secret(name)}
    shown = url.set(drivername="postgresql") if url.drivername == _POSTGRESQL else url
    return shown.update_query_dict(secret).render_as_string(hide_password=True)


def _is_secret(option: str) -> bool:
    """Whether nobody may see it: a mistyped ``password`` would be no secret by its name."""
    return option not in _SHOWN_OPTIONS


def _engine(url: URL, lock_seconds: float | None) -> Engine:
    try:
        if url.get_backend_name() == "sqlite":
            engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        # an engine shows its URL's options, so those that are secret go past it
        secret = {name: value for name, value in url.query.items() if _is_secret(name)}
        defaults = {"connect_timeout": CONNECT_SECONDS, "application_name": "sudokumill", **_ALIVE}
        engine = create_engine(
            url.difference_update_query(list(secret)),
            pool_pre_ping=True,
            # a server may have another default, by which claims of two workers would fail instead of taking turns
            isolation_level="READ COMMITTED",
            connect_args={name: value for name, value in defaults.items() if name not in url.query} | secret,
        )
        event.listen(engine, "connect", _set_up_postgresql(lock_seconds))
        return engine
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise BadDatabaseUrlError(url=_shown(url), reason=" ".join(str(error).split())) from None


def _set_up_postgresql(lock_seconds: float | None) -> Callable[[Any, object], None]:
    """Lets the server end a session whose client froze or lost its machine, with the locks that it holds."""
    settings = {"idle_in_transaction_session_timeout": IDLE_SECONDS * 1000, **_ALIVE_FOR_SERVER}
    if lock_seconds is not None:
        settings["lock_timeout"] = int(lock_seconds * 1000)
    command = "; ".join(f"SET {name} TO {value}" for name, value in settings.items())

    def set_up(connection: Any, _: object) -> None:
        connection.execute(command)
        connection.commit()

    return set_up


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    # the driver's own transaction control is off: it begins too late for us; _begin_sqlite does
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",
        # with a write-ahead log (schema.upgrade sets it), NORMAL loses no consistency, at most the last commits
        # of a power cut; the chunks that these belong to are then made again
        "synchronous = NORMAL",
        "foreign_keys = ON",
        f"cache_size = -{_CACHE_KIB}",
        "temp_store = MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    if not connection.get_execution_options().get("immediate", False):
        connection.exec_driver_sql("BEGIN")
        return
    # SQLite's own wait asks again after up to 100 ms; with two writers that take turns, the lock would stand
    # free for a quarter of the time
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    deadline = time.monotonic() + BUSY_SECONDS
    try:
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except OperationalError as error:
                code = getattr(error.orig, "sqlite_errorname", "")
                if not code.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
                time.sleep(_BUSY_STEP_SECONDS)
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
