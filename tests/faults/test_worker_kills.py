"""What is killed changes nothing but the time."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import Any

import pytest

from sudokumill.store.followers import followers
from sudokumill.store.models import Grade

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


def test_a_worker_that_is_killed_at_random_moments(fleet: Any, thorough: bool) -> None:
    draw = random.Random(6)
    job = fleet.order(*SLOW, "--count", 20_000, "--seed", 8)
    worker = fleet.worker("w0", processes=2)
    for kills in range(1, (20 if thorough else 5) + 1):
        wanted = fleet.progress(job).delivered + draw.randrange(200)
        fleet.until(lambda wanted=wanted: fleet.progress(job).delivered >= wanted, "some rows more")
        time.sleep(draw.uniform(0, 0.3))
        worker.kill()
        lost = {(row.id, row.lease_token) for row in fleet.chunks(job) if row.state == "running"}
        fleet.audit(job)
        worker = fleet.worker(f"w{kills}", processes=2)

        def taken_back(lost: set[Any] = lost) -> bool:
            return not lost & {(row.id, row.lease_token) for row in fleet.chunks(job)}

        # a lease, a round of the reaper, and what a busy machine makes of them
        fleet.until(taken_back, f"chunks {lost} are taken back", seconds=3 + 1 + 10)
    delivered = fleet.progress(job).delivered
    fleet.until(lambda: fleet.progress(job).delivered > delivered, "it goes on")
    fleet.command("jobs", "cancel", job)
    fleet.until(lambda: not fleet.held(), "chunks put down")
    assert fleet.audit(job).delivered == len(fleet.lines(job)) == len(set(fleet.lines(job)))
    # a death costs an attempt, and two in a row of one chunk are chance
    assert {row.state for row in fleet.chunks(job)} == {"done", "dropped"}


def test_a_worker_that_is_killed_as_jobs_end_and_are_followed(fleet: Any, thorough: bool) -> None:
    """Whoever dies, before, in or after the end of a job: what lies above its ceiling is graded, once."""
    draw = random.Random(7)
    asked = ("levels", "--count", 60, "--grader", "judge", "--rating", "3..6", "--chunk", 20)
    worker = fleet.worker("w0", processes=2)
    jobs = []
    for kills in range(1, (20 if thorough else 5) + 1):
        jobs.append(fleet.order(*asked, "--seed", kills))
        fleet.until(lambda: fleet.progress(jobs[-1]).delivered >= 40, "it is near its end")
        time.sleep(draw.uniform(0, 0.1))
        worker.kill()
        worker = fleet.worker(f"w{kills}", processes=2)
    for job in jobs:
        fleet.wait_for(job)
        [rest] = followers(fleet.database, job)
        found = fleet.wait_for(rest.id)
        assert found.delivered == found.count > 0
        fleet.audit(job)
        fleet.audit(rest.id)
    assert {row.status for row in fleet.rows(Grade)} == {"graded"}


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
    for chunk in lost:
        worker.says(f"wait again: 1 (chunk {chunk} of job {job})")
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


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_told_to_end_finishes_its_chunk(fleet: Any, by: signal.Signals) -> None:
    worker = fleet.worker(processes=2)
    job = fleet.order(*SLOW, "--count", COUNT)
    fleet.until(lambda: fleet.progress(job).delivered >= COUNT // 4 and fleet.held(worker), "chunks in hand")
    assert worker.end(by) == 0
    found = fleet.progress(job)
    assert (found.state.value, found.at_work) == ("waiting", False)
    assert {(row.state, row.attempt) for row in fleet.chunks(job)} == {("done", 1), ("waiting", 0)}
    assert fleet.row_of(worker).left
    fleet.worker("next")
    fleet.wait_for(job)
    fleet.check(job, COUNT)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_told_twice_stores_what_is_made_and_leaves_the_rest(
    fleet: Any, by: signal.Signals
) -> None:
    worker = fleet.worker()
    # a batch takes a second, a chunk ten
    job = fleet.order(*SLOW[:4], "generator.pause=0.01", "--count", 1_000, "--chunk", 1_000)
    fleet.until(lambda: fleet.held(worker), "a chunk in hand")
    time.sleep(1.5)
    os.kill(worker.supervisor, by)
    worker.says("Warm shutdown")
    began = time.monotonic()
    assert worker.end(by) == 0
    assert time.monotonic() - began < 8
    found = fleet.audit(job)
    assert 0 < found.delivered < 1_000
    assert found.positions == {"delivered": found.delivered, "waiting": 1_000 - found.delivered}
    fleet.worker("next")
    fleet.wait_for(job)
    fleet.check(job, 1_000)
