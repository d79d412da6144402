"""Keeping grades, finding what lacks one, and taking levels from stock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from sudokumill.contracts import GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.errors import BadOrderError, NothingToGradeError
from sudokumill.grids.batch import Grids
from sudokumill.jobs import Choice, JobKind, Part, Source
from sudokumill.rows import Batch, GradeRows, Grades, ItemError, LevelRows
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.models import Delivery, Grade, Job, JobState, Puzzle
from sudokumill.store.placing import count_inputs
from sudokumill.store.progress import progress
from sudokumill.store.reading import failed_lines
from sudokumill.store.yields import cost_of

Ratings = Callable[[int], float]
"""The rating of a final's number; below zero: what its absolute value is a lower bound of."""

GRADER = Choice(name="judge", version="1")
PARTS = {
    Part.GENERATOR: Choice(name="fake", version="1"),
    Part.DIGGER: Choice(name="fake", version="1"),
    Part.GRADER: GRADER,
}


def _grades(ratings: list[float]) -> Grades:
    rating = np.abs(np.array(ratings))
    status = np.where(np.array(ratings) < 0, GradeStatus.ABOVE, GradeStatus.GRADED).astype(np.uint8)
    unknown = np.full(len(ratings), np.nan)
    return Grades(
        status=status,
        rating=rating,
        hardest=["x-wing" if one >= 3.2 else None for one in ratings],
        techniques=[{"naked-single": 50, **({"x-wing": 2} if one >= 3.2 else {})} for one in ratings],
        steps=np.full(len(ratings), 52),
        er=rating,
        ep=np.where(rating > 2, 1.2, np.nan),
        ed=unknown,
        rating_sum=rating * 10,
        bottleneck=np.where(rating > 2, 3.0, np.nan),
    )


def _finish(mill: Any, held: Any, made: Made, version: str = "1") -> None:
    finish(mill.database, prepare(
        mill.database, held, made, versions={"grader": f"judge=={version}"},
        new=progress(mill.database, held.job).spec.new, licence="CC0-1.0",
    ))  # fmt: skip


def _level_batch(mill: Any, start: int, stop: int, numbers: Mapping[int, int], rate: Ratings, asked: Any) -> Batch:
    batch: Batch = mill.batch(start, stop, lambda position: numbers.get(position, position), JobKind.LEVELS)
    grades = _grades([rate(numbers.get(position, position)) for position in range(start, stop)])
    assert isinstance(batch.rows, LevelRows)
    rows = replace(batch.rows, grades=grades)
    if asked is not None:
        rows = replace(rows, on_target=asked.met_by(grades))
    return replace(batch, rows=rows)


def _make_levels(
    mill: Any,
    count: int,
    rate: Ratings,
    *,
    first: int = 0,
    asked: Difficulty | None = None,
    numbers: Mapping[int, int] | None = None,
    version: str = "1",
    **fields: Any,
) -> int:
    """A levels job, to its end; position p makes final ``first`` + p, or what ``numbers`` says."""
    job: int = mill.place(count, JobKind.LEVELS, parts=PARTS, difficulty=asked, **fields)
    there = numbers or {}
    while not mill.advance(job).ended:
        held = mill.claim(job)
        made = Made(reached=held.start)
        spread = {place: there.get(place, first + place) for place in range(held.start, held.stop)}
        made.add(_level_batch(mill, held.start, held.stop, spread, rate, asked), 0.001, held.stop)
        _finish(mill, held, made, version)
    return job


def _make_grades(
    mill: Any, rate: Callable[[int], float | None], *, version: str = "1", options: Any = None, **fields: Any
) -> int:
    """A grade job over what is stored, to its end; None: it is no puzzle."""
    choice = Choice(name="judge", version=version, options=options or {})
    stored = count_inputs(mill.database, Source.PUZZLES, None, None, choice)
    more = {"size": stored, "source": Source.PUZZLES, "parts": {Part.GRADER: choice}, **fields}
    return _run_grades(mill, mill.place(stored, JobKind.GRADE, **more), rate, version)


def _run_grades(mill: Any, job: int, rate: Callable[[int], float | None], version: str = "1") -> int:
    numbers = {line[9:]: number for line, number in mill.numbers.items()}
    while not mill.advance(job).ended:
        held = mill.claim(job)
        made = Made(reached=held.start)
        puzzles = mill_inputs(mill, job, held.start, held.stop)
        given = [rate(numbers["".join(map(str, puzzle[9:]))]) for puzzle in puzzles]
        keep = np.array([one is not None for one in given])
        errors = tuple(
            ItemError(held.start + row, Part.GRADER, "judge==1", "no solution")
            for row, one in enumerate(given)
            if one is None
        )
        positions = np.arange(held.start, held.stop)[keep]
        rows = GradeRows(positions, puzzles[keep], _grades([one for one in given if one is not None]))
        made.add(Batch(rows, errors), 0.001, held.stop)
        _finish(mill, held, made, version)
    return job


def mill_inputs(mill: Any, job: int, start: int, stop: int) -> Grids:
    from sudokumill.grids.batch import from_lines
    from sudokumill.store.reading import inputs

    return from_lines(inputs(mill.database, job, start, stop))


def _stored(mill: Any) -> dict[tuple[int, str], Any]:
    """Grades by the number of the final and the version."""
    numbers = {line[9:]: number for line, number in mill.numbers.items()}
    puzzles = {row.id: numbers[row.clues[9:]] for row in mill.rows(Puzzle)}
    return {(puzzles[row.puzzle_id], row.version): row for row in mill.rows(Grade)}


# --- keeping ---------------------------------------------------------------------------------------------


def test_grades_are_kept_with_their_levels(mill: Any) -> None:
    job = _make_levels(mill, 20, lambda number: 1.5 + number / 10)
    rows = _stored(mill)
    assert len(rows) == 20
    one = rows[17, "1"]
    assert (one.grader, one.status, one.rating, one.hardest) == ("judge", "graded", 3.2, "x-wing")
    assert one.techniques == {"naked-single": 50, "x-wing": 2}
    assert (one.steps, one.er, one.ep, one.ed, one.rating_sum, one.bottleneck) == (52, 3.2, 1.2, None, 32.0, 3)
    assert (one.job_id, one.position) == (job, 17)
    low = rows[0, "1"]
    assert (low.rating, low.hardest, low.ep, low.bottleneck) == (1.5, None, None, None)


def test_a_level_that_repeats_is_graded_once(mill: Any) -> None:
    job = _make_levels(mill, 12, lambda number: 2.0, numbers={4: 3, 5: 3, 9: 1})
    assert mill.progress(job).repeated == 3
    assert len(_stored(mill)) == len(mill.rows(Puzzle))


def test_a_replay_changes_nothing(mill: Any) -> None:
    job = mill.place(6, JobKind.LEVELS, parts=PARTS)
    held = mill.claim(job)
    made = Made(reached=0)
    made.add(_level_batch(mill, 0, 6, {}, lambda number: 2.0 + number, None), 0.001, 6)
    _finish(mill, held, made)
    before = _stored(mill)
    again = _make_levels(mill, 6, lambda number: 2.0 + number)
    assert mill.progress(again).already == 6
    assert _stored(mill) == before


def test_a_grade_that_came_to_an_end_takes_the_place_of_a_bound(mill: Any) -> None:
    _make_levels(mill, 4, lambda number: -3.0)
    _make_levels(mill, 4, lambda number: [-2.0, -4.0, 5.0, -3.0][number])
    rows = _stored(mill)
    assert [(one.status, one.at_least, one.rating) for one in (rows[number, "1"] for number in range(4))] == [
        ("above", 3.0, None), ("above", 4.0, None), ("graded", None, 5.0), ("above", 3.0, None),
    ]  # fmt: skip
    assert (rows[0, "1"].hardest, rows[0, "1"].techniques, rows[0, "1"].steps, rows[0, "1"].er) == (None,) * 4
    _make_levels(mill, 4, lambda number: -9.0)
    assert _stored(mill)[2, "1"].rating == 5.0


def test_another_version_stands_beside_the_first(mill: Any) -> None:
    _make_levels(mill, 3, lambda number: 2.0)
    _make_grades(mill, lambda number: 2.5, version="2")
    assert {(key, row.rating) for key, row in _stored(mill).items()} == {
        *(((number, "1"), 2.0) for number in range(3)),
        *(((number, "2"), 2.5) for number in range(3)),
    }


# --- grade jobs ------------------------------------------------------------------------------------------


def test_only_what_is_missing_is_graded(mill: Any) -> None:
    mill.run(mill.place(5, JobKind.LEVELS), lambda position: position)
    _make_levels(mill, 3, lambda number: 2.0, first=10)
    _make_levels(mill, 2, lambda number: -2.0, first=20)
    seen: list[int] = []

    def rate(number: int) -> float:
        seen.append(number)
        return 4.0

    job = _make_grades(mill, rate)
    # what stopped at a ceiling is not known
    assert sorted(seen) == [0, 1, 2, 3, 4, 20, 21]
    found = mill.progress(job)
    assert (found.state, found.delivered, found.count) == (JobState.DONE, 7, 7)
    assert [row.rating for row in delivered_rows(mill.database, found)] == [4.0] * 7
    with pytest.raises(NothingToGradeError, match="every stored puzzle has a grade by judge==1 already"):
        _make_grades(mill, rate)
    seen.clear()
    _make_grades(mill, rate, version="2")
    assert len(seen) == 10


def test_what_was_given_up_is_tried_again_with_other_options(mill: Any) -> None:
    _make_levels(mill, 3, lambda number: 2.0)
    with mill.database.write() as connection:
        connection.execute(
            update(Grade).where(Grade.position == 1).values(status="gave up", rating=None, at_least=2.0)
        )
    with pytest.raises(NothingToGradeError):
        _make_grades(mill, lambda number: 3.0)
    _make_grades(mill, lambda number: 3.0, options={"budget": 9})
    assert [(row.status, row.rating) for row in _stored(mill).values()].count(("graded", 3.0)) == 1


def test_without_a_puzzle_there_is_nothing_to_grade(mill: Any) -> None:
    with pytest.raises(BadOrderError, match="no puzzle is stored; run a levels job first, or name a --file"):
        count_inputs(mill.database, Source.PUZZLES, None, None, GRADER)


def test_the_grids_of_a_file_are_graded_and_the_bad_ones_named(mill: Any) -> None:
    puzzles = mill.finals[[0, 1, 2, 1, 3, 4]].copy()
    puzzles[:, :9] = 0
    lines = np.array([1, 2, 4, 7, 8, 9])
    job = mill.place(
        6, JobKind.GRADE, inputs=[puzzles[:4], puzzles[4:]], lines=lines, size=6, source=Source.FILE,
        parts={Part.GRADER: GRADER},
    )  # fmt: skip
    _run_grades(mill, job, lambda number: None if number == 2 else 2.0 + number)
    found = mill.progress(job)
    assert (found.state, found.delivered, found.failed) == (JobState.INCOMPLETE, 5, 1)
    assert found.reason == "1 of 6 grids have no grade (1 failed; most often judge==1: no solution)"
    rows = list(delivered_rows(mill.database, found))
    # the second grid comes twice; it has one grade, and both lines get it
    assert [(row.position, row.line, row.rating) for row in rows] == [
        (0, 1, 2.0), (1, 2, 3.0), (3, 7, 3.0), (4, 8, 5.0), (5, 9, 6.0),
    ]  # fmt: skip
    assert failed_lines(mill.database, job, 10) == [(4, "no solution")]
    assert mill.rows(Puzzle) == []
    assert len(mill.rows(Grade)) == 4


def test_a_part_of_what_is_missing(mill: Any) -> None:
    mill.run(mill.place(9, JobKind.LEVELS), lambda position: position)
    choice = Choice(name="judge", version="1")
    size = count_inputs(mill.database, Source.PUZZLES, None, 4, choice)
    job = mill.place(4, JobKind.GRADE, size=size, source=Source.PUZZLES, parts={Part.GRADER: choice}, chunk_rows=1)
    _run_grades(mill, job, lambda number: None if number in {1, 3} else 2.0)
    found = mill.progress(job)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 4, 2)
    assert [row.position for row in delivered_rows(mill.database, found)] == [0, 2, 4, 5]


# --- stock -----------------------------------------------------------------------------------------------

HARD = Difficulty(rating_from=3.0, rating_to=4.0)


def _numbers(mill: Any, job: int) -> list[int]:
    return [number for _, number in mill.delivered(job)]


def test_an_order_takes_first_what_nobody_has(mill: Any) -> None:
    # every third level is hard; those that are not are stock
    first = _make_levels(mill, 4, lambda number: 3.5 if number % 3 == 0 else 2.0, asked=HARD)
    assert _numbers(mill, first) == [0, 3, 6, 9]
    easy = Difficulty(rating_to=2.0)
    job = _make_levels(mill, 5, lambda number: 2.0, first=100, asked=easy, from_stock=True)
    assert _numbers(mill, job) == [1, 2, 4, 5, 7]
    found = mill.progress(job)
    assert (found.state, found.stock, found.already, found.tried) == (JobState.DONE, 5, 5, 5)
    # those are taken; the next order gets the rest, and what it makes itself
    more = _make_levels(mill, 5, lambda number: 2.0, first=200, asked=easy, from_stock=True)
    assert _numbers(mill, more)[:1] == [8]
    assert _numbers(mill, more)[-1] >= 200
    assert mill.progress(more).stock == len([number for number in _numbers(mill, more) if number < 100])


def test_the_surplus_of_a_job_is_stock_and_what_it_delivered_is_not(mill: Any) -> None:
    job = mill.place(3, JobKind.LEVELS, parts=PARTS, chunk_rows=10, size=10)
    held = mill.claim(job)
    made = Made(reached=held.start)
    made.add(_level_batch(mill, held.start, held.stop, {}, lambda number: 2.0, None), 0.001, held.stop)
    _finish(mill, held, made)
    surplus = held.stop - held.start - 3
    assert mill.advance(job) is JobState.DONE
    taken = _make_levels(mill, 10, lambda number: 2.0, first=50, from_stock=True)
    assert _numbers(mill, taken)[: surplus + 1] == [*range(3, 3 + surplus), 50]


def test_what_a_running_job_may_need_is_not_stock(mill: Any) -> None:
    job = mill.place(50, JobKind.LEVELS, parts=PARTS, chunk_rows=5)
    held = mill.claim(job)
    made = Made(reached=held.start)
    made.add(_level_batch(mill, held.start, held.stop, {}, lambda number: 2.0, None), 0.001, held.stop)
    _finish(mill, held, made)
    taken = _make_levels(mill, 3, lambda number: 2.0, first=100, from_stock=True)
    assert _numbers(mill, taken) == [100, 101, 102]


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        ({"clues": 72}, True),
        ({"clues_max": 71}, False),
        ({"clues_min": 73}, False),
        ({"minimal": True}, False),
        ({"symmetry": "rot180"}, False),
        ({"symmetry": "horizontal"}, True),
    ],
)
def test_stock_is_as_it_would_be_dug(mill: Any, options: dict[str, Any], fits: bool) -> None:
    # finals without their first row: 72 clues, not minimal, symmetric about the middle column
    _make_levels(mill, 2, lambda number: 2.0, asked=HARD, max_attempts=2)
    parts = PARTS | {Part.DIGGER: Choice(name="fake", version="1", options=options)}
    job = mill.place(2, JobKind.LEVELS, parts=parts, from_stock=True)
    assert mill.progress(job).stock == (2 if fits else 0)


def test_stock_is_chosen_by_technique(mill: Any) -> None:
    _make_levels(
        mill, 1, lambda number: 3.5 if number % 2 else 2.0, asked=Difficulty(rating_from=9), max_attempts=6
    )
    for asked, wanted in (
        (Difficulty(techniques=("x-wing",)), [1, 3, 5]),
        (Difficulty(without=("x-wing",)), [0, 2, 4]),
    ):
        job = mill.place(3, JobKind.LEVELS, parts=PARTS, difficulty=asked, from_stock=True)
        assert mill.advance(job) is JobState.DONE
        assert _numbers(mill, job) == wanted


def test_a_cancelled_job_gives_nothing_back(mill: Any) -> None:
    _make_levels(mill, 1, lambda number: 2.0, asked=Difficulty(rating_from=9), max_attempts=3)
    first = mill.place(3, JobKind.LEVELS, parts=PARTS, from_stock=True)
    with mill.database.write() as connection:
        connection.execute(update(Job).where(Job.id == first).values(state="cancelled"))
    second = mill.place(3, JobKind.LEVELS, parts=PARTS, from_stock=True)
    assert mill.progress(second).stock == 0
    assert {row.job_id for row in mill.rows(Delivery)} == {first}


# --- yields ----------------------------------------------------------------------------------------------


def test_a_job_that_ends_short_says_what_came_out(mill: Any) -> None:
    rate = [2.0, 2.0, 3.5, -4.1, 1.2, 2.0, 2.0, 2.0, 2.0, 2.0]
    job = _make_levels(mill, 5, rate.__getitem__, asked=HARD, max_attempts=10)
    found = mill.progress(job)
    assert found.state is JobState.INCOMPLETE
    assert found.reason == (
        "its budget of 10 attempts is used up (9 off target; came out: 1.x 1 (10 %), 2.x 7 (70 %), 3.x 1 (10 %), "
        "4.1 or more 1 (10 %))"
    )


def test_what_an_order_costs_is_known_from_jobs_like_it(mill: Any) -> None:
    asked = mill.spec(7, JobKind.LEVELS, parts=PARTS, seed=9)
    assert cost_of(mill.database, asked) is None
    job = _make_levels(mill, 40, lambda number: 2.0)
    found = mill.progress(job)
    cost = cost_of(mill.database, asked)
    assert cost is not None
    assert cost.seconds == pytest.approx(found.seconds / 40)
    assert cost.share == 1.0
    other = asked.model_copy(update={"difficulty": HARD})
    assert cost_of(mill.database, other) is None
