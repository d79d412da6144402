from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from sqlalchemy import update

from sudokumill.errors import JobStateError, UnknownJobError
from sudokumill.jobs import JobKind
from sudokumill.store import leases, steering
from sudokumill.store.advance import give_up
from sudokumill.store.leases import Hold, reap
from sudokumill.store.models import Chunk, ChunkState, FinalRow, ItemFailure, JobState
from sudokumill.store.progress import idle_jobs, jobs


def _same(position: int) -> int:
    return position


def test_a_paused_job_hands_out_no_chunk(mill: Any) -> None:
    job = mill.place(30, chunk_rows=10)
    held = mill.claim(job)
    steering.pause(mill.database, job)
    assert leases.claim(mill.database, leases.Holder("me", "worker", 60), job=job) is None
    # the holder keeps what it made, the rest waits
    mill.finish(held, _same, stop=4, rest=Hold.PAUSE)
    assert mill.advance(job) is JobState.PAUSED
    assert mill.progress(job).delivered == 4
    steering.resume(mill.database, job)
    found = mill.run(job, _same)
    assert found.state is JobState.DONE
    assert mill.delivered(job) == [(position, position) for position in range(30)]


def test_a_job_is_not_ended_while_it_is_paused(mill: Any) -> None:
    job = mill.place(10, chunk_rows=10)
    held = mill.claim(job)
    steering.pause(mill.database, job)
    mill.finish(held, _same)
    assert mill.advance(job) is JobState.PAUSED
    steering.resume(mill.database, job)
    assert mill.advance(job) is JobState.DONE


def test_resuming_what_was_not_paused_is_no_error(mill: Any) -> None:
    job = mill.place(10)
    steering.resume(mill.database, job)
    mill.claim(job)
    steering.resume(mill.database, job)
    assert mill.progress(job).state is JobState.RUNNING


@pytest.mark.cases("job", ids=["C096"])
def test_a_cancelled_job(mill: Any, case: dict[str, Any]) -> None:
    assert "1000 chunks" in case["input"]["scenario"]
    job = mill.place(1_000, chunk_rows=1)
    for _ in range(137):
        mill.finish(mill.claim(job), _same)
        mill.advance(job)
    one, other = mill.claim(job), mill.claim(job)
    steering.cancel(mill.database, job)
    assert leases.claim(mill.database, leases.Holder("me", "worker", 60), job=job) is None
    mill.finish(one, _same)
    assert mill.advance(job) is JobState.CANCELLED
    found = mill.progress(job)
    assert found.chunks[ChunkState.DONE] == 138
    assert found.chunks[ChunkState.RUNNING] == 1
    # chunks that were not cut yet are pending: 1000 in all
    pending = (found.count - found.planned) + found.chunks[ChunkState.RUNNING]
    assert found.chunks[ChunkState.DONE] + found.chunks[ChunkState.DROPPED] + pending == 1_000
    mill.finish(other, _same)
    mill.advance(job)
    found = mill.progress(job)
    assert (found.state, found.delivered, found.reason) == (JobState.CANCELLED, 139, "cancelled by a person")
    assert len(mill.rows(FinalRow)) == 139
    assert mill.delivered(job) == [(position, position) for position in range(139)]


def test_a_running_chunk_of_a_cancelled_job_leaves_nothing_waiting(mill: Any) -> None:
    job = mill.place(60, chunk_rows=20)
    held, lost, back = mill.claim(job), mill.claim(job, lease=-1), mill.claim(job)
    steering.cancel(mill.database, job)
    # interrupted at that very moment: the rest of its chunk would wait
    mill.finish(held, _same, stop=7, rest=Hold.PAUSE)
    reap(mill.database, job, 3)
    leases.give_back(mill.database, back)
    assert mill.advance(job) is JobState.CANCELLED
    assert lost.job == job
    assert set(mill.progress(job).chunks) == {ChunkState.DONE, ChunkState.DROPPED}


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel", "retry"])
def test_steering_what_is_not_there(mill: Any, verb: str) -> None:
    with pytest.raises(UnknownJobError, match="there is no job 12; sudokumill jobs list"):
        getattr(steering, verb)(mill.database, 12)


@pytest.mark.parametrize(
    ("end", "verb", "message"),
    [
        ("done", "pause", "is done and cannot be paused"),
        ("done", "resume", "is done and cannot be resumed; it delivered all that was ordered"),
        ("done", "cancel", "is done and cannot be cancelled"),
        ("done", "retry", "is done and cannot be retried; nothing of it failed"),
        ("cancelled", "resume", "is cancelled and cannot be resumed; order it again"),
        ("cancelled", "cancel", "is cancelled and cannot be cancelled"),
        ("cancelled", "retry", "is cancelled and cannot be retried; order it again"),
        ("failed", "resume", "to try again what failed: sudokumill jobs retry 1"),
        ("running", "retry", "is running and cannot be retried; sudokumill jobs resume 1"),
    ],
)
def test_what_a_state_does_not_allow(mill: Any, end: str, verb: str, message: str) -> None:
    job = mill.place(4)
    if end == "cancelled":
        steering.cancel(mill.database, job)
    elif end == "running":
        mill.claim(job)
    else:
        mill.run(job, _same if end == "done" else lambda position: None)
    before = mill.progress(job)
    with pytest.raises(JobStateError) as caught:
        getattr(steering, verb)(mill.database, job)
    assert message in str(caught.value)
    assert dataclasses.replace(mill.progress(job), worked=before.worked) == before  # that goes on by itself


# --- retry -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
def test_after_the_plugin_was_mended_the_job_is_as_if_it_had_never_failed(mill: Any, kind: JobKind) -> None:
    def content(position: int) -> int:
        return position // 2

    job = mill.place(20, kind, chunk_rows=6)
    found = mill.run(job, lambda position: None if 3 <= position < 15 else content(position))
    assert (found.state, found.failed) == (JobState.DONE, 12)
    waiting = steering.retry(mill.database, job)
    assert waiting == 12
    assert mill.rows(ItemFailure) == []
    assert mill.progress(job).state is JobState.WAITING
    found = mill.run(job, content)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 20, 0)
    assert mill.delivered(job) == [(2 * number, number) for number in range(20)]
    assert found.tried == found.delivered + found.surplus + found.repeated
    assert len({row.digits for row in mill.rows(FinalRow)}) == len(mill.rows(FinalRow))


def test_a_failed_job_starts_where_it_failed(mill: Any) -> None:
    job = mill.place(1_000, chunk_rows=50)
    assert mill.run(job, lambda position: None).state is JobState.FAILED
    assert mill.progress(job).chunks[ChunkState.DROPPED] >= 18
    steering.retry(mill.database, job)
    found = mill.run(job, _same)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, 1_000, 1_000)
    assert mill.delivered(job) == [(position, position) for position in range(1_000)]


def test_a_dead_position_is_tried_again(mill: Any) -> None:
    job = mill.place(3, chunk_rows=1)
    mill.claim(job, lease=-1)
    reap(mill.database, job, 1)
    assert mill.run(job, _same).failed == 1
    steering.retry(mill.database, job)
    found = mill.run(job, _same)
    assert (found.state, found.failed) == (JobState.DONE, 0)
    assert mill.delivered(job) == [(0, 0), (1, 1), (2, 2)]


def test_what_fails_again_stays_an_error(mill: Any) -> None:
    def content(position: int) -> int | None:
        return None if position % 3 == 0 else position

    job = mill.place(10, chunk_rows=4)
    before = mill.run(job, content)
    delivered = mill.delivered(job)
    for _ in range(2):
        steering.retry(mill.database, job)
        found = mill.run(job, content)
        assert (found.state, found.failed, found.delivered) == (JobState.DONE, before.failed, 10)
        assert mill.delivered(job) == delivered


def test_rows_of_others_are_delivered_again_after_a_retry(mill: Any) -> None:
    mill.run(mill.place(4), _same)
    job = mill.place(6, chunk_rows=6)
    mill.run(job, lambda position: None if position == 2 else position)
    steering.retry(mill.database, job)
    found = mill.run(job, _same)
    assert (found.state, found.delivered, found.already) == (JobState.DONE, 6, 4)
    assert mill.delivered(job) == [(position, position) for position in range(6)]


def test_jobs_are_listed_newest_first(mill: Any) -> None:
    made = [mill.place(3) for _ in range(3)]
    assert [found.id for found in jobs(mill.database)[0]] == made[::-1]
    assert [found.id for found in jobs(mill.database, limit=1)[0]] == made[-1:]


@pytest.mark.parametrize("how", ["cancel", "give_up"])
def test_a_chunk_that_is_put_down_when_its_job_has_ended_leaves_nothing_to_wait(mill: Any, how: str) -> None:
    job = mill.place(count=20, chunk_rows=10)
    first, second = mill.claim(job), mill.claim(job)
    if how == "cancel":
        steering.cancel(mill.database, job)
    else:
        give_up(mill.database, job, "its line cannot be built")
    # whoever holds it was told to end before he looked at the job
    mill.finish(first, _same, stop=4, rest=Hold.PAUSE)
    assert mill.audit(job).positions == {"delivered": 4, "running": 10, "dropped": 6}
    mill.finish(second, _same)
    found = mill.audit(job)
    assert (found.delivered, found.left) == (14, 6)
    # what came after the end counts
    assert len(mill.delivered(job)) == mill.progress(job).delivered == 14


def test_a_chunk_that_waits_in_a_job_that_has_ended_is_found(mill: Any) -> None:
    job = mill.place(count=20, chunk_rows=10)
    steering.cancel(mill.database, job)
    assert idle_jobs(mill.database) == []
    with mill.database.write() as connection:
        # of two processes one ended the job and the other put its chunk down, in the same moment
        connection.execute(
            update(Chunk).where(Chunk.job_id == job, Chunk.start == 10).values(state=ChunkState.WAITING.value)
        )
    assert idle_jobs(mill.database) == [job]
    mill.advance(job)
    assert idle_jobs(mill.database) == []
    assert mill.audit(job).positions == {"dropped": 20}
