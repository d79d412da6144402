"""Plugins of which nothing comes: their jobs end by themselves, and others do not wait for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PROCESSES = 4
LAB = ("generate", "--generator", "lab")
INNOCENT = ("generate", "--count", 60, "--chunk", 20)
LIMITS = {
    "SUDOKUMILL_CHUNK_LIMIT_SECONDS": "1",
    "SUDOKUMILL_CHUNK_ATTEMPTS": "1",
    "SUDOKUMILL_REAPER_SECONDS": "0.5",
    # a worker that is heard of late must not lose chunks, for each attempt counts here
    "SUDOKUMILL_LEASE_SECONDS": "30",
}


@pytest.fixture(scope="module")
def crew(new_fleet: Any) -> Iterator[Any]:
    """A fleet with one worker of several processes; one attempt ends a chunk."""
    with new_fleet(**LIMITS) as fleet:
        fleet.worker(processes=PROCESSES)
        yield fleet


def test_a_plugin_that_raises_at_every_row(crew: Any) -> None:
    job = crew.order(*LAB, "--option", "faults=raise/1", "--count", 2_000)
    found = crew.wait_for(job, "failed")
    assert found.reason.startswith("every position failed")
    assert "ZeroDivisionError" in found.reason
    # each process has a batch of 64 in hand when the hundredth fails
    assert 100 <= found.tried <= 100 + 64 * (PROCESSES + 1)


@pytest.mark.parametrize("fault", ["crash", "hang"])
def test_a_plugin_that_ends_its_process_at_every_row(crew: Any, fault: str) -> None:
    job = crew.order(*LAB, "--option", f"faults={fault}/1", "--count", 2_000, "--chunk", 1)
    crew.until(lambda: "dead" in crew.progress(job).chunks, "a row that is given up")
    other = crew.order(*INNOCENT)
    crew.wait_for(other, seconds=30)
    crew.check(other, 60)
    assert {row.attempt for row in crew.chunks(other)} == {1}
    found = crew.wait_for(job, "failed")
    assert found.reason.startswith("every position failed")
    assert "its process died" in found.reason
    assert found.delivered == 0
    # deaths
    assert sum(row.attempt for row in crew.chunks(job)) <= 20 + 2 * PROCESSES
    crew.until(lambda: len(crew.crew[0].pool) == PROCESSES, "all processes")


def test_the_rows_of_a_large_chunk_are_given_up_one_after_the_other(crew: Any) -> None:
    # were all chunks split before a half is looked at, the first row would be found after 500 deaths
    job = crew.order(*LAB, "--option", "faults=crash/1", "--count", 2_000, "--chunk", 16)
    other = crew.order(*INNOCENT)
    found = crew.wait_for(job, "failed")
    assert found.reason.startswith("every position failed")
    # each process can be at a chunk of its own
    assert sum(row.attempt for row in crew.chunks(job) if row.state in {"dead", "split"}) <= 12 * PROCESSES
    crew.wait_for(other)
    assert {row.attempt for row in crew.chunks(other)} == {1}
    assert crew.progress(other).ended_at < found.ended_at


def test_a_plugin_that_no_worker_can_build(fleet: Any) -> None:
    fleet.worker(processes=2)
    job = fleet.order(
        *LAB, "--option", "variable=LAB_KEY", "--count", 2_000, "--chunk", 5, env={"LAB_KEY": "there"}
    )
    other = fleet.order(*LAB, "--option", "pause=0.005", "--count", 400, "--chunk", 20)
    found = fleet.wait_for(job, "failed", seconds=20)
    assert found.reason.startswith("its line cannot be built: generator 'lab'")
    assert "RuntimeError: LAB_KEY is not set" in found.reason
    assert found.delivered == found.tried == found.failed == 0
    assert sum(row.attempt for row in fleet.chunks(job)) <= 12
    assert not fleet.progress(other).state.ended
    fleet.wait_for(other)
    fleet.check(other, 400)
    assert {row.attempt for row in fleet.chunks(other)} == {1}
    assert "its line cannot be built" in fleet.command("jobs", "show", job).stdout
