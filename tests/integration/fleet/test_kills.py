"""What is killed changes nothing but the time."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# a chunk takes a fifth of a second
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.004", "--chunk", 50)
COUNT = 600


def _check_attempts(fleet: Any, job: int, lost: list[int]) -> None:
    attempts = {row.id: row.attempt for row in fleet.chunks(job) if row.state == "done"}
    assert {chunk for chunk, attempt in attempts.items() if attempt != 1} == set(lost)
    assert all(attempts[chunk] == 2 for chunk in lost)


@pytest.mark.cases("worker", ids=["C109"])
def test_a_worker_that_is_killed_whole(fleet: Any, case: dict[str, Any]) -> None:
    doomed, other = fleet.worker("doomed"), fleet.worker("other")
    job = fleet.order(*SLOW, "--count", COUNT, "--seed", 4)
    lost = fleet.freeze_at_work(doomed, job, COUNT // 3)
    doomed.kill()
    fleet.wait_for(job)
    fleet.check(job, COUNT)
    _check_attempts(fleet, job, lost)
    assert {(row.worker or "").split(":")[1] for row in fleet.chunks(job) if row.id in lost} == {str(other.celery)}
    straight = fleet.order(*SLOW[:3], "--count", COUNT, "--seed", 4)
    fleet.wait_for(straight)
    assert fleet.lines(straight) == fleet.lines(job)


@pytest.mark.slow
@pytest.mark.cases("job", ids=["C097"])
def test_a_worker_that_is_slower_than_its_lease_stores_nothing(fleet: Any, case: dict[str, Any]) -> None:
    slow, other = fleet.worker("slow"), fleet.worker("other")
    job = fleet.order(*SLOW, "--count", COUNT)
    lost = fleet.freeze_at_work(slow, job, COUNT // 3)
    found = fleet.wait_for(job)
    _check_attempts(fleet, job, lost)
    assert {(row.worker or "").split(":")[1] for row in fleet.chunks(job) if row.id in lost} == {str(other.celery)}
    rows = fleet.lines(job)
    slow.thaw()
    for chunk in lost:
        slow.says(f"chunk {chunk}")
    fleet.check(job, COUNT)
    assert (fleet.progress(job).tried, fleet.lines(job)) == (found.tried, rows)


def test_the_main_process_of_celery_is_started_again(fleet: Any) -> None:
    worker = fleet.worker()
    job = fleet.order(*SLOW, "--count", COUNT)
    lost = fleet.freeze_at_work(worker, job, COUNT // 3)
    main = worker.celery
    os.kill(main, signal.SIGKILL)
    worker.thaw()
    fleet.wait_for(job)
    fleet.check(job, COUNT)
    worker.says("the worker ended by signal SIGKILL; it starts again in 0.5 s")
    assert worker.celery != main
    attempts = {row.id: row.attempt for row in fleet.chunks(job) if row.state == "done"}
    # the process that made the chunk may have come to its end
    assert all(attempt == 1 or (attempt == 2 and chunk in lost) for chunk, attempt in attempts.items())


def test_a_process_of_the_pool_that_is_killed_in_mid_chunk(fleet: Any) -> None:
    worker = fleet.worker(processes=2)
    job = fleet.order(*SLOW, "--count", COUNT)
    fleet.freeze_at_work(worker, job, COUNT // 3)
    pool = worker.pool
    lost = [row.id for row in fleet.chunks(job) if row.state == "running" and f":{pool[0]}:" in row.owner]
    os.kill(pool[0], signal.SIGKILL)
    worker.thaw()
    fleet.wait_for(job)
    fleet.check(job, COUNT)
    _check_attempts(fleet, job, lost)
    assert pool[0] not in fleet.until(lambda: len(worker.pool) == 2 and worker.pool, "two processes")


def test_a_reaper_that_is_killed_comes_back(fleet: Any) -> None:
    worker = fleet.worker()
    before = worker.reaper
    os.kill(before, signal.SIGKILL)
    worker.says("the reaper ended with exit code -9; it starts again")
    assert fleet.until(lambda: worker.pids("sudokumill.queue.reaper"), "a new reaper")[0] != before
    beaten = fleet.row_of(worker).started_at
    fleet.until(lambda: fleet.row_of(worker).silent < 0.4, "a heartbeat")
    assert fleet.row_of(worker).started_at == beaten, "the worker's row is still the same"


def test_a_supervisor_that_is_killed_takes_its_worker_along(fleet: Any) -> None:
    worker = fleet.worker()
    every = [worker.celery, *worker.pool, worker.reaper]
    os.kill(worker.supervisor, signal.SIGKILL)
    fleet.until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in every), "the end of its processes")
    assert fleet.row_of(worker).left


def test_a_worker_that_is_told_to_end_finishes_its_chunk(fleet: Any) -> None:
    worker = fleet.worker(processes=2)
    job = fleet.order(*SLOW, "--count", COUNT)
    fleet.until(lambda: fleet.progress(job).delivered >= COUNT // 4 and fleet.held(worker), "chunks in hand")
    assert worker.end() == 0
    found = fleet.progress(job)
    assert (found.state.value, found.at_work) == ("waiting", False)
    assert {(row.state, row.attempt) for row in fleet.chunks(job)} == {("done", 1), ("waiting", 0)}
    assert fleet.row_of(worker).left
    fleet.worker("next")
    fleet.wait_for(job)
    fleet.check(job, COUNT)
