"""Orders that wait, for a broker or for a worker: what is said of them, and that they are made in the end."""

from __future__ import annotations

from typing import Any

import pytest

ORDER = ("enqueue", "generate", "--count", 20)


def test_no_broker_is_set(crowd: Any) -> None:
    without = {"SUDOKUMILL_BROKER_URL": None}
    done = crowd.command(*ORDER, env=without)
    [job] = [int(line.split()[1].rstrip(":")) for line in done.stdout.splitlines() if "ordered" in line]
    assert done.stderr.splitlines() == [
        f"sudokumill: job {job} waits: SUDOKUMILL_BROKER_URL is not set, so no worker is woken; "
        "those that live look for themselves within 1 s"
    ]
    crowd.wait_for(job)
    crowd.check(job, 20)
    said = crowd.outcome(*ORDER, env=without)
    assert said["state"] == "waiting"
    assert len(said["warnings"]) == 1
    crowd.wait_for(said["job"])


def test_nothing_is_said_when_all_is_well(crowd: Any) -> None:
    done = crowd.command(*ORDER)
    assert done.stderr == ""
    said = crowd.outcome(*ORDER)
    assert said["warnings"] == []
    crowd.wait_for(said["job"])


def test_no_worker_lives(fleet: Any) -> None:
    done = fleet.command(*ORDER, "--json")
    assert done.stderr == (
        "sudokumill: job 1 waits: no worker takes generate jobs now; start one: sudokumill worker\n"
    )
    fleet.worker("other", queues="dig,solve")
    assert "no worker takes generate jobs" in fleet.command(*ORDER).stderr
    fleet.worker()
    for job in (1, 2):
        fleet.wait_for(job)


@pytest.mark.slow
def test_jobs_go_on_when_the_only_worker_comes_back(fleet: Any) -> None:
    worker = fleet.worker()
    job = fleet.order("generate", "--generator", "lab", "--option", "pause=0.004", "--count", 500, "--chunk", 50)
    fleet.until(lambda: fleet.progress(job).delivered >= 100, "a fifth of it")
    worker.kill()
    fleet.until(lambda: not fleet.progress(job).at_work, "nobody at work")
    fleet.worker("next")
    fleet.wait_for(job)
    fleet.check(job, 500)
