"""A broker that is away, or comes back without memory: orders are taken, and jobs end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.redis import Redis

pytestmark = pytest.mark.slow

ORDER = ("enqueue", "generate", "--count", 20)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Redis]:
    """A broker that may be stopped."""
    with Redis(tmp_path) as server:
        yield server


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


def test_orders_while_the_broker_is_away(new_fleet: Any, broker: Redis, thorough: bool) -> None:
    with new_fleet(SUDOKUMILL_BROKER_URL=broker.url) as fleet:
        worker = fleet.worker()
        broker.kill()
        jobs: list[int] = []
        over = time.monotonic() + (60 if thorough else 10)
        while time.monotonic() < over:
            said = fleet.outcome(*ORDER, "--chunk", 5)
            assert said["state"] == "waiting"
            assert len(said["warnings"]) == 1
            jobs.append(said["job"])
        assert jobs == list(range(1, len(jobs) + 1))
        for job in jobs:
            # each is there whole
            assert fleet.audit(job).positions == {"waiting": 20}
        broker.start()
        for job in jobs:
            fleet.wait_for(job)
            fleet.check(job, 20)
        assert "Traceback" not in worker.log
