"""The real command, as a person types it: a process of its own, in an empty folder, with a clean environment.

``mill`` starts it anew, which takes 0.6 s. What many tests repeat goes through ``fork``, a fork of the tests'
process that calls the same entry point; there loading costs nothing.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any, Final, NoReturn

import pytest

import sudokumill.cli.diagnosis
import sudokumill.cli.running  # noqa: F401 - loaded here, so that no fork has to
from sudokumill.cli import main
from sudokumill.jobs import JobKind, Part
from sudokumill.orders import Order, specify
from sudokumill.registry import load_registry
from sudokumill.settings import Settings
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.placing import place

_UNWANTED: Final = ("SUDOKUMILL_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_", "PYTHONHASHSEED")
"""Beginnings of the names of variables that would change what a command does or prints."""

_PROGRESS: Final = re.compile(r".*: [\d,]+ of [\d,]+( \([\d,]+ tried\))?, [\d,.]+/s(, [\d,]+ s left)?$")

_PRELUDE: Final = """
import time
import numpy as np
from pathlib import Path
from sudokumill.contracts import *
from sudokumill.grids.batch import from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.hookspecs import hookimpl
from sudokumill.streams import Streams

FINAL = from_lines(["482716539135829647679354821953172468867495312241638975526941783314587296798263154"])

def finals_of(seeds):
    return draw(Streams(seeds)).apply(np.repeat(FINAL, len(seeds), axis=0))

def made(finals):
    return GenerateResult(finals, np.zeros(len(finals), dtype=np.uint8))

class Sound:
    def __init__(self, options=None):
        pass

    def generate(self, seeds):
        return made(finals_of(seeds))

def generator(name, factory=Sound, **more):
    return GeneratorDescriptor(name=name, version="1.0", summary="for a test", factory=factory, rate=1e4, **more)

def solver(name, factory, **more):
    return SolverDescriptor(name=name, version="1.0", summary="for a test", factory=factory, rate=1e4, **more)

def digger(name, factory, **more):
    return DiggerDescriptor(name=name, version="1.0", summary="for a test", factory=factory, rate=1e3, **more)
"""


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_UNWANTED)}
    return {**kept, "LC_ALL": "C.UTF-8", **(more or {})}


@pytest.fixture
def lab() -> dict[str, str]:
    """The environment in which the tests' own grader grades: ``judge``."""
    folder = Path(__file__).parents[1] / "faults" / "plugins"
    return {"SUDOKUMILL_PLUGIN_DIR": str(folder), "SUDOKUMILL_GRADER": "judge"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which commands run, empty at first."""
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def mill(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs ``sudokumill`` with arguments to its end: ``mill("run", "levels", "--count", 5)``.

    Keywords: ``code``, the exit code that must come (0; None: any), ``env`` with further variables, ``stdin``, and
    ``stdout``, a file to write to in place of a pipe. No command may ever show a traceback
    or a warning of Python's.
    """

    def run(
        *arguments: object,
        code: int | None = 0,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        stdout: Any = subprocess.PIPE,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "sudokumill", *map(str, arguments)],
            cwd=folder,
            env=_environment(env),
            input=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
        said = f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in f"{done.stdout}{done.stderr}", said
        assert "Exception ignored" not in done.stderr, said
        assert "Warning" not in done.stderr, said
        assert code is None or done.returncode == code, said
        return done

    return run


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts ``sudokumill`` in a process group of its own and does not wait; what is left is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def begin(
        *arguments: object, env: Mapping[str, str] | None = None, stderr: int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "sudokumill", *map(str, arguments)],
            cwd=folder,
            env=_environment(env),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.communicate()


@pytest.fixture
def fork(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs ``sudokumill`` as ``mill`` does, with ``code`` and ``env``, in a fork of this process."""

    def run(
        *arguments: object, code: int = 0, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        words = ["sudokumill", *map(str, arguments)]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            with warnings.catch_warnings():
                # newer Pythons warn of threads, of which numpy has some that sleep
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                _be_the_command(words, folder, _environment(env), out.fileno(), err.fileno())
            _, status = os.waitpid(child, 0)
            out.seek(0)
            err.seek(0)
            done = subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out.read(), err.read())
        said = f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, said
        assert done.returncode == code, said
        return done

    return run


def _be_the_command(words: list[str], folder: Path, environment: dict[str, str], out: int, err: int) -> NoReturn:
    """In the fork: takes the place of a fresh process, and never comes back."""
    code = 70
    try:
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


@pytest.fixture
def remarks() -> Callable[[str], str]:
    """Takes the lines of progress out of what was said on stderr: on a busy machine there are some."""
    return lambda said: "".join(line for line in said.splitlines(keepends=True) if not _PROGRESS.match(line))


@pytest.fixture
def refusal(
    fork: Callable[..., subprocess.CompletedProcess[str]], remarks: Callable[[str], str]
) -> Callable[..., str]:
    """Runs a command that must end with an error, and returns its message: one line, and nothing on stdout.

    The first argument is the exit code, the others are those of ``fork``; ``by`` takes ``mill`` in its place.
    """

    def refuse(code: int, *arguments: object, by: Any = fork, **more: Any) -> str:
        done = by(*arguments, code=code, **more)
        assert not done.stdout, done.stdout
        *before, message = remarks(done.stderr).splitlines()
        if message.startswith("Error: "):
            # click says how the command is used before it says what was wrong
            assert not before or before[0].startswith("Usage: "), done.stderr
        else:
            assert message.startswith("sudokumill: "), done.stderr
            assert not before, done.stderr
        return message

    return refuse


@pytest.fixture
def work_of() -> Callable[[Callable[[], object]], float]:
    """Seconds of work that processes did which a call started and waited for; a busy machine does not count."""

    def measure(call: Callable[[], object]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        call()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return measure


@pytest.fixture
def outcome(fork: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., dict[str, Any]]:
    """Runs a command with ``--json`` and returns what it printed, which is one document on one line."""

    def read(*arguments: object, **more: Any) -> dict[str, Any]:
        [line] = fork(*arguments, "--json", **more).stdout.splitlines()
        found: dict[str, Any] = json.loads(line)
        return found

    return read


@pytest.fixture
def exported(fork: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., list[dict[str, Any]]]:
    """What a job delivered: the objects of ``export --job ID --json``."""

    def read(job: int, **more: Any) -> list[dict[str, Any]]:
        lines = fork("export", "--job", job, "--json", **more).stdout.splitlines()
        return [json.loads(line) for line in lines]

    return read


@pytest.fixture
def query(folder: Path) -> Callable[[str], list[tuple[Any, ...]]]:
    """Asks ``sudokumill.db`` in the folder, past the command."""

    def ask(sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(folder / "sudokumill.db", timeout=30)) as connection, connection:
            return connection.execute(sql).fetchall()

    return ask


@pytest.fixture
def waiting_job(folder: Path) -> Callable[..., int]:
    """Orders levels without making any, as an ordering host does; returns the job's id."""

    def order(count: int = 5, **more: Any) -> int:
        settings = Settings()
        names = {part: getattr(settings, part.value) for part in Part}
        database = Database(f"sqlite:///{folder / 'sudokumill.db'}")
        schema.require(database, create=True)
        spec = specify(Order(JobKind.LEVELS, count, names, **more), load_registry("all", None))
        placed = place(database, spec)
        database.dispose()
        return placed.id

    return order


@pytest.fixture
def one_file_plugin(folder: Path) -> Callable[[str, str], dict[str, str]]:
    """Writes ``plugins/NAME.py`` after a prelude; returns the variable that makes commands load it."""

    def write(name: str, text: str) -> dict[str, str]:
        plugins = folder / "plugins"
        plugins.mkdir(exist_ok=True)
        (plugins / f"{name}.py").write_text(_PRELUDE + dedent(text), encoding="utf-8")
        return {"SUDOKUMILL_PLUGIN_DIR": str(plugins)}

    return write
