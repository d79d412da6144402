"""The lease protocol under any order of claims, ends, deaths, late commits, steering and publishing.

After every step the oracle of ``sudokumill doctor --job`` is asked for each job, and the moves of state that the
step made are compared with the tables of who may make which. ``test_machine`` says what must be delivered; this
one has more ways to get in each other's way: several workers, of which some fall silent, jobs that are cancelled
or given up, budgets, orders for new rows only, positions that kill their process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select, update

from servers.states import movers, take_moves
from sudokumill.errors import LeaseLostError
from sudokumill.jobs import JobKind
from sudokumill.store import clock, leases, publishing, steering
from sudokumill.store.advance import give_up
from sudokumill.store.audit import audit
from sudokumill.store.leases import Claim, Hold, Holder
from sudokumill.store.models import Chunk, ChunkState, Delivery, FinalRow, ItemFailure, JobState
from sudokumill.store.progress import idle_jobs
from sudokumill.store.workers import Crew, beat

ATTEMPTS = 2
KIND = JobKind.GENERATE
WORKERS = ("north", "south")
ABLE = frozenset({"generator fake"})
RESULTS = (FinalRow, Delivery, ItemFailure)


def _made(job: int, position: int) -> int | None:
    """Number of the final of a position: some fail, some repeat a lower one, some are those of other jobs."""
    if (position * 5 + job) % 11 == 3:
        return None
    if position % 3 == 2:
        # of another chunk, if chunks are small
        return _made(job, position - 2)
    return 10 + position + (position % 2) * job


def _kills(job: int, position: int) -> bool:
    """Whether a position kills the process that makes it, every time."""
    return (position + 2 * job) % 13 == 5


def _machine(new_mill: Callable[[], Any]) -> type[RuleBasedStateMachine]:
    class Protocol(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.mill = new_mill()
            self.database = self.mill.database
            self.jobs: list[int] = []
            self.held: list[Claim] = []
            self.lost: list[Claim] = []
            self.done: list[Claim] = []
            self.on_their_way: list[int] = []

        # --- steps -------------------------------------------------------------------------------------

        def step(self, by: str, act: Callable[[], Any]) -> Any:
            """Does something, and makes sure that it moved only what it may move."""
            result = act()
            with self.database.write() as connection:
                moved = take_moves(connection)
            wrong = [move for move in moved if by not in movers(*move)]
            assert not wrong, f"{by} moved {wrong}"
            return result

        def job(self, index: int) -> int:
            return self.jobs[index % len(self.jobs)]

        def hold(self, held: Claim | None) -> None:
            if held is not None:
                assert held.chunk not in {other.chunk for other in self.held}, "two hold one chunk"
                assert self.state(held.job) is JobState.RUNNING
                self.held.append(held)

        def heartbeat(self, worker: str, patience: float = 600.0) -> None:
            beat(self.database, Crew(worker, worker, (KIND,), 2, tuple(ABLE), {}), patience)

        def take(self, index: int) -> Claim:
            return self.held.pop(index % len(self.held))

        def state(self, job: int) -> JobState:
            state: JobState = self.mill.progress(job).state
            return state

        def advance_one(self, job: int) -> JobState:
            state: JobState = self.step("advance", lambda: self.mill.advance(job))
            return state

        def store(self, held: Claim, stop: int, rest: Hold) -> None:
            self.step(
                "finish",
                lambda: self.mill.finish(held, lambda position: _made(held.job, position), stop=stop, rest=rest),
            )
            self.done.append(held)

        # --- what may happen ---------------------------------------------------------------------------

        @initialize(count=st.integers(1, 16), chunk_rows=st.integers(1, 8))
        def first_order(self, count: int, chunk_rows: int) -> None:
            self.order(count, chunk_rows, None, False)

        @precondition(lambda self: len(self.jobs) < 3)
        @rule(
            count=st.integers(1, 16),
            chunk_rows=st.integers(1, 8),
            budget=st.none() | st.integers(1, 20),
            new=st.booleans(),
        )
        def order(self, count: int, chunk_rows: int, budget: int | None, new: bool) -> None:
            limit = {} if budget is None else {"max_attempts": max(budget, count)}
            self.jobs.append(
                self.step("place", lambda: self.mill.place(count, KIND, chunk_rows=chunk_rows, new=new, **limit))
            )

        @precondition(lambda self: self.jobs)
        @rule(index=st.integers(0, 2), worker=st.sampled_from(WORKERS))
        def claim(self, index: int, worker: str) -> None:
            self.heartbeat(worker)
            held = self.step(
                "claim",
                lambda: leases.claim(self.database, Holder("elsewhere:1:1", worker, 60), job=self.job(index)),
            )
            self.hold(held)

        @rule(room=st.integers(1, 3))
        def publish(self, room: int) -> None:
            due = publishing.take_due(self.database, {KIND: room}, publishing.Able((ABLE,)))
            self.on_their_way += [each.chunk for each in due]

        @precondition(lambda self: self.on_their_way)
        @rule(index=st.integers(0, 20), again=st.booleans(), worker=st.sampled_from(WORKERS))
        def deliver(self, index: int, again: bool, worker: str) -> None:
            """A message comes, perhaps not for the last time."""
            place = index % len(self.on_their_way)
            self.heartbeat(worker)
            chunk = self.on_their_way[place] if again else self.on_their_way.pop(place)
            held = self.step(
                "claim", lambda: leases.claim(self.database, Holder("elsewhere:1:1", worker, 60), chunk=chunk)
            )
            self.hold(held)

        @rule()
        def lose_all_messages(self) -> None:
            self.on_their_way.clear()
            self.step("recall", lambda: publishing.recall_lost(self.database, -1.0))

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20))
        def finish(self, index: int) -> None:
            held = self.take(index)
            self.store(held, held.stop, Hold.GO_ON)

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20), rows=st.integers(1, 3), late=st.booleans())
        def put_down(self, index: int, rows: int, late: bool) -> None:
            """A signal or the job's state stops the holder; the state may be another one when he stores."""
            held = self.take(index)
            hold = Hold.PAUSE if late else leases.look(self.database, held, None)
            self.store(held, min(held.start + rows, held.stop), Hold.STOP if hold is Hold.STOP else Hold.PAUSE)

        @precondition(lambda self: self.held)
        @rule(index=st.integers(0, 20), how=st.sampled_from(["renew", "fail", "give_back", "die"]))
        def hold_on_or_let_go(self, index: int, how: str) -> None:
            held = self.held[index % len(self.held)]
            if how == "renew":
                self.step("renew", lambda: leases.renew(self.database, held, 60.0))
                return
            self.held.remove(held)
            self.lost.append(held)
            if how == "fail":
                self.step("fail", lambda: leases.fail(self.database, held, ATTEMPTS, "it raised"))
            elif how == "give_back":
                self.step("give_back", lambda: leases.give_back(self.database, held))
            else:
                self.let_run_out(held)

        def let_run_out(self, held: Claim) -> None:
            with self.database.write() as connection:
                connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(lease_until=0.0))
            assert self.step("reap", lambda: leases.reap(self.database, None, ATTEMPTS)) == 1

        @precondition(lambda self: self.held)
        @rule(worker=st.sampled_from(WORKERS))
        def fall_silent(self, worker: str) -> None:
            """A machine loses its power, with all that its processes hold."""
            self.heartbeat(worker, 0.0)
            time.sleep(0.002)
            with self.database.read() as connection:
                theirs = set(
                    connection.execute(
                        select(Chunk.id).where(Chunk.worker == worker, Chunk.state == ChunkState.RUNNING)
                    ).scalars()
                )
            assert self.step("reap", lambda: leases.reap(self.database, None, ATTEMPTS)) == len(theirs)
            self.lost += [held for held in self.held if held.chunk in theirs]
            self.held = [held for held in self.held if held.chunk not in theirs]

        @precondition(lambda self: self.lost or self.done)
        @rule(index=st.integers(0, 40), how=st.sampled_from(["finish", "fail", "give_back", "renew"]))
        def come_late(self, index: int, how: str) -> None:
            """Who lost his lease, or used it already, changes nothing any more."""
            running = {held.chunk for held in self.held}
            # most of all while somebody else has the chunk
            old = [held for held in self.lost if held.chunk in running] or [*self.lost, *self.done]
            held = old[index % len(old)]
            tables = (*RESULTS, Chunk)
            before = [self.mill.rows(table) for table in tables]
            if how == "fail":
                leases.fail(self.database, held, ATTEMPTS, "late")
            elif how == "give_back":
                leases.give_back(self.database, held)
            elif how == "renew":
                with pytest.raises(LeaseLostError):
                    leases.renew(self.database, held, 60.0)
            else:
                with pytest.raises(LeaseLostError):
                    self.mill.finish(held, lambda position: 2_000 + position)
            assert [self.mill.rows(table) for table in tables] == before

        @precondition(lambda self: self.jobs)
        @rule(index=st.integers(0, 2))
        def advance(self, index: int) -> None:
            self.advance_one(self.job(index))

        @precondition(lambda self: self.jobs)
        @rule(
            index=st.integers(0, 2),
            how=st.sampled_from(["pause", "pause", "resume", "resume", "cancel", "give_up", "stop_clock"]),
        )
        def steer(self, index: int, how: str) -> None:
            """A person does something to the job, or a worker that cannot build its line, or a run that ends."""
            job = self.job(index)
            if self.state(job).ended:
                return
            if how == "give_up":
                self.step(how, lambda: give_up(self.database, job, "its line cannot be built"))
            elif how == "stop_clock":
                self.step(how, lambda: clock.stop_clock(self.database, job))
            else:
                self.step(how, lambda: getattr(steering, how)(self.database, job))

        @precondition(lambda self: self.jobs)
        @rule(index=st.integers(0, 2))
        def retry(self, index: int) -> None:
            found = self.mill.progress(self.job(index))
            if found.state.ended and found.state is not JobState.CANCELLED and found.failed:
                assert self.step("retry", lambda: steering.retry(self.database, found.id)) == found.failed

        # --- what must hold ----------------------------------------------------------------------------

        @invariant()
        def the_oracle_has_nothing_to_complain_of(self) -> None:
            for job in self.jobs:
                assert audit(self.database, job, 0.0).broken == ()

        @invariant()
        def who_holds_a_chunk_is_one(self) -> None:
            with self.database.read() as connection:
                running = connection.execute(
                    select(Chunk.id, Chunk.lease_token).where(Chunk.state == ChunkState.RUNNING)
                ).all()
            assert {(row.id, row.lease_token) for row in running} == {
                (held.chunk, held.token) for held in self.held
            }

        @invariant()
        def nothing_was_stored_by_who_came_late(self) -> None:
            assert all(self.mill.numbers[row.digits] < 2_000 for row in self.mill.rows(FinalRow))

        def teardown(self) -> None:
            try:
                self.come_to_an_end()
            finally:
                self.mill.close()

        def come_to_an_end(self) -> None:
            """Whatever happened, every job ends, and what failed can be tried again until it ends once more."""
            while self.held:
                self.let_run_out(self.held.pop())
            for index, job in enumerate(self.jobs):
                if self.state(job) is JobState.PAUSED:
                    self.steer(index, "resume")
            self.work_until_all_have_ended(_kills)
            self.the_oracle_has_nothing_to_complain_of()
            for index in range(len(self.jobs)):
                self.retry(index)
            self.the_oracle_has_nothing_to_complain_of()
            self.work_until_all_have_ended(lambda _job, _position: False)
            self.the_oracle_has_nothing_to_complain_of()

        def work_until_all_have_ended(self, kills: Callable[[int, int], bool]) -> None:
            """What a reaper and a process do, the process dying at positions that kill."""
            for _ in range(2_000):
                for job in idle_jobs(self.database):
                    self.advance_one(job)
                left = [job for job in self.jobs if not self.state(job).ended]
                if not left:
                    return
                for job in left:
                    self.claim(self.jobs.index(job), WORKERS[0])
                    for held in list(self.held):
                        if any(kills(held.job, position) for position in range(held.start, held.stop)):
                            self.let_run_out(self.take(0))
                        else:
                            self.finish(0)
                        self.advance_one(held.job)
            raise AssertionError(f"jobs that do not end: {[self.mill.progress(job) for job in left]}")

    return Protocol


def _run(new_mill: Callable[[], Any], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        _machine(new_mill),
        settings=settings(
            max_examples=examples, stateful_step_count=steps, suppress_health_check=list(HealthCheck),
            deadline=None, derandomize=True, database=None,
        ),
    )  # fmt: skip


def test_leases_in_any_order(new_mill: Callable[[], Any]) -> None:
    _run(new_mill, 4, 25)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_leases_in_many_orders(new_mill: Callable[[], Any], request: pytest.FixtureRequest) -> None:
    on_server = request.node.callspec.params["new_mill"] == "postgresql"
    _run(new_mill, 4 if on_server else 15, 40)
