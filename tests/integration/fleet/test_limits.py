"""What native code of a plugin may not do to the process that it runs in, by a fleet and on one machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sudokumill.store.models import ItemFailure

COUNT = 40
BAD = 17
LIMITS = {
    "SUDOKUMILL_CHUNK_LIMIT_SECONDS": "1",
    "SUDOKUMILL_CHUNK_MEMORY": "300MiB",
    "SUDOKUMILL_CHUNK_ATTEMPTS": "2",
    "SUDOKUMILL_REAPER_SECONDS": "0.1",
}


@pytest.fixture(scope="module")
def crew(new_fleet: Any) -> Iterator[Any]:
    """A fleet with one worker of two processes, whose chunks may not take long, nor much."""
    with new_fleet(**LIMITS) as fleet:
        fleet.worker(processes=2)
        yield fleet


def _order(fault: str) -> tuple[Any, ...]:
    return ("generate", "--generator", "lab", "--option", f"faults={fault}@{BAD}", "--count", COUNT, "--chunk", 4)


def _check(fleet: Any, job: int) -> None:
    """Everything was made but the row at fault, of which it is known why."""
    found = fleet.wait_for(job)
    fleet.check(job, COUNT)
    assert (found.failed, found.tried - found.surplus) == (1, COUNT + 1)
    [dead] = [row for row in fleet.chunks(job) if row.state == "dead"]
    assert (dead.start, dead.stop) == (BAD, BAD + 1)
    [failure] = [row for row in fleet.rows(ItemFailure) if row.job_id == job]
    assert (failure.position, failure.part, failure.owner) == (BAD, "generator", "generator lab")
    assert failure.reason == dead.reason
    assert "process died" in failure.reason
    # chunks without it were made at once
    assert {row.attempt for row in fleet.chunks(job) if row.state == "done" and row.stop - row.start == 4} == {1}
    assert f"1 {BAD} generator lab {dead.reason}" in " ".join(fleet.command("jobs", "show", job).stdout.split())


@pytest.mark.parametrize("fault", ["hang", "eat", "crash"])
@pytest.mark.cases("worker", ids=["C110"])
def test_a_row_that_ends_its_process_is_found_and_the_others_are_made(
    crew: Any, fault: str, case: dict[str, Any]
) -> None:
    worker = crew.crew[0]
    before = worker.celery
    _check(crew, crew.order(*_order(fault)))
    assert worker.celery == before
    crew.until(lambda: len(worker.pool) == 2, "two processes")


@pytest.mark.parametrize("fault", ["hang", "eat"])
def test_the_same_on_one_machine(new_fleet: Any, tmp_path: Path, fault: str) -> None:
    with new_fleet(f"sqlite:///{tmp_path / 'mill.db'}", **LIMITS) as alone:
        without = {"SUDOKUMILL_BROKER_URL": None}
        _check(alone, alone.outcome("run", *_order(fault), "--processes", 2, env=without)["job"])
