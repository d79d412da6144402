"""What an order may ask of a grade, and which orders are refused."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from sudokumill.difficulty import Difficulty, parse_range
from sudokumill.errors import BadOrderError, UsageError
from sudokumill.jobs import JobKind, JobSpec, Part, Source

Ordered = Callable[..., JobSpec]

JUDGE = {Part.GRADER: "judge"}


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("4.2..5.0", (4.2, 5.0)),
        ("4.2..", (4.2, inf)),
        ("..5", (0.0, 5.0)),
        ("4.2", (4.2, 4.2)),
        (" 1..1 ", (1.0, 1.0)),
    ],
)
def test_ranges(text: str, ends: tuple[float, float]) -> None:
    assert parse_range(text) == ends


@pytest.mark.parametrize(
    "text", ["", "..", "4.2-5.0", "4.2...5", "x..5", "-1..5", "4,2..5", "4.2..5.0..6", "nan..5"]
)
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(BadOrderError, match=r"is no range of ratings; write FROM\.\.TO, for example 4\.2\.\.5\.0"):
        parse_range(text)


def test_from_above_to() -> None:
    with pytest.raises(BadOrderError, match=r"5\.\.4\.2: from 5\.0 is above to 4\.2"):
        parse_range("5..4.2")


def test_the_ceiling_follows_from_what_is_asked(ordered: Ordered) -> None:
    asked = Difficulty(rating_from=4.2, rating_to=5.0)
    spec = ordered(names=JUDGE, difficulty=asked)
    assert spec.parts[Part.GRADER].options == {"ceiling": 5.0}
    assert spec.difficulty == asked


def order_options(spec: JobSpec) -> dict[str, Any]:
    return dict(spec.parts[Part.GRADER].options)


def test_who_wants_every_grade_says_so(ordered: Ordered) -> None:
    asked = Difficulty(rating_from=4.2, rating_to=5.0)
    spec = ordered(JobKind.LEVELS, "grader.ceiling=none", names=JUDGE, difficulty=asked)
    assert order_options(spec) == {"ceiling": None}


def test_a_ceiling_below_what_is_asked_for_is_refused(ordered: Ordered) -> None:
    asked = Difficulty(rating_from=4.5, rating_to=5.0)
    with pytest.raises(BadOrderError, match=r"option grader\.ceiling=2 ends each grading below that"):
        ordered(JobKind.LEVELS, "grader.ceiling=2", names=JUDGE, difficulty=asked)


def test_without_an_upper_end_there_is_no_ceiling(ordered: Ordered) -> None:
    for asked in (Difficulty(rating_from=4.2), Difficulty(techniques=("x-wing",))):
        assert order_options(ordered(names=JUDGE, difficulty=asked)) == {}


def test_a_grader_stands_in_the_line_only_when_asked(ordered: Ordered) -> None:
    assert Part.GRADER not in ordered(names=JUDGE).parts
    assert Part.GRADER in ordered(names=JUDGE, graded=True).parts
    assert ordered(names=JUDGE, graded=True).difficulty is None
    assert Part.GRADER not in ordered(JobKind.GENERATE, names=JUDGE, graded=True).parts


def test_a_grade_job_has_a_grader_alone(ordered: Ordered) -> None:
    spec = ordered(JobKind.GRADE, names=JUDGE, source=Source.PUZZLES, count=None, inputs=7)
    assert set(spec.parts) == {Part.GRADER}
    assert spec.count == spec.size == 7


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (Difficulty(rating_from=10.5), "rating 10.5 or more: the ratings of grader judge go from 1 to 9.9"),
        (
            Difficulty(rating_from=9, rating_to=12),
            "rating 9.0..12.0: the ratings of grader judge go from 1 to 9.9; leave",
        ),
        (Difficulty(rating_to=0.9), "rating 0.9 or less: the ratings of grader judge go from 1 to 9.9"),
        (
            Difficulty(rating_from=0.5, rating_to=2),
            "rating 0.5..2.0: the ratings of grader judge go from 1 to 9.9",
        ),
        (
            Difficulty(techniques=("x-wingg",)),
            "grader judge knows no technique 'x-wingg'; did you mean x-wing? (sud",
        ),
        (
            Difficulty(without=("bug-1",)),
            "grader judge knows no technique 'bug-1'; sudokumill plugins show grader judge lists all",
        ),
        (Difficulty(techniques=("x-wing",), without=("x-wing",)), "x-wing is asked for and excluded"),
        (
            Difficulty(techniques=("x-wing",), rating_to=3.1),
            "x-wing is rated 3.2 or more by grader judge, and the",
        ),
        (
            Difficulty(without=("naked-single",), rating_to=3.1),
            "without naked-single no puzzle is rated 3.1 or less",
        ),
    ],
)
def test_what_no_puzzle_can_be_is_refused(ordered: Ordered, asked: Difficulty, reason: str) -> None:
    with pytest.raises(BadOrderError) as caught:
        ordered(names=JUDGE, difficulty=asked)
    assert str(caught.value).startswith(reason) or reason in str(caught.value)


@pytest.mark.parametrize(
    ("options", "asked", "refused"),
    [
        (("clues_min=61",), Difficulty(rating_from=3.2), True),
        (("clues=60",), Difficulty(rating_from=3.2), False),
        (("clues_min=61",), Difficulty(rating_from=3.0), False),
        (("clues_min=61",), Difficulty(techniques=("x-wing",)), True),
        (("clues_min=51", "clues_max=55"), Difficulty(rating_from=8.0), True),
        (("clues_max=55",), Difficulty(rating_from=8.0), False),
    ],
)
def test_what_the_clue_range_excludes_is_refused(
    ordered: Ordered, options: tuple[str, ...], asked: Difficulty, refused: bool
) -> None:
    if refused:
        with pytest.raises(
            BadOrderError, match=r"no puzzle with more than (50|60) clues is known that grader judge"
        ):
            ordered(JobKind.LEVELS, *options, names=JUDGE, difficulty=asked)
    else:
        assert ordered(JobKind.LEVELS, *options, names=JUDGE, difficulty=asked).difficulty == asked


def test_stock_is_chosen_by_what_is_stored(ordered: Ordered) -> None:
    assert ordered(JobKind.LEVELS, "clues_max=30", "symmetry=rot180", from_stock=True).from_stock
    with pytest.raises(
        UsageError, match="--from-stock cannot tell which stored levels meet level; it knows clues"
    ):
        ordered(JobKind.LEVELS, "level=5", names={Part.DIGGER: "holes"}, from_stock=True)
    with pytest.raises(UsageError, match="--from-stock delivers what is stored, and --new does not"):
        ordered(from_stock=True, new=True)


def test_a_difficulty_reads_well() -> None:
    asked = Difficulty(rating_from=2.9, rating_to=4.4, band="hard", techniques=("x-wing",), without=("nishio",))
    assert str(asked) == "band hard, rating 2.9..4.4, with x-wing, without nishio"
    assert str(Difficulty(rating_from=4.2)) == "rating 4.2 or more"
    assert str(Difficulty(rating_to=1.2)) == "rating 1.2 or less"
    assert str(Difficulty(rating_from=4.2, rating_to=4.2)) == "rating 4.2"
    assert str(Difficulty(rating_from=6.3, rating_to=7.0)) == "rating 6.3..7.0"
    assert not Difficulty().asks


def test_an_order_that_is_stored_is_read_again(ordered: Ordered) -> None:
    spec = ordered(names=JUDGE, difficulty=Difficulty(rating_from=4.2, techniques=("x-wing",)))
    assert JobSpec.model_validate(spec.model_dump(mode="json")) == spec
    before = spec.model_dump(mode="json", exclude={"difficulty", "from_stock"})
    assert JobSpec.model_validate(before).difficulty is None
