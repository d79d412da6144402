"""Fleets: a database, a broker, and workers in processes of their own, which end with their test.

A ``conftest.py`` imports the fixtures that its tests want: ``from servers.fleet import fleet, new_fleet``.
``fleet`` is a new one without workers; ``crowd`` has a worker with two processes and is shared by a module::

    def test_it(fleet: Fleet) -> None:
        fleet.worker(processes=2)
        job = fleet.order("levels", "--count", 100)
        assert fleet.wait_for(job).delivered == 100

Each fleet has a database of its own on the test server, and a number of its own on the broker. The database
refuses moves of state that the host's tables do not name, and at the end of each fleet every job is audited.
"""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest
import redis
from sqlalchemy import select

# loaded here, so that no fork has to
import sudokumill.cli.diagnosis
import sudokumill.cli.enqueuing
import sudokumill.cli.fleet
import sudokumill.queue.dispatcher  # noqa: F401
from servers.postgresql import PostgreSQL
from servers.processes import Daemon, descendants
from servers.redis import Redis
from servers.states import guard
from sudokumill.cli import main
from sudokumill.store import schema
from sudokumill.store.audit import Account, audit
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.models import Base, Chunk, Job
from sudokumill.store.progress import Progress, progress
from sudokumill.store.workers import WorkerRow, workers

LAB: Final = Path(__file__).parents[1] / "faults" / "plugins"
PATIENCE_SECONDS: Final = 120.0
AUDIT_PATIENCE_SECONDS: Final = 60.0
"""Reapers that tests froze or killed take no chunk back; others may be slow."""

_STEP_SECONDS: Final = 0.02

_SETTINGS: Final = {
    "SUDOKUMILL_LEASE_SECONDS": "3",
    "SUDOKUMILL_REAPER_SECONDS": "1",
    "SUDOKUMILL_CHUNK_SECONDS": "0.5",
    "SUDOKUMILL_PROCESSES": "1",
    "SUDOKUMILL_PLUGIN_DIR": str(LAB),
    "LC_ALL": "C.UTF-8",
}
_MARK: Final = "FLEET_OF_TESTS"
"""The variable by which a fleet's processes are known."""
_UNWANTED: Final = ("SUDOKUMILL_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_", "PYTHONHASHSEED")


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
    """Asks again and again until the answer is true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(_STEP_SECONDS)
    return answer


class MillWorker:
    """A worker as it is started by hand, with all its processes."""

    def __init__(self, node: str, log: Path) -> None:
        self.node = node
        self._daemon = Daemon(f"worker {node}", log, last_signal=signal.SIGTERM)
        self._log = log

    @property
    def log(self) -> str:
        """What it said so far."""
        return self._log.read_text(errors="replace")

    @property
    def supervisor(self) -> int:
        return self._daemon.pid

    @property
    def celery(self) -> int:
        """The main process of Celery's worker; for one that was started without a supervisor, that process."""
        return next(iter(self.pids("celery -A")))

    @property
    def pool(self) -> list[int]:
        """The processes that make chunks."""
        return self.pids("celery -A")[1:]

    @property
    def reaper(self) -> int:
        return next(iter(self.pids("sudokumill.queue.reaper")))

    def pids(self, words: str) -> list[int]:
        """Its processes with these words in their command, parents first."""
        return [pid for pid in (self.supervisor, *descendants(self.supervisor)) if words in _command(pid)]

    def start(self, command: list[str | Path], ready: Callable[[], bool], env: Mapping[str, str]) -> None:
        self._daemon.start(command, ready, env)

    def says(self, words: str, times: int = 1) -> None:
        """Waits until its log has these words, so often."""
        until(lambda: self.log.count(words) >= times, f"{words!r} in the log of {self.node}:\n{self.log}")

    def freeze(self) -> None:
        """Stops all its processes where they are."""
        frozen: set[int] = set()
        while left := {self.supervisor, *descendants(self.supervisor)} - frozen:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            frozen |= left

    def thaw(self) -> None:
        """Lets all its processes go on."""
        for pid in (self.supervisor, *descendants(self.supervisor)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """Ends all its processes at once, as a power cut does."""
        if not self._daemon.running:
            return
        self.freeze()
        every = descendants(self.supervisor)
        for pid in every:
            os.kill(pid, signal.SIGKILL)
        self._daemon.end(signal.SIGKILL)
        until(lambda: not any(_command(pid) for pid in every), f"end of {self.node}'s processes")

    def end(self, by: int = signal.SIGTERM) -> int:
        """Ends it as a service manager does, or by another signal; returns its exit code."""
        pid, every = self.supervisor, descendants(self.supervisor)
        code = self._daemon.end(by)
        until(lambda: not any(_command(each) for each in (pid, *every)), f"end of {self.node}'s processes")
        return code


def _command(pid: int) -> str:
    """A process's command; nothing for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _every_process() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _environment_of(pid: int) -> list[bytes]:
    """A process's variables, as they were when it started; none for one that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


@dataclass
class Fleet:
    """A database and a broker, and the workers that a test starts for them."""

    folder: Path
    database_url: str
    broker_url: str
    env: dict[str, str]
    database: Database
    crew: list[MillWorker] = field(default_factory=list)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    # --- commands ---

    def command(
        self, *arguments: object, code: int = 0, env: Mapping[str, str | None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``sudokumill`` with these arguments to its end, which must be this exit code."""
        done = self.attempt(*arguments, env=env)
        said = f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, said
        assert done.returncode == code, said
        return done

    def attempt(
        self, *arguments: object, env: Mapping[str, str | None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``sudokumill`` with these arguments to its end, in a fork of this process."""
        words = ["sudokumill", *map(str, arguments)]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            with warnings.catch_warnings():
                # newer Pythons warn of threads, of which numpy has some that sleep
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                _be_the_command(words, self.folder, self._environment(env), out.fileno(), err.fileno())
            _, status = os.waitpid(child, 0)
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out.read(), err.read())

    def start(self, *arguments: object, env: Mapping[str, str | None] | None = None) -> subprocess.Popen[str]:
        """Starts ``sudokumill`` with these arguments and does not wait."""
        process = subprocess.Popen(
            [sys.executable, "-m", "sudokumill", *map(str, arguments)],
            cwd=self.folder,
            env=self._environment(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def outcome(self, *arguments: object, **more: Any) -> Any:
        """What a command prints with ``--json``."""
        return json.loads(self.command(*arguments, "--json", **more).stdout)

    def order(self, *arguments: object, **more: Any) -> int:
        """Orders a job by ``enqueue`` and returns its id."""
        job: int = self.outcome("enqueue", *arguments, **more)["job"]
        return job

    def _environment(self, more: Mapping[str, str | None] | None) -> dict[str, str]:
        return {name: value for name, value in {**self.env, **(more or {})}.items() if value is not None}

    # --- workers ---

    def worker(
        self,
        node: str = "w",
        *,
        queues: str | None = None,
        processes: int = 1,
        env: Mapping[str, str | None] | None = None,
        folder: Path | None = None,
        command: list[str | Path] | None = None,
    ) -> MillWorker:
        """Starts a worker and waits until its row says that it lives.

        Args:
            node: its name.
            queues: parted by commas; None for all.
            processes: how many chunks it makes at a time.
            env: further variables; None unsets one.
            folder: where it runs, by default the fleet's.
            command: what is started, in place of ``sudokumill worker``.
        """
        log = (folder or self.folder) / f"{node}.log"
        before = log.read_text() if log.exists() else ""
        made = MillWorker(node, log)
        arguments = [] if queues is None else ["--queues", queues]
        started = command or [sys.executable, "-m", "sudokumill", "worker", "--concurrency", str(processes)]

        def ready() -> bool:
            # only then does it listen to the signals that the tests send
            said = log.read_text()[len(before) :]
            return f"{node}@" in said and "ready." in said and self._lives(node)

        self.crew.append(made)
        made.start([*started, *arguments, "--hostname", f"{node}@%h"], ready, self._environment(env))
        return made

    def _lives(self, node: str) -> bool:
        return any(row.alive and row.crew.node.startswith(f"{node}@") for row in workers(self.database))

    def row_of(self, worker: MillWorker) -> WorkerRow:
        """The newest row of a worker."""
        return max(
            (row for row in workers(self.database) if row.crew.node.startswith(f"{worker.node}@")),
            key=lambda row: row.started_at,
        )

    # --- what came of it ---

    def wait_for(self, job: int, state: str = "done", seconds: float = PATIENCE_SECONDS) -> Progress:
        """Waits until the job has this state."""

        def there() -> Progress | None:
            found = self.progress(job)
            if found.state.ended and found.state.value != state:
                raise AssertionError(f"job {job} ended {found.state.value}: {found.reason}\n{self.logs()}")
            return found if found.state.value == state else None

        try:
            found: Progress = until(there, f"job {job} {state}", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.progress(job)}\n{self.chunks(job)}\n{self.logs()}") from None
        return found

    def logs(self) -> str:
        return "\n".join(f"--- {worker.node}\n{worker.log[-3_000:]}" for worker in self.crew)

    def progress(self, job: int) -> Progress:
        return progress(self.database, job)

    def rows(self, table: type[Base]) -> list[Any]:
        with self.database.read() as connection:
            return list(connection.execute(select(table)).all())

    def jobs(self) -> list[Any]:
        return self.rows(Job)

    def chunks(self, job: int) -> list[Any]:
        """The job's chunks, by their first position."""
        return sorted((row for row in self.rows(Chunk) if row.job_id == job), key=lambda row: (row.start, row.id))

    def held(self, worker: MillWorker | None = None) -> list[int]:
        """Chunks that run, of one worker or of all."""
        mine = None if worker is None else f":{worker.celery}:"
        return [
            row.id
            for row in self.rows(Chunk)
            if row.state == "running" and (mine is None or mine in (row.worker or ""))
        ]

    def freeze_at_work(self, worker: MillWorker, job: int, delivered: int = 0) -> list[int]:
        """Stops a worker in the middle of its chunks when the job has delivered so many; returns the chunks."""
        self.until(lambda: self.progress(job).delivered >= delivered, f"{delivered} rows of job {job}")
        while True:
            self.until(lambda: self.held(worker), f"a chunk in the hands of {worker.node}")
            worker.freeze()
            held = self.held(worker)
            # whoever stands still within a transaction keeps its locks
            if held and not self.open_transactions():
                assert not self.progress(job).state.ended
                return held
            worker.thaw()

    def open_transactions(self) -> int:
        """Transactions that somebody has begun and not ended."""
        with self.database.read() as connection:
            return int(
                connection.exec_driver_sql(
                    "SELECT count(*) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
                ).scalar_one()
            )

    def lines(self, job: int) -> list[str]:
        """What the job delivered, in order: clues, or a final's digits."""
        return [
            row.clues if hasattr(row, "clues") else row.digits
            for row in delivered_rows(self.database, self.progress(job))
        ]

    def check(self, job: int, count: int) -> None:
        """The job is done with exactly so many rows, each once, and each of its positions was counted once."""
        found = self.progress(job)
        lines = self.lines(job)
        assert (found.state.value, found.delivered) == ("done", count)
        assert len(lines) == len(set(lines)) == count
        counted = found.delivered + found.surplus + found.repeated + found.missed + found.failed + found.not_new
        assert counted == found.tried
        assert self.audit(job).left == 0

    def audit(self, job: int) -> Account:
        """What ``sudokumill doctor --job`` finds, which must be nothing to complain of."""
        found = audit(self.database, job, AUDIT_PATIENCE_SECONDS)
        assert found.broken == (), f"job {job}: {found}\n{self.chunks(job)}\n{self.logs()}"
        return found

    @contextlib.contextmanager
    def redis(self) -> Iterator[Any]:
        """A client of the broker."""
        with redis.Redis.from_url(self.broker_url) as client:
            yield client

    def until(self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
        """Asks again and again until the answer is true, and returns it."""
        try:
            return until(condition, what, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.logs()}") from None

    def close(self) -> None:
        """Ends all that was started for it."""
        for worker in self.crew:
            worker.kill()
        # also those whose parent a test has killed
        mark = f"{_MARK}={self.env[_MARK]}".encode()
        while left := [pid for pid in _every_process() if mark in _environment_of(pid)]:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_STEP_SECONDS)
        for process in self.started:
            process.communicate()
        self.database.dispose()


def _be_the_command(words: list[str], folder: Path, environment: dict[str, str], out: int, err: int) -> NoReturn:
    """In the fork: takes the place of a fresh process, and never comes back."""
    code = 70
    try:
        # a command whose processes crash on purpose says so itself
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = words
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


@contextlib.contextmanager
def opened(database_url: str, broker_url: str, folder: Path, **variables: str) -> Iterator[Fleet]:
    """A fleet without workers on these servers; when all has gone well its jobs are audited in the end."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_UNWANTED)}
    urls = {"SUDOKUMILL_DATABASE_URL": database_url, "SUDOKUMILL_BROKER_URL": broker_url}
    env = {**kept, **_SETTINGS, **urls, _MARK: str(folder), **variables}
    made = Fleet(folder, database_url, env["SUDOKUMILL_BROKER_URL"], env, Database(database_url))
    try:
        yield made
        for row in made.jobs():
            made.audit(row.id)
    finally:
        made.close()


@pytest.fixture(scope="session")
def empty_database(postgresql_server: PostgreSQL) -> str:
    """Name of a PostgreSQL database with the newest schema and nothing in it."""
    name = postgresql_server.new_database()
    database = Database(postgresql_server.url(name))
    schema.upgrade(database)
    guard(database)
    database.dispose()
    return name


@pytest.fixture(scope="session")
def new_fleet(
    postgresql_server: PostgreSQL,
    redis_server: Redis,
    empty_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., contextlib.AbstractContextManager[Fleet]]:
    """Makes a fleet without workers, to be used in ``with``; takes the URL of another database, and settings."""
    numbers = itertools.cycle(range(1, 16))

    @contextlib.contextmanager
    def make(database_url: str | None = None, **variables: str) -> Iterator[Fleet]:
        postgresql_server.start()
        redis_server.start()
        folder = tmp_path_factory.mktemp("fleet")
        name = None
        if database_url is None:
            name = postgresql_server.new_database(empty_database)
            # a copy is another database
            postgresql_server.execute("UPDATE identity SET id = left(md5(random()::text), 8)", name)
            database_url = postgresql_server.url(name)
        else:
            new = Database(database_url)
            schema.upgrade(new)
            guard(new)
            new.dispose()
        broker_url = redis_server.url.removesuffix("/0") + f"/{next(numbers)}"
        with redis.Redis.from_url(broker_url) as client:
            client.flushdb()
        try:
            with opened(database_url, broker_url, folder, **variables) as made:
                yield made
        finally:
            if name is not None:
                postgresql_server.start()
                postgresql_server.drop_database(name)

    return make


@pytest.fixture
def fleet(new_fleet: Callable[..., contextlib.AbstractContextManager[Fleet]]) -> Iterator[Fleet]:
    """A fleet without workers."""
    with new_fleet() as made:
        yield made


@pytest.fixture(scope="module")
def crowd(new_fleet: Callable[..., contextlib.AbstractContextManager[Fleet]]) -> Iterator[Fleet]:
    """A fleet with one worker of two processes, for all tests of a module."""
    with new_fleet() as made:
        made.worker(processes=2)
        yield made
