"""Taking levels out of the stock."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from sudokumill.contracts import GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.grids.batch import from_lines
from sudokumill.jobs import Choice, JobKind, Part, Source
from sudokumill.rows import Batch, GradeRows, Grades
from sudokumill.store import clearing, steering
from sudokumill.store.bands import BandRange, set_bands
from sudokumill.store.clearing import Dropped, Meant
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.models import FinalRow, Grade, Job, JobState, Puzzle
from sudokumill.store.placing import count_inputs
from sudokumill.store.reading import inputs

PARTS = {part: Choice(name="fake", version="1") for part in (Part.GENERATOR, Part.DIGGER)}
JUDGE = {Part.GRADER: Choice(name="judge", version="1")}
BANDS = (BandRange(1, 2.9, "low"), BandRange(3, 5.9, "mid"), BandRange(6, 99, "high"))


def _grades(ratings: list[float]) -> Grades:
    """Below zero: a lower bound."""
    rating, unknown = np.abs(np.array(ratings)), np.full(len(ratings), np.nan)
    return Grades(
        status=np.where(np.array(ratings) < 0, GradeStatus.ABOVE, GradeStatus.GRADED).astype(np.uint8),
        rating=rating, hardest=[None] * len(ratings), techniques=[{}] * len(ratings),
        steps=np.full(len(ratings), 52), er=rating, ep=unknown, ed=unknown, rating_sum=rating, bottleneck=unknown,
    )  # fmt: skip


def _finish(mill: Any, held: Any, batch: Batch) -> None:
    made = Made(reached=held.start)
    made.add(batch, 0.001, held.stop)
    finish(
        mill.database,
        prepare(mill.database, held, made, versions={"grader": "judge==1"}, new=False, licence="CC0-1.0"),
    )


def _step(mill: Any, job: int, first: int = 0, asked: Difficulty | None = None) -> None:
    """One chunk of levels: position p makes final ``first`` + p, rated 1.0 to 9.1 by its last digit."""
    held = mill.claim(job)
    batch = mill.batch(held.start, held.stop, lambda place: first + place, JobKind.LEVELS)
    grades = _grades([1.0 + (first + place) % 10 * 0.9 for place in range(held.start, held.stop)])
    on_target = batch.rows.on_target if asked is None else asked.met_by(grades)
    _finish(mill, held, replace(batch, rows=replace(batch.rows, grades=grades, on_target=on_target)))


def _levels(mill: Any, first: int = 0) -> int:
    """20 attempts, of which 8 are hard; 6 are in band low and 6 in mid."""
    asked = Difficulty(rating_from=6.0)
    parts = PARTS | JUDGE
    job = int(mill.place(50, JobKind.LEVELS, parts=parts, difficulty=asked, chunk_rows=10, max_attempts=20))
    while not mill.advance(job).ended:
        _step(mill, job, first, asked)
    return job


def _grade(mill: Any) -> int:
    stored = count_inputs(mill.database, Source.PUZZLES, None, None, Choice(name="judge", version="2"))
    parts = {Part.GRADER: Choice(name="judge", version="2")}
    job = int(mill.place(stored, JobKind.GRADE, parts=parts, size=stored, source=Source.PUZZLES))
    while not mill.advance(job).ended:
        held = mill.claim(job)
        puzzles = from_lines(inputs(mill.database, job, held.start, held.stop))
        rows = GradeRows(np.arange(held.start, held.stop), puzzles, _grades([2.0] * len(puzzles)))
        made = Made(reached=held.start)
        made.add(Batch(rows), 0.001, held.stop)
        finish(
            mill.database,
            prepare(mill.database, held, made, versions={"grader": "judge==2"}, new=False, licence="CC0-1.0"),
        )
    return job


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clearing, "_AT_A_TIME", 7)


def _delivered(mill: Any, job: int) -> list[str]:
    return [row.clues for row in delivered_rows(mill.database, mill.progress(job))]


def _audit_all(mill: Any) -> None:
    for row in mill.rows(Job):
        mill.audit(row.id)


def _loose(database: Database) -> int:
    """Grades and finals whose puzzle is not there."""
    with database.read() as connection:
        grades = select(func.count()).select_from(Grade).where(Grade.puzzle_id.not_in(select(Puzzle.id)))
        finals = select(func.count()).select_from(FinalRow).where(FinalRow.id.not_in(select(Puzzle.final_id)))
        return int(connection.execute(grades).scalar_one() + connection.execute(finals).scalar_one())


@pytest.fixture
def filled(mill: Any) -> Any:
    """Two jobs that wanted hard levels and left 12 of 20, and one that took some of these."""
    set_bands(mill.database, "judge", BANDS)
    with mill.database.write() as connection:
        connection.exec_driver_sql("UPDATE identity SET grader = 'judge'")
    _levels(mill)
    _levels(mill, first=100)
    yield mill
    with mill.database.write() as connection:
        connection.exec_driver_sql("UPDATE identity SET grader = 'explainer'")
        connection.exec_driver_sql("DELETE FROM band WHERE grader = 'judge'")


def test_what_is_in_stock(filled: Any) -> None:
    found = clearing.stock(filled.database, "judge")
    assert [(one.band, one.levels, one.oldest, one.newest) for one in found] == [
        ("low", 12, 1, 2), ("mid", 12, 1, 2),
    ]  # fmt: skip
    [of_nobody] = clearing.stock(filled.database, "nobody")
    assert (of_nobody.band, of_nobody.name, of_nobody.levels) == (None, "not graded", 24)


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({}, {}),
        ({"band": "low"}, {"mid": 12}),
        ({"low": 2.0, "high": 3.0}, {"low": 8, "mid": 12}),
        ({"low": 4.0}, {"low": 12, "mid": 4}),
        ({"job": 1}, {"low": 6, "mid": 6}),
        ({"job": 2, "band": "mid"}, {"low": 12, "mid": 6}),
        ({"above": 5}, {"low": 5, "mid": 5}),
        ({"above": 5, "band": "low"}, {"low": 5, "mid": 12}),
        ({"above": 100}, {"low": 12, "mid": 12}),
        ({"ungraded": True}, {"low": 12, "mid": 12}),
    ],
)
def test_what_is_dropped(filled: Any, filters: dict[str, Any], left: dict[str, int], monkeypatch: Any) -> None:
    monkeypatch.setattr(clearing, "_AT_A_TIME", 5)
    meant = Meant("judge", **filters)
    delivered = [_delivered(filled, job) for job in (1, 2)]
    said = sum(clearing.count(filled.database, meant).values())
    seen: list[int] = []
    gone = clearing.drop(filled.database, meant, seen.append)
    wanted = 24 - sum(left.values())
    assert (gone, said) == (Dropped(wanted, wanted), wanted)
    assert seen == sorted(seen)
    assert {one.name: one.levels for one in clearing.stock(filled.database, "judge")} == left
    assert _loose(filled.database) == 0
    assert [_delivered(filled, job) for job in (1, 2)] == delivered
    _audit_all(filled)
    assert clearing.drop(filled.database, meant) == Dropped(0, 0)


def test_the_oldest_stay(filled: Any) -> None:
    clearing.drop(filled.database, Meant("judge", above=6))
    assert {(one.oldest, one.newest) for one in clearing.stock(filled.database, "judge")} == {(1, 1)}


def test_surplus_goes_and_the_account_is_right(mill: Any) -> None:
    asked = Difficulty(rating_from=6.0)
    job = mill.place(6, JobKind.LEVELS, parts=PARTS | JUDGE, difficulty=asked)
    while not mill.advance(job).ended:
        _step(mill, job, first=5, asked=asked)
    before = mill.progress(job)
    assert before.surplus
    assert clearing.drop(mill.database, Meant("judge", low=6.0)).levels == before.surplus
    assert clearing.drop(mill.database, Meant("judge")).levels == before.missed
    found = mill.progress(job)
    assert (found.surplus, found.delivered, found.missed) == (before.surplus, 6, before.missed)
    assert (found.dropped_hits, found.dropped, found.qualified) == (before.surplus, before.missed, 6)
    assert len(_delivered(mill, job)) == 6
    _audit_all(mill)


def test_what_was_delivered_or_may_yet_be_stays(filled: Any) -> None:
    taken = filled.place(
        5, JobKind.LEVELS, parts=PARTS | JUDGE, difficulty=Difficulty(rating_to=2.9), from_stock=True
    )
    assert filled.advance(taken) is JobState.DONE
    running = filled.place(50, JobKind.LEVELS, parts=PARTS | JUDGE, difficulty=Difficulty(rating_from=6))
    _step(filled, running, first=200, asked=Difficulty(rating_from=6))
    there = _delivered(filled, taken)
    gone = clearing.drop(filled.database, Meant("judge"))
    assert gone.levels == 24 - 5
    assert _delivered(filled, taken) == there
    # the one that has not ended left some, which are stock for orders and stay
    assert sum(one.levels for one in clearing.stock(filled.database, "judge")) > 0
    steering.cancel(filled.database, running)
    assert clearing.drop(filled.database, Meant("judge")).levels > 0
    _audit_all(filled)


def test_what_a_grade_job_waits_to_grade_stays(filled: Any) -> None:
    choice = Choice(name="judge", version="2")
    size = count_inputs(filled.database, Source.PUZZLES, None, 5, choice)
    waiting = filled.place(5, JobKind.GRADE, parts={Part.GRADER: choice}, size=size, source=Source.PUZZLES)
    assert clearing.drop(filled.database, Meant("judge")) == Dropped(0, 0)
    steering.cancel(filled.database, waiting)
    assert clearing.drop(filled.database, Meant("judge")).levels == 24


@pytest.mark.usefixtures("in_small_steps")
def test_who_stores_at_the_same_moment_comes_before_or_after(mill: Any) -> None:
    """A job makes again what is being dropped: it delivers what is there, or stores it anew."""
    job = mill.place(3, JobKind.LEVELS, parts=PARTS, max_attempts=200, chunk_rows=200)
    mill.run(job, lambda position: -position - 1)
    again = mill.place(200, JobKind.LEVELS, parts=PARTS, chunk_rows=20)
    mill.advance(again)

    def make(_: int) -> None:
        # the finals are those of the first job, and now its levels are what is asked for
        mill.finish(mill.claim(again), lambda position: position + 1)

    with ThreadPoolExecutor(4) as pool:
        made = [pool.submit(make, number) for number in range(10)]
        dropped = [pool.submit(_drop_slowly, mill) for _ in range(2)]
        for each in (*made, *dropped):
            each.result()
    assert mill.advance(again) is JobState.DONE
    assert len(set(_delivered(mill, again))) == 200
    _audit_all(mill)


def _drop_slowly(mill: Any) -> None:
    for _ in range(20):
        clearing.drop(mill.database, Meant("judge"))


def test_the_accounts_of_grade_jobs_stay_right(filled: Any) -> None:
    job = _grade(filled)
    assert filled.audit(job).delivered == 40
    assert clearing.drop(filled.database, Meant("judge")).levels == 24
    assert filled.audit(job).delivered == 40
    assert len(filled.rows(Grade)) == 2 * 16


def test_a_level_that_was_graded_dropped_and_made_again(filled: Any) -> None:
    job = _grade(filled)
    clearing.drop(filled.database, Meant("judge"))
    # the same finals are dug in the same way by a job that grades nothing
    again = filled.place(20, JobKind.LEVELS, parts=PARTS, chunk_rows=20)
    filled.run(again, lambda position: position)
    assert filled.audit(job).delivered == 40


def test_grades_of_a_file_stay(filled: Any) -> None:
    choice = Choice(name="judge", version="1")
    puzzles = filled.finals[:4].copy()
    puzzles[:, :9] = 0
    job = filled.place(
        4, JobKind.GRADE, inputs=[puzzles], lines=np.arange(1, 5), size=4, source=Source.FILE,
        parts={Part.GRADER: choice},
    )  # fmt: skip
    while not filled.advance(job).ended:
        held = filled.claim(job)
        rows = GradeRows(np.arange(held.start, held.stop), puzzles[held.start : held.stop], _grades([2.0] * 4))
        _finish(filled, held, Batch(rows))
    clearing.drop(filled.database, Meant("judge"))
    assert len(list(delivered_rows(filled.database, filled.progress(job)))) == 4
    filled.audit(job)


def test_finals_that_others_have_stay(mill: Any) -> None:
    finals = mill.place(10)
    mill.run(finals, lambda position: position)
    # levels of the same finals, off target
    job = mill.place(2, JobKind.LEVELS, parts=PARTS, max_attempts=12, chunk_rows=20)
    mill.run(job, lambda position: -position - 1)
    # finals that a later generate job delivers, which a levels job had made
    again = mill.place(3)
    mill.run(again, lambda position: 10 + position)
    gone = clearing.drop(mill.database, Meant("judge"))
    assert gone.levels == 12
    # finals 1 to 9 are of the first job, 10 to 12 are delivered by the last
    assert gone.finals == 0
    assert len(mill.delivered(finals)) == 10
    assert len(mill.delivered(again)) == 3
    for each in (finals, job, again):
        mill.audit(each)
