"""A job for a million rows is steered in its middle: what is stored stays, and the counts are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from sudokumill.store.models import FinalRow, ItemFailure

pytestmark = pytest.mark.slow

MILLION = 1_000_000
LAB = ("generate", "--generator", "lab", "--count", MILLION)


def _stored(fleet: Any, job: int, table: Any = FinalRow) -> int:
    with fleet.database.read() as connection:
        return int(connection.execute(select(func.count()).where(table.job_id == job)).scalar_one())


def test_pause_resume_and_cancel(fleet: Any) -> None:
    fleet.worker(processes=2)
    job = fleet.order(*LAB, "--option", "faults=raise/5000")
    for step in (1, 2):
        fleet.until(lambda step=step: fleet.progress(job).delivered >= step * 10_000, f"{step} times 10,000 rows")
        fleet.audit(job)
        fleet.command("jobs", "pause", job)
        fleet.until(lambda: not fleet.held(), "chunks put down")
        paused = fleet.audit(job)
        assert (paused.ordered, paused.delivered + paused.left) == (MILLION, MILLION)
        assert _stored(fleet, job) == paused.delivered
        assert _stored(fleet, job, ItemFailure) == paused.positions["item errors"]
        # workers make something else meanwhile
        fleet.wait_for(fleet.order("generate", "--generator", "native", "--count", 20))
        assert fleet.audit(job) == paused
        fleet.command("jobs", "resume", job)
    fleet.until(lambda: fleet.progress(job).delivered > paused.delivered, "it goes on")
    fleet.command("jobs", "cancel", job)
    fleet.until(lambda: not fleet.held(), "chunks put down")
    found = fleet.audit(job)
    assert found.state.value == "cancelled"
    assert found.delivered == _stored(fleet, job) > paused.delivered
    assert set(found.positions) == {"delivered", "item errors", "dropped"}
    for steering in ("retry", "resume", "pause", "cancel"):
        fleet.command("jobs", steering, job, code=2)
    assert fleet.audit(job) == found


def test_retry_of_what_failed(fleet: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    fleet.worker(processes=2)
    faults = ("--option", "faults=raise/1000", "--option", f"when={broken}")
    job = fleet.order(*LAB, *faults, "--max-attempts", 20_000, "--chunk", 500)
    fleet.wait_for(job, "incomplete")
    found = fleet.audit(job)
    assert found.positions == {"delivered": 19_980, "item errors": 20}
    assert found.left == MILLION - 19_980
    stored = set(fleet.lines(job))
    for mended in (False, True):
        if mended:
            broken.unlink()
        fleet.command("jobs", "retry", job)
        fleet.wait_for(job, "incomplete")
        found = fleet.audit(job)
        assert found.positions == ({"delivered": 20_000} if mended else {"delivered": 19_980, "item errors": 20})
        assert _stored(fleet, job) == found.delivered
    assert stored < set(fleet.lines(job))
