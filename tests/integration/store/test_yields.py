"""What ways to dig have come to, by what was run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from sqlalchemy import delete, update

from sudokumill.contracts import GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.grids.batch import from_lines, to_lines
from sudokumill.jobs import Choice, JobKind, Part, Source
from sudokumill.rows import Batch, GradeRows, Grades, LevelRows
from sudokumill.store import clearing
from sudokumill.store.audit import audit
from sudokumill.store.bands import BandRange, set_bands
from sudokumill.store.clearing import Meant
from sudokumill.store.followers import followers
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.leases import Hold
from sudokumill.store.models import Band, Chunk, Job
from sudokumill.store.outcomes import Outcome
from sudokumill.store.placing import count_inputs
from sudokumill.store.reading import inputs
from sudokumill.store.yields import Cost, cost_by_grades, cost_of, yield_of, yields

BANDS = (BandRange(1, 2.9, "low"), BandRange(3, 5.9, "mid"), BandRange(6, inf, "high"))
SECONDS = 0.5
"""Of each chunk of ten."""

Ratings = Callable[[int], float]


def _tenths(number: int) -> float:
    """Of ten numbers two are low, three mid and five high."""
    return 1.0 + number % 10


def _parts(**grader: Any) -> dict[Part, Choice]:
    return {
        Part.GENERATOR: Choice(name="fake", version="1"),
        Part.DIGGER: Choice(name="fake", version="1", options={"clues": 26}),
        **({Part.GRADER: Choice(name="judge", version="1", **grader)} if grader else {}),
    }


def _grades(ratings: list[float], ceiling: float, given_up: float) -> Grades:
    rating = np.array(ratings)
    status = np.where(rating > ceiling, GradeStatus.ABOVE, GradeStatus.GRADED)
    status = np.where(rating >= given_up, GradeStatus.GAVE_UP, status).astype(np.uint8)
    rating = np.where(status == GradeStatus.ABOVE, ceiling + 0.1, rating)
    unknown = np.full(len(ratings), np.nan)
    return Grades(
        status=status, rating=rating, hardest=[None] * len(ratings), techniques=[{}] * len(ratings),
        steps=np.full(len(ratings), 52), er=rating, ep=unknown, ed=unknown, rating_sum=rating, bottleneck=unknown,
    )  # fmt: skip


def _dig(
    mill: Any, count: int = 20, first: int = 0, *, barren: int = 0, given_up: float = inf,
    versions: dict[str, str] | None = None, **fields: Any,
) -> int:  # fmt: skip
    """A job of chunks of ten, of which the last ``barren`` left no puzzle; position p is final ``first`` + p."""
    wanted = {"parts": _parts(options={}), "chunk_rows": 10, "max_attempts": count, **fields}
    job = int(mill.place(10_000, JobKind.LEVELS, **wanted))
    grader = wanted["parts"].get(Part.GRADER)
    while not mill.advance(job).ended:
        held = mill.claim(job)
        whole = mill.batch(held.start, held.stop - barren, lambda place: first + place, JobKind.LEVELS)
        rows = whole.rows
        assert isinstance(rows, LevelRows)
        if grader is not None:
            ratings = [_tenths(first + place) for place in rows.positions.tolist()]
            ceiling = float(grader.options.get("ceiling", inf))
            rows = replace(rows, grades=_grades(ratings, ceiling, given_up))
        made = Made(reached=held.start)
        made.add(Batch(rows, barren=barren), SECONDS, held.stop)
        made_by = {"digger": "fake==1", **({} if grader is None else {"grader": "judge==1"}), **(versions or {})}
        finish(
            mill.database,
            prepare(mill.database, held, made, versions=made_by, new=bool(fields.get("new")), licence="CC0-1.0"),
        )
    return job


def _dig_on(mill: Any, job: int, first: int = 0, asked: Difficulty | None = None) -> None:
    """Digs until the job ends; with ``asked``, only such levels are on target."""
    while not mill.advance(job).ended:
        held = mill.claim(job)
        batch = mill.batch(held.start, held.stop, lambda place: first + place, JobKind.LEVELS)
        grades = _grades([_tenths(first + place) for place in range(held.start, held.stop)], inf, inf)
        on_target = batch.rows.on_target if asked is None else asked.met_by(grades)
        made = Made(reached=held.start)
        made.add(Batch(replace(batch.rows, grades=grades, on_target=on_target)), SECONDS, held.stop)
        finish(
            mill.database,
            prepare(mill.database, held, made, versions={"grader": "judge==1"}, new=False, licence="CC0-1.0"),
        )


def _grade(mill: Any, most: int = 1_000, version: str = "1", rating: Ratings = _tenths) -> int:
    """A job that grades what has no grade, the oldest first."""
    judge = Choice(name="judge", version=version)
    count = min(count_inputs(mill.database, Source.PUZZLES, None, None, judge), most)
    fields: dict[str, Any] = {"parts": {Part.GRADER: judge}, "size": count, "source": Source.PUZZLES}
    job = int(mill.place(count, JobKind.GRADE, chunk_rows=7, **fields))
    _run_grades(mill, job, rating, version)
    return job


def _run_grades(mill: Any, job: int, rating: Ratings, version: str) -> None:
    while not mill.advance(job).ended:
        held = mill.claim(job)
        _finish_grades(mill, held, held.start, held.stop, rating, version)
    mill.audit(job)


def _finish_grades(mill: Any, held: Any, start: int, stop: int, rating: Ratings, version: str) -> None:
    puzzles = from_lines(inputs(mill.database, held.job, start, stop))
    numbers = {line[9:]: number for line, number in mill.numbers.items()}
    ratings = [rating(numbers[line[9:]]) for line in to_lines(puzzles)]
    made = Made(reached=start)
    made.add(Batch(GradeRows(np.arange(start, stop), puzzles, _grades(ratings, inf, inf))), 0.001, stop)
    versions = {"grader": f"judge=={version}"}
    finish(
        mill.database,
        prepare(mill.database, held, made, versions=versions, new=False, licence="CC0-1.0", rest=Hold.PAUSE),
    )


def _shown(mill: Any) -> list[tuple[str, str, int, int]]:
    return [(one.way.grader, one.band, one.levels, one.tried) for one in yields(mill.database, "judge")]


@pytest.fixture
def banded(mill: Any) -> Iterator[Any]:
    set_bands(mill.database, "judge", BANDS)
    yield mill
    with mill.database.write() as connection:
        connection.execute(delete(Band).where(Band.grader == "judge"))


def test_share_and_cost(banded: Any) -> None:
    _dig(banded)
    low, mid, high = yields(banded.database, "judge")
    assert (low.way.digger, low.way.options, low.way.grader) == ("fake==1", "clues=26", "judge==1")
    assert low.way.others == "generator fake==1"
    assert [(one.band, one.levels, one.tried) for one in (low, mid, high)] == [
        ("low", 4, 20), ("mid", 6, 20), ("high", 10, 20),
    ]  # fmt: skip
    assert low.share == 0.2
    assert low.cost == pytest.approx(2 * SECONDS / 4)


def test_what_left_no_puzzle_was_tried(banded: Any) -> None:
    _dig(banded, barren=8)
    assert _shown(banded) == [("judge==1", "low", 4, 20), ("judge==1", "mid", 0, 20), ("judge==1", "high", 0, 20)]
    _dig(banded, first=100, barren=10, parts=_parts())
    assert ("", "high", 0, 20) in _shown(banded)


def test_graders_and_ceilings_are_ways_of_their_own(banded: Any) -> None:
    _dig(banded)
    _dig(banded, first=100, parts=_parts(options={"ceiling": 2.9}))
    _dig(banded, first=200, versions={"grader": "judge==2"}, seed=9)
    _dig(banded, first=300, seed=10)
    _dig(banded, first=400, seed=11, versions={"digger": "fake==3"})
    found = yields(banded.database, "judge")
    assert [(one.way.digger, one.way.grader, one.tried) for one in found if one.band == "low"] == [
        ("fake==1", "judge==1", 40), ("fake==1", "judge==1 ceiling=2.9", 20), ("fake==1", "judge==2", 20),
        ("fake==3", "judge==1", 20),
    ]  # fmt: skip
    # above a ceiling nothing is known, until it is graded
    assert [one.band for one in found if "ceiling" in one.way.grader] == ["low"]
    _grade(banded)
    found = yields(banded.database, "judge")
    assert [(one.band, one.levels) for one in found if "ceiling" in one.way.grader] == [
        ("low", 4), ("mid", 6), ("high", 10),
    ]  # fmt: skip


def test_what_was_given_up_hides_no_band(banded: Any) -> None:
    _dig(banded, given_up=9.0)
    # two of ten are 9.0 or more, and so surely in the last band
    assert _shown(banded)[2] == ("judge==1", "high", 10, 20)


def test_levels_that_nobody_graded_are_left_out_with_their_tries(banded: Any) -> None:
    _dig(banded, count=40, parts=_parts())
    _dig(banded, first=100, parts=_parts(), seed=5)
    assert _shown(banded) == []
    _grade(banded, 20)
    wanted = [("", "low", 4, 20), ("", "mid", 6, 20), ("", "high", 10, 20)]
    assert _shown(banded) == wanted
    # another version says nothing more of the same levels, and a job that has its own grades keeps to its version
    _dig(banded, first=200, seed=6)
    _grade(banded, 80, version="2", rating=lambda _: 2.0)
    assert _shown(banded) == [
        ("", "low", 60, 60), ("", "mid", 0, 60), ("", "high", 0, 60),
        ("judge==1", "low", 4, 20), ("judge==1", "mid", 6, 20), ("judge==1", "high", 10, 20),
    ]  # fmt: skip


def test_a_follower_says_what_lies_above_a_ceiling(banded: Any) -> None:
    asked = Difficulty(rating_from=1.5, rating_to=2.9)
    job = _dig(banded, parts=_parts(options={"ceiling": 2.9}), difficulty=asked, grade_rest=True)
    assert yield_of(banded.database, banded.progress(job)) == [("low", 4), ("3.0 or more", 16)]
    [follower] = followers(banded.database, job)
    held = banded.claim(follower.id)
    # it has done 8 of 16
    _finish_grades(banded, held, held.start, held.start + 8, _tenths, "1")
    assert yield_of(banded.database, banded.progress(job)) == [
        ("low", 4), ("mid", 3), ("3.0 or more", 8), ("high", 5),
    ]  # fmt: skip
    assert [band for _, band, _, _ in _shown(banded)] == ["low"]
    _run_grades(banded, follower.id, _tenths, "1")
    wanted = [("low", 4), ("mid", 6), ("high", 10)]
    assert yield_of(banded.database, banded.progress(job)) == wanted
    assert [(band, levels) for _, band, levels, _ in _shown(banded)] == wanted
    for each in (job, follower.id):
        banded.audit(each)


def test_what_came_out_is_the_same_after_its_levels_are_dropped(banded: Any) -> None:
    asked = Difficulty(rating_from=6)
    fields: dict[str, Any] = {"parts": _parts(options={}), "difficulty": asked}
    job = _dig(banded, count=60, **fields)
    _dig(banded, count=40, first=100, seed=5, parts=_parts())
    _grade(banded)
    spec = banded.spec(7, JobKind.LEVELS, **fields)

    def figures() -> list[object]:
        database = banded.database
        said = [yield_of(database, banded.progress(job)), yields(database, "judge"), cost_of(database, spec)]
        return [*said, cost_by_grades(database, spec)]

    before = figures()
    assert before[2] is not None
    assert before[3] is not None
    for meant in (Meant("judge", band="low"), Meant("judge")):
        with banded.database.write() as connection:
            # those on target may go, too, once they are surplus
            connection.execute(update(Job).where(Job.id == job).values(last_position=9))
        assert clearing.drop(banded.database, meant).levels
        assert figures() == before


def test_surplus_and_off_target_keep_their_meaning_when_levels_are_dropped(banded: Any) -> None:
    asked = Difficulty(rating_from=6)
    job = int(banded.place(2, JobKind.LEVELS, parts=_parts(options={}), difficulty=asked, chunk_rows=10))
    _dig_on(banded, job, asked=asked)
    before = banded.progress(job)
    assert (before.state.value, before.missed, before.surplus, before.dropped) == ("done", 7, 3, 0)
    assert clearing.drop(banded.database, Meant("judge")).levels == 10
    after = banded.progress(job)
    assert (after.missed, after.surplus, after.hits, after.delivered) == (7, 3, 5, 2)
    assert (after.dropped, after.dropped_hits) == (7, 3)
    account = banded.audit(job)
    assert account.positions == {"delivered": 2, "surplus": 3, "off target": 7}


def test_what_was_stored_before_came_out_all_the_same(banded: Any) -> None:
    easy = _dig(banded, parts=_parts(options={"ceiling": 2.9}))
    hard = _dig(banded, parts=_parts(options={}))
    again = _dig(banded, parts=_parts(options={}), new=True, seed=3)
    wanted = [("low", 4), ("mid", 6), ("high", 10)]
    for job in (hard, again):
        assert yield_of(banded.database, banded.progress(job)) == wanted
    assert yield_of(banded.database, banded.progress(easy)) == [("low", 4), ("3.0 or more", 16)]
    assert ("judge==1", "high", 20, 40) in _shown(banded)
    # whether hits count for an order says nothing of what one costs
    cost = cost_of(banded.database, banded.spec(7, JobKind.LEVELS, parts=_parts(options={})))
    assert cost is not None
    assert cost.share == 1.0


def test_the_audit_sees_a_chunk_that_keeps_something_else(banded: Any) -> None:
    job = _dig(banded, barren=2)
    banded.audit(job)
    with banded.database.write() as connection:
        connection.execute(update(Chunk).values(outcome={str(job): {"graded": {"2.3": 9}}}))
    account = audit(banded.database, job, 60)
    assert account.broken == (
        "what came out of a chunk does not add up to its rows: chunk 1 has 10, and keeps what 9 came to, "
        "chunk 2 has 10, and keeps what 9 came to",
    )


def test_chunks_of_older_versions_are_left_out(banded: Any) -> None:
    job = _dig(banded, count=30)
    with banded.database.write() as connection:
        connection.execute(update(Chunk).where(Chunk.start == 10).values(outcome=None))
    assert _shown(banded)[0] == ("judge==1", "low", 4, 20)
    assert yield_of(banded.database, banded.progress(job)) == [("low", 4), ("mid", 6), ("high", 10)]


def test_many_different_ratings_are_kept_with_fewer_decimals() -> None:
    ratings = 2 + np.arange(20_000) / 10_000
    found = Outcome.of_grades(_grades(ratings.tolist(), inf, inf)).graded
    assert found.total() == 20_000
    assert len(found) == 200
    assert found[2.3] == 100
    assert Outcome.read(json.loads(json.dumps(Outcome(found).written()))).graded == found


def test_the_same_positions_are_tried_once(banded: Any) -> None:
    _dig(banded)
    _dig(banded, count=30)
    assert _shown(banded)[0] == ("judge==1", "low", 6, 30)
    # of stored finals each job has others
    _dig(banded, first=100, seed=2)
    assert _shown(banded)[0] == ("judge==1", "low", 10, 50)


def test_what_an_order_costs_by_jobs_that_dug_the_same_way(banded: Any) -> None:
    asked = Difficulty(rating_from=6)
    spec = banded.spec(7, JobKind.LEVELS, parts=_parts(options={}), difficulty=asked)
    assert cost_by_grades(banded.database, spec) is None
    _dig(banded, count=60)
    # as many as that are needed to know it
    assert cost_by_grades(banded.database, spec) == Cost(6 * SECONDS / 30, 0.5)
    assert cost_of(banded.database, spec) is None
    for other in (
        {"difficulty": Difficulty(rating_from=6, techniques=("x-wing",))},
        {"difficulty": Difficulty(rating_to=1.0)},
        {"aim": {"clues_max": 30}},
        {"difficulty": None},
    ):
        assert cost_by_grades(banded.database, spec.model_copy(update=other)) is None
