"""What the line makes of grades: in jobs that grade, and of what is dug."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import GradeResult, GradeStatus
from sudokumill.difficulty import Difficulty
from sudokumill.grading import Promises, verified_grade
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.jobs import JobKind, Part
from sudokumill.line import Line
from sudokumill.registry import Registry
from sudokumill.rows import Batch, GradeRows, Grades, LevelRows, joined

Lines = Callable[..., Line]

PROMISES = Promises(extras=("er", "ep", "ed", "rating_sum", "bottleneck", "blanks"))

NO_PUZZLES = from_lines(
    [
        "349618572782359...651742389273895...195476238864231957527164893918523764436987125",  # two solutions
        "051080200800070040200000008008003000400000000530408002000000160000060000720004800",  # none
        ".99..5.1.85.4....2432......1...69.83.9.....6.62.71...9......1945....4.37.4.3..6..",  # clash
        "196528437243971658875463219719256384568394721324817596452689173937145862681732945",  # complete
    ]
)


def _grades(batch: Batch) -> GradeRows:
    assert isinstance(batch.rows, GradeRows)
    return batch.rows


def _levels(batch: Batch) -> tuple[LevelRows, Grades]:
    assert isinstance(batch.rows, LevelRows)
    assert batch.rows.grades is not None
    return batch.rows, batch.rows.grades


def _judged(registry: Registry, puzzles: Grids) -> Grades:
    return verified_grade(registry.grader("judge"), puzzles, PROMISES).grades


def test_a_job_that_grades_refuses_what_is_no_puzzle_and_grades_the_rest(
    line_of: Lines, registry: Registry, minimal_puzzles: Grids
) -> None:
    puzzles = np.concatenate([minimal_puzzles[:3], NO_PUZZLES, minimal_puzzles[3:5]])
    batch = line_of(JobKind.GRADE, grader="judge").run(10, 19, puzzles)
    rows = _grades(batch)
    assert rows.positions.tolist() == [10, 11, 12, 17, 18]
    assert (rows.puzzles == minimal_puzzles[:5]).all()
    assert rows.grades.rating.tolist() == _judged(registry, minimal_puzzles[:5]).rating.tolist()
    assert {error.position: error.reason.partition(":")[0] for error in batch.errors} == {
        13: "not unique",
        14: "no solution",
        15: "clash",
        16: "already complete",
    }
    assert {error.part for error in batch.errors} == {Part.GRADER}
    assert batch.errors[0].owner.startswith("judge==1 of plugin judge")


def test_levels_are_graded_where_there_is_a_grader(line_of: Lines, registry: Registry) -> None:
    without = line_of(JobKind.LEVELS, generator="native", digger="native").run(0, 40)
    rows, grades = _levels(line_of(JobKind.LEVELS, generator="native", digger="native", grader="judge").run(0, 40))
    assert isinstance(without.rows, LevelRows)
    assert without.rows.grades is None
    assert (rows.puzzles == without.rows.puzzles).all()
    assert rows.on_target.all()
    assert grades.rating.tolist() == _judged(registry, rows.puzzles).rating.tolist()
    assert grades.hardest == _judged(registry, rows.puzzles).hardest
    assert line_of(JobKind.LEVELS, grader="judge").versions["grader"] == "judge==1"


def test_what_misses_the_difficulty_is_kept_under_what_it_is(line_of: Lines, registry: Registry) -> None:
    asked = Difficulty(rating_from=3.0, rating_to=8.0, techniques=("x-wing",), without=("nishio",))
    line = line_of(JobKind.LEVELS, generator="native", digger="native", grader="judge", difficulty=asked)
    rows, grades = _levels(line.run(0, 200))
    assert len(rows.positions) == 200
    rating = _judged(registry, rows.puzzles).rating
    assert grades.rating.tolist() == rating.tolist()
    # the judge finds an X-wing from 3.2 on, and needs nishio from 7.5 on
    assert rows.on_target.tolist() == ((rating >= 3.2) & (rating < 7.5)).tolist()
    assert 0 < rows.on_target.sum() < 200


def test_with_a_ceiling_what_is_on_target_stays(line_of: Lines, registry: Registry) -> None:
    asked = Difficulty(rating_from=3.0, rating_to=5.0)
    names = {"generator": "native", "digger": "native", "grader": "judge"}
    whole, _ = _levels(line_of(JobKind.LEVELS, difficulty=asked, **names).run(0, 100))
    line = line_of(JobKind.LEVELS, difficulty=asked, options={"grader": {"ceiling": 5.0}}, **names)
    rows, grades = _levels(line.run(0, 100))
    assert rows.on_target.tolist() == whole.on_target.tolist()
    rating = _judged(registry, rows.puzzles).rating
    assert (grades.status == GradeStatus.ABOVE).tolist() == (rating > 5.0).tolist()
    assert grades.rating.tolist() == np.where(rating > 5.0, 5.1, rating).tolist()


def test_a_bound_that_lies_in_the_range_is_not_on_target(line_of: Lines) -> None:
    asked = Difficulty(rating_from=8.0)
    line = line_of(
        JobKind.LEVELS, generator="native", digger="native", grader="judge", difficulty=asked,
        options={"grader": {"give_up": True}},
    )  # fmt: skip
    rows, grades = _levels(line.run(0, 200))
    gave_up = grades.status == GradeStatus.GAVE_UP
    assert gave_up.any()
    assert not rows.on_target[gave_up].any()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raise", "raised ZeroDivisionError: the grader failed (judge.py:"),
        ("nan", "it gives no rating"),
        ("dream", "it names no hardest technique that it used"),
        ("status", "it gives a rating to what has none"),
        ("list", "wrong type: hardest is no list of 1"),
        ("count", "techniques has a count that is no number above 0"),
        ("code", "hardest is 'X Wing', which is no code of a technique"),
        ("extra", "wrong dtype: extra 'er' is float32, not float64"),
        ("extras", "its extras are er, and it declares er, ep, ed, rating_sum, bottleneck, blanks"),
        ("figure", "extra 'ep' has figures that are no numbers up to a million"),
        ("off", "its ed 0.5 is off its scale, 1 to 9.9"),
        ("half", "its bottleneck is no whole number from 0"),
        ("scale", "its rating 10.5 is off its scale, 1 to 9.9"),
        ("easy", "it rates 2 with x-wing, which it declares to be rated 3.2 or more"),
        ("above", "it says ABOVE, and no ceiling was asked for"),
        ("below", "its number of steps is none"),
        ("still", "its number of steps is none"),
        ("silent", "it names techniques or steps of what has no grade"),
        ("strange", "it uses technique swordfish, which it does not declare"),
        ("fraction", "techniques has a count that is no number above 0, '1.5'"),
        ("not a number", "techniques has a count that is no number above 0, 'nan'"),
        ("short", "wrong shape: rating has 0 rows for 1"),
        ("float", "wrong dtype: steps is float64, not int64"),
    ],
)
def test_each_fault_of_a_grader_costs_its_rows_alone(
    line_of: Lines, registry: Registry, fault: str, reason: str
) -> None:
    names = {"generator": "native", "digger": "native"}
    sound, _ = _levels(line_of(JobKind.LEVELS, grader="judge", **names).run(0, 120))
    rating = _judged(registry, sound.puzzles).rating
    bad = (rating >= 5.0) & (rating < 5.5)
    assert bad.any()
    line = line_of(JobKind.LEVELS, grader="judge", options={"grader": {"fault": fault}}, **names)
    batch = line.run(0, 120)
    rows, grades = _levels(batch)
    assert rows.positions.tolist() == sound.positions[~bad].tolist()
    assert grades.rating.tolist() == rating[~bad].tolist()
    assert {error.position for error in batch.errors} == set(sound.positions[bad].tolist())
    assert all(reason in error.reason for error in batch.errors), batch.errors[0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rating": np.array([4.0])}, "it says ABOVE with the lower bound 4, and the ceiling is 5"),
        ({"extras": {"er": np.array([0.5])}}, "its er 0.5 is off its scale, 1 to 9.9"),
        ({"hardest": ["swordfish"]}, "it uses technique swordfish, which it does not declare"),
        ({"status": np.array([9], dtype=np.uint8)}, "unknown status 9"),
        ({"hardest": (None,)}, "wrong type: hardest is no list of 1"),
        ({"techniques": [{"x-wing": -1}]}, "techniques has a count that is no number above 0, '-1'"),
        ({"techniques": [{"x-wing": True}]}, "techniques has a count that is no number above 0, 'True'"),
        ({"techniques": [{None: 1}]}, "techniques has 'None', which is no code of a technique"),
        ({"techniques": [["x-wing"]]}, "wrong type: techniques has a list, not a mapping"),
        ({"extras": [1.0]}, "wrong type: extras is no mapping of names"),
        ({"rating": [5.1]}, "wrong type: rating is a list, not an array"),
    ],
)
def test_a_lower_bound_is_held_to_the_ceiling_and_to_what_is_declared(
    minimal_puzzles: Grids, changes: dict[str, Any], reason: str
) -> None:
    used: dict[str, Any] = {"x-wing": np.int64(1)}
    bound = GradeResult(
        np.array([5.1]), ["x-wing"], [used], np.array([3]),
        np.array([GradeStatus.ABOVE], dtype=np.uint8), {"er": np.array([5.1])},
    )  # fmt: skip
    promises = Promises({"x-wing": 3.2}, (1.0, 9.9), ("er",), 5.0)

    class Bounds:
        def __init__(self, result: GradeResult) -> None:
            self.result = result

        def grade(self, puzzles: Grids) -> GradeResult:
            return self.result

    good = verified_grade(Bounds(bound), minimal_puzzles[:1], promises)
    assert (good.failed, good.grades.rating.tolist()) == ((), [5.1])
    beyond = verified_grade(Bounds(replace(bound, rating=np.array([10.0]))), minimal_puzzles[:1], promises)
    assert beyond.failed == ()
    bad = verified_grade(Bounds(replace(bound, **changes)), minimal_puzzles[:1], promises)
    assert bad.failed == ((0, reason),)
    assert (bad.grades.status[0], bad.grades.hardest, bad.grades.techniques) == (
        GradeStatus.NO_SOLUTION, [None], [{}],
    )  # fmt: skip


def test_where_nothing_is_sound_nothing_is_graded(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, generator="lab raise/1", grader="judge").run(0, 3)
    rows, grades = _levels(batch)
    assert len(rows.positions) == len(grades.rating) == 0
    assert len(batch.errors) == 3


def test_grades_of_batches_are_joined(line_of: Lines) -> None:
    line = line_of(JobKind.LEVELS, generator="native", digger="native", grader="judge")
    whole, grades = _levels(line.run(0, 30))
    parts = joined([line.run(0, 10).rows, line.run(10, 30).rows])
    assert isinstance(parts, LevelRows)
    assert parts.grades is not None
    assert parts.grades.rating.tolist() == grades.rating.tolist()
    assert parts.grades.techniques == grades.techniques
    assert (parts.puzzles == whole.puzzles).all()


def test_ratings_are_decimal_numbers(registry: Registry, minimal_puzzles: Grids) -> None:
    class Sums:
        def grade(self, puzzles: Grids) -> object:
            given = registry.grader("judge").grade(puzzles)
            given.rating[:] = 6.6 + 0.1
            return given

    graded = verified_grade(Sums(), minimal_puzzles[:2], PROMISES)  # type: ignore[arg-type]
    assert 6.6 + 0.1 != 6.7
    assert graded.grades.rating.tolist() == [6.7, 6.7]
