"""Orders that wait, for a broker or for a worker: what is said of them, and that they are made in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.postgresql import PostgreSQL
from servers.redis import Redis

ORDER = ("enqueue", "generate", "--count", 20)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Redis]:
    """A broker that may be stopped."""
    with Redis(tmp_path) as server:
        yield server


def test_no_broker_is_set(crowd: Any) -> None:
    without = {"SUDOKUMILL_BROKER_URL": None}
    done = crowd.command(*ORDER, env=without)
    [job] = [int(line.split()[1].rstrip(":")) for line in done.stdout.splitlines() if "ordered" in line]
    assert done.stderr.splitlines() == [
        f"sudokumill: job {job} waits: SUDOKUMILL_BROKER_URL is not set, so no worker is woken; "
        "those that live look for themselves within 0.3 s"
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


def test_the_broker_is_away_and_comes_back(new_fleet: Any, broker: Redis) -> None:
    with new_fleet(SUDOKUMILL_BROKER_URL=broker.url) as fleet:
        worker = fleet.worker()
        main = worker.celery
        first = fleet.order(*ORDER[1:])
        fleet.wait_for(first)
        broker.stop()
        done = fleet.command(*ORDER, "--json")
        assert broker.password not in done.stdout + done.stderr
        [warning] = done.stderr.splitlines()
        assert warning.startswith(f"sudokumill: job 2 waits: the broker redis://:***@127.0.0.1:{broker.port}/0")
        assert warning.endswith("; workers whose broker can be used take it all the same")
        # neither the worker nor its reaper ends
        worker.says("Connection to broker lost")
        worker.says("ERROR/sudokumill.reaper")
        assert fleet.progress(2).tried == 0
        broker.start()
        fleet.wait_for(2)
        worker.says("database and broker can be used again")
        assert worker.celery == main
        assert broker.password not in worker.log


def test_the_broker_is_killed_and_forgets_all_while_chunks_are_made(new_fleet: Any, broker: Redis) -> None:
    with new_fleet(SUDOKUMILL_BROKER_URL=broker.url) as fleet:
        fleet.worker(processes=2)
        job = fleet.order(
            "generate", "--generator", "lab", "--option", "pause=0.004", "--count", 1_000, "--chunk", 50
        )
        fleet.until(lambda: fleet.progress(job).delivered >= 200, "a fifth of it")
        broker.kill()
        broker.start()
        broker.flush()
        fleet.wait_for(job)
        fleet.check(job, 1_000)
        assert {row.attempt for row in fleet.chunks(job)} == {1}


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


@pytest.mark.slow
def test_the_database_is_killed_and_comes_back_while_chunks_are_made(new_fleet: Any) -> None:
    with PostgreSQL() as server, new_fleet(server.url(server.new_database())) as fleet:
        worker = fleet.worker(processes=2)
        main = worker.celery
        job = fleet.order(
            "generate", "--generator", "lab", "--option", "pause=0.004", "--count", 1_000, "--chunk", 50
        )
        fleet.until(lambda: fleet.progress(job).delivered >= 200, "a fifth of it")
        server.stop("immediate")
        worker.says("ERROR/sudokumill.reaper")
        worker.says("made again when the database is back")
        done = fleet.command(*ORDER, code=1)
        server.start()
        fleet.wait_for(job)
        fleet.check(job, 1_000)
        worker.says("database and broker can be used again")
        assert worker.celery == main
        assert server.password not in worker.log + done.stdout + done.stderr
        assert "Traceback" not in worker.log
