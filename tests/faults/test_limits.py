"""What native code of a plugin may not do to the process that it runs in, by a fleet and on one machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sudokumill.store.models import ItemFailure

pytestmark = pytest.mark.slow

COUNT = 40
REASONS = {
    **dict.fromkeys(("hang", "eat", "crash"), "its process died"),
    "hog": "a plugin wants more memory for one row than its process has",
}
BAD = 17
LIMITS = {
    "SUDOKUMILL_CHUNK_LIMIT_SECONDS": "1",
    "SUDOKUMILL_CHUNK_MEMORY": "300MiB",
    "SUDOKUMILL_CHUNK_ATTEMPTS": "2",
    "SUDOKUMILL_REAPER_SECONDS": "1",
}


@pytest.fixture(scope="module")
def crew(new_fleet: Any) -> Iterator[Any]:
    """A fleet with one worker of two processes, whose chunks may not take long, nor much."""
    with new_fleet(**LIMITS) as fleet:
        fleet.worker(processes=2)
        yield fleet


def _order(fault: str) -> tuple[Any, ...]:
    """Few rows, one of them at fault."""
    return ("generate", "--generator", "lab", "--option", f"faults={fault}@{BAD}", "--count", COUNT, "--chunk", 4)


def _check(fleet: Any, job: int, fault: str) -> None:
    """Everything was made but the row at fault, of which it is known why."""
    found = fleet.wait_for(job)
    fleet.check(job, COUNT)
    assert (found.failed, found.tried - found.surplus) == (1, COUNT + 1)
    [dead] = [row for row in fleet.chunks(job) if row.state == "dead"]
    assert (dead.start, dead.stop) == (BAD, BAD + 1)
    [failure] = [row for row in fleet.rows(ItemFailure) if row.job_id == job]
    assert (failure.position, failure.part, failure.owner) == (BAD, "generator", "generator lab")
    assert failure.reason == dead.reason
    assert REASONS[fault] in failure.reason
    # chunks without it were made at once
    assert {row.attempt for row in fleet.chunks(job) if row.state == "done" and row.stop - row.start == 4} == {1}
    assert f"1 {BAD} generator lab {dead.reason}" in " ".join(fleet.command("jobs", "show", job).stdout.split())


@pytest.mark.parametrize("fault", ["hang", "eat", "crash", "hog"])
@pytest.mark.cases("worker", ids=["C110"])
def test_a_row_that_ends_its_process_is_found_and_the_others_are_made(
    crew: Any, fault: str, case: dict[str, Any]
) -> None:
    worker = crew.crew[0]
    before = worker.celery
    _check(crew, crew.order(*_order(fault)), fault)
    assert worker.celery == before
    crew.until(lambda: len(worker.pool) == 2, "two processes")


@pytest.mark.parametrize("fault", ["hang", "eat", "hog"])
def test_the_same_on_one_machine(new_fleet: Any, tmp_path: Path, fault: str) -> None:
    with new_fleet(f"sqlite:///{tmp_path / 'mill.db'}", **LIMITS) as alone:
        without = {"SUDOKUMILL_BROKER_URL": None}
        _check(alone, alone.outcome("run", *_order(fault), "--processes", 2, env=without)["job"], fault)


# sixty rows of them fill a dozen processes
LEAK = ("generate", "--generator", "lab", "--option", "faults=leak/1", "--count", 3_000, "--chunk", 50)
LEAKY = {**LIMITS, "SUDOKUMILL_CHUNK_MEMORY": "400MiB", "SUDOKUMILL_CHUNK_ATTEMPTS": "1"}


def _check_leak(fleet: Any, job: int) -> None:
    fleet.wait_for(job)
    fleet.check(job, 3_000)
    assert fleet.progress(job).failed == 0
    # what others left behind is no chunk's fault
    assert {(row.state, row.attempt) for row in fleet.chunks(job)} <= {("done", 1), ("dropped", 0)}


def test_a_plugin_that_leaks_costs_processes_and_no_rows(new_fleet: Any) -> None:
    with new_fleet(**LEAKY, SUDOKUMILL_LEASE_SECONDS="30") as fleet:
        worker = fleet.worker(processes=2)
        _check_leak(fleet, fleet.order(*LEAK))
        worker.says("the process ends", times=5)


def test_the_same_leak_on_one_machine(new_fleet: Any, tmp_path: Path) -> None:
    with new_fleet(f"sqlite:///{tmp_path / 'mill.db'}", **LEAKY) as alone:
        done = alone.command("run", *LEAK, "--processes", 1, "--json", env={"SUDOKUMILL_BROKER_URL": None})
        _check_leak(alone, json.loads(done.stdout)["job"])
