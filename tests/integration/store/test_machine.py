"""The store under any order of what may happen to it.

The line is a function of the position, with collisions and errors; so what a job must have delivered can be said
beforehand, whatever happened to its chunks. Two jobs make rows of the same numbers, so they also meet each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import select, update

from sudokumill.errors import LeaseLostError
from sudokumill.jobs import Distinct, JobKind
from sudokumill.store import leases, steering
from sudokumill.store.leases import Claim, Hold, give_back, reap
from sudokumill.store.models import Chunk, ChunkState, Delivery, FinalRow, ItemFailure, JobState, Puzzle

ATTEMPTS = 2
FAR = 400


def _made(job: int, position: int) -> int | None:
    """Number of the final of a position: some fail, some repeat a lower one, some are those of the other job."""
    if (position * 5 + job) % 7 == 3:
        return None
    if position % 4 == 3:
        return (position * 11) % 9
    return 10 + position + (position % 2) * job


def _machine(
    new_mill: Callable[[], Any], kind: JobKind, distinct: Distinct = Distinct.EXACT
) -> type[RuleBasedStateMachine]:
    class Store(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.mill = new_mill()
            self.counts: dict[int, int] = {}
            self.held: list[Claim] = []
            self.lost: list[Claim] = []

        def content(self, job: int) -> Callable[[int], int | None]:
            return lambda position: _made(job, position)

        def job(self, index: int) -> int:
            return list(self.counts)[index % len(self.counts)]

        def take(self, index: int) -> Claim:
            return self.held.pop(index % len(self.held))

        # --- what may happen ---------------------------------------------------------------------------

        @precondition(lambda self: len(self.counts) < 2)
        @rule(count=st.integers(1, 12), chunk_rows=st.integers(1, 5))
        def place(self, count: int, chunk_rows: int) -> None:
            job = self.mill.place(count, kind, chunk_rows=chunk_rows, distinct=distinct)
            self.counts[job] = count

        @precondition(lambda self: self.counts)
        @rule(index=st.integers(0, 1))
        def claim(self, index: int) -> None:
            held = leases.claim(
                self.mill.database, leases.Holder("elsewhere:1:1", "worker", 60), job=self.job(index)
            )
            if held is not None:
                self.held.append(held)

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20))
        def finish(self, index: int) -> None:
            held = self.take(index)
            self.mill.finish(held, self.content(held.job))
            self.mill.advance(held.job)

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20), rows=st.integers(1, 4))
        def finish_a_part(self, index: int, rows: int) -> None:
            held = self.take(index)
            stop = min(held.start + rows, held.stop)
            self.mill.finish(held, self.content(held.job), stop=stop, rest=Hold.PAUSE)
            self.mill.advance(held.job)

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20))
        def lose(self, index: int) -> None:
            held = self.take(index)
            with self.mill.database.write() as connection:
                connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(lease_until=0.0))
            assert reap(self.mill.database, held.job, ATTEMPTS) == 1
            self.lost.append(held)

        @precondition(lambda self: self.lost)
        @rule(index=st.integers(0, 20))
        def finish_late(self, index: int) -> None:
            held = self.lost[index % len(self.lost)]
            tables = (FinalRow, Puzzle, Delivery, ItemFailure, Chunk)
            before = [self.mill.rows(table) for table in tables]
            with pytest.raises(LeaseLostError):
                self.mill.finish(held, lambda position: 2_000 + position)
            give_back(self.mill.database, held)
            assert [self.mill.rows(table) for table in tables] == before

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20))
        def give_one_back(self, index: int) -> None:
            give_back(self.mill.database, self.take(index))

        @precondition(lambda self: self.counts)
        @rule(index=st.integers(0, 1))
        def advance(self, index: int) -> None:
            self.mill.advance(self.job(index))

        @precondition(lambda self: self.counts)
        @rule(index=st.integers(0, 1))
        def pause(self, index: int) -> None:
            job = self.job(index)
            if not self.mill.progress(job).state.ended:
                steering.pause(self.mill.database, job)

        @precondition(lambda self: self.counts)
        @rule(index=st.integers(0, 1))
        def resume(self, index: int) -> None:
            job = self.job(index)
            if not self.mill.progress(job).state.ended:
                steering.resume(self.mill.database, job)

        @precondition(lambda self: self.counts)
        @rule(index=st.integers(0, 1))
        def retry(self, index: int) -> None:
            found = self.mill.progress(self.job(index))
            if found.state.ended and found.failed:
                assert steering.retry(self.mill.database, found.id) > 0

        # --- what must hold ----------------------------------------------------------------------------

        @invariant()
        def no_row_is_there_twice(self) -> None:
            lines = [row.digits for row in self.mill.rows(FinalRow)]
            assert len(lines) == len(set(lines))
            assert all(self.mill.numbers[line] < 2_000 for line in lines), "stored under a lost lease"
            origins = [
                (row.job_id, row.position)
                for row in self.mill.rows(Puzzle if kind is JobKind.LEVELS else FinalRow)
            ]
            origins += [(row.job_id, row.position) for row in self.mill.rows(Delivery)]
            assert len(origins) == len(set(origins)), "a position delivers twice"

        @invariant()
        def each_position_is_in_one_chunk(self) -> None:
            for job in self.counts:
                chunks = [chunk for chunk in self.mill.chunks(job) if chunk.state != ChunkState.SPLIT]
                assert [chunk.start for chunk in chunks] == [0, *(chunk.stop for chunk in chunks[:-1])]
                assert chunks[-1].stop == self.mill.progress(job).planned

        @invariant()
        def each_position_is_counted_once(self) -> None:
            for job in self.counts:
                for chunk in self.mill.chunks(job):
                    counted = chunk.delivered + chunk.repeated + chunk.missed + chunk.not_new + chunk.failed
                    tried = chunk.stop - chunk.start if chunk.state in {ChunkState.DONE, ChunkState.DEAD} else 0
                    assert counted == tried
                    assert 0 <= chunk.already <= chunk.delivered

        @invariant()
        def what_is_delivered_is_what_must_be(self) -> None:
            for job, count in self.counts.items():
                found = self.mill.progress(job)
                tried = self.tried(job)
                wanted = self.wanted(job, tried)
                assert found.delivered + found.surplus == len(wanted)
                if found.state.ended:
                    assert self.mill.delivered(job) == wanted[:count]
                if found.state is JobState.DONE:
                    # the first that qualify, and none was left out
                    assert self.wanted(job, range(FAR))[:count] == wanted[:count]
                    assert found.delivered == count
                    assert found.last_position == wanted[count - 1][0]

        def tried(self, job: int) -> list[int]:
            states = {ChunkState.DONE, ChunkState.DEAD}
            return [
                position
                for chunk in self.mill.chunks(job)
                if chunk.state in states
                for position in range(chunk.start, chunk.stop)
            ]

        def wanted(self, job: int, positions: Any) -> list[tuple[int, int]]:
            dead = {chunk.start for chunk in self.mill.chunks(job) if chunk.state == ChunkState.DEAD}
            wanted: dict[int, int] = {}
            for position in positions:
                number = _made(job, position)
                if number is not None and position not in dead:
                    same = number if distinct is Distinct.EXACT else self.mill.class_of(number)
                    wanted.setdefault(same, position)
            return [(position, _made(job, position) or 0) for position in wanted.values()]

        def teardown(self) -> None:
            try:
                self.come_to_an_end()
            finally:
                self.mill.close()

        def come_to_an_end(self) -> None:
            """Whatever happened, each job can be finished, and then has what was ordered."""
            while self.held:
                give_back(self.mill.database, self.held.pop())
            for job in self.counts:
                if not self.mill.progress(job).state.ended:
                    steering.resume(self.mill.database, job)
                assert self.mill.run(job, self.content(job)).state is JobState.DONE
            self.no_row_is_there_twice()
            self.each_position_is_in_one_chunk()
            self.each_position_is_counted_once()
            self.what_is_delivered_is_what_must_be()
            for job in self.counts:
                self.mill.audit(job)
            with self.mill.database.read() as connection:
                left = set(connection.execute(select(Chunk.state)).scalars())
            assert not left & {ChunkState.WAITING, ChunkState.RUNNING}

    return Store


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "distinct"),
    [
        (JobKind.GENERATE, Distinct.EXACT),
        (JobKind.LEVELS, Distinct.EXACT),
        (JobKind.LEVELS, Distinct.ISOMORPH),
    ],
)
def test_whatever_happens(new_mill: Callable[[], Any], kind: JobKind, distinct: Distinct) -> None:
    run_state_machine_as_test(
        _machine(new_mill, kind, distinct),
        settings=settings(
            max_examples=7, stateful_step_count=35, suppress_health_check=list(HealthCheck), deadline=None,
            derandomize=True, database=None,
        ),
    )  # fmt: skip
