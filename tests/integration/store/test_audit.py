"""The audit: what it says of sound jobs, and that it finds each thing that can be wrong with one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokumill.errors import UnknownJobError, UnreadableJobError
from sudokumill.grids.batch import from_lines
from sudokumill.jobs import JobKind
from sudokumill.store import leases, steering
from sudokumill.store.audit import audit
from sudokumill.store.audit.rows import check_rows
from sudokumill.store.leases import Hold
from sudokumill.store.models import JobState


def _same(position: int) -> int:
    return position


def _mixed(position: int) -> int | None:
    """Some fail, some repeat a lower one, some miss the target."""
    if position % 7 == 3:
        return None
    if position % 5 == 4:
        return position - 4
    return -position if position % 6 == 5 else position


# --- sound jobs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
def test_a_job_adds_up_from_the_order_to_the_end(mill: Any, kind: JobKind) -> None:
    content = _mixed if kind is JobKind.LEVELS else lambda position: abs(_mixed(position) or 0) or None
    job = mill.place(20, kind, chunk_rows=4)
    found = mill.audit(job)
    assert (found.ordered, found.delivered, found.left, found.positions) == (20, 0, 20, {"waiting": 20})
    held = mill.claim(job)
    assert mill.audit(job).positions == {"running": 4, "waiting": 16}
    mill.finish(held, content)
    found = mill.audit(job)
    assert found.delivered + found.left == 20
    assert found.positions["item errors"] >= 1
    assert sum(found.positions.values()) == 20
    end = mill.run(job, content)
    found = mill.audit(job)
    assert (found.state, found.delivered, found.left) == (JobState.DONE, 20, 0)
    assert sum(found.positions.values()) == end.planned
    assert found.positions["item errors"] == end.failed
    assert found.positions["repeated"] == end.repeated


def test_a_job_that_delivers_what_another_stored(mill: Any) -> None:
    first = mill.place(10, chunk_rows=5)
    mill.run(first, _same)
    second = mill.place(15, chunk_rows=5)
    assert mill.run(second, _same).already == 10
    for job in (first, second):
        assert mill.audit(job).left == 0
    third = mill.place(5, chunk_rows=5, new=True)
    mill.run(third, lambda position: position + 8)
    assert mill.audit(third).positions["not new"] == 7


def test_an_incomplete_job_says_what_is_left(mill: Any) -> None:
    job = mill.place(20, chunk_rows=5, max_attempts=20)
    assert mill.run(job, lambda position: None if position % 4 == 1 else position).failed == 5
    found = mill.audit(job)
    assert (found.state, found.delivered, found.left) == (JobState.INCOMPLETE, 15, 5)
    assert found.positions == {"delivered": 15, "item errors": 5}
    # what is tried again is counted once: not where it failed, but where it is made now
    steering.retry(mill.database, job)
    assert mill.audit(job).positions == {"delivered": 15, "waiting": 5}
    held = mill.claim(job)
    mill.finish(held, lambda position: None)
    assert mill.audit(job).positions == {"delivered": 15, "item errors": 1, "waiting": 4}
    mill.run(job, _same)
    steering.retry(mill.database, job)
    assert mill.run(job, _same).delivered == 20
    assert mill.audit(job).left == 0


def test_dead_positions_split_chunks_and_parts(mill: Any) -> None:
    job = mill.place(16, chunk_rows=8)
    for _ in range(4):
        leases.fail(mill.database, mill.claim(job), 1, "it died")
    part = mill.claim(job)
    mill.finish(part, _same, stop=part.start + 1, rest=Hold.PAUSE)
    assert mill.audit(job).positions == {"delivered": 1, "item errors": 1, "waiting": 14}
    steering.cancel(mill.database, job)
    assert mill.audit(job).positions["dropped"] > 0


def test_solutions(mill: Any) -> None:
    lines = from_lines(["0" * 81])
    job = mill.place(3, JobKind.SOLVE, inputs=[np.repeat(lines, 3, axis=0)], source="file", size=3)
    assert mill.audit(job).positions == {"waiting": 3}


def test_a_job_that_is_not_there(mill: Any) -> None:
    with pytest.raises(UnknownJobError):
        audit(mill.database, 4711, 0)


def test_a_job_of_a_newer_version(mill: Any) -> None:
    job = mill.place(10)
    with mill.database.write() as connection:
        connection.exec_driver_sql("UPDATE job SET kind = 'weave'")
    with pytest.raises(UnreadableJobError):
        audit(mill.database, job, 0)


def test_a_lease_that_has_just_run_out_is_the_reapers_matter(mill: Any) -> None:
    job = mill.place(10)
    mill.claim(job, lease=-5)
    mill.audit(job, patience=60)
    [line] = audit(mill.database, job, 1).broken
    assert line.startswith("a chunk runs although its lease is over, and nobody takes it back: chunk 1 for 5 s")


# --- each thing that can be wrong ----------------------------------------------------------------------------

DONE = "UPDATE chunk SET {} WHERE id = (SELECT min(id) FROM chunk WHERE job_id = 1 AND state = 'done')"
WAITING = "UPDATE chunk SET {} WHERE id = (SELECT max(id) FROM chunk WHERE job_id = 1 AND state = 'waiting')"
RUNS = "UPDATE chunk SET {} WHERE state = 'running'"
FREE = "owner = NULL, lease_token = NULL, lease_until = NULL"
LEASE = "owner = 'a', lease_token = 'b', lease_until = 99999999999"

# of a job in progress: what somebody did to it by hand, and what is said of it
BROKEN: dict[str, tuple[str, str]] = {
    "a row that is lost": ("DELETE FROM final WHERE position = 2", "counts other rows than are stored"),
    "a row twice": (
        "UPDATE final SET position = 1 WHERE position = 2",
        "a position has two results: position 1",
    ),
    "a row and an error": (
        "INSERT INTO item_error SELECT 1, position, chunk_id, 'generator', 'x', 'y' FROM final WHERE position = 2",
        "a position has two results: position 2",
    ),
    "an error that is lost": ("DELETE FROM item_error", "counts other rows than are stored"),
    "an error without a reason": ("UPDATE item_error SET reason = ''", "an item error has no reason"),
    "a row of no chunk": (
        "UPDATE final SET chunk_id = 4711 WHERE position = 2",
        "rows belong to no chunk of their job: 1 in final of chunk 4711",
    ),
    "a row of a chunk that runs": (
        "UPDATE final SET chunk_id = (SELECT id FROM chunk WHERE state = 'running') WHERE position = 2",
        "rows belong to a chunk that has not ended: 1 in final of chunk 3, which is running",
    ),
    "a row out of its chunk": (
        "UPDATE final SET position = 17 WHERE position = 2",
        "rows lie outside of their chunk's positions",
    ),
    "a second result set": (
        "UPDATE final SET chunk_id = 1, position = position - 5 WHERE chunk_id = 2 AND position < 8",
        "a position has two results",
    ),
    "a position that was not counted": (
        DONE.format("delivered = delivered - 1"),
        "positions of a chunk are not counted once each: chunk 1, done, has 5, 0 of them moved, and counts 4",
    ),
    "a position that was counted twice": (DONE.format("missed = 1"), "are not counted once each"),
    "a counter below zero": (DONE.format("missed = -1, repeated = 1"), "a counter of a chunk cannot be"),
    "more deliveries than rows": (DONE.format("already = delivered + 1"), "a counter of a chunk cannot be"),
    "a chunk that waits and has counts": (WAITING.format("delivered = 3"), "are not counted once each"),
    "a chunk that is lost": ("DELETE FROM chunk WHERE start = 20", "positions are in no chunk: 20 to 24"),
    "the last chunk is lost": ("DELETE FROM chunk WHERE start = 25", "positions are in no chunk: 25 to 29"),
    "a chunk twice": (
        "INSERT INTO chunk (job_id, kind, priority, turn, start, stop, state, attempt, moved, delivered, already, "
        "repeated, missed, not_new, failed, seconds) "
        "SELECT job_id, kind, priority, turn, start, stop, state, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM chunk "
        "WHERE start = 20",
        "positions are in two chunks that count them both, or in none",
    ),
    "a chunk that is too long": (WAITING.format("stop = stop + 3"), "a chunk reaches beyond what was planned"),
    "a chunk without positions": (WAITING.format("stop = start"), "a chunk has no positions"),
    "positions that moved nowhere": (
        DONE.format("moved = 1, delivered = delivered - 1"),
        "positions are in two chunks that count them both, or in none: 0 of chunk 1 are in later chunks, 1 were",
    ),
    "a running chunk without a lease": (RUNS.format("lease_token = NULL"), "a chunk runs without a lease"),
    "a running chunk whose lease is over": (RUNS.format("lease_until = 1"), "a chunk runs although its lease is"),
    "a waiting chunk with a lease": (WAITING.format(LEASE), "a chunk has a lease and does not run"),
    "a done chunk with a lease": (DONE.format(LEASE), "a chunk has a lease and does not run: chunk 1 is done"),
    "a done chunk without an end": (DONE.format("ended_at = NULL"), "a chunk is done and has no end"),
    "a done chunk that nobody made": (DONE.format("attempt = 0"), "a chunk was made without an attempt"),
    "a split chunk without halves": (
        RUNS.format(f"state = 'split', reason = 'x', {FREE}"),
        "positions are in no chunk: 10 to 14",
    ),
    "a split chunk without a reason": (
        RUNS.format(f"state = 'split', {FREE}"),
        "a chunk failed at every attempt without a reason",
    ),
    "a dead chunk of several positions": (
        RUNS.format(f"state = 'dead', reason = 'x', failed = 5, {FREE}"),
        "a chunk of several positions is dead",
    ),
    "a running job with an end": ("UPDATE job SET last_position = 7", "the job is running and has an end"),
    "a clock that runs": ("UPDATE job SET state = 'paused'", "the clock of the job runs although it is paused"),
    "a job that is done too early": (
        "UPDATE job SET state = 'done', running_since = NULL, ended_at = ordered_at, delivered = 9",
        "the job is done with 9 of 30 rows",
    ),
    "chunks of a job that has ended": (
        "UPDATE job SET state = 'incomplete', reason = 'x', ended_at = ordered_at",
        "chunks wait although their job has ended: 3",
    ),
    "a running chunk of a job that has ended": (
        "UPDATE job SET state = 'incomplete', reason = 'x', ended_at = ordered_at",
        "chunks run although their job has ended: 1",
    ),
    "an end that does not say why": ("UPDATE job SET state = 'failed'", "the job is failed and does not say why"),
    "an end without a time": ("UPDATE job SET state = 'failed'", "the job is failed and has no end"),
}  # fmt: skip

# of a job that is done
BROKEN_AT_THE_END: dict[str, tuple[str, str]] = {
    "a number that is wrong": (
        "UPDATE job SET delivered = 29",
        "the job says that it delivered 29, 30 rows are there",
    ),
    "no number": (
        "UPDATE job SET delivered = NULL, last_position = NULL",
        "the job is done and does not say what it delivered",
    ),
    "an end before its end": (
        "UPDATE job SET last_position = last_position - 1",
        "the job delivered 30 up to its last position, 29 rows lie before its end",
    ),
    "incomplete with all": (
        "UPDATE job SET state = 'incomplete', reason = 'x'",
        "the job is incomplete with all 30 rows",
    ),
    "fewer positions than planned": ("UPDATE job SET planned = planned + 5", "positions are in no chunk"),
}


def _break(mill: Any, by: str) -> str:
    """What the audit says after somebody did this to the database, past all that the host does."""
    with mill.database.write() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # no triggers
        else:
            for trigger in ("guard_chunk_update", "guard_chunk_insert", "guard_job_update", "guard_job_insert"):
                connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        assert connection.exec_driver_sql(by).rowcount > 0
    return "\n".join(audit(mill.database, 1, 1.0).broken)


@pytest.fixture
def in_progress(mill: Any) -> Any:
    """Two chunks of six are done, one runs; position 3 failed."""
    job = mill.place(30, chunk_rows=5)
    for _ in range(2):
        mill.finish(mill.claim(job), lambda position: None if position == 3 else position)
    mill.claim(job)
    assert mill.audit(job).positions == {"delivered": 9, "item errors": 1, "running": 5, "waiting": 15}
    return mill


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_with_a_job_in_progress_is_found(in_progress: Any, what: str) -> None:
    by, said = BROKEN[what]
    assert said in _break(in_progress, by)


@pytest.mark.parametrize("what", BROKEN_AT_THE_END)
def test_what_is_wrong_with_a_job_that_is_done_is_found(mill: Any, what: str) -> None:
    job = mill.place(30, chunk_rows=5)
    mill.run(job, _same)
    mill.audit(job)
    by, said = BROKEN_AT_THE_END[what]
    assert said in _break(mill, by)


def test_what_is_wrong_with_levels_is_found(mill: Any) -> None:
    job = mill.place(10, JobKind.LEVELS, chunk_rows=5)
    mill.run(job, _mixed)
    mill.audit(job)
    said = _break(mill, "UPDATE puzzle SET on_target = (1 = 0) WHERE position = 1")
    assert "a chunk has more rows off target than it counts" in said
    assert "a chunk counts other rows than are stored" in said


def test_deliveries_of_other_rows_are_found(mill: Any) -> None:
    mill.run(mill.place(10, chunk_rows=5), lambda position: position + 100)
    first, second = 1, mill.place(10, chunk_rows=5)
    mill.run(second, lambda position: position + 100)
    with mill.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM delivery WHERE position = 4")
    assert audit(mill.database, first, 0).broken == ()
    lines = audit(mill.database, second, 0).broken
    assert any("counts other rows than are stored" in line for line in lines)


@pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
def test_what_is_delivered_twice_or_is_not_there_is_found(mill: Any, kind: JobKind) -> None:
    table = {JobKind.GENERATE: "final", JobKind.LEVELS: "puzzle"}[kind]
    mill.run(mill.place(10, kind), lambda position: position + 100)
    job = mill.place(10, kind)
    mill.run(job, lambda position: position + (100 if position < 5 else 200))
    mill.audit(job)
    with mill.database.write() as connection:
        # one that the job made itself stands in place of another's
        connection.exec_driver_sql(
            f"UPDATE delivery SET item_id = (SELECT id FROM {table} WHERE job_id = 2 AND position = 7) "
            "WHERE position = 3"
        )
    assert audit(mill.database, job, 0).broken == ("a row of the job is delivered by two positions: position 3",)
    with mill.database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE delivery SET item_id = (SELECT final_id FROM puzzle WHERE job_id = 1 AND position = 3) "
            "WHERE position = 3"
            if kind is JobKind.LEVELS
            else f"DELETE FROM {table} WHERE id = (SELECT item_id FROM delivery WHERE position = 3)"
        )
    assert "a position delivers a row that is not there: position 3" in audit(mill.database, job, 0).broken


def test_many_places_are_one_line(mill: Any) -> None:
    job = mill.place(30, chunk_rows=5)
    mill.run(job, _same)
    said = _break(mill, "UPDATE chunk SET ended_at = NULL")
    assert said == "a chunk is done and has no end: chunk 1, chunk 2, chunk 3 and 3 more"


def test_it_reads_one_snapshot(mill: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if mill.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite's transactions are snapshots")
    job = mill.place(10, chunk_rows=5)
    held = mill.claim(job)

    def late(*arguments: Any) -> int:
        mill.finish(held, _same)
        return check_rows(*arguments)

    monkeypatch.setattr("sudokumill.store.audit.account.check_rows", late)
    assert mill.audit(job).positions == {"running": 5, "waiting": 5}
    monkeypatch.undo()
    assert mill.audit(job).positions == {"delivered": 5, "waiting": 5}
