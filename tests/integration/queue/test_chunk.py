from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from sudokumill.errors import LeaseLostError, StoreError
from sudokumill.jobs import FIRST_CHUNKS, JobKind
from sudokumill.queue import chunk
from sudokumill.queue.chunk import Bench, run_chunk
from sudokumill.queue.crew import pace
from sudokumill.queue.local import FORK
from sudokumill.store import keeping
from sudokumill.store.database import Database
from sudokumill.store.leases import Holder, claim
from sudokumill.store.models import Chunk


def _bench(works: Any) -> Bench:
    settings, holder = works.settings, Holder("elsewhere:1:1", "elsewhere", 90.0)
    return Bench(works.database, works.registry, settings, holder, pace(settings), lambda: False, lambda *_: None)


def test_what_held_a_process_up_between_claim_and_work_is_no_fault_of_a_row(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=5)
    works.database.dispose()

    def make() -> None:
        database = Database(works.settings.database_url)
        settings = works.settings.model_copy(update={"chunk_limit_seconds": 30.0})
        holder = Holder("elsewhere:1:1", "elsewhere", 90.0)
        bench = Bench(
            database, works.registry, settings, holder, pace(settings), lambda: False, lambda _, __: None
        )
        held = claim(database, holder, job=job)
        assert held is not None
        # a broker that froze was waited for
        run_chunk(bench, replace(held, claimed=held.claimed - 40.0), works.progress(job).spec)

    process = FORK.Process(target=make)
    process.start()
    process.join()
    # it would be SIGALRM
    assert process.exitcode == 0
    assert works.progress(job).state.value == "done"
    with works.database.read() as connection:
        assert connection.execute(Chunk.__table__.select()).one().attempt == 1


def test_a_job_is_not_added_up_while_plenty_of_its_chunks_wait(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=FIRST_CHUNKS + 10, chunk_rows=1)
    bench, database = _bench(works), works.database
    added_up: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(_c: Any, _u: Any, statement: str, *_: Any) -> None:
        if "sum(chunk.delivered)" in statement:
            added_up.append(statement)

    # as after a look that took very long
    bench.looked = (job, math.inf)
    spec = works.progress(job).spec
    added_up.clear()
    looks: list[int] = []
    while (held := claim(database, bench.holder, job=job)) is not None:
        state, _ = run_chunk(bench, held, spec)
        looks.append(len(added_up))
    plenty = FIRST_CHUNKS // 2 - 1
    assert looks[plenty - 1] == 0 < looks[plenty]
    assert (state.value, len(looks)) == ("done", FIRST_CHUNKS + 10)


def test_a_job_is_looked_at_when_nothing_of_a_batch_came_out_well(works: Any) -> None:
    """Also while plenty of its chunks wait: or thousands of rows would be tried that all fail."""
    job = works.place(JobKind.GENERATE, "faults=raise/1", count=5_000, chunk_rows=50, generator="lab")
    bench, spec = _bench(works), works.progress(job).spec
    for _ in range(2):
        held = claim(works.database, bench.holder, job=job)
        assert held is not None
        bench.looked = (job, math.inf)
        state, _ = run_chunk(bench, held, spec)
    assert (state.value, works.progress(job).tried) == ("failed", 100)


def test_the_next_chunk_is_claimed_in_the_transaction_that_ends_one(works: Any) -> None:
    """Or two processes that share a SQLite file would wait for each other at every chunk."""
    job = works.place(JobKind.GENERATE, count=3, chunk_rows=1)
    bench = _bench(works)
    begun: list[str] = []

    @event.listens_for(works.database.engine, "before_cursor_execute")
    def note(_c: Any, _u: Any, statement: str, *_: Any) -> None:
        if statement == "BEGIN IMMEDIATE":
            begun.append(statement)

    spec = works.progress(job).spec
    first = claim(works.database, bench.holder, job=job)
    assert first is not None
    begun.clear()
    state, second = run_chunk(bench, first, spec, more=True)
    assert (state.value, len(begun)) == ("running", 1)
    assert second is not None
    assert (second.start, second.attempt) == (1, 1)
    state, none = run_chunk(bench, second, spec)
    assert (state.value, none) == ("running", None)
    assert len(begun) == 2
    last = claim(works.database, bench.holder, job=job)
    assert last is not None
    state, none = run_chunk(bench, last, spec, more=True)
    assert (state.value, none) == ("done", None)


def test_a_process_that_is_to_end_claims_nothing_and_gives_back_what_it_has(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=2, chunk_rows=1)
    bench = _bench(works)
    held = claim(works.database, bench.holder, job=job)
    assert held is not None
    bench.interrupted = lambda: True
    state, following = run_chunk(bench, held, works.progress(job).spec, more=True)
    assert (state.value, following) == ("running", None)
    with works.database.read() as connection:
        chunks = connection.execute(Chunk.__table__.select()).all()
    assert [(each.state, each.attempt) for each in chunks] == [("waiting", 0), ("waiting", 0)]


def test_a_time_limit_is_for_making_and_not_for_storing(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=5)
    works.database.dispose()
    settings = works.settings.model_copy(update={"chunk_limit_seconds": 1.0, "chunk_attempts": 1})
    ready, locked = FORK.Event(), FORK.Event()

    def make() -> None:
        database = Database(settings.database_url)
        bench = replace(_bench(works), database=database, settings=settings)
        held = claim(database, bench.holder, job=job)
        assert held is not None
        bench.station_for(job, works.progress(job).spec)  # what it takes to build it is not meant
        ready.set()
        locked.wait()
        run_chunk(bench, held, works.progress(job).spec)

    process = FORK.Process(target=make)
    process.start()
    assert ready.wait(30)
    with works.database.write():
        locked.set()
        process.join(3)  # three times the limit
        assert process.is_alive()
    process.join()
    assert process.exitcode == 0
    assert works.progress(job).state.value == "done"


def test_nothing_is_packed_under_the_lock(works: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    job = works.place(JobKind.GENERATE, count=5)
    bench = _bench(works)
    packed: list[int] = []

    def prepare(*given: Any, **named: Any) -> Any:
        with closing(sqlite3.connect(works.database.path, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
        packed.append(1)
        return keeping.prepare(*given, **named)

    monkeypatch.setattr(chunk, "prepare", prepare)
    held = claim(works.database, bench.holder, job=job)
    assert held is not None
    run_chunk(bench, held, works.progress(job).spec)
    assert packed == [1]


@pytest.mark.parametrize("error", [IndexError("a fault in it"), StoreError(message="the disk is full")])
def test_a_fault_in_the_look_after_a_job_costs_no_rows(
    works: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Nor is it said to be the fault of a row, or of the plugin that made it."""
    job = works.place(JobKind.GENERATE, count=4, chunk_rows=2)
    bench = _bench(works)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(chunk, "advance", fail)
    held = claim(works.database, bench.holder, job=job)
    assert held is not None
    with pytest.raises(type(error)):
        run_chunk(bench, held, works.progress(job).spec, more=True)
    with works.database.read() as connection:
        chunks = connection.execute(Chunk.__table__.select().order_by(Chunk.start)).all()
    assert [(each.state, each.attempt, each.delivered) for each in chunks] == [("done", 1, 2), ("waiting", 0, 0)]
    monkeypatch.undo()
    assert works.run(job).state.value == "done"


def test_who_lost_his_lease_claims_nothing_more(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=2, chunk_rows=1)
    bench = _bench(works)
    held = claim(works.database, bench.holder, job=job)
    assert held is not None
    with pytest.raises(LeaseLostError):
        run_chunk(bench, replace(held, token=held.token[::-1]), works.progress(job).spec, more=True)
    with works.database.read() as connection:
        chunks = connection.execute(Chunk.__table__.select().order_by(Chunk.start)).all()
    assert [(each.state, each.lease_token) for each in chunks] == [("running", held.token), ("waiting", None)]
