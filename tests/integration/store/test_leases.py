from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

import sudokumill.store.database as database_module
from sudokumill.errors import DatabaseUnreachableError, LeaseLostError
from sudokumill.jobs import JobKind
from sudokumill.store import leases, owners, steering
from sudokumill.store.database import Database
from sudokumill.store.leases import Hold, give_back, look, reap, renew
from sudokumill.store.models import Chunk, ChunkState, FinalRow, ItemFailure, Job, JobState
from sudokumill.store.owners import owner_name
from sudokumill.store.publishing import Able, take_due
from sudokumill.store.workers import Crew, beat

FORK = multiprocessing.get_context("fork")


def _same(position: int) -> int:
    return position


def _url(mill: Any) -> str:
    url: str = mill.database.url.render_as_string(hide_password=False)
    return url


def test_claims_come_in_order(mill: Any) -> None:
    job = mill.place(count=25, chunk_rows=10)
    assert mill.progress(job).state is JobState.WAITING
    claims = mill.claims(job)
    assert [(held.start, held.stop, held.attempt) for held in claims] == [(0, 10, 1), (10, 20, 1), (20, 25, 1)]
    assert len({held.token for held in claims}) == 3
    assert mill.progress(job).state is JobState.RUNNING
    assert leases.claim(mill.database, leases.Holder("me", "worker", 60), job=job) is None
    assert leases.claim(mill.database, leases.Holder("me", "worker", 60), job=99) is None


def test_eight_processes_claim_each_chunk_once(mill: Any) -> None:
    job = mill.place(count=60, chunk_rows=1)
    mill.database.dispose()
    go = FORK.Event()
    answers = FORK.SimpleQueue()

    def grab() -> None:
        database = Database(_url(mill))
        go.wait(30)
        mine: list[int] = []
        while (held := leases.claim(database, leases.Holder(owner_name(), "worker", 60), job=job)) is not None:
            mine.append(held.start)
        answers.put(mine)

    processes = [FORK.Process(target=grab) for _ in range(8)]
    for process in processes:
        process.start()
    go.set()
    shares = [answers.get() for _ in processes]
    for process in processes:
        process.join(60)
    assert sorted(start for share in shares for start in share) == list(range(60))


# --- what becomes of a lease -------------------------------------------------------------------------------


def test_a_lease_runs_out_by_the_databases_clock(mill: Any) -> None:
    job = mill.place(count=10, chunk_rows=10)
    held = mill.claim(job, lease=1.5)
    assert reap(mill.database, job, 3) == 0
    deadline = time.monotonic() + 20
    while not reap(mill.database, job, 3):
        assert time.monotonic() < deadline
    (chunk,) = mill.chunks(job)
    assert (chunk.state, chunk.attempt, chunk.owner, chunk.lease_token) == (ChunkState.WAITING, 1, None, None)
    again = mill.claim(job)
    assert (again.chunk, again.attempt) == (held.chunk, 2)
    assert again.token != held.token


def test_a_renewed_lease_lasts(mill: Any) -> None:
    job = mill.place(count=10)
    held = mill.claim(job, lease=-1)
    renew(mill.database, held, 60)
    assert reap(mill.database, job, 3) == 0
    renew(mill.database, held, -1)
    assert reap(mill.database, job, 3) == 1
    with pytest.raises(LeaseLostError):
        renew(mill.database, held, 60)


@pytest.mark.cases("job", ids=["C097"])
def test_a_late_finish_stores_nothing(mill: Any, case: dict[str, Any]) -> None:
    rows = case["expect"]["rows"]
    job = mill.place(count=rows, chunk_rows=rows)
    slow = mill.claim(job, lease=-1)
    assert reap(mill.database, job, 3) == 1
    quick = mill.claim(job)
    with pytest.raises(
        LeaseLostError, match=f"the lease of chunk {slow.chunk} was lost; its rows were not stored"
    ):
        mill.finish(slow, lambda position: 1_000 + position)
    assert mill.rows(FinalRow) == []
    mill.finish(quick, _same)
    with pytest.raises(LeaseLostError):
        mill.finish(slow, lambda position: 1_000 + position)
    assert mill.advance(job) is JobState.DONE
    assert mill.delivered(job) == [(position, position) for position in range(rows)]
    assert len(mill.rows(FinalRow)) == rows


def test_the_same_claim_finishes_once(mill: Any) -> None:
    job = mill.place(count=4, chunk_rows=4)
    held = mill.claim(job)
    mill.finish(held, _same)
    before = mill.chunks(job)
    with pytest.raises(LeaseLostError):
        mill.finish(held, _same)
    give_back(mill.database, held)
    assert mill.chunks(job) == before


def test_a_chunk_given_back_did_not_count(mill: Any) -> None:
    job = mill.place(count=10)
    for _ in range(5):
        held = mill.claim(job)
        assert held.attempt == 1
        give_back(mill.database, held)
    give_back(mill.database, held)
    (chunk,) = mill.chunks(job)
    assert (chunk.state, chunk.attempt, chunk.owner) == (ChunkState.WAITING, 0, None)


def test_giving_back_a_lost_chunk_does_nothing(mill: Any) -> None:
    job = mill.place(count=10)
    lost = mill.claim(job, lease=-1)
    reap(mill.database, job, 3)
    now = mill.claim(job)
    give_back(mill.database, lost)
    mill.finish(now, _same)
    assert mill.advance(job) is JobState.DONE


# --- the reaper --------------------------------------------------------------------------------------------


def _die_until_dead(mill: Any, job: int, bad: int, attempts: int) -> int:
    """Every process that has the bad position dies; others finish. How many died."""
    deaths = 0
    while not mill.advance(job).ended:
        held = mill.claim(job, lease=-1)
        if held.start <= bad < held.stop:
            deaths += 1
            assert deaths < 50
            assert reap(mill.database, job, attempts) == 1
        else:
            mill.finish(held, _same)
    return deaths


@pytest.mark.parametrize(("attempts", "deaths"), [(3, 3 + 4), (1, 1 + 4)])
@pytest.mark.parametrize("bad", [0, 5, 15])
def test_a_position_that_kills_is_found_and_the_rest_is_made(
    mill: Any, bad: int, attempts: int, deaths: int
) -> None:
    job = mill.place(count=16, chunk_rows=16)
    assert _die_until_dead(mill, job, bad, attempts) == deaths
    found = mill.progress(job)
    assert (found.state, found.failed, found.delivered) == (JobState.DONE, 1, 16)
    assert mill.delivered(job) == [(position, position) for position in range(17) if position != bad]
    (failure,) = mill.rows(ItemFailure)
    assert (failure.position, failure.owner) == (bad, "generator fake")
    assert failure.reason == "its process died, or ran beyond its lease, at every attempt"
    assert found.chunks[ChunkState.DEAD] == 1
    assert found.chunks[ChunkState.SPLIT] == 4


def test_a_process_that_has_gone_is_noticed_at_once(mill: Any) -> None:
    job = mill.place(count=20, chunk_rows=10)
    process = FORK.Process(target=time.sleep, args=(60,))
    process.start()
    pid = process.pid
    assert pid is not None
    host = owner_name().split(":")[0]
    started = owners._started(pid)
    mill.claim(job, owner=f"{host}:{pid}:{started}")
    mill.claim(job, owner=owner_name())
    assert reap(mill.database, job, 3) == 0
    process.kill()
    process.join(30)
    assert reap(mill.database, job, 3) == 1
    assert [chunk.state for chunk in mill.chunks(job)] == [ChunkState.WAITING, ChunkState.RUNNING]


@pytest.mark.parametrize(
    ("owner", "gone"),
    [
        ("{host}:{pid}:{started}", 0),
        ("{host}:{pid}:1", 1),  # the number was given to another process
        ("{host}:4194399:1", 1),
        ("another-host:4194399:1", 0),  # only its lease can tell
        ("nonsense", 0),
    ],
)
def test_who_has_gone(mill: Any, owner: str, gone: int) -> None:
    job = mill.place(count=10)
    host, pid, started = owner_name().split(":")
    assert int(pid) == os.getpid()
    mill.claim(job, owner=owner.format(host=host, pid=pid, started=started))
    assert reap(mill.database, job, 3) == gone


def test_a_zombie_has_gone(mill: Any) -> None:
    job = mill.place(count=10)
    process = FORK.Process(target=os._exit, args=(0,))
    process.start()
    pid = process.pid
    os.waitid(os.P_PID, pid or 0, os.WEXITED | os.WNOWAIT)
    mill.claim(job, owner=f"{owner_name().split(':')[0]}:{pid}:12345")
    assert reap(mill.database, job, 3) == 1
    process.join(30)


@pytest.mark.parametrize("meanwhile", ["claimed anew", "renewed", "finished"])
def test_a_reaper_that_looked_too_early_takes_nothing(
    mill: Any, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    job = mill.place(count=10, chunk_rows=10)
    held = mill.claim(job, lease=-1)
    take_back: Callable[..., bool] = leases._take_back
    claimed = []

    def late(*arguments: Any) -> bool:
        # between the reaper's look and its deed; the write lock is the reaper's, so this is its own transaction
        connection = arguments[0]
        values: dict[str, dict[str, Any]] = {
            "claimed anew": {"lease_token": "x" * 32},
            "renewed": {"lease_until": 2e10},
            "finished": {"state": ChunkState.DONE, "lease_token": None, "lease_until": None},
        }
        connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(**values[meanwhile]))
        claimed.append(held.chunk)
        return take_back(*arguments)

    monkeypatch.setattr(leases, "_take_back", late)
    assert reap(mill.database, job, 1) == 0
    assert claimed
    (chunk,) = mill.chunks(job)
    assert chunk.state == (ChunkState.DONE if meanwhile == "finished" else ChunkState.RUNNING)


# --- what a holder sees ------------------------------------------------------------------------------------


def test_a_holder_sees_what_becomes_of_its_job(mill: Any) -> None:
    job = mill.place(count=30, chunk_rows=10)
    held = mill.claim(job)
    assert look(mill.database, held, None) is Hold.GO_ON
    steering.pause(mill.database, job)
    assert look(mill.database, held, None) is Hold.PAUSE
    steering.resume(mill.database, job)
    assert look(mill.database, held, None) is Hold.GO_ON
    steering.cancel(mill.database, job)
    assert look(mill.database, held, None) is Hold.STOP


def test_a_lost_lease_may_be_looked_at(mill: Any) -> None:
    job = mill.place(count=10)
    held = mill.claim(job, lease=-1)
    reap(mill.database, job, 3)
    assert look(mill.database, held, None) is Hold.GO_ON


# --- who goes on when somebody does not ------------------------------------------------------------------


def test_a_process_that_froze_while_it_ended_its_chunk_holds_nobody_up(mill: Any) -> None:
    if mill.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite lets nobody write meanwhile")
    job = mill.place(count=10, chunk_rows=10)
    held = mill.claim(job, lease=0.0)
    freezing, reaping = Database(_url(mill)), Database(_url(mill), lock_seconds=1.0)
    with freezing.write() as frozen:
        frozen.execute(update(Chunk).where(Chunk.id == held.chunk).values(state=ChunkState.DONE.value))
        assert reap(reaping, job, 3) == 0
        frozen.rollback()
    assert reap(reaping, job, 3) == 1
    freezing.dispose()
    reaping.dispose()


def test_a_process_that_froze_while_it_sent_its_rows_is_ended(mill: Any) -> None:
    if mill.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite lets nobody write meanwhile")
    job = mill.place(count=10, chunk_rows=10)
    held = mill.claim(job, lease=-60.0)
    freezing = Database(_url(mill))

    def freeze() -> None:
        with freezing.write() as frozen:
            frozen.execute(update(Chunk).where(Chunk.id == held.chunk).values(state=ChunkState.DONE.value))
            frozen.exec_driver_sql("CREATE TEMPORARY TABLE half (row text) ON COMMIT DROP")
            driver: Any = frozen.connection.driver_connection
            # the server waits for rows, which is no idle transaction
            with driver.cursor() as cursor, cursor.copy("COPY half FROM STDIN") as copy:
                copy.write("a row\n")
                deadline = time.monotonic() + 20
                while not reap(mill.database, job, 3):
                    assert time.monotonic() < deadline

    with pytest.raises(DatabaseUnreachableError):
        freeze()
    mill.finish(mill.claim(job), _same)
    mill.audit(job)
    freezing.dispose()


def test_the_server_ends_a_transaction_whose_client_froze(mill: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if mill.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no server")
    job = mill.place(count=10)
    monkeypatch.setattr(database_module, "IDLE_SECONDS", 1)
    freezing = Database(_url(mill))

    def freeze() -> None:
        with freezing.write() as frozen:
            frozen.execute(update(Job).where(Job.id == job).values(reason="nobody will see this"))
            # waits for the row until the server has ended the other's transaction
            with mill.database.write() as other:
                other.execute(update(Job).where(Job.id == job).values(reason="seen"))

    with pytest.raises(DatabaseUnreachableError):
        freeze()
    assert mill.progress(job).reason == "seen"
    freezing.dispose()


def test_chunks_that_kill_their_processes_do_not_go_before_others(mill: Any) -> None:
    poison = mill.place(count=512, chunk_rows=512)
    innocent = mill.place(count=40, chunk_rows=10)
    attempts = 0
    left = 4
    holder = leases.Holder("elsewhere:1:1", "elsewhere", 60)
    every = Able((frozenset({"generator fake"}),))
    while left:
        [due] = take_due(mill.database, {JobKind.GENERATE: 1}, every)
        held = leases.claim(mill.database, holder, chunk=due.chunk)
        assert held is not None
        if held.job == innocent:
            mill.finish(held, lambda position: 1_000 + position)
            left -= 1
        else:
            assert held.job == poison
            leases.fail(mill.database, held, 1, "it died")
            attempts += 1
    # the first halves wait behind the chunks of the other, not before them
    assert attempts <= 4 + 3


def test_a_job_of_which_everything_fails_ends(mill: Any) -> None:
    job = mill.place(count=5_000, chunk_rows=256)
    died = 0
    while not mill.advance(job).ended:
        leases.fail(mill.database, mill.claim(job), 1, "it died")
        died += 1
    found = mill.progress(job)
    assert (found.state, found.delivered) == (JobState.FAILED, 0)
    assert "it died" in (found.reason or "")
    assert died < 5_000


@pytest.mark.parametrize("how", ["reap", "fail", "give_back"])
def test_a_chunk_of_a_job_that_has_ended_does_not_wait_again(mill: Any, how: str) -> None:
    job = mill.place(count=20, chunk_rows=10)
    held = mill.claim(job, lease=0.0)
    steering.cancel(mill.database, job)
    if how == "reap":
        assert reap(mill.database, job, 1) == 1
    elif how == "fail":
        leases.fail(mill.database, held, 1, "it died")
    else:
        leases.give_back(mill.database, held)
    assert mill.progress(job).chunks == {ChunkState.DROPPED: 2}


def test_a_worker_that_beats_no_more_loses_its_chunks_before_their_lease_is_over(mill: Any) -> None:
    crew = Crew("elsewhere:9:9", "far", (JobKind.GENERATE,), 1, (), {})
    beat(mill.database, crew, 60.0)
    job = mill.place(count=10)
    held = leases.claim(mill.database, leases.Holder("elsewhere:1:1", crew.name, 600.0), job=job)
    assert held is not None
    assert reap(mill.database, job, 3) == 0
    beat(mill.database, crew, 0.0)
    time.sleep(0.01)
    assert reap(mill.database, job, 3) == 1
    with pytest.raises(LeaseLostError):
        leases.renew(mill.database, held, 60.0)


def test_a_worker_that_does_not_beat_keeps_what_its_processes_claim(mill: Any) -> None:
    """Its reaper reaches no database any more, say, and its processes do: their rows are not at fault."""
    crew = Crew("elsewhere:9:9", "mute", (JobKind.GENERATE,), 1, (), {})
    job = mill.place(count=10)
    beat(mill.database, crew, -1.0)
    held = leases.claim(mill.database, leases.Holder("elsewhere:1:1", crew.name, 600.0), job=job)
    assert held is not None
    assert reap(mill.database, job, 3) == 0
    mill.finish(held, _same)
    mill.audit(job)
