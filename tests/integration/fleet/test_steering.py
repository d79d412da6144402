"""Steering jobs while a fleet makes them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

# a chunk takes a fifth of a second
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.004", "--chunk", 50)


def _at_work(fleet: Any, job: int, delivered: int) -> None:
    fleet.until(lambda: fleet.progress(job).delivered >= delivered, f"{delivered} rows of job {job}")


def test_pause_and_resume(crowd: Any) -> None:
    job = crowd.order(*SLOW, "--count", 1_000)
    _at_work(crowd, job, 200)
    crowd.command("jobs", "pause", job)
    paused_at = time.monotonic()
    crowd.until(lambda: not crowd.held(), "chunks put down")
    paused = crowd.progress(job)
    assert paused.state.value == "paused"
    assert paused.worked > 0
    # workers have time for others, and leave it alone; these rows take them half a second
    crowd.wait_for(crowd.order("generate", "--generator", "lab", "--option", "pause=0.01", "--count", 100))
    assert crowd.progress(job).tried == paused.tried
    resumed_at = time.monotonic()
    assert resumed_at - paused_at > 0.5
    done = crowd.command("jobs", "resume", job)
    assert done.stdout == f"job {job} goes on with the fleet's workers; watch it:  sudokumill jobs watch {job}\n"
    assert done.stderr == ""
    crowd.wait_for(job)
    crowd.check(job, 1_000)
    # its clock stood still meanwhile
    assert 0 < crowd.progress(job).worked - paused.worked < time.monotonic() - resumed_at + 0.1


@pytest.mark.parametrize("command", ["pause", "cancel"])
def test_processes_go_over_to_other_jobs_at_once(new_fleet: Any, command: str) -> None:
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="30") as fleet:
        fleet.worker(processes=2)
        first = fleet.order(*SLOW, "--count", 20_000, "--priority", 9)
        others = [fleet.order(*SLOW, "--count", 300), fleet.order("levels", "--count", 20)]
        _at_work(fleet, first, 100)
        assert fleet.progress(others[0]).tried == 0
        fleet.command("jobs", command, first)
        for job in others:
            fleet.wait_for(job, seconds=20)
        tried = fleet.progress(first).tried
        assert not fleet.held()
        if command == "pause":
            # and back to it
            fleet.command("jobs", "resume", first)
            fleet.until(lambda: fleet.progress(first).tried >= tried + 100, "it goes on", seconds=20)
            fleet.command("jobs", "cancel", first)


@pytest.mark.cases("job", ids=["C096"])
def test_cancel(crowd: Any, case: dict[str, Any]) -> None:
    job = crowd.order(*SLOW, "--count", 5_000)
    _at_work(crowd, job, 300)
    crowd.command("jobs", "cancel", job)
    crowd.until(lambda: not crowd.held(), "chunks put down")
    found = crowd.progress(job)
    assert found.state.value == "cancelled"
    assert set(found.chunks) == {"done", "dropped"}
    assert 300 <= found.delivered < 5_000
    # what is stored stays, and nothing more comes
    crowd.wait_for(crowd.order("generate", "--count", 20))
    assert crowd.progress(job).tried == found.tried
    assert len(crowd.command("export", "--job", job, "--format", "line").stdout.split()) == found.delivered


def test_retry_of_what_failed(crowd: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    faults = ("--option", "faults=raise@7,33", "--option", f"when={broken}")
    job = crowd.order(
        "generate", "--generator", "lab", *faults, "--count", 60, "--chunk", 20, "--max-attempts", 60
    )
    found = crowd.wait_for(job, "incomplete")
    assert (found.delivered, found.failed) == (58, 2)
    broken.unlink()
    crowd.command("jobs", "retry", job)
    crowd.wait_for(job)
    crowd.check(job, 60)


def test_watch(crowd: Any) -> None:
    job = crowd.order(*SLOW, "--count", 600)
    watched = crowd.start("jobs", "watch", job, "--json")
    said, errors = watched.communicate(timeout=60)
    assert (watched.returncode, errors.count("Traceback")) == (0, 0)
    assert '"state": "done"' in said
    assert '"delivered": 600' in said
    crowd.check(job, 600)


def test_watch_of_a_job_that_nobody_works_on(fleet: Any) -> None:
    job = fleet.order("generate", "--count", 20)
    watched = fleet.command("jobs", "watch", job, code=1)
    assert "waiting" in watched.stdout
