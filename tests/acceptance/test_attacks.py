"""What an attacker tried: each of these once ended in a traceback, a hang, a lost row or a secret told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

PLUGIN = """
import os, signal, sys, threading, time
import numpy as np
from sudokumill.contracts import GenerateResult, GeneratorDescriptor
from sudokumill.grids.batch import from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.hookspecs import hookimpl
from sudokumill.streams import Streams

FINAL = from_lines(["482716539135829647679354821953172468867495312241638975526941783314587296798263154"])

class Trouble:
    def __init__(self, options):
        pass

    def generate(self, seeds):
        TROUBLE
        finals = draw(Streams(seeds)).apply(np.repeat(FINAL, len(seeds), axis=0))
        return GenerateResult(finals, np.zeros(len(seeds), dtype=np.uint8))

@hookimpl
def sudokumill_register_generators():
    yield GeneratorDescriptor(name="trouble", version="1", summary="for a test", factory=Trouble, rate=RATE)
"""


@pytest.fixture
def trouble(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """The environment in which generator ``trouble`` does this before it makes its finals."""

    def write(code: str = "pass", rate: str = "1e4") -> dict[str, str]:
        plugins = tmp_path / "plugins"
        plugins.mkdir()
        text = dedent(PLUGIN).replace("TROUBLE", code).replace("RATE", rate)
        (plugins / "trouble.py").write_text(text)
        return {"SUDOKUMILL_PLUGIN_DIR": str(plugins)}

    return write


ORDER = ("run", "generate", "--generator", "trouble", "--count", 200, "--seed", 3)


def test_ctrl_c_of_a_plugin_is_a_fault_of_its_rows(mill: Callable[..., Any], trouble: Any) -> None:
    done = mill(*ORDER, env=trouble("raise KeyboardInterrupt"), code=1)
    assert "raised KeyboardInterrupt" in done.stdout


@pytest.mark.parametrize("where", [(), ("--no-store", "--output", "f.lines")])
def test_threads_that_a_plugin_leaves_do_not_hold_the_run(
    mill: Callable[..., Any], trouble: Any, where: tuple[str, ...]
) -> None:
    code = "threading.Thread(target=time.sleep, args=(600,)).start()"
    mill(*ORDER, *where, "--processes", 2, env=trouble(code))


def test_what_a_plugin_prints_is_not_among_the_rows(mill: Callable[..., Any], trouble: Any) -> None:
    done = mill(*ORDER, "--no-store", "--output", "-", env=trouble("print('hello')"))
    assert [len(line) for line in done.stdout.splitlines()] == [81] * 200
    assert "hello" in done.stderr


def test_an_absurd_rate_is_only_a_hint(mill: Callable[..., Any], trouble: Any) -> None:
    mill(*ORDER, env=trouble(rate="1e308"))


def test_a_database_that_is_taken_away_is_noticed(mill: Callable[..., Any], folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sudokumill", "run", "levels", "--count", "100000", "--processes", "2"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as run:  # fmt: skip
        assert run.stderr is not None
        try:
            first = run.stderr.readline()  # the first line of progress: it is at work
            assert "levels" in first
            for file in folder.glob("sudokumill.db*"):
                file.unlink()
            said = run.stderr.read()
            assert run.wait(120) == 1
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
    assert "removed or replaced while it was in use" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("command", [("doctor",), ("jobs", "list"), ("run", "levels", "--count", 1)])
def test_no_part_of_a_url_tells_a_secret(mill: Callable[..., Any], command: tuple[object, ...]) -> None:
    url = "postgresql://u:hush@127.0.0.1:1/x?password=hush&sslpassword=hush&connect_timeout=2"
    done = mill(*command, env={"SUDOKUMILL_DATABASE_URL": url}, code=1)
    assert "hush" not in done.stdout + done.stderr
    assert "127.0.0.1" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("jobs", "show", 10**20),
        ("export", "--job", 10**20),
        ("run", "generate", "--count", 2, "--key", b"\xff\xfe".decode(errors="surrogateescape")),
        ("run", "dig", "--from-job", 10**20),
    ],
)
def test_what_no_database_could_hold_is_refused(fork: Callable[..., Any], command: tuple[object, ...]) -> None:
    done = fork(*command, code=2)
    assert "Traceback" not in done.stderr


def test_without_standard_output(folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sudokumill plugins list >&- <&-"],
        cwd=folder, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


def test_doctor_sees_a_folder_that_is_not_there(mill: Callable[..., Any]) -> None:
    done = mill("doctor", env={"SUDOKUMILL_DATABASE_URL": "sqlite:////nowhere/x.db"}, code=1)
    assert "/nowhere is no folder" in done.stdout


def test_watching_a_job_that_was_killed_ends(mill: Callable[..., Any], folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sudokumill", "run", "levels", "--count", "100000"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as run:  # fmt: skip
        assert run.stderr is not None
        run.stderr.readline()
        os.killpg(run.pid, signal.SIGKILL)
    done = mill("jobs", "watch", 1, code=1)
    assert "no process is at work" in done.stdout
    assert "sudokumill jobs resume 1" in done.stdout
