"""A broker that lets everybody in and refuses what they say, and what a worker's log says meanwhile."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from sudokumill.queue.broker import QUEUES

pytestmark = pytest.mark.slow

TRY = "consumer: Cannot connect"
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.004", "--chunk", 20)


def _refused(client: Any) -> int:
    """Commands that the broker refused so far."""
    return sum(int(about.get("rejected_calls", 0)) for about in client.info("commandstats").values())


def test_a_broker_whose_memory_is_full_is_asked_now_and_then(fleet: Any) -> None:
    worker = fleet.worker()
    job = fleet.order(*SLOW, "--count", 400)
    fleet.until(lambda: fleet.progress(job).delivered >= 100, "a quarter of it")
    with fleet.redis() as client:
        client.config_set("maxmemory", 500_000)
        try:
            worker.says("command not allowed")
            began, tries = time.monotonic(), worker.log.count(TRY)
            fleet.until(lambda: worker.log.count(TRY) >= tries + 4, "four more tries")
            # it waits 0.5, 1, 2 and 4 s before the next; some of that may have passed, and one that lost its
            # connection tries once more
            assert time.monotonic() - began > 2
        finally:
            client.config_set("maxmemory", 0)
    assert "Traceback" not in worker.log
    fleet.wait_for(job)
    fleet.check(job, 400)


def test_the_doctor_finds_a_broker_that_takes_nothing(fleet: Any) -> None:
    assert fleet.outcome("doctor")["problems"] == []
    with fleet.redis() as client:
        client.config_set("maxmemory", 500_000)
        try:
            [problem] = fleet.outcome("doctor", code=1)["problems"]
        finally:
            client.config_set("maxmemory", 0)
        # asking left nothing behind
        assert not any(client.exists(queue) for queue in QUEUES)
    assert "its memory is full" in problem


def test_a_worker_that_waits_for_its_broker_ends_when_it_is_told_to(fleet: Any) -> None:
    worker = fleet.worker()
    with fleet.redis() as client:
        client.config_set("maxmemory", 500_000)
        try:
            fleet.order(*SLOW, "--count", 20)
            worker.says("the broker refuses what it is asked")
            asked = _refused(client)
            fleet.until(lambda: _refused(client) >= asked + 3, "three more refusals")
            assert worker.log.count("the broker refuses") == 1
            assert "Traceback" not in worker.log
            began = time.monotonic()
            assert worker.end() == 0
            assert time.monotonic() - began < 20
        finally:
            client.config_set("maxmemory", 0)


def test_the_log_has_a_line_of_a_process_that_died(fleet: Any) -> None:
    worker = fleet.worker()
    job = fleet.order(*SLOW, "--count", 200)
    fleet.freeze_at_work(worker, job)
    [doomed] = worker.pool
    os.kill(doomed, signal.SIGKILL)
    worker.thaw()
    fleet.wait_for(job)
    fleet.check(job, 200)
    assert worker.log.count(f"pid:{doomed} exited with 'signal 9 (SIGKILL)'") == 1
    assert "Traceback" not in worker.log
