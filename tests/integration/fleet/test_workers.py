"""What is known of workers, and the ways of starting one."""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# a chunk takes a fifth of a second
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.004", "--chunk", 50)


def _workers(fleet: Any) -> dict[str, Any]:
    return {each["worker"].partition("@")[0]: each for each in fleet.outcome("jobs", "workers")}


@pytest.fixture
def patient(new_fleet: Any) -> Iterator[Any]:
    """A fleet whose workers may stand still for a quarter of a minute before they count as gone."""
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="5") as fleet:
        yield fleet


def test_what_a_worker_does_is_shown(patient: Any) -> None:
    fleet = patient
    busy = fleet.worker("busy", processes=2)
    idle = fleet.worker("idle", queues="dig,solve")
    job = fleet.order(*SLOW, "--count", 500)
    fleet.freeze_at_work(busy, job, 100)
    held = sorted(fleet.held(busy))
    # on a busy machine its heartbeat may have been late; its processes stand still and nothing else changes
    fleet.until(lambda: _workers(fleet)["busy"]["state"] == "alive", "its heartbeat")
    found = _workers(fleet)
    assert set(found) == {"busy", "idle"}
    assert found["busy"]["worker"] == f"busy@{socket.gethostname()}"
    assert (found["busy"]["state"], found["busy"]["processes"]) == ("alive", 2)
    assert sorted(found["busy"]["queues"]) == ["dig", "generate", "grade", "levels", "solve"]
    assert found["busy"]["chunks_in_hand"] == held
    assert found["busy"]["versions"]["python"] == platform.python_version()
    assert "generator native==2" in found["busy"]["implementations"]
    assert (sorted(found["idle"]["queues"]), found["idle"]["chunks_in_hand"]) == (["dig", "solve"], [])
    table = fleet.command("jobs", "workers").stdout
    [line] = [line for line in table.splitlines() if line.startswith("busy@")]
    assert "alive" in line
    assert ", ".join(map(str, held)) in line
    busy.thaw()
    fleet.wait_for(job)
    found = _workers(fleet)
    assert (found["busy"]["chunks"], found["busy"]["rows"]) == (10, 500)
    assert (found["idle"]["chunks"], found["idle"]["rows"]) == (0, 0)
    assert found["busy"]["chunks_in_hand"] == []
    doctor = fleet.command("doctor").stdout
    assert f"busy@{socket.gethostname()}: alive" in doctor
    assert "10 chunks, 500 rows" in doctor
    # one that was killed has gone, one that was told to end has ended
    busy.kill()
    idle.end()
    assert {name: each["state"] for name, each in _workers(fleet).items()} == {"busy": "gone", "idle": "ended"}
    assert "busy" in fleet.command("jobs", "workers").stdout


def test_a_worker_that_is_not_heard_of_has_gone(fleet: Any) -> None:
    worker = fleet.worker()
    worker.freeze()
    # its processes are there, so only the missing heartbeat tells
    fleet.until(lambda: _workers(fleet)["w"]["state"] == "gone", "three heartbeats missed")
    assert "no worker takes generate jobs now" in fleet.command("enqueue", "generate", "--count", 5).stderr
    worker.thaw()
    fleet.wait_for(1)
    fleet.until(lambda: _workers(fleet)["w"]["state"] == "alive", "a heartbeat")


def test_a_plain_celery_worker(fleet: Any) -> None:
    command = [sys.executable, "-m", "celery", "-A", "sudokumill.queue.app", "worker", "-Q", "dig", "-c", "1"]
    worker = fleet.worker(command=[*command, "--loglevel", "INFO"])
    assert worker.reaper
    assert fleet.row_of(worker).crew.kinds == ("dig",)
    assert fleet.row_of(worker).crew.processes == 1
    job = fleet.order("dig", "--generator", "native", "--count", 20)
    fleet.wait_for(job)
    fleet.check(job, 20)
    other = fleet.command("enqueue", "generate", "--count", 5)
    assert "no worker takes generate jobs now" in other.stderr
    assert worker.end() == 0
    assert fleet.row_of(worker).left


@pytest.fixture(scope="module")
def unhurried(new_fleet: Any) -> Iterator[Any]:
    """A fleet with one worker of two processes, whose reaper looks once and then comes too late for any test."""
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="300", SUDOKUMILL_LEASE_SECONDS="300") as fleet:
        fleet.worker(processes=2)
        yield fleet


@pytest.mark.parametrize("count", [5, 60])
def test_an_order_on_an_idle_fleet_wakes_it(unhurried: Any, count: int) -> None:
    # one chunk, or more than may be on their way at a time
    job = unhurried.order("generate", "--count", count, "--chunk", 5)
    unhurried.wait_for(job, seconds=120)
    unhurried.check(job, count)


def test_the_end_of_a_chunk_wakes_for_those_that_are_cut_late(unhurried: Any) -> None:
    # every final comes twice: half of what was cut first is missing in the end
    job = unhurried.order("generate", "--generator", "lab", "--option", "repeat=2", "--count", 150, "--chunk", 2)
    assert len(unhurried.chunks(job)) < 75
    unhurried.wait_for(job, seconds=120)
    unhurried.check(job, 150)
    found = unhurried.progress(job)
    assert found.repeated >= 140
    assert {row.attempt for row in unhurried.chunks(job) if row.state == "done"} == {1}


def test_a_worker_that_ignores_the_hangup_of_its_terminal_goes_on(fleet: Any) -> None:
    ignoring = ["sh", "-c", 'trap "" HUP && exec "$@"', "sh", sys.executable, "-m", "sudokumill", "worker"]
    worker = fleet.worker(command=[*ignoring, "--concurrency", "1"])
    before = worker.supervisor, worker.celery
    status = Path(f"/proc/{worker.supervisor}/status").read_text()
    [ignored] = [line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:")]
    assert int(ignored, 16) >> (signal.SIGHUP - 1) & 1
    os.kill(worker.supervisor, signal.SIGHUP)
    # one that ends takes no second order
    for job in (fleet.order("generate", "--count", 5), fleet.order("generate", "--count", 5)):
        fleet.wait_for(job)
    assert (worker.supervisor, worker.celery) == before
    assert worker.end() == 0


def test_a_worker_of_another_database_drops_what_is_not_its(new_fleet: Any) -> None:
    # what was dropped is sent again when it may be lost
    lease = {"SUDOKUMILL_LEASE_SECONDS": "1"}
    with new_fleet(**lease) as first, new_fleet(SUDOKUMILL_BROKER_URL=first.broker_url, **lease) as second:
        workers = [first.worker("first"), second.worker("second")]
        jobs = [fleet.order(*SLOW, "--count", 200) for fleet in (first, second)]
        for fleet, job in zip((first, second), jobs, strict=True):
            fleet.wait_for(job)
            fleet.check(job, 200)
        dropped = [line for worker in workers for line in worker.log.splitlines() if "dropped chunk" in line]
        with first.redis() as client:
            first.until(lambda: client.llen("generate") == 0, "an empty queue")
        # which worker gets which message is chance; that one of another database is dropped, test_messages shows
        assert all("two databases share this broker" in line for line in dropped)
        assert not any("Traceback" in worker.log for worker in workers)
        assert not any(
            secret in worker.log
            for worker in workers
            for fleet in (first, second)
            for secret in (fleet.database.url.password,)
        )


def test_passwords_are_not_in_logs(crowd: Any) -> None:
    crowd.wait_for(crowd.order("generate", "--count", 5))
    shown = [
        crowd.crew[0].log,
        crowd.command("doctor").stdout,
        crowd.command("jobs", "workers", "--json").stdout,
        json.dumps(crowd.outcome("doctor")),
    ]
    secrets = [crowd.database.url.password, crowd.broker_url.partition("//:")[2].partition("@")[0]]
    assert all(secrets)
    assert not any(secret in text for secret in secrets for text in shown)


def test_a_worker_gets_as_many_open_files_as_its_processes_need(fleet: Any) -> None:
    mill = [sys.executable, "-m", "sudokumill", "worker", "--concurrency", "12"]
    worker = fleet.worker(command=["sh", "-c", 'ulimit -S -n 60; exec "$@"', "sh", *mill])
    job = fleet.order("generate", "--count", 60, "--chunk", 5)
    fleet.wait_for(job)
    assert len(worker.pool) == 12
    used = len(list(Path(f"/proc/{worker.celery}/fd").iterdir()))
    assert used <= 100 + 8 * 12


def test_a_worker_that_cannot_have_as_many_open_files_is_refused(fleet: Any) -> None:
    mill = [sys.executable, "-m", "sudokumill", "worker", "--concurrency", "200"]
    command = ["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", *mill]
    refused = subprocess.run(command, cwd=fleet.folder, env=fleet.env, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr == (
        "sudokumill: 200 processes need 1,700 open files, and no more than 1,024 are allowed here (ulimit -n); "
        "raise that, or take fewer with --concurrency\n"
    )
