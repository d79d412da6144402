"""Passwords are shown nowhere: not by commands, in logs, in command lines, in the database or in the broker.

Both passwords are full of signs that URLs write in another way. Their letters are a mark that occurs nowhere else,
so that any piece of them is found in what was said, however it is written.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import redis
from psycopg import sql
from sqlalchemy import inspect

# loaded here, so that no fork has to
import sudokumill.cli.enqueuing
import sudokumill.cli.serving
import sudokumill.queue.dispatcher  # noqa: F401
from servers.postgresql import PostgreSQL
from servers.processes import Daemon, descendants
from servers.redis import Redis
from sudokumill.store.database import Database

pytestmark = pytest.mark.slow

Command = Callable[..., subprocess.CompletedProcess[str]]

STORE_SECRET = "qzxv@qzxv/qzxv:qzxv?qzxv#qzxv%é&qzxv;qzxv"  # noqa: S105 - of a server that lives as long as the test
BROKER_SECRET = "wkjy@wkjy/wkjy:wkjy?wkjy#wkjy%ü&wkjy;wkjy"  # noqa: S105
MARKS = ("qzxv", "wkjy")
PATIENCE_SECONDS = 60.0


def telltales(said: str) -> list[str]:
    """The lines that show a piece of a password."""
    return [line for line in said.splitlines() if any(mark in line.lower() for mark in MARKS)]


# --- commands and URLs of all kinds ------------------------------------------------------------------------

STORE = quote(STORE_SECRET, safe="")
BROKER = quote(BROKER_SECRET, safe="")

DATABASES = {
    "encoded": f"postgresql://clerk:{STORE}@127.0.0.1:1/mill",
    "bare": f"postgresql://clerk:{STORE_SECRET}@127.0.0.1:1/mill",
    "an option": f"postgresql://clerk@127.0.0.1:1/mill?password={STORE}",
    "a bare option": f"postgresql://clerk@127.0.0.1:1/mill?password={STORE_SECRET}",
    "a key's": f"postgresql://clerk@127.0.0.1:1/mill?sslpassword={STORE}&sslmode=require",
    "options that are wrong": f"postgresql://clerk:{STORE}@127.0.0.1:1/mill?colour=blue",
    "another product": f"mysql://clerk:{STORE}@127.0.0.1:1/mill",
    "no port": f"postgresql://clerk:{STORE}@127.0.0.1:port/mill",
    "no URL": f"clerk:{STORE_SECRET}",
}
BROKERS = {
    "encoded": f"redis://:{BROKER}@127.0.0.1:1/0",
    "bare": f"redis://:{BROKER_SECRET}@127.0.0.1:1/0",
    "a user's": f"redis://clerk:{BROKER}@127.0.0.1:1/0",
    "in place of a user": f"redis://{BROKER}@127.0.0.1:1/0",
    "an option": f"redis://127.0.0.1:1/0?password={BROKER}",
    "a bare option": f"redis://127.0.0.1:1/0?password={BROKER_SECRET}",
    "encrypted": f"rediss://:{BROKER}@127.0.0.1:1/0?ssl_cert_reqs=none",
    "options that are wrong": f"rediss://:{BROKER}@127.0.0.1:1/0?ssl_cert_reqs=some",
    "a socket": f"redis+socket://:{BROKER}@/nowhere.sock?virtual_host=3",
    "another product": f"amqp://clerk:{BROKER}@127.0.0.1:1/mill",
    "no port": f"redis://:{BROKER}@127.0.0.1:port/0",
    "no number": f"redis://:{BROKER}@127.0.0.1:1/zero",
    "two": f"redis://:{BROKER}@127.0.0.1:1/0;redis://:{BROKER}@127.0.0.1:2/0",
    "no URL": BROKER_SECRET,
}
COMMANDS = ("worker", "enqueue levels --count 5", "jobs workers", "doctor", "doctor --json", "doctor --worker")


@pytest.fixture
def tell(fork: Command, folder: Path) -> Callable[..., str]:
    """Runs a command, whatever comes of it, and returns what it said, if that tells no password."""

    def run(command: str, env: dict[str, str]) -> str:
        likely = (0, 2, 1) if command.startswith(("enqueue", "run")) else (1, 2, 0)
        for code in likely:
            with contextlib.suppress(AssertionError):
                done = fork(*command.split(), code=code, env=env)
                break
        else:
            raise AssertionError(f"{command} ended otherwise")
        said: str = done.stdout + done.stderr
        assert telltales(said) == []
        return said

    return run


@pytest.mark.parametrize("name", DATABASES)
def test_commands_and_a_database_that_cannot_be_used(name: str, tell: Callable[..., str]) -> None:
    for command in COMMANDS:
        env = {"SUDOKUMILL_DATABASE_URL": DATABASES[name], "SUDOKUMILL_BROKER_URL": "redis://127.0.0.1:1/0"}
        assert tell(command, env)


@pytest.mark.parametrize("name", BROKERS)
def test_commands_and_a_broker_that_cannot_be_used(name: str, tell: Callable[..., str]) -> None:
    for command in (*COMMANDS, "run levels --count 5"):
        assert tell(command, {"SUDOKUMILL_BROKER_URL": BROKERS[name]})


def test_a_setting_that_is_mistyped(tell: Callable[..., str]) -> None:
    said = tell("doctor", {"SUDOKUMILL_BROKER_URI": f"redis://:{BROKER}@127.0.0.1:1/0"})
    assert "SUDOKUMILL_BROKER_URI is not a setting" in said


# --- a fleet at work, and in trouble -----------------------------------------------------------------------


class Fleet:
    """A worker, its two servers, and all that any of them said."""

    def __init__(self, postgresql: PostgreSQL, broker: Redis, name: str, folder: Path, fork: Command) -> None:
        self._fork = fork
        self.postgresql = postgresql
        self.broker = broker
        self.name = name
        self.database_url = postgresql.url(name, user="clerk", password=STORE)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SUDOKUMILL_")}
        self.env = kept | {
            "SUDOKUMILL_DATABASE_URL": self.database_url,
            "SUDOKUMILL_BROKER_URL": f"redis://:{BROKER}@127.0.0.1:{broker.port}/0",
            "SUDOKUMILL_LEASE_SECONDS": "3",
            "SUDOKUMILL_REAPER_SECONDS": "0.5",
            "SUDOKUMILL_CHUNK_SECONDS": "0.5",
        }
        self.said = ""
        self._log = folder / "worker.log"
        self._worker = Daemon("worker", self._log, last_signal=signal.SIGTERM)

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def start(self) -> None:
        command: list[str | Path] = [sys.executable, "-m", "sudokumill", "worker", "-c", "1", "--loglevel=DEBUG"]
        self._worker.start(command, lambda: "ready." in self.log, self.env)

    def end(self) -> None:
        self._worker.end(signal.SIGTERM)

    def commands(self) -> list[str]:
        """The command lines of the worker's processes."""
        pids = [self._worker.pid, *descendants(self._worker.pid)]
        return [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids]

    def says(self, words: str, since: int = 0) -> None:
        """Waits until its log has these words."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while words not in self.log[since:]:
            assert time.monotonic() < deadline, f"{words!r} in {self.log[since:]}"
            time.sleep(0.05)

    def told(self, *arguments: object, code: int = 0) -> str:
        """What a command says."""
        done = self._fork(*arguments, code=code, env=self.env)
        self.said += done.stdout + done.stderr
        return str(done.stdout + done.stderr)

    def ends(self, ordered: str) -> None:
        """Waits until what was ordered is there."""
        [job] = re.findall(r"^job (\d+): 20 finals ordered", ordered, re.MULTILINE)
        assert "20 of 20" in self.told("jobs", "watch", job)

    def celery(self, *arguments: str) -> str:
        """What Celery's own commands say of it."""
        done = subprocess.run(
            [sys.executable, "-m", "celery", "-A", "sudokumill.queue.app", *arguments],
            env=self.env, cwd=self._log.parent, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        self.said += done.stdout + done.stderr
        return done.stdout

    def change_password(self, before: str, after: str) -> None:
        """Gives the broker another password, and sends away whom it had let in."""
        with redis.Redis(port=self.broker.port, password=before) as client:
            client.config_set("requirepass", after)
            client.client_kill_filter(_type="normal", skipme=True)

    def refuse(self, password: str) -> None:
        """Gives the database's user another password, and ends the connections."""
        self.postgresql.execute(sql.SQL("ALTER ROLE clerk PASSWORD {}").format(sql.Literal(password)))
        self.postgresql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'clerk'")

    def kept(self) -> str:
        """All rows of the database, and all keys and values of the broker, as text."""
        database = Database(self.database_url)
        with database.read() as connection:
            tables = inspect(connection).get_table_names()
            assert {"job", "chunk", "worker"} <= {*tables}
            rows = [connection.exec_driver_sql(f'SELECT t::text FROM "{table}" t').scalars() for table in tables]
            found = "\n".join(line for lines in rows for line in lines)
        database.dispose()
        with redis.Redis(port=self.broker.port, password=BROKER_SECRET) as client:
            for key in client.scan_iter():
                found += f"\n{key!r} {client.type(key)!r} {client.dump(key)!r}"
        return found


@pytest.fixture
def fleet(postgresql_server: PostgreSQL, postgresql_url: str, tmp_path: Path, fork: Command) -> Iterator[Fleet]:
    """A fleet whose worker is not started, with a user of the database who owns nothing else."""
    name = postgresql_url.rpartition("/")[2]
    postgresql_server.execute(sql.SQL("CREATE ROLE clerk LOGIN PASSWORD {}").format(sql.Literal(STORE_SECRET)))
    postgresql_server.execute(sql.SQL("ALTER DATABASE {} OWNER TO clerk").format(sql.Identifier(name)))
    with Redis(tmp_path) as broker:
        made = Fleet(postgresql_server, broker, name, tmp_path, fork)
        made.change_password(broker.password, BROKER_SECRET)
        yield made
        made.end()
    postgresql_server.start()
    postgresql_server.drop_database(name)
    postgresql_server.execute("DROP ROLE clerk")


@pytest.mark.slow
def test_a_fleet_in_trouble_tells_no_password(fleet: Fleet) -> None:
    told, ends = fleet.told, fleet.ends
    fleet.start()
    order = ("enqueue", "generate", "--count", 20)
    ends(told(*order))
    for command in ("doctor", "doctor --json", "doctor --worker", "jobs workers --json", "jobs show 1 --json"):
        told(*command.split())
    assert "transport" in fleet.celery("report")
    assert "broker" in fleet.celery("inspect", "stats")
    fleet.celery("inspect", "conf")

    commands = fleet.commands()
    assert len(commands) == 4, "supervisor, Celery, its process, the reaper"
    fleet.said += "\n".join(commands)

    # the broker goes away, comes back with another password, and has the right one again
    before = len(fleet.log)
    fleet.broker.stop()
    fleet.says("Connection to broker lost", before)
    fleet.says("Cannot connect to redis://", before)
    second = told(*order)
    assert "nothing listens there" in second
    fleet.broker.start()
    fleet.says("invalid username-password pair", before)
    third = told(*order)
    assert "it refuses the user name or password" in third
    assert "it refuses the user name or password" in told("doctor", code=1)
    fleet.says("it refuses the user name or password", before)
    fleet.change_password(fleet.broker.password, BROKER_SECRET)
    ends(second)
    ends(third)

    # so does the database
    before = len(fleet.log)
    fleet.postgresql.stop("immediate")
    fleet.says("the database postgresql://clerk:***@", before)
    told("doctor", code=1)
    fleet.postgresql.start()
    fleet.says("database and broker can be used again", before)
    fleet.refuse("another")
    fleet.says("the server refuses this user or password", before)
    told(*order, code=1)
    fleet.refuse(STORE_SECRET)

    # an error that nobody foresaw, with all that Python tells of it
    before = len(fleet.log)
    fleet.says("database and broker can be used again", before)
    fleet.postgresql.execute(
        "CREATE FUNCTION strange() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'strange' USING ERRCODE = 'unique_violation'; END $$; "
        "CREATE TRIGGER strange BEFORE INSERT ON final EXECUTE FUNCTION strange()",
        fleet.name,
    )
    fourth = told(*order)
    fleet.says("Traceback", before)
    fleet.says("strange", before)
    fleet.postgresql.execute("DROP TRIGGER strange ON final; DROP FUNCTION strange", fleet.name)
    ends(fourth)

    fleet.end()
    assert telltales(fleet.log) == []
    assert telltales(fleet.said) == []
    assert telltales(fleet.kept()) == []
