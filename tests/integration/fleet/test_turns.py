"""Which of several orders is made first."""

from __future__ import annotations

from typing import Any

import pytest

# a chunk takes a fifth of a second
SLOW = ("generate", "--generator", "lab", "--option", "generator.pause=0.01", "--chunk", 20)


def _claimed(fleet: Any, jobs: dict[int, str]) -> str:
    """The jobs in the order in which their chunks were claimed."""
    chunks = [row for job in jobs for row in fleet.chunks(job) if row.claimed_at is not None]
    return "".join(jobs[row.job_id] for row in sorted(chunks, key=lambda row: row.claimed_at))


def test_a_small_order_passes_a_large_one_and_an_urgent_one_passes_both(fleet: Any) -> None:
    worker = fleet.worker()
    large = fleet.order(*SLOW, "--count", 20_000)
    fleet.freeze_at_work(worker, large, delivered=60)
    small = fleet.order(*SLOW, "--count", 60)
    urgent = fleet.order(*SLOW, "--count", 60, "--priority", 5)
    before = len(_claimed(fleet, {large: "l"}))
    worker.thaw()
    for job in (urgent, small):
        fleet.wait_for(job)
    assert not fleet.progress(large).state.ended
    order = _claimed(fleet, {large: "l", small: "s", urgent: "u"})[before:]
    # one chunk of the large order was on its way
    assert order.lstrip("l").startswith("uuu"), order
    assert order.index("u") <= 1, order
    turns = order.replace("u", "")
    assert turns.index("s") <= 2, order
    assert turns[turns.index("s") : turns.rindex("s") + 1].count("l") <= 3, order
    ended = [fleet.progress(job).ended_at for job in (urgent, small)]
    assert ended == sorted(ended)
    fleet.command("jobs", "cancel", large)


@pytest.mark.slow
def test_many_small_orders_are_made_while_a_large_one_runs(fleet: Any) -> None:
    fleet.worker(processes=2)
    large = fleet.order(*SLOW, "--count", 20_000)
    fleet.until(lambda: fleet.progress(large).delivered >= 60, "the large order at work")
    small = [fleet.order("generate", "--count", 5) for _ in range(20)]
    for job in small:
        fleet.wait_for(job, seconds=30)
    assert not fleet.progress(large).state.ended
    fleet.command("jobs", "cancel", large)
