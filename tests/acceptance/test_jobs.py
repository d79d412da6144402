from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Mill = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]
Outcome = Callable[..., dict[str, Any]]
Refusal = Callable[..., str]
Query = Callable[[str], list[tuple[Any, ...]]]

STORED = "SELECT coalesce(sum(delivered), 0) FROM chunk WHERE state = 'done'"
MANY = ("run", "levels", "--count", 200_000, "--chunk", 100)


def first_progress(process: subprocess.Popen[str]) -> str:
    """Waits for the first line that says how far the job is."""
    assert process.stderr is not None
    line = process.stderr.readline()
    assert " of " in line, line + process.stderr.read()
    return line


def until_stored(query: Query, folder: Path, rows: int) -> None:
    """Waits until so many rows are delivered; the database may not be there yet, and asking must not make it."""
    while True:
        with contextlib.suppress(sqlite3.OperationalError):
            if (folder / "sudokumill.db").exists() and query(STORED)[0][0] >= rows:
                return
        time.sleep(0.02)


def state_of(outcome: Outcome, job: int = 1) -> dict[str, Any]:
    return outcome("jobs", "show", job)


def test_list_and_show(mill: Mill, outcome: Outcome, waiting_job: Callable[..., int]) -> None:
    outcome("run", "generate", "--count", 5, "--key", "nightly")
    waiting_job(7)
    table = mill("jobs", "list").stdout.splitlines()
    assert [line.split()[:5] for line in table[1:]] == [
        ["2", "levels", "waiting", "0", "7"],
        ["1", "generate", "done", "5", "5"],
    ]
    [newest] = json.loads(mill("jobs", "list", "--json", "--limit", 1).stdout)
    assert (newest["job"], newest["state"], newest["chunks"]) == (2, "waiting", {"waiting": 1})
    # what has to be gathered from other tables is in "show"
    assert set(state_of(outcome, 2)) - set(newest) == {
        "versions",
        "reports",
        "failures",
        "came_out",
        "graded_after",
    }
    assert "1 waiting" in mill("jobs", "show", 2).stdout
    assert "nightly" in mill("jobs", "show", 1).stdout
    assert state_of(outcome)["key"] == "nightly"


def test_pause_resume_watch_retry(
    mill: Mill, outcome: Outcome, waiting_job: Callable[..., int], refusal: Refusal, query: Query
) -> None:
    waiting_job(6, seed=1)
    assert mill("jobs", "pause", 1).stdout == (
        "job 1 stops after the batches in hand; go on with:  sudokumill jobs resume 1\n"
    )
    assert state_of(outcome)["state"] == "paused"
    assert outcome("jobs", "watch", 1, code=1)["state"] == "paused"
    assert query("SELECT count(*) FROM puzzle") == [(0,)]
    resumed = outcome("jobs", "resume", 1, "--processes", 1)
    assert (resumed["state"], resumed["delivered"]) == ("done", 6)
    assert "6 of 6 levels" in mill("jobs", "watch", 1).stdout
    for verb, participle in (
        ("resume", "resumed"),
        ("pause", "paused"),
        ("cancel", "cancelled"),
        ("retry", "retried"),
    ):
        message = refusal(2, "jobs", verb, 1)
        assert "job 1 is done" in message
        assert participle in message


def test_a_cancelled_job_stays_cancelled(
    mill: Mill, waiting_job: Callable[..., int], refusal: Refusal, outcome: Outcome
) -> None:
    waiting_job()
    mill("jobs", "cancel", 1)
    found = state_of(outcome)
    assert (found["state"], found["chunks"]) == ("cancelled", {"dropped": 1})
    for verb in ("resume", "retry", "cancel"):
        message = refusal(2, "jobs", verb, 1)
        assert "cancelled" in message


@pytest.mark.parametrize("command", ["jobs show", "jobs watch", "jobs resume", "jobs cancel", "export --job"])
def test_jobs_that_do_not_exist(
    command: str, refusal: Refusal, waiting_job: Callable[..., int], query: Query
) -> None:
    waiting_job()
    message = refusal(2, *command.split(), 99)
    assert "no job 99" in message
    assert "sudokumill jobs list" in message
    assert query("SELECT state FROM job") == [("waiting",)]


def test_retry_after_a_plugin_was_mended(
    outcome: Outcome, one_file_plugin: Callable[..., dict[str, str]], mill: Mill, query: Query
) -> None:
    env = one_file_plugin(
        "moody",
        """
        class Moody(Sound):
            def generate(self, seeds):
                if Path(__file__).with_name("broken").exists():
                    raise RuntimeError("the coffee has run out")
                return super().generate(seeds)

        @hookimpl
        def sudokumill_register_generators():
            yield generator("moody", Moody)
        """,
    )
    broken = Path(env["SUDOKUMILL_PLUGIN_DIR"]) / "broken"
    broken.touch()
    failed = outcome("run", "generate", "--count", 8, "--generator", "moody", env=env, code=1)
    assert (failed["state"], failed["delivered"]) == ("failed", 0)
    broken.unlink()
    told = outcome("jobs", "retry", 1, env=env)
    assert (told["state"], told["delivered"], told["failed"]) == ("done", 8, 0)
    assert query("SELECT count(*) FROM final") == [(8 + told["surplus"],)]


def test_rows_are_written_when_a_job_is_resumed(
    mill: Mill, waiting_job: Callable[..., int], folder: Path, refusal: Refusal
) -> None:
    waiting_job(6)
    assert "nowhere" in refusal(2, "jobs", "resume", 1, "--output", "nowhere/a")
    mill("jobs", "resume", 1, "--output", "levels.txt", "--format", "line")
    assert (folder / "levels.txt").read_text() == mill("export", "--job", 1).stdout


def test_what_failed_is_shown_with_its_first_position(
    mill: Mill, outcome: Outcome, one_file_plugin: Callable[[str, str], dict[str, str]]
) -> None:
    env = one_file_plugin(
        "moody",
        """
        class Moody(Sound):
            def generate(self, seeds):
                made = super().generate(seeds)
                made.finals[(seeds >= 3) & (seeds < 5), 0] = 0
                return made

        @hookimpl
        def sudokumill_register_generators():
            yield generator("moody", Moody, size=lambda options: 100)
        """,
    )
    order = ("run", "generate", "--count", 10, "--generator", "moody")
    said = mill(*order, env=env).stdout
    table = [line.split()[:2] for line in said.splitlines() if "invalid final" in line]
    assert table == [["2", "3"]]
    [failure] = outcome("jobs", "show", 1)["failures"]
    assert (failure["times"], failure["first"]) == (2, 3)
    direct = outcome(*order, "--no-store", "--output", "finals.txt", env=env)
    assert direct["failures"] == [failure]


def test_no_child_inherits_an_open_database(
    mill: Mill,
    waiting_job: Callable[..., int],
    one_file_plugin: Callable[[str, str], dict[str, str]],
    folder: Path,
) -> None:
    # a plugin is loaded in each child before it opens the database itself
    env = one_file_plugin(
        "watcher",
        """
        import os
        links = [os.readlink(each) for each in map("/proc/self/fd/{}".format, os.listdir("/proc/self/fd"))
                 if os.path.islink(each)]
        with Path(__file__).with_name("seen").open("a") as seen:
            seen.write(" ".join(link for link in links if ".db" in link) + "\\n")
        """,
    )
    for verb in ("resume", "retry"):
        job = waiting_job(3)
        if verb == "retry":
            mill("jobs", "resume", job)
            connection = sqlite3.connect(folder / "sudokumill.db")
            with closing(connection), connection:
                connection.execute(f"UPDATE chunk SET failed = 1 WHERE job_id = {job}")
                connection.execute(
                    "INSERT INTO item_error (job_id, chunk_id, position, owner, reason, part) "
                    f"SELECT job_id, id, 0, 'x', 'y', 'solver' FROM chunk WHERE job_id = {job} LIMIT 1"
                )
        (folder / "plugins" / "seen").unlink(missing_ok=True)
        mill("jobs", verb, job, "--processes", 2, env=env, code=None)
        lines = (folder / "plugins" / "seen").read_text().splitlines()
        assert len(lines) >= 2
        assert set(lines) == {""}, verb


# --- a job that is running -------------------------------------------------------------------------------


def test_steering_from_another_terminal(start: Start, mill: Mill, outcome: Outcome, query: Query) -> None:
    running = start(*MANY, "--processes", 1)
    first_progress(running)
    mill("jobs", "pause", 1)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "sudokumill jobs resume 1" in out
    paused = state_of(outcome)
    assert paused["state"] == "paused"
    assert 0 < paused["delivered"] < 200_000

    running = start("jobs", "resume", 1, "--processes", 1)
    first_progress(running)
    watching = start("jobs", "watch", 1)
    while state_of(outcome)["delivered"] <= paused["delivered"]:
        time.sleep(0.1)
    assert "what it stored stays" in mill("jobs", "cancel", 1).stdout
    for process in (running, watching):
        out, said = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "cancelled" in out
        assert "Traceback" not in said
    found = state_of(outcome)
    assert found["state"] == "cancelled"
    assert set(found["chunks"]) <= {"done", "dropped"}
    [(stored,)] = query("SELECT count(*) FROM puzzle")
    assert stored >= found["delivered"] > paused["delivered"]


def test_a_bar_on_a_terminal(start: Start) -> None:
    ours, its = pty.openpty()
    with open(ours, "rb", buffering=0) as terminal:
        running = start(*MANY, "--processes", 1, env={"TERM": "xterm"}, stderr=its)
        os.close(its)
        drawn = b""
        while not re.search(rb"job 1: levels .* of 200,000.* [\d,]+/s", drawn):
            drawn += terminal.read(1000)
        os.killpg(running.pid, signal.SIGINT)
        with contextlib.suppress(OSError):  # the other end is closed
            while more := terminal.read(1000):
                drawn += more
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "go on with:  sudokumill jobs resume 1" in out
    assert b"Traceback" not in drawn
    assert b"stopping after the batch in hand" in drawn


def test_an_interrupted_run_says_how_its_file_can_be_had(start: Start, folder: Path) -> None:
    running = start(*MANY, "--processes", 1, "--output", "my levels.txt", "--format", "line")
    first_progress(running)
    os.killpg(running.pid, signal.SIGINT)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "go on with:  sudokumill jobs resume 1" in out
    assert said.splitlines()[-1] == (
        "my levels.txt was not written; when the job is done:  "
        "sudokumill export --job 1 --output 'my levels.txt' --format line"
    )
    assert not (folder / "my levels.txt").exists()


def test_an_export_of_what_is_there_so_far(start: Start, mill: Mill, outcome: Outcome) -> None:
    running = start(*MANY, "--processes", 1)
    first_progress(running)
    mill("jobs", "pause", 1)
    running.communicate(timeout=60)
    done = mill("export", "--job", 1)
    assert len(done.stdout.split()) == state_of(outcome)["delivered"]
    assert done.stderr == "job 1 is paused: this is what it has delivered so far\n"


def test_a_killed_job_is_told_from_one_at_work(start: Start, mill: Mill) -> None:
    running = start(*MANY, "--processes", 1)
    first_progress(running)
    left = "running, but no process is at work: sudokumill jobs resume 1"
    # between two chunks nobody holds one, so it may take a second look
    assert any(left not in mill("jobs", "list").stdout for _ in range(5))
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    assert f"job 1: {left}" in mill("jobs", "list").stdout.splitlines()
    assert left in mill("jobs", "show", 1).stdout


@pytest.mark.slow
def test_interrupted_and_killed_it_ends_exactly(
    start: Start, mill: Mill, outcome: Outcome, query: Query, folder: Path
) -> None:
    count = 8000
    order = ("run", "levels", "--count", count, "--seed", 5, "--chunk", 100)
    running = start(*order, "--processes", 1)
    # no line of progress is waited for: a fast machine is done before the first
    until_stored(query, folder, 100)
    os.killpg(running.pid, signal.SIGINT)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "go on with:  sudokumill jobs resume 1" in out
    assert "Traceback" not in said
    interrupted = state_of(outcome)
    assert interrupted["state"] in {"running", "waiting"}
    assert 0 < interrupted["delivered"] < count
    assert "running" not in interrupted["chunks"]

    running = start("jobs", "resume", 1, "--processes", 2)
    until_stored(query, folder, interrupted["delivered"] + 300)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    killed = state_of(outcome)
    assert interrupted["delivered"] <= killed["delivered"] < count
    # what was stored stands, whole chunks only
    assert query("SELECT count(*) FROM puzzle") == query(STORED) == [(killed["delivered"],)]

    resumed = outcome("jobs", "resume", 1, "--processes", 2)
    assert (resumed["state"], resumed["delivered"], resumed["failed"]) == ("done", count, 0)
    rows = mill("export", "--job", 1).stdout.split()
    assert len(set(rows)) == count
    undisturbed = mill(*order, "--no-store", "--output", "-", "--processes", 1).stdout.split()
    assert rows == undisturbed


def test_an_interrupted_run_without_a_store_leaves_nothing(start: Start, folder: Path) -> None:
    running = start(*MANY, "--no-store", "--output", "levels.txt", "--processes", 2)
    first_progress(running)
    os.killpg(running.pid, signal.SIGINT)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert not out
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("sudokumill: ")
    assert list(folder.iterdir()) == []


def test_writing_a_large_file_shows_how_far_it_is(mill: Callable[..., Any], folder: Path) -> None:
    # enough rows to take longer than the second in which nothing is shown
    order = ("run", "generate", "--generator", "template-permutation", "--count", 400_000)
    mill(*order, "--no-store", "--output", "finals.lines")
    done = mill("solve", "finals.lines")
    assert len(done.stdout.splitlines()) == 400_000
    assert re.search(r"^solve: [\d,]+ of 400,000, [\d,]+/s, [\d,]+ s left$", done.stderr, re.MULTILINE)
