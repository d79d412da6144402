from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from sudokumill.jobs import FIRST_CHUNKS, JobKind
from sudokumill.store.advance import Pace
from sudokumill.store.clock import abandon_clock, stop_clock
from sudokumill.store.database import Now
from sudokumill.store.leases import Hold, reap
from sudokumill.store.models import Chunk, ChunkState, FinalRow, Job, JobState

KINDS = pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])


def _same(position: int) -> int:
    return position


@KINDS
@pytest.mark.parametrize("chunk_rows", [1, 7, 50, 1_000])
def test_the_first_positions_in_order_are_delivered(mill: Any, kind: JobKind, chunk_rows: int) -> None:
    job = mill.place(50, kind, chunk_rows=chunk_rows)
    found = mill.run(job, lambda position: None if position % 5 == 2 else position // 3)
    wanted = []
    for number in range(100):
        first = next((each for each in range(3 * number, 3 * number + 3) if each % 5 != 2), None)
        if first is not None:
            wanted.append((first, number))
    assert found.state is JobState.DONE
    assert mill.delivered(job) == wanted[:50]
    assert found.last_position == wanted[49][0]
    assert found.tried == found.delivered + found.surplus + found.failed + found.repeated


@pytest.mark.cases("job", ids=["C098"])
def test_a_generator_that_makes_everything_twice(mill: Any, case: dict[str, Any]) -> None:
    assert "1000 distinct finals" in case["input"]["scenario"]
    job = mill.place(1_000)
    found = mill.run(job, lambda position: position // 2)
    assert (found.state, found.delivered) == (JobState.DONE, 1_000)
    assert len(mill.rows(FinalRow)) == 1_000 + found.surplus
    assert mill.delivered(job) == [(2 * number, number) for number in range(1_000)]
    assert 999 <= found.repeated <= 1_250
    assert found.tried == found.delivered + found.surplus + found.repeated


@KINDS
def test_a_generator_that_always_makes_the_same(mill: Any, kind: JobKind) -> None:
    job = mill.place(10, kind)
    found = mill.run(job, lambda position: 7)
    assert (found.state, found.delivered, found.last_position) == (JobState.INCOMPLETE, 1, 0)
    assert found.reason is not None
    assert found.reason.startswith("the last ")
    assert f"{found.repeated:,} repeated" in found.reason
    assert found.repeated == found.tried - 1
    assert found.tried <= 60 + 2 * 60
    assert mill.delivered(job) == [(0, 7)]


def test_a_yield_of_one_in_a_hundred_is_no_reason_to_give_up(mill: Any) -> None:
    mill.pace = Pace(1, 0.5, 250)
    job = mill.place(10, JobKind.LEVELS)
    found = mill.run(job, lambda position: position if position % 100 == 99 else -position - 1)
    assert (found.state, found.delivered) == (JobState.DONE, 10)
    assert [position for position, _ in mill.delivered(job)] == list(range(99, 1_000, 100))


@pytest.mark.cases("job", ids=["C094"])
def test_the_budget_of_attempts(mill: Any, case: dict[str, Any]) -> None:
    assert "max_attempts 2000" in case["input"]["scenario"]
    job = mill.place(10, JobKind.LEVELS, max_attempts=2_000)
    found = mill.run(job, lambda position: position if position in {700, 1_500} else -position - 1)
    assert (found.state, found.delivered, found.tried) == (JobState.INCOMPLETE, 2, 2_000)
    assert found.reason == "its budget of 2,000 attempts is used up (1,998 off target)"
    assert found.delivered + found.missed == found.tried
    assert [position for position, _ in mill.delivered(job)] == [700, 1_500]


def test_a_budget_smaller_than_the_count(mill: Any) -> None:
    found = mill.run(mill.place(10, max_attempts=4), _same)
    assert (found.state, found.delivered, found.tried) == (JobState.INCOMPLETE, 4, 4)


def _began_ago(mill: Any, seconds: float) -> None:
    with mill.database.write() as connection:
        connection.execute(update(Job).values(running_since=Now() - seconds))


def test_a_night_without_workers_is_not_worked(mill: Any) -> None:
    job = mill.place(1_000, max_seconds=100.0, chunk_rows=10)
    mill.finish(mill.claim(job), _same)
    with mill.database.write() as connection:
        # all were killed after ten seconds of work, an hour ago
        connection.execute(update(Job).values(running_since=Now() - 3_610))
        connection.execute(update(Chunk).values(claimed_at=Now() - 3_605, ended_at=Now() - 3_600))
    abandon_clock(mill.database, job)
    assert mill.progress(job).worked == pytest.approx(10, abs=2)
    mill.claim(job)
    assert mill.progress(job).worked == pytest.approx(10, abs=5)


def test_the_budget_of_seconds(mill: Any) -> None:
    job = mill.place(1_000, max_seconds=100.0, chunk_rows=10)
    assert mill.advance(job) is JobState.WAITING
    mill.finish(mill.claim(job), _same)
    first = mill.progress(job).started_at
    _began_ago(mill, 60)
    stop_clock(mill.database, job)
    assert mill.progress(job).worked == pytest.approx(60, abs=5)
    held = mill.claim(job)
    assert mill.progress(job).started_at == first
    # going on is no new budget, and the time between is not of it
    _began_ago(mill, 41)
    assert mill.advance(job) is JobState.RUNNING  # what runs may end
    mill.finish(held, _same, stop=13, rest=Hold.STOP)
    assert mill.advance(job) is JobState.INCOMPLETE
    found = mill.progress(job)
    assert (found.delivered, found.reason) == (13, "its budget of 100 s is used up")
    assert mill.delivered(job) == [(position, position) for position in range(13)]
    assert found.chunks[ChunkState.DROPPED] == FIRST_CHUNKS - 1


def test_an_enumerating_generator_runs_out(mill: Any) -> None:
    job = mill.place(5, size=8, enumerated=True)
    found = mill.run(job, lambda position: position // 2)
    assert (found.state, found.delivered, found.tried) == (JobState.INCOMPLETE, 4, 8)
    assert found.reason == "its generator has no more than 8 finals (4 repeated)"


def test_a_source_runs_out(mill: Any) -> None:
    job = mill.place(5, JobKind.LEVELS, size=8)
    found = mill.run(job, lambda position: -position - 1)
    assert (found.state, found.delivered, found.last_position) == (JobState.INCOMPLETE, 0, None)
    assert found.reason == "its source has no more than 8 grids (8 off target)"


@pytest.mark.parametrize("count", [5, 1_000])
def test_when_everything_fails_the_job_has_failed(mill: Any, count: int) -> None:
    mill.pace = Pace(1, 0.01, 1_000)
    job = mill.place(count, chunk_rows=5)
    found = mill.run(job, lambda position: None)
    assert (found.state, found.delivered, found.tried) == (JobState.FAILED, 0, 100)
    assert found.reason == ("every position failed (100 failed; most often fake==1 of plugin fake: broken)")


def test_one_good_row_is_not_a_failed_job(mill: Any) -> None:
    job = mill.place(5, max_attempts=50)
    found = mill.run(job, lambda position: 3 if position == 3 else None)
    assert (found.state, found.delivered, found.failed) == (JobState.INCOMPLETE, 1, 49)


def test_chunks_beyond_the_need_are_dropped(mill: Any) -> None:
    job = mill.place(10, chunk_rows=2)
    # the job thinks that half will be missing, and plans more than it needs
    mill.finish(mill.claim(job), lambda position: None if position else 0)
    mill.advance(job)
    found = mill.run(job, _same)
    assert (found.state, found.delivered) == (JobState.DONE, 10)
    assert found.chunks.get(ChunkState.WAITING, 0) == 0
    assert mill.delivered(job) == [(0, 0), *((position, position) for position in range(2, 11))]


def test_a_job_waits_for_lower_positions(mill: Any) -> None:
    job = mill.place(4, chunk_rows=2)
    low, high = mill.claims(job)
    mill.finish(high, _same)
    mill.advance(job)
    (more,) = mill.claims(job) or [None]
    assert more is None
    # the low chunk fails to deliver, and a further one takes its place
    mill.finish(low, lambda position: None)
    assert mill.advance(job) is JobState.RUNNING
    found = mill.run(job, _same)
    assert found.state is JobState.DONE
    assert mill.delivered(job) == [(position, position) for position in range(2, 6)]


def test_enough_is_delivered_only_when_nothing_lower_is_open(mill: Any) -> None:
    job = mill.place(4, chunk_rows=4)
    first = mill.claim(job)
    mill.finish(first, lambda position: None if position % 2 else position, stop=2, rest=Hold.PAUSE)
    mill.advance(job)
    low, *more = mill.claims(job)
    for held in more:
        mill.finish(held, _same)
        assert mill.advance(job) is JobState.RUNNING
    assert mill.progress(job).delivered + mill.progress(job).surplus >= 2
    mill.finish(low, _same)
    found = mill.run(job, _same)
    assert found.state is JobState.DONE
    assert mill.delivered(job) == [(0, 0), (2, 2), (3, 3), (4, 4)]


def test_what_was_dropped_too_early_is_made_after_all(mill: Any) -> None:
    job = mill.place(300, chunk_rows=50)
    first, second, third = (mill.claim(job) for _ in range(3))
    mill.finish(first, lambda position: None)
    mill.finish(second, lambda position: None)
    # a hundred positions failed, and so the waiting chunks are dropped; but one still runs
    assert mill.advance(job) is JobState.RUNNING
    assert mill.progress(job).chunks[ChunkState.DROPPED] == 3
    mill.finish(third, _same)
    found = mill.run(job, _same)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 300, 100)
    assert mill.delivered(job) == [(position, position) for position in range(100, 400)]


def test_advancing_is_idempotent(mill: Any) -> None:
    job = mill.place(100, chunk_rows=10)
    for _ in range(5):
        mill.advance(job)
    assert len(mill.chunks(job)) == 10
    mill.finish(mill.claim(job), lambda position: None)
    for _ in range(5):
        mill.advance(job)
    chunks = mill.chunks(job)
    assert [chunk.start for chunk in chunks[1:]] == [chunk.stop for chunk in chunks[:-1]]
    mill.run(job, _same)
    before = mill.rows(Job)
    assert mill.advance(job) is JobState.DONE
    reap(mill.database, job, 3)
    assert mill.rows(Job) == before
