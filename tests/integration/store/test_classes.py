"""Classes in the schema and the views, counting them, and what the view ``delivered`` says."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import text, update

from sudokumill.grids.batch import digests, to_lines
from sudokumill.jobs import Choice, Distinct, JobKind, JobSpec, Part
from sudokumill.store import leases, schema, steering
from sudokumill.store.audit import audit
from sudokumill.store.classes import Stored, count_classes, keep_classes, unclassed
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.models import FinalRow, JobState, Puzzle
from sudokumill.store.placing import place

KINDS = pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])


def _rows(database: Database, sql: str) -> list[Any]:
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(text(sql))]


# --- schema ----------------------------------------------------------------------------------------------


def test_up_and_down_with_data(mill: Any) -> None:
    """A database that was used goes down to the schema before, where all that was delivered is, and up again."""
    exact = mill.place(5, JobKind.LEVELS, chunk_rows=5)
    mill.run(exact, lambda position: position)
    finals = mill.place(4, chunk_rows=4, distinct=Distinct.ISOMORPH)
    mill.run(finals, lambda position: 10 + position)
    # somebody dug a final that this job made and did not deliver
    dug = mill.place(1, JobKind.LEVELS)
    mill.run(dug, lambda position: 11)
    jobs = (exact, finals, dug)
    before = {job: mill.delivered(job) for job in jobs}
    shown = _rows(mill.database, "SELECT clues, solution, job_id, position FROM level ORDER BY job_id, position")
    stored = len(mill.rows(FinalRow))
    schema.downgrade(mill.database, "0003")
    assert schema.revision_of(mill.database) == "0003"
    asked = "SELECT clues, solution, job_id, position FROM level ORDER BY job_id, position"
    assert _rows(mill.database, asked) == shown
    counted = f"SELECT position FROM final WHERE job_id = {finals} ORDER BY position"
    assert [place for (place,) in _rows(mill.database, counted)] == [place for place, _ in before[finals]]
    assert _rows(mill.database, "SELECT count(*) FROM final") < [(stored,)]
    schema.upgrade(mill.database)
    assert {job: mill.delivered(job) for job in jobs} == before
    assert _rows(mill.database, "SELECT class FROM level WHERE class IS NOT NULL") == []
    assert _rows(mill.database, asked) == shown
    for job in (exact, dug):
        mill.audit(job)
    # what it knew of classes is gone, and it is said so
    assert all("class" in line for line in audit(mill.database, finals, 0.0).broken)


def test_the_view_shows_the_class_as_it_shows_ids(mill: Any) -> None:
    mill.run(mill.place(4, JobKind.LEVELS), lambda position: position)
    with mill.database.write() as connection:
        connection.execute(update(Puzzle).where(Puzzle.position == 3).values(class_id=None))
    shown = _rows(mill.database, "SELECT class FROM level ORDER BY position")
    first = digests(to_lines(mill.finals[:1]))[0]
    assert [None if one is None else str(one).replace("-", "") for (one,) in shown] == [first.hex()] * 3 + [None]
    if mill.database.path is not None:
        assert isinstance(shown[0][0], str)


def test_an_order_of_before_can_still_be_read(mill: Any) -> None:
    stored = mill.spec().model_dump(mode="json")
    del stored["distinct"]
    assert JobSpec.model_validate(stored).distinct is Distinct.EXACT


# --- counting --------------------------------------------------------------------------------------------


def _fill(mill: Any, meant: Stored) -> list[str]:
    """Finds out what is missing, by the mill's own classes; returns the digits of all that was asked about."""
    asked: list[str] = []
    for rows in unclassed(mill.database, meant):
        found = {}
        for row in rows:
            asked.append(row.digits)
            number = mill.numbers[row.solution]
            found[row.id] = digests(to_lines(mill.finals[[mill.class_of(number)]]))[0]
        keep_classes(mill.database, meant, found)
    return asked


@KINDS
def test_what_is_missing_is_found_out_and_counted(
    mill: Any, kind: JobKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudokumill.store.classes._AT_A_TIME", 3)
    first = mill.place(10, kind, chunk_rows=5)
    mill.run(first, lambda position: position)
    second = mill.place(7, kind, chunk_rows=7)
    mill.run(second, lambda position: 20 + position)
    with mill.database.write() as connection:
        connection.execute(update(Puzzle).where(Puzzle.position > 1).values(class_id=None))
    finals = kind is JobKind.GENERATE
    meant = Stored(finals)
    before = count_classes(mill.database, meant)
    assert (before.rows, before.known) == (17, 0 if finals else 4)
    one = Stored(finals, mill.progress(second))
    assert len(_fill(mill, one)) == (7 if finals else 5)
    found = count_classes(mill.database, one)
    assert (found.rows, found.known, found.classes, found.largest_rows) == (7, 7, 3, 3)
    assert count_classes(mill.database, meant).known == (7 if finals else 9)
    assert len(set(_fill(mill, meant))) == (10 if finals else 8)
    found = count_classes(mill.database, meant)
    assert (found.rows, found.known, found.classes, found.largest_rows) == (17, 17, 7, 3)
    assert found.largest == min(digests(to_lines(mill.finals[[0, 1, 2, 7, 8]])))
    assert _fill(mill, meant) == []


@KINDS
def test_classes_are_found_out_beside_a_job_that_writes(mill: Any, kind: JobKind) -> None:
    before = mill.place(200, kind, chunk_rows=50)
    mill.run(before, lambda position: position)
    with mill.database.write() as connection:
        connection.execute(update(Puzzle).values(class_id=None))
    job = mill.place(100, kind, chunk_rows=10, max_attempts=400, distinct=Distinct.ISOMORPH)
    with ThreadPoolExecutor(2) as pool:
        ran = pool.submit(mill.run, job, lambda position: position)
        filled = pool.submit(_fill, mill, Stored(kind is JobKind.GENERATE))
        assert ran.result(60).delivered == 100
        assert len(filled.result(60)) >= 200
    assert mill.delivered(job) == [(3 * number, 3 * number) for number in range(100)]
    for each in (before, job):
        mill.audit(each)
    found = count_classes(mill.database, Stored(kind is JobKind.GENERATE))
    assert (found.known, found.classes) == (found.rows, -(-found.rows // 3))


def test_an_empty_store_has_no_classes(mill: Any) -> None:
    found = count_classes(mill.database, Stored(finals=False))
    assert (found.rows, found.known, found.classes, found.largest, found.largest_rows) == (0, 0, 0, None, 0)
    assert list(unclassed(mill.database, Stored(finals=True))) == []


def test_of_a_job_what_it_delivered_is_counted(mill: Any) -> None:
    mill.run(mill.place(3, JobKind.LEVELS), lambda position: position)
    job = mill.place(5, JobKind.LEVELS, chunk_rows=50)
    mill.finish(mill.claim(job), lambda position: position)
    found = count_classes(mill.database, Stored(finals=False, job=mill.progress(job)))
    assert (found.rows, found.classes) == (5, 2)


# --- the view of what was delivered ----------------------------------------------------------------------


def _viewed(mill: Any, job: int) -> list[tuple[int, str]]:
    rows = _rows(mill.database, f"SELECT position, id FROM delivered WHERE job_id = {job} ORDER BY position")
    return [(position, str(each).replace("-", "")) for position, each in rows]


def _read(mill: Any, job: int) -> list[tuple[int, str]]:
    return [(row.position, row.id.hex()) for row in delivered_rows(mill.database, mill.progress(job))]


def _mixed(position: int) -> int | None:
    if position % 7 == 3:
        return None
    return -position if position % 4 == 2 else position


def test_the_view_of_what_was_delivered_agrees_with_what_is_read(mill: Any) -> None:
    def agree(*jobs: int) -> None:
        for job in jobs:
            assert _viewed(mill, job) == _read(mill, job)

    first = mill.place(9, JobKind.LEVELS, chunk_rows=4)
    agree(first)
    one, *others = mill.claims(first)
    mill.finish(others[0], _mixed)
    agree(first)
    mill.finish(one, _mixed)
    agree(first)
    for held in others[1:]:
        leases.give_back(mill.database, held)
    assert mill.run(first, _mixed).state is JobState.DONE
    # more than was ordered, some stored before; both while it runs and after
    second = mill.place(4, JobKind.LEVELS, chunk_rows=2)
    mill.finish(mill.claim(second), lambda position: -40 - position)
    mill.advance(second)
    for held in mill.claims(second):
        mill.finish(held, lambda position: position)
    assert mill.progress(second).qualified > 4
    agree(first, second)
    assert len(_viewed(mill, second)) == 4
    assert mill.run(second, _mixed).already > 0
    cancelled = mill.place(6, JobKind.LEVELS, chunk_rows=3)
    mill.finish(mill.claim(cancelled), lambda position: 50 + position)
    steering.cancel(mill.database, cancelled)
    short = mill.place(6, JobKind.LEVELS, chunk_rows=3, max_attempts=6, distinct=Distinct.ISOMORPH)
    assert mill.run(short, lambda position: position).state is JobState.INCOMPLETE
    nothing = mill.place(2, JobKind.LEVELS, max_attempts=2)
    mill.run(nothing, lambda position: None)
    finals = mill.place(3)
    mill.run(finals, lambda position: position)
    agree(first, second, cancelled, short, nothing)
    assert len(_viewed(mill, cancelled)) == 3
    assert _viewed(mill, finals) == []
    assert len(_rows(mill.database, "SELECT * FROM delivered")) == 9 + 4 + 3 + mill.progress(short).delivered


def test_the_view_has_what_came_from_stock(mill: Any) -> None:
    mill.run(mill.place(4, JobKind.LEVELS, max_attempts=4), lambda position: -1 - position)
    parts = {part: Choice(name="fake", version="1") for part in (Part.GENERATOR, Part.DIGGER)}
    job = place(mill.database, mill.spec(6, JobKind.LEVELS, from_stock=True, parts=parts)).id
    assert mill.run(job, lambda position: 20 + position).stock == 4
    assert [position for position, _ in _viewed(mill, job)] == [-4, -3, -2, -1, 0, 1]
    assert _viewed(mill, job) == _read(mill, job)
    joined = "SELECT level.clues FROM delivered JOIN level ON level.id = delivered.id WHERE delivered.job_id = {}"
    assert len(_rows(mill.database, joined.format(job))) == 6


def test_one_job_is_found_without_reading_all(new_mill: Callable[[], Any]) -> None:
    mill = new_mill()
    try:
        if mill.database.path is None:
            pytest.skip("PostgreSQL's planner reads small tables as a whole")
        plan = _rows(
            mill.database,
            "EXPLAIN QUERY PLAN SELECT level.clues FROM delivered JOIN level ON level.id = delivered.id "
            "WHERE delivered.job_id = 1",
        )
        scans = [str(line[-1]) for line in plan if str(line[-1]).startswith("SCAN")]
        assert not [line for line in scans if "puzzle" in line or "delivery" in line.split()], plan
    finally:
        mill.close()
