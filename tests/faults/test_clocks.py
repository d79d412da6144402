"""Workers whose clocks are an hour wrong: leases, heartbeats and budgets go by the database's clock alone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

HOUR = 3_600
# a chunk takes a fifth of a second
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.004", "--chunk", 50)


@pytest.fixture(scope="session")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Variables by which a process and its children see another time of day."""
    library = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    source = Path(__file__).parent / "shifted_clock.cpp"
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return lambda seconds: {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}


def _says_the_time(worker: Any) -> datetime:
    """The time in the first line of its reaper or pool."""
    line = next(line for line in worker.log.splitlines() if line.startswith("[20"))
    return datetime.fromisoformat(line[1:20])


@pytest.fixture
def unhurried(new_fleet: Any) -> Iterator[Any]:
    """A fleet whose workers may miss heartbeats for six seconds: a busy machine is no wrong clock."""
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="2") as made:
        yield made


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_wrong(unhurried: Any, shifted: Any, hours: int) -> None:
    fleet = unhurried
    right = fleet.worker("right")
    wrong = fleet.worker("wrong", env=shifted(hours * HOUR))
    assert hours * (_says_the_time(wrong) - _says_the_time(right)).total_seconds() > HOUR - 300
    # both live, and neither takes the other's chunks
    job = fleet.order(*SLOW, "--count", 1_000)
    fleet.wait_for(job)
    fleet.check(job, 1_000)
    assert {row.attempt for row in fleet.chunks(job)} == {1}
    assert len({row.worker for row in fleet.chunks(job)}) == 2
    assert 0 < fleet.progress(job).worked < 300
    states = {row["worker"].partition("@")[0]: row["state"] for row in fleet.outcome("jobs", "workers")}
    assert states == {"right": "alive", "wrong": "alive"}
    # a lease of each runs out when it should
    for slow, quick in ((right, wrong), (wrong, right)):
        job = fleet.order(*SLOW, "--count", 600)
        lost = fleet.freeze_at_work(slow, job, 100)
        fleet.wait_for(job)
        fleet.check(job, 600)
        attempts = {row.id: row.attempt for row in fleet.chunks(job)}
        assert {chunk for chunk, attempt in attempts.items() if attempt > 1} == set(lost), quick.node
        slow.thaw()
        fleet.until(lambda slow=slow: fleet.row_of(slow).alive, "it beats again")


def test_a_budget_of_time(fleet: Any, shifted: Any) -> None:
    fleet.worker("wrong", env=shifted(HOUR))
    job = fleet.order(*SLOW, "--count", 100_000, "--max-seconds", 3)
    found = fleet.wait_for(job, "incomplete")
    assert found.reason.startswith("its budget of 3 s is used up")
    assert 3 <= found.worked < 30
    assert fleet.audit(job).left == 100_000 - found.delivered
