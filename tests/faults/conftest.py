"""Runs and fleets in processes of their own, which can be killed, small disks, and tests that are repeated.

pytest tests/faults                         the quick ones
pytest tests/faults -m slow                 the others, most of them with a fleet
pytest tests/faults --rounds 10             all, ten times each
pytest tests/faults --rounds 1 --thorough   all, with more kills and longer outages
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from servers.fleet import AUDIT_PATIENCE_SECONDS, crowd, empty_database, fleet, new_fleet
from sudokumill.jobs import JobKind, Part
from sudokumill.orders import Order, specify
from sudokumill.queue.local import run_local
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings
from sudokumill.store import schema
from sudokumill.store.audit import audit
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.models import Base, FinalRow
from sudokumill.store.placing import place
from sudokumill.store.progress import Progress, progress

__all__ = ["crowd", "empty_database", "fleet", "new_fleet"]

LAB = Path(__file__).parent / "plugins"
NAMES = {Part.GENERATOR: "lab", Part.DIGGER: "lab", Part.SOLVER: "native", Part.CHECKER: "exact-cover"}

RUN = """
import sys
from sudokumill.errors import SudokumillError
from sudokumill.queue.local import run_local
from sudokumill.settings import Settings
from sudokumill.store.database import Database

settings = Settings()
database = Database(settings.database_url)
try:
    found = run_local(database, int(sys.argv[1]), settings, lambda now: print(now.delivered, flush=True))
except SudokumillError as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(error.exit_code)
print("ended", found.state.value, flush=True)
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options for tests that are run by hand."""
    parser.addoption("--rounds", type=int, help="run every test of a fault so many times, slow ones too")
    parser.addoption("--thorough", action="store_true", help="tests of faults kill more often and wait longer")


def pytest_configure(config: pytest.Config) -> None:
    """With ``--rounds`` slow tests are meant too, unless ``-m`` says otherwise."""
    if config.getoption("--rounds", None) and config.option.markexpr == "not slow":
        config.option.markexpr = ""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeats every test of this folder."""
    rounds = metafunc.config.getoption("--rounds", None)
    if rounds and rounds > 1 and Path(__file__).parent in metafunc.definition.path.parents:
        metafunc.fixturenames.append("_round")
        metafunc.parametrize("_round", range(1, rounds + 1), ids=lambda number: f"round {number}")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether somebody who has time runs the tests by hand."""
    return bool(request.config.getoption("--thorough", default=False))


@dataclass
class Plant:
    """A store whose jobs run in processes of their own."""

    database: Database
    registry: Registry
    settings: Settings
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def place(self, *options: str, kind: JobKind = JobKind.GENERATE, **fields: Any) -> int:
        names = {**NAMES, **{part: fields.pop(part.value) for part in Part if part.value in fields}}
        order = {"kind": kind, "count": 10, "seed": 5, "names": names, "options": options, **fields}
        return place(self.database, specify(Order(**order), self.registry)).id

    def start(self, job: int, processes: int = 2, before: str = "", **environment: str) -> subprocess.Popen[str]:
        """A run in a process of its own, the first of its group; ``before`` is code that comes first."""
        variables = {
            "SUDOKUMILL_DATABASE_URL": self.settings.database_url,
            "SUDOKUMILL_PLUGIN_DIR": str(LAB),
            "SUDOKUMILL_PROCESSES": str(processes),
            "SUDOKUMILL_CHUNK_SECONDS": "0.2",
        }
        process = subprocess.Popen(
            [sys.executable, "-c", before + RUN, str(job)],
            env={**os.environ, **variables, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.running.append(process)
        return process

    def wait_for(self, process: subprocess.Popen[str], delivered: int) -> None:
        """Until the run has delivered so many."""
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().isdigit() and int(line) >= delivered:
                return
        raise AssertionError(f"it ended before: {process.stderr.read() if process.stderr else ''}")

    def run(self, job: int, processes: int = 2) -> Progress:
        """A run in this process."""
        return run_local(
            self.database, job, self.settings.model_copy(update={"processes": processes}), lambda now: None
        )

    def progress(self, job: int) -> Progress:
        return progress(self.database, job)

    def rows(self, table: type[Base]) -> list[Any]:
        with self.database.read() as connection:
            return list(connection.execute(select(table)).all())

    def lines(self, job: int) -> list[str]:
        found = self.progress(job)
        name = "digits" if found.kind is JobKind.GENERATE else "clues"
        return [getattr(row, name) for row in delivered_rows(self.database, found)]

    def check(self, job: int) -> None:
        """Nothing is there twice, and each position was counted once."""
        finals = [row.digits for row in self.rows(FinalRow)]
        assert len(finals) == len(set(finals))
        lines = self.lines(job)
        assert len(lines) == len(set(lines)) == self.progress(job).delivered
        found = self.progress(job)
        counted = found.delivered + found.surplus + found.repeated + found.missed + found.failed + found.not_new
        assert counted == found.tried
        assert audit(self.database, job, AUDIT_PATIENCE_SECONDS).broken == ()


def _group_ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def group_ends() -> Callable[[int], None]:
    """Waits until the last process of a group has ended."""

    def wait(group: int, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not _group_ended(group):
            assert time.monotonic() < deadline, f"a process of group {group} is still there"
            time.sleep(0.02)

    return wait


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_registry(plugin_dir=LAB)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "empty.db"
    database = Database(f"sqlite:///{path}")
    schema.upgrade(database)
    database.dispose()
    return path


@pytest.fixture
def plant_in(empty_store: Path, registry: Registry) -> Iterator[Callable[[Path], Plant]]:
    """Makes a store in a folder."""
    made: list[Plant] = []

    def make(folder: Path) -> Plant:
        path = folder / "plant.db"
        shutil.copyfile(empty_store, path)
        url = f"sqlite:///{path}"
        settings = Settings(database_url=url, plugin_dir=LAB, chunk_seconds=0.2)
        made.append(Plant(Database(url), registry, settings))
        return made[-1]

    yield make
    for plant in made:
        plant.database.dispose()
        for process in plant.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def plant(tmp_path: Path, plant_in: Callable[[Path], Plant]) -> Plant:
    return plant_in(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB; only where it can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
