"""Brokers, databases, plugins and options that a fleet cannot use: one line that says so, and nothing left."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

# loaded here, so that no fork has to
import sudokumill.cli.enqueuing
import sudokumill.cli.serving
import sudokumill.queue.dispatcher  # noqa: F401
from servers.postgresql import PostgreSQL
from servers.redis import Redis
from sudokumill.jobs import JobKind
from sudokumill.queue.crew import crew_of
from sudokumill.registry import load_registry
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.reading import counts
from sudokumill.store.workers import beat

Command = Callable[..., subprocess.CompletedProcess[str]]
Refusal = Callable[..., str]
Plugin = Callable[[str, str], dict[str, str]]

SECRET = "hunter2-Zq"  # noqa: S105 - it opens nothing
CLOSED = f"redis://:{SECRET}@127.0.0.1:1/0"
WORKER, ENQUEUE, RUN = ("worker",), ("enqueue", "levels", "--count", 5), ("run", "levels", "--count", 5)
LIST, WORKERS = ("jobs", "list"), ("jobs", "workers")
SOON = 5.0
"""Seconds within which a command has to say that a server does not answer."""


def broker(url: str) -> dict[str, str]:
    return {"SUDOKUMILL_BROKER_URL": url}


def database(url: str, broker_url: str = CLOSED) -> dict[str, str]:
    return {"SUDOKUMILL_DATABASE_URL": url, "SUDOKUMILL_BROKER_URL": broker_url}


def problems(doctor: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.removeprefix("wrong: ") for line in doctor.stdout.splitlines() if line.startswith("wrong: ")]


@pytest.fixture(scope="module")
def black_hole() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(scope="module")
def deaf_port() -> Iterator[int]:
    """A port where not even connections are answered, as behind a firewall."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield server.getsockname()[1]
        for client in waiting:
            client.close()


@pytest.fixture
def live_worker(folder: Path) -> None:
    """In the folder's database stands that a worker lives, so that what is ordered is to be published."""
    opened = Database(f"sqlite:///{folder / 'sudokumill.db'}")
    schema.require(opened, create=True)
    beat(opened, crew_of(load_registry("all", None), "elsewhere/x/y:1:1", "w@elsewhere", tuple(JobKind), 2), 300.0)
    opened.dispose()


# --- a broker's URL that cannot be used --------------------------------------------------------------------

BAD_URLS = {
    "another broker": (f"amqp://u:{SECRET}@host/0", "amqp://... cannot be used: it must begin with redis://"),
    "a page": (f"http://u:{SECRET}@host/", "it must begin with redis:// or rediss:// or redis+socket://"),
    "no URL": (SECRET, "the broker URL given cannot be used: it must begin with redis://"),
    "no slashes": (f"redis:{SECRET}", "it must begin with redis://"),
    "no host": (f"redis://:{SECRET}@/0", "redis://:***@/0 cannot be used: it names no host"),
    "nothing": ("redis://", "it names no host"),
    "a port of letters": (f"redis://:{SECRET}@host:six/0", "its host or port cannot be read"),
    "a high port": (f"redis://:{SECRET}@host:99999/0", "its host or port cannot be read"),
    "a database's name": (f"redis://:{SECRET}@host:6379/zero", "a database number comes last, not 'zero'"),
    "a negative number": (f"redis://:{SECRET}@host/-1", "a database number comes last, not '-1'"),
    "another script's digit": (f"redis://:{SECRET}@host/²", "a database number comes last, not '²'"),
    "an impossible host": (f"redis://:{SECRET}@{'ö' * 70}/0", "its host is no name that a host can have"),
    "a password in its query": (f"redis://host/0?password={SECRET}", "a password stands before the host"),
    "an option": (f"redis://:{SECRET}@host/0?colour=blue", "nothing may follow a ?"),
    "a bare slash": (f"redis://:p/{SECRET}@host/0", "in a password / must be written as %2F"),
    "a bare question mark": (f"redis://:p?{SECRET}@host/0", "? as %3F"),
    "a bare hash": (f"redis://:p#{SECRET}@host/0", "# as %23"),
    "two servers": (f"redis://:{SECRET}@a/0;redis://:{SECRET}@b/0", "it names several servers; name one"),
    "an option of TLS": (f"rediss://:{SECRET}@host/0?ssl_ca_cert=x", "did you mean ssl_ca_certs"),
    "no certificate": (f"rediss://:{SECRET}@host/0?ssl_ca_certs=/nowhere/ca", "there is no file '/nowhere/ca'"),
    "half a check": (f"rediss://:{SECRET}@host/0?ssl_cert_reqs=some", "is required or none, not 'some'"),
    "no socket": (f"redis+socket://:{SECRET}@", "it names no socket"),
    "a socket's name": (f"redis+socket://:{SECRET}@/a?virtual_host=x", "only ?virtual_host=NUMBER"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_URLS)
def test_a_broker_url_that_cannot_be_used(name: str, refusal: Refusal, fork: Command, folder: Path) -> None:
    url, reason = BAD_URLS[name]
    for command in (WORKER, ENQUEUE, RUN):
        message = refusal(2, *command, env=broker(url))
        assert reason in message
        assert message.endswith("set SUDOKUMILL_BROKER_URL, for example to redis://:password@localhost:6379/0")
        assert SECRET not in message
    # nothing was ordered
    assert list(folder.iterdir()) == []
    diagnosis = fork("doctor", env=broker(url), code=1)
    [problem] = problems(diagnosis)
    assert reason in problem
    assert SECRET not in diagnosis.stdout


def test_a_broker_url_that_cannot_be_used_and_jobs(
    refusal: Refusal, fork: Command, waiting_job: Callable[[], int]
) -> None:
    job = waiting_job()
    fork("jobs", "pause", job)
    bad = broker(f"amqp://u:{SECRET}@host")
    # what needs no broker goes on
    assert "paused" in fork(*LIST, env=bad).stdout
    fork(*WORKERS, env=bad)
    # what would wake workers is refused before it changes something
    assert "it must begin with redis://" in refusal(2, "jobs", "resume", job, env=bad)
    assert "paused" in fork(*LIST).stdout


@pytest.mark.parametrize(
    ("url", "options", "code", "reason"),
    [
        (f"amqp://u:{SECRET}@host/0", "-Q dig", 2, "it must begin with redis://"),
        ("", "-Q dig", 2, "set SUDOKUMILL_BROKER_URL"),
        (CLOSED, "-Q digg", 2, "there is no queue 'digg'; did you mean dig?"),
        (CLOSED, "-P threads", 2, "the pool is prefork or solo"),
        (CLOSED, "-Q dig", 1, "there is no sudokumill.db here, so this worker has no database"),
    ],
)
def test_plain_celery_and_what_it_cannot_use(url: str, options: str, code: int, reason: str, folder: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUDOKUMILL_")}
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "sudokumill.queue.app", "worker", *options.split()],
        cwd=folder, env=kept | broker(url), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    [line] = done.stderr.splitlines()
    assert line.startswith("sudokumill: ")
    assert reason in line
    assert (done.returncode, done.stdout) == (code, "")
    assert not (folder / "sudokumill.db").exists()


# --- a broker that cannot be reached -----------------------------------------------------------------------

UNREACHABLE = {
    "a wrong password": (f"redis://:{SECRET}@127.0.0.1:{{redis}}/0", "it refuses the user name or password; mend"),
    "a wrong user": (f"redis://bob:{SECRET}@127.0.0.1:{{redis}}/0", "it refuses the user name or password; mend"),
    "a strange password": (f"redis://:ü{SECRET}@127.0.0.1:{{redis}}/0", "it refuses the user name or password"),
    "no password": ("redis://127.0.0.1:{redis}/0", "it wants a password; put it into SUDOKUMILL_BROKER_URL"),
    "a password for a user": (f"redis://{SECRET}@127.0.0.1:{{redis}}/0", "it refuses the user name or password"),
    "no such database": ("redis://:{password}@127.0.0.1:{redis}/99", "it has no database of this number"),
    "no such host": (f"redis://:{SECRET}@nowhere.invalid/0", "there is no host of this name; mend"),
    "a closed port": (CLOSED, "nothing listens there; start the server, or mend host and port"),
    "PostgreSQL": (f"redis://:{SECRET}@127.0.0.1:{{postgresql}}/0", "what answers there ends the connection"),
    "a black hole": (f"redis://:{SECRET}@127.0.0.1:{{hole}}/0", "no Redis answered there within 3 s"),
    "a firewall": (f"redis://:{SECRET}@127.0.0.1:{{deaf}}/0", "no Redis answered there within 3 s"),
    "no such socket": (f"redis+socket://:{SECRET}@/nowhere.sock", "there is no such socket; start the server"),
}  # fmt: skip


@pytest.fixture
def unreachable(
    redis_server: Redis, postgresql_server: PostgreSQL, black_hole: int, deaf_port: int
) -> dict[str, Any]:
    """What the URLs above name."""
    redis_server.start()
    postgresql_server.start()
    return {
        "redis": redis_server.port,
        "password": redis_server.password,
        "postgresql": postgresql_server.port,
        "hole": black_hole,
        "deaf": deaf_port,
    }


@pytest.mark.parametrize("name", UNREACHABLE)
def test_a_broker_that_cannot_be_reached(
    name: str, unreachable: dict[str, Any], refusal: Refusal, fork: Command, folder: Path, live_worker: None
) -> None:
    pattern, reason = UNREACHABLE[name]
    env = broker(pattern.format(**unreachable))
    started = time.monotonic()
    message = refusal(1, *WORKER, env=env)
    assert time.monotonic() - started < SOON
    assert re.match(r"sudokumill: the broker redis(\+socket)?://.* cannot be used: ", message)
    assert reason in message

    # the order stands, and the one who ordered knows what it waits for
    started = time.monotonic()
    done = fork(*ENQUEUE, env=env)
    assert time.monotonic() - started < SOON
    assert "job 1: 5 levels ordered" in done.stdout
    [warning] = done.stderr.splitlines()
    assert warning.startswith("sudokumill: job 1 waits: the broker ")
    assert reason in warning
    assert warning.endswith("; workers whose broker can be used take it all the same")

    if name == "a firewall":
        return  # as with a black hole, but for a third time
    started = time.monotonic()
    diagnosis = fork("doctor", env=env, code=1)
    assert time.monotonic() - started < SOON
    [problem] = problems(diagnosis)
    assert reason in problem
    for output in (message, warning, diagnosis.stdout):
        assert SECRET not in output
        assert unreachable["password"] not in output
    assert "waiting" in fork(*LIST, env=env).stdout
    assert "w@elsewhere" in fork(*WORKERS, env=env).stdout


@pytest.mark.parametrize("lives", [True, False])
def test_a_run_works_alone_when_the_broker_is_away(
    lives: bool, fork: Command, request: pytest.FixtureRequest, black_hole: int
) -> None:
    if lives:
        request.getfixturevalue("live_worker")
    for number, url in enumerate((CLOSED, f"redis://:{SECRET}@127.0.0.1:{black_hole}/0"), 1):
        started = time.monotonic()
        done = fork(*RUN, env=broker(url))
        assert time.monotonic() - started < 2 * SOON
        assert "delivered  5 of 5 levels" in done.stdout
        [warning] = [line for line in done.stderr.splitlines() if line.startswith("sudokumill: ")]
        assert warning.startswith(
            f"sudokumill: job {number} is made on this machine alone: the broker redis://:***@"
        )
        assert SECRET not in done.stdout + done.stderr


def test_variables_of_another_celery_change_nothing(
    fork: Command, redis_server: Redis, redis_url: str, live_worker: None
) -> None:
    theirs = {
        f"CELERY_BROKER{kind}_URL": f"redis://:{redis_server.password}@127.0.0.1:{redis_server.port}/9"
        for kind in ("", "_READ", "_WRITE")
    }
    done = fork(*ENQUEUE, env=broker(redis_url) | theirs)
    assert done.stderr == ""
    with redis.Redis.from_url(redis_url) as ours, redis.Redis.from_url(theirs["CELERY_BROKER_URL"]) as other:
        assert ours.llen("levels") > 0
        assert other.llen("levels") == 0


# --- a database that cannot be used ------------------------------------------------------------------------


@pytest.fixture
def store(postgresql_url: str, redis_url: str) -> Iterator[Database]:
    """A store on PostgreSQL, with the newest schema."""
    opened = Database(postgresql_url)
    schema.upgrade(opened)
    yield opened
    opened.dispose()


def orders_of(opened: Database) -> list[int]:
    """How many jobs, chunks and workers it has."""
    with opened.read() as connection:
        return [
            int(connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())
            for table in ("job", "chunk", "worker")
        ]


AWAY = {
    "a closed port": (f"postgresql://mill:{SECRET}@127.0.0.1:1/mill", "nothing listens there; is the server"),
    "no such host": (f"postgresql://mill:{SECRET}@nowhere.invalid/mill", "there is no host of this name; mend"),
    "a black hole": (f"postgresql://mill:{SECRET}@127.0.0.1:{{hole}}/a?connect_timeout=2", "there within 2 s"),
    "a wrong password": (f"postgresql://mill:{SECRET}@127.0.0.1:{{postgresql}}/a", "refuses this user or"),
    "no such database": ("postgresql://mill:{server}@127.0.0.1:{postgresql}/nowhere", "has no database nowhere"),
}  # fmt: skip


@pytest.mark.parametrize("name", AWAY)
def test_a_database_that_is_away(
    name: str,
    unreachable: dict[str, Any],
    postgresql_server: PostgreSQL,
    redis_url: str,
    refusal: Refusal,
    fork: Command,
) -> None:
    pattern, reason = AWAY[name]
    env = database(pattern.format(server=postgresql_server.password, **unreachable), redis_url)
    for command in (WORKER, LIST) if "hole" in pattern else (WORKER, ENQUEUE, RUN, LIST, WORKERS):
        started = time.monotonic()
        message = refusal(1, *command, env=env)
        assert time.monotonic() - started < SOON
        assert reason in message
        assert SECRET not in message
        assert postgresql_server.password not in message
    started = time.monotonic()
    diagnosis = fork("doctor", env=env, code=1)
    assert time.monotonic() - started < SOON, "it is waited for once"
    [problem] = problems(diagnosis)
    assert reason in problem
    assert SECRET not in diagnosis.stdout
    if "hole" not in pattern:
        assert reason in refusal(1, "doctor", "--worker", env=env)


def test_a_database_that_may_only_be_read(
    store: Database,
    postgresql_server: PostgreSQL,
    postgresql_url: str,
    redis_url: str,
    refusal: Refusal,
    fork: Command,
) -> None:
    name = store.url.database
    store.dispose()
    postgresql_server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    env = database(postgresql_url, redis_url)
    for command in (WORKER, ENQUEUE, RUN):
        message = refusal(1, *command, env=env)
        assert "the server lets it only be read (cannot execute " in message
        assert "choose another with SUDOKUMILL_DATABASE_URL" in message
    [problem] = problems(fork("doctor", env=env, code=1))
    assert "the server lets it only be read" in problem
    assert "no job was ordered yet" in fork(*LIST, env=env).stdout
    assert "no worker was here" in fork(*WORKERS, env=env).stdout
    assert orders_of(store) == [0, 0, 0]


def test_a_file_that_may_only_be_read(fork: Command, refusal: Refusal, redis_url: str, folder: Path) -> None:
    fork(*RUN)
    env = database(f"sqlite:///file:{folder / 'sudokumill.db'}?mode=ro&uri=true", redis_url)
    for command in (WORKER, ENQUEUE, RUN):
        assert "the file is read-only; change its rights" in refusal(1, *command, env=env)
    assert "done" in fork(*LIST, env=env).stdout


OTHERS: dict[str, tuple[str | None, str]] = {
    "too old": (
        None,
        "has schema 0001, this sudokumill needs 0004; run: sudokumill db upgrade",
    ),
    "too new": ("UPDATE alembic_version SET version_num = '9999'", "has schema 9999"),
    "of another product": (
        "DROP VIEW level; DROP TABLE alembic_version; CREATE TABLE aardvark (id integer)",
        "it has tables of something else (aardvark); choose another with SUDOKUMILL_DATABASE_URL",
    ),
    "another's migrations": (
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE invoice (id integer); "
        "CREATE TABLE alembic_version AS SELECT 'f00'::text AS version_num",
        "it has tables of something else (invoice)",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_database_of_another_kind(
    name: str, postgresql_url: str, redis_url: str, refusal: Refusal, fork: Command
) -> None:
    change, reason = OTHERS[name]
    opened = Database(postgresql_url)
    schema.upgrade(opened, "head" if change else "0001")
    if change is not None:
        with opened.write() as connection:
            connection.exec_driver_sql(change)
    opened.dispose()
    env = database(postgresql_url, redis_url)
    for command in (WORKER, ENQUEUE, RUN, LIST, WORKERS):
        assert reason in refusal(1, *command, env=env)
    [problem] = problems(fork("doctor", env=env, code=1))
    assert reason in problem
    if name == "too old":
        fork("db", "upgrade", env=env)
        assert "5 levels ordered" in fork(*ENQUEUE, env=env).stdout


def test_an_order_that_is_refused_leaves_nothing(
    store: Database, postgresql_url: str, redis_url: str, refusal: Refusal
) -> None:
    env = database(postgresql_url, redis_url)
    for arguments in (
        ("levels", "--count", 5, "--generator", "nativ"),
        ("levels", "--count", 5, "--digger", "native==9"),
        ("levels", "--count", 5, "--option", "colour=blue"),
        ("generate", "--count", 10**19),
        ("solve", "--file", "missing.txt"),
        ("dig", "--from-job", 7),
    ):
        refusal(2, "enqueue", *arguments, env=env)
    assert orders_of(store) == [0, 0, 0]
    assert set(counts(store).values()) == {0}


# --- plugins -----------------------------------------------------------------------------------------------

GENERATOR_ONLY = """
@hookimpl
def sudokumill_register_generators():
    yield generator("only")
"""


def test_a_worker_without_a_plugin_for_its_queues(refusal: Refusal, one_file_plugin: Plugin, folder: Path) -> None:
    env = broker(CLOSED) | {"SUDOKUMILL_PLUGINS": "none"}
    assert refusal(2, *WORKER, env=env) == (
        "sudokumill: no plugin here has a generator, which the queue 'generate' needs; install one, or take other "
        "queues with --queues"
    )
    env = broker(CLOSED) | {"SUDOKUMILL_PLUGINS": "only", **one_file_plugin("only", GENERATOR_ONLY)}
    assert "no plugin here has a digger, which the queue 'dig' needs" in refusal(2, *WORKER, env=env)
    assert "has a solver, which the queue 'solve' needs" in refusal(
        2, *WORKER, "--queues", "generate,solve", env=env
    )
    # it has what this queue needs: only the broker is missing
    assert "nothing listens there" in refusal(1, *WORKER, "-Q", "generate", env=env)
    assert not (folder / "sudokumill.db").exists()


def test_a_plugin_folder_that_is_not_there(refusal: Refusal) -> None:
    assert "nowhere" in refusal(2, *WORKER, env=broker(CLOSED) | {"SUDOKUMILL_PLUGIN_DIR": "nowhere"})


# --- options of a worker -----------------------------------------------------------------------------------

OPTIONS = {
    "-Q digg": "there is no queue 'digg'; did you mean dig?",
    "--queues dig,levelz": "there is no queue 'levelz'; did you mean levels?",
    "--queues ,": "names none; known: dig, generate, grade, levels, solve",
    "-c 0": "0 is not in the range 1<=x<=256",
    "--concurrency many": "'many' is not a valid integer",
    "-A other.app": "-A: the app is sudokumill's own; leave it out",
    f"-b redis://:{SECRET}@host": "-b: the broker is set by SUDOKUMILL_BROKER_URL",
    f"--broker=redis://:{SECRET}@host": "--broker: the broker is set by SUDOKUMILL_BROKER_URL",
    f"-bredis://:{SECRET}@host": "-b: the broker is set by SUDOKUMILL_BROKER_URL",
    "-P threads": "--pool: a chunk's limits are those of a process, so the pool is prefork or solo",
    "-Pthreads": "--pool: a chunk's limits are those of a process",
    "--pool=eventlet": "--pool: a chunk's limits are those of a process",
    "--pool": "Option '--pool' requires an argument",
    "--autoscale=8,2": "--autoscale: a worker is sent as many chunks as it has processes",
    "-X dig": "--exclude-queues: name the queues to take chunks from with --queues",
    "-D": "--detach: the supervisor runs in the foreground",
    "--beat": "--beat: there is nothing to schedule",
    "-I mine": "--include: plugins are found by SUDOKUMILL_PLUGINS",
    "--uid nobody": "--uid: start it as that user",
    "--frobnicate": "Celery's worker: No such option '--frobnicate'",
    "--loglevel LOUD": "'LOUD' is not one of 'DEBUG', 'INFO'",
    "--time-limit soon": "'soon' is not a valid float",
    "--logfile /nowhere/log": "there is no folder /nowhere that you may write to",
    "--max-tasks-per-child 0": "--max-tasks-per-child: it must be 1 or more, not 0",
    "--max-memory-per-child=-5": "--max-memory-per-child: it must be 1 or more, not -5",
    "levels": "'levels' is no option; queues are named with --queues",
}


@pytest.mark.parametrize("options", OPTIONS)
def test_a_worker_with_options_that_cannot_be_used(options: str, refusal: Refusal, folder: Path) -> None:
    message = refusal(2, *WORKER, *options.split(), env=broker(CLOSED))
    assert OPTIONS[options] in message
    assert SECRET not in message
    assert list(folder.iterdir()) == []


def test_options_of_celery_are_handed_on(refusal: Refusal) -> None:
    options = ("-nw2@%h", "-lWARNING", "-E", "--max-tasks-per-child=5", "-P", "prefork", "-c1", "-Qdig")
    assert "nothing listens there" in refusal(1, *WORKER, *options, env=broker(CLOSED))


def test_no_broker(refusal: Refusal) -> None:
    assert "workers are woken through Redis; set SUDOKUMILL_BROKER_URL" in refusal(2, *WORKER)


def test_a_worker_that_celery_refuses_is_not_started_again(folder: Path) -> None:
    code = (
        "from sudokumill.queue.supervisor import supervise; raise SystemExit(supervise(['--frobnicate'], print))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env=os.environ | broker(CLOSED), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "No such option" in done.stderr
    assert "starts again" not in done.stdout
