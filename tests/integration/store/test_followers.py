"""The grade job that follows a job whose grader stopped at a ceiling."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from sudokumill.contracts import GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.errors import BadOrderError
from sudokumill.grids.batch import from_lines
from sudokumill.jobs import Choice, JobKind, Part, Source
from sudokumill.rows import Batch, GradeRows, Grades, ItemError
from sudokumill.store import advance as advancing
from sudokumill.store import followers as following
from sudokumill.store import steering
from sudokumill.store.advance import give_up
from sudokumill.store.followers import followers
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.models import Grade, Job, JobState, Puzzle
from sudokumill.store.progress import read_spec
from sudokumill.store.reading import inputs

CEILING = 4.4
PARTS = {
    Part.GENERATOR: Choice(name="fake", version="1"),
    Part.DIGGER: Choice(name="fake", version="1"),
    Part.GRADER: Choice(name="judge", version="1", options={"ceiling": CEILING, "budget": 7}),
}
ASKED = Difficulty(rating_from=2.0, rating_to=CEILING)


def _rating(number: int) -> float:
    """1.0 to 9.9: 55 of a hundred lie above the ceiling."""
    return 1.0 + number % 10 * 0.9


def _grades(ratings: list[float], ceiling: float | None) -> Grades:
    rating = np.array(ratings)
    above = rating > (9.9 if ceiling is None else ceiling)
    unknown = np.full(len(ratings), np.nan)
    return Grades(
        status=np.where(above, GradeStatus.ABOVE, GradeStatus.GRADED).astype(np.uint8),
        rating=np.where(above, 4.5, rating),
        hardest=[None] * len(ratings),
        techniques=[{"naked-single": 50}] * len(ratings),
        steps=np.full(len(ratings), 52),
        er=rating, ep=unknown, ed=unknown, rating_sum=rating * 10, bottleneck=unknown,
    )  # fmt: skip


def _finish(mill: Any, held: Any, batch: Batch) -> None:
    made = Made(reached=held.start)
    made.add(batch, 0.001, held.stop)
    finish(
        mill.database,
        prepare(mill.database, held, made, versions={"grader": "judge==1"}, new=False, licence="CC0-1.0"),
    )


def _dig(mill: Any, held: Any, failing: tuple[int, ...] = ()) -> None:
    """Makes a chunk of levels; position p is rated as final p."""
    batch = mill.batch(held.start, held.stop, lambda place: None if place in failing else place, JobKind.LEVELS)
    grades = _grades([_rating(place) for place in batch.rows.positions.tolist()], CEILING)
    _finish(mill, held, replace(batch, rows=replace(batch.rows, grades=grades, on_target=ASKED.met_by(grades))))


def _grade(mill: Any, held: Any, bad: Callable[[int], bool] = lambda _: False) -> None:
    """Makes a chunk of grades, without a ceiling; some inputs fail."""
    puzzles = from_lines(inputs(mill.database, held.job, held.start, held.stop))
    numbers = {line[9:]: number for line, number in mill.numbers.items()}
    of = [numbers["".join(map(str, row[9:]))] for row in puzzles.tolist()]
    keep = np.array([not bad(number) for number in of])
    errors = tuple(
        ItemError(held.start + row, Part.GRADER, "judge==1", "broken") for row in np.flatnonzero(~keep).tolist()
    )
    rows = GradeRows(
        np.arange(held.start, held.stop)[keep],
        puzzles[keep],
        _grades([_rating(number) for number in of if not bad(number)], None),
    )
    _finish(mill, held, Batch(rows, errors))


def _place(mill: Any, count: int = 10, **fields: Any) -> int:
    wanted = {"parts": PARTS, "difficulty": ASKED, "grade_rest": True, "chunk_rows": 10, **fields}
    return int(mill.place(count, JobKind.LEVELS, **wanted))


def _run(mill: Any, job: int, **more: Any) -> JobState:
    step = _dig if mill.progress(job).kind is JobKind.LEVELS else _grade
    while not (state := mill.advance(job)).ended:
        step(mill, mill.claim(job), **more)
    mill.audit(job)
    return JobState(state)


def _above(mill: Any) -> set[bytes]:
    return {row.puzzle_id for row in mill.rows(Grade) if row.status == "above"}


def _taken(mill: Any, job: int) -> list[str]:
    return list(inputs(mill.database, job, 0, 1_000))


def test_what_a_ceiling_left_is_graded_by_a_job_that_follows(mill: Any) -> None:
    job = _place(mill)
    assert _run(mill, job) is JobState.DONE
    left = _above(mill)
    assert left
    [one] = followers(mill.database, job)
    assert (one.kind, one.state, one.key, one.count) == (
        JobKind.GRADE, JobState.WAITING, f"grade of job {job}", len(left),
    )  # fmt: skip
    assert one.priority < 0
    assert one.spec.parts[Part.GRADER] == Choice(name="judge", version="1", options={"budget": 7})
    clues = {row.clues: row.id for row in mill.rows(Puzzle)}
    assert {clues[line] for line in _taken(mill, one.id)} == left
    assert mill.chunks(one.id)
    assert _run(mill, one.id) is JobState.DONE
    assert _above(mill) == set()
    assert {round(row.rating, 1) for row in mill.rows(Grade)} == {
        round(_rating(number), 1) for number in range(10)
    }
    mill.audit(job)
    # nothing follows twice
    mill.advance(job)
    mill.advance(one.id)
    assert [each.id for each in followers(mill.database, job)] == [one.id]
    assert len(mill.rows(Job)) == 2


@pytest.mark.parametrize(
    ("fields", "state", "follows"),
    [
        ({"max_attempts": 20, "count": 50}, JobState.INCOMPLETE, True),
        ({"grade_rest": False}, JobState.DONE, False),
        ({"difficulty": Difficulty(rating_from=2.0), "parts": {**PARTS, Part.GRADER: Choice(name="judge",
        version="1")},
          "grade_rest": False}, JobState.DONE, False),
    ],
)  # fmt: skip
def test_which_ends_are_followed(mill: Any, fields: dict[str, Any], state: JobState, follows: bool) -> None:
    job = _place(mill, **fields)
    assert _run(mill, job) is state
    assert bool(followers(mill.database, job)) == follows


def test_a_job_that_left_nothing_above_is_not_followed(mill: Any) -> None:
    parts = PARTS | {Part.GRADER: Choice(name="judge", version="1", options={"ceiling": 9.9})}
    job = _place(mill, 4, parts=parts, difficulty=Difficulty(rating_to=9.9))
    while not mill.advance(job).ended:
        held = mill.claim(job)
        batch = mill.batch(held.start, held.stop, lambda place: place, JobKind.LEVELS)
        _finish(mill, held, replace(batch, rows=replace(batch.rows, grades=_grades([2.0] * 4, 9.9))))
    assert len(mill.rows(Job)) == 1


def test_a_job_that_a_person_cancelled_is_not_followed(mill: Any) -> None:
    job = _place(mill, 100)
    held = mill.claim(job)
    _dig(mill, mill.claim(job))
    steering.cancel(mill.database, job)
    _dig(mill, held)
    mill.advance(job)
    assert _above(mill)
    assert followers(mill.database, job) == []


def test_a_job_that_was_given_up_is_followed_and_so_is_what_came_late(mill: Any) -> None:
    job = _place(mill, 100)
    late = mill.claim(job)
    _dig(mill, mill.claim(job))
    give_up(mill.database, job, "its line cannot be built")
    [first] = followers(mill.database, job)
    # whoever had a chunk in hand stores it, and looks after the job as always
    _dig(mill, late)
    mill.advance(job)
    second = followers(mill.database, job)[1]
    assert not {*_taken(mill, first.id)} & {*_taken(mill, second.id)}
    assert first.count + second.count == len(_above(mill))
    assert _run(mill, first.id) is _run(mill, second.id) is JobState.DONE
    assert _above(mill) == set()


def test_a_retry_is_followed_by_what_it_made(mill: Any) -> None:
    # positions 5 and 6 are above the ceiling, and fail at first
    job = _place(mill, 50, max_attempts=20)
    _run(mill, job, failing=(5, 6))
    [first] = followers(mill.database, job)
    steering.retry(mill.database, job)
    _run(mill, first.id)  # meanwhile: the job has not ended, so nothing follows yet
    assert len(followers(mill.database, job)) == 1
    _run(mill, job)
    again = followers(mill.database, job)[1]
    assert (again.key, again.count) == (f"grade of job {job} (2)", 2)
    _run(mill, again.id)
    assert _above(mill) == set()
    assert len(mill.rows(Job)) == 3


def test_very_many_levels_take_several_followers(mill: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_MOST", 4)
    job = _place(mill, 50, max_attempts=20)
    _run(mill, job)
    left = len(_above(mill))
    assert left > 8
    seen: list[str] = []
    while (one := followers(mill.database, job)[-1]).state is JobState.WAITING:
        seen += _taken(mill, one.id)
        # what cannot be graded is not tried for ever
        _run(mill, one.id, bad=lambda number: number % 10 == 7)
    assert len(seen) == len({*seen}) == left
    assert len(followers(mill.database, job)) == -(-left // 4)
    assert len(_above(mill)) == 2


def test_the_end_and_the_follower_are_one(mill: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    job = _place(mill)
    while not mill.chunks(job) or any(row.state == "waiting" for row in mill.chunks(job)):
        _dig(mill, mill.claim(job))

    def die(*_: Any) -> JobState:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(advancing, "_end", die)
        with pytest.raises(KeyboardInterrupt):
            _run(mill, job)
    assert not mill.progress(job).state.ended
    assert len(mill.rows(Job)) == 1
    assert _run(mill, job) is JobState.DONE
    assert len(followers(mill.database, job)) == 1


def test_many_who_end_a_job_place_one_follower(mill: Any) -> None:
    job = _place(mill)
    mill.advance(job)
    while any(row.state == "waiting" for row in mill.chunks(job)):
        _dig(mill, mill.claim(job))
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: mill.advance(job), range(6)))
    _run(mill, job)
    assert len(followers(mill.database, job)) == 1


def test_no_person_can_take_its_key(mill: Any) -> None:
    for key in ("grade of job 1", "grade of job 12 (3)"):
        with pytest.raises(BadOrderError, match="the job that grades what another left has it; choose another"):
            mill.placed(3, key=key)
    assert mill.placed(3, key="grade of job").existed is False
    # somebody had it before jobs had followers
    older = mill.place(3, JobKind.LEVELS)
    job = _place(mill)
    with mill.database.write() as connection:
        connection.execute(update(Job).where(Job.id == older).values(key=f"grade of job {job}"))
    _run(mill, job)
    [one] = followers(mill.database, job)
    assert one.key == f"grade of job {job} (2)"


def test_what_follows_is_no_difference_between_two_orders(mill: Any) -> None:
    job = mill.progress(_place(mill)).spec
    assert job.difference(job.model_copy(update={"grade_rest": False})) is None
    assert read_spec(1, job.model_dump(mode="json", exclude={"grade_rest"})).grade_rest is False
    assert job.source is Source.FRESH
