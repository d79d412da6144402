"""What ways to dig have come to, by what was run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from sqlalchemy import delete, update

from sudokumill.contracts import GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.jobs import Choice, JobKind, Part
from sudokumill.rows import Batch, Grades, LevelRows
from sudokumill.store.bands import BandRange, set_bands
from sudokumill.store.keeping import Made, finish
from sudokumill.store.models import Band, Grade
from sudokumill.store.yields import Cost, cost_by_grades, cost_of, yields

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
        finish(mill.database, held, made, versions=made_by, new=False, licence="CC0-1.0")
    return job


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
    with banded.database.write() as connection:
        connection.execute(update(Grade).where(Grade.status == "above").values(status="graded", rating=4.0))
    found = yields(banded.database, "judge")
    assert [(one.band, one.levels) for one in found if "ceiling" in one.way.grader] == [
        ("low", 4), ("mid", 16), ("high", 0),
    ]  # fmt: skip


def test_what_was_given_up_hides_no_band(banded: Any) -> None:
    _dig(banded, given_up=9.0)
    # two of ten are 9.0 or more, and so surely in the last band
    assert _shown(banded)[2] == ("judge==1", "high", 10, 20)


def test_levels_that_nobody_graded_are_left_out_with_their_tries(banded: Any) -> None:
    job = _dig(banded, count=40)
    _dig(banded, first=100, parts=_parts(), seed=5)
    with banded.database.write() as connection:
        connection.execute(delete(Grade).where(Grade.job_id == job, Grade.position >= 20))
    assert _shown(banded) == [("judge==1", "low", 4, 20), ("judge==1", "mid", 6, 20), ("judge==1", "high", 10, 20)]


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
