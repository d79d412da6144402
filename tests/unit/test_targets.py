from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sudokumill.grids.batch import CELLS
from sudokumill.grids.symmetries import Symmetry, orbits, possible_clue_counts
from sudokumill.targets import FEWEST_CLUES, CellTarget, ClueRange, ClueTarget

counts = st.one_of(st.none(), st.integers(10, 90))


class NarrowTarget(ClueTarget):
    """As a digger would have it: its own range where the options name none."""

    def default_range(self) -> tuple[int, int]:
        return 22, 30


def refusal(**options: object) -> str:
    with pytest.raises(ValidationError) as caught:
        ClueTarget.model_validate(options)
    return str(caught.value)


def refusal_of_cells(options: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        CellTarget.model_validate(options)
    return str(caught.value)


@pytest.mark.cases("generate", ids=["C028", "C029", "C030", "C032"])
def test_what_arithmetic_excludes_is_refused_before_any_search(case: dict[str, Any]) -> None:
    options = {name: value for name, value in case["input"].items() if name not in ("count", "seed")}
    said = refusal(**options)
    for word in case["expect"]["error_mentions"]:
        assert word in said
    wording = {
        "C028": "no classic puzzle has fewer than 17 clues",
        "C029": "a grid has 81 cells",
        "C030": "the smallest clue count, 30, is above the largest, 24",
        "C032": "the count is 0 or 1 modulo 4",
    }
    assert wording[case["id"]] in said


@pytest.mark.cases("generate", ids=["C033", "C034", "C035", "C036"])
def test_cells_that_allow_no_puzzle_are_refused_before_any_search(case: dict[str, Any]) -> None:
    options = {name: value for name, value in case["input"].items() if name not in ("count", "seed")}
    said = refusal_of_cells(options)
    for word in case["expect"]["error_mentions"]:
        assert word in said
    wording = {
        "C033": "25 clues with symmetry=rot180 need r5c5, which is among empty_cells: its other cells go together",
        "C034": "the pattern has 16 clue cells, at least 17 are needed",
        "C035": "rows 4 and 6 of one band are empty, so they can be exchanged and no puzzle is unique",
        "C036": "the pattern has not symmetry=rot180: r9c9 is a clue cell and r1c1, which goes with it, is blank",
    }
    assert wording[case["id"]] in said


def test_an_odd_count_with_a_half_turn_is_possible_through_the_centre(cases: Mapping[str, dict[str, Any]]) -> None:
    given_options = cases["C033"]["input"]
    target = CellTarget(symmetry=given_options["symmetry"], clues=given_options["clues"])
    assert target.clue_range() == (25, 25)
    blank = CellTarget(symmetry="rot180", clues_min=24, clues_max=27, empty_cells="r5c5")
    assert blank.possible_counts() == [24, 26]


@pytest.mark.cases("generate", ids=["C037"])
def test_an_unknown_option_is_named(case: dict[str, Any]) -> None:
    assert "dificulty" in refusal(dificulty=case["input"]["dificulty"])


@given(clues=counts, low=counts, high=counts, symmetry=st.sampled_from(Symmetry), minimal=st.booleans())
def test_a_target_is_taken_exactly_if_it_can_be_met(
    clues: int | None, low: int | None, high: int | None, symmetry: Symmetry, minimal: bool
) -> None:
    options = {"clues": clues, "clues_min": low, "clues_max": high, "symmetry": symmetry, "minimal": minimal}
    asked = [number for number in (clues, low, high) if number is not None]
    in_range = all(17 <= number <= 80 for number in asked)
    least = clues if clues is not None else (17 if low is None else low)
    most = clues if clues is not None else (80 if high is None else high)
    wanted = [count for count in range(least, most + 1) if count in possible_clue_counts(symmetry)]
    contradictory = clues is not None and (low is not None or high is not None)
    known = not (minimal and least > 40)
    if in_range and wanted and not contradictory and known:
        target = ClueTarget.model_validate(options)
        assert target.clue_range() == (least, most)
    else:
        refusal(**options)


@pytest.mark.parametrize("bound", ["clues_min", "clues_max"])
def test_an_exact_count_and_a_bound_contradict_each_other(bound: str) -> None:
    said = refusal(**{"clues": 25, bound: 25})
    assert "leave out clues_min and clues_max, or clues" in said


@pytest.mark.parametrize("name", ["clues", "clues_min", "clues_max"])
@pytest.mark.parametrize("number", [FEWEST_CLUES - 1, 82, 0, -1])
def test_the_option_that_is_out_of_range_is_named(name: str, number: int) -> None:
    said = refusal(**{name: number})
    assert f"\n{name}\n" in said
    assert (
        f"{number}: {'no classic puzzle has fewer than 17 clues' if number < 17 else 'a grid has 81 cells'}"
        in said
    )


@pytest.mark.parametrize("options", [{"clues": 81}, {"clues_min": 81}, {"clues_min": 80, "clues_max": 81}])
def test_a_complete_grid_is_no_level(options: dict[str, int]) -> None:
    assert "81: nothing would be left to solve; a level has 80 clues or fewer" in refusal(**options)


def test_a_pattern_leaves_something_to_solve() -> None:
    assert "every cell of the pattern is a clue cell" in refusal_of_cells({"pattern": "1" * 81})
    assert CellTarget(pattern="1" * 80 + "0").clue_range() == (80, 80)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, (22, 30)),
        ({"clues": 40}, (40, 40)),
        ({"clues_min": 25}, (25, 30)),
        ({"clues_min": 35}, (35, 35)),
        ({"clues_max": 28}, (22, 28)),
        ({"clues_max": 20}, (20, 20)),
        ({"clues_min": 17, "clues_max": 80}, (17, 80)),
    ],
)
def test_a_diggers_own_range_gives_way_to_a_bound(options: dict[str, int], wanted: tuple[int, int]) -> None:
    assert NarrowTarget.model_validate(options).clue_range() == wanted


@pytest.mark.parametrize(
    ("options", "group"),
    [
        ({"symmetry": "full", "clues": 18}, "8 or 4 or 1"),
        ({"symmetry": "rot90", "clues": 19}, "4 or 1"),
        ({"symmetry": "rot90", "clues_min": 18, "clues_max": 19}, "excludes 18 to 19 clues"),
    ],
)
def test_the_symmetry_that_excludes_a_count_is_named(options: dict[str, Any], group: str) -> None:
    said = refusal(**options)
    assert f"symmetry={options['symmetry']} excludes" in said
    assert group in said


@pytest.mark.parametrize(
    "options", [{"clues": "many"}, {"clues": 25.5}, {"symmetry": "round"}, {"minimal": "maybe"}]
)
def test_wrong_types_are_refused(options: dict[str, Any]) -> None:
    (name,) = options
    assert name in refusal(**options)


def test_options_may_come_as_text_and_stay_as_they_are() -> None:
    target = ClueTarget.model_validate({"clues": "25", "symmetry": "rot180", "minimal": "true"})
    assert (target.clues, target.symmetry, target.minimal) == (25, Symmetry.ROT180, True)
    field = "clues"
    with pytest.raises(ValidationError, match="frozen"):
        setattr(target, field, 26)


@pytest.mark.parametrize(
    "options", [{"clues": 60}, {"clues": 41}, {"clues_min": 41}, {"clues_min": 50, "clues_max": 80}]
)
def test_no_minimal_puzzle_has_so_many_clues(options: dict[str, Any]) -> None:
    assert "no minimal puzzle of more than 40 clues is known, but at least" in refusal(minimal=True, **options)
    assert ClueTarget.model_validate(options).minimal is False


def test_a_range_knows_no_symmetry_and_no_minimality() -> None:
    assert ClueRange(clues_min=20, clues_max=30).clue_range() == (20, 30)
    for other in ({"symmetry": "rot180"}, {"minimal": True}):
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            ClueRange.model_validate(other)
    with pytest.raises(ValidationError, match="the smallest clue count, 30, is above the largest, 24"):
        ClueRange(clues_min=30, clues_max=24)


def test_the_schema_shows_the_bounds() -> None:
    for name in ("clues", "clues_min", "clues_max"):
        number = ClueTarget.model_json_schema()["properties"][name]["anyOf"][0]
        assert (number["minimum"], number["maximum"]) == (17, 80)


# --- which cells ------------------------------------------------------------------------------------------

CHESS = "10" * 40 + "1"
"""Every other cell: 41 of them, with every symmetry."""


@pytest.mark.parametrize(
    "text",
    [
        CHESS,
        CHESS.replace("0", "."),
        CHESS.replace("1", "x"),
        CHESS.replace("1", "7").replace("0", "."),
        "\n".join(CHESS[start : start + 9] for start in range(0, 81, 9)) + "\n",
        " ".join(CHESS),
    ],
)
def test_a_pattern_may_be_written_in_several_ways(text: str) -> None:
    target = CellTarget(pattern=text)
    assert target.pattern == CHESS
    assert target.clue_range() == (41, 41)
    assert target.blank_cells() == frozenset(range(1, 81, 2))
    assert CellTarget.model_validate(target.model_dump(exclude_unset=True)) == target


@pytest.mark.parametrize("text", ["", "1" * 80, "1" * 82, "1" * 80 + "\x00", "x.x|" * 21])
def test_a_pattern_has_81_cells(text: str) -> None:
    said = refusal_of_cells({"pattern": text})
    assert "a pattern has 81 cells: 0 or . is blank, anything else a clue cell" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pattern": CHESS, "clues": 40}, "the pattern has 41 clue cells, but at most 40 are to remain"),
        ({"pattern": CHESS, "clues_max": 40}, "the pattern has 41 clue cells, but at most 40 are to remain"),
        ({"pattern": CHESS, "clues_min": 42}, "the pattern has 41 clue cells, but at least 42 are to remain"),
        ({"pattern": CHESS, "minimal": True}, "no minimal puzzle of more than 40 clues is known"),
        ({"pattern": CHESS, "empty_cells": "r1c2,r5c5"}, "r5c5 is a clue cell of the pattern and one of empty"),
        ({"pattern": CHESS, "row_min": 5}, "row_min=5, but row 2 has 4 cells for clues"),
        ({"pattern": CHESS, "column_min": 5}, "column_min=5, but column 2 has 4 cells for clues"),
        ({"pattern": "1" * 54 + "0" * 18 + "1" * 9}, "rows 7 and 8 of one band are empty"),
        ({"pattern": "100111111" * 9}, "columns 2 and 3 of one stack are empty"),
        ({"empty_cells": "r1c1 r10c1"}, "'r10c1' is no cell; write r1c1 to r9c9"),
        ({"empty_cells": "5"}, "'5' is no cell"),
        ({"empty_cells": [f"r{r}c{c}" for r in range(1, 9) for c in range(1, 9)] + ["r9c9"]}, "leave 16 cells"),
        ({"empty_cells": [f"r{r}c{c}" for r in (4, 5) for c in range(1, 10)]}, "rows 4 and 5 of one band"),
        ({"empty_cells": ["r1c1", "r1c2"], "clues": 80}, "empty_cells leave 79 cells for clues, but at least 80"),
        ({"empty_cells": "r1c1,r1c2", "row_min": 8, "clues": 80}, "leave 79 cells"),
        ({"empty_cells": "r1c1,r1c2", "row_min": 8, "clues": 79}, "row_min=8, but row 1 has 7 cells for clues"),
        ({"empty_cells": "r5c5", "symmetry": "rot90", "clues": 29}, "29 clues with symmetry=rot90 need r5c5"),
        (
            {"empty_cells": "r1c1 r2c2 r3c3 r4c4 r1c5 r2c5 r3c5 r4c5", "symmetry": "full", "clues": 28},
            "28 clues with symmetry=full need other cells, which are among empty_cells: its other cells go "
            "together in groups of 8 or 1",
        ),
        ({"row_min": 4, "clues": 30}, "row_min=4 needs 36 clues or more, but at most 30 are to remain"),
        ({"row_min": 10}, "row_min"),
        (
            {"symmetry": "diagonal", "empty_cells": [f"r{n}c{n}" for n in range(1, 10)], "clues": 31},
            "31 clues with symmetry=diagonal need other cells, which are among empty_cells: its other cells go "
            "together in groups of 2",
        ),
    ],
)
def test_cells_that_contradict_the_rest_are_refused(options: dict[str, Any], said: str) -> None:
    assert said in refusal_of_cells(options)


def test_the_symmetry_takes_its_share_of_empty_cells() -> None:
    target = CellTarget(empty_cells=["r1c2", "R9C9"], symmetry="rot180")
    assert target.empty_cells == "r1c2,r9c9"
    assert target.blank_cells() == {0, 1, 79, 80}
    assert CellTarget(empty_cells="r9c9 , r1c2").empty_cells == "r1c2,r9c9"
    assert CellTarget().blank_cells() == frozenset()
    assert CellTarget(empty_cells="none", pattern="none") == CellTarget()


@given(cells=st.sets(st.integers(0, 80)), symmetry=st.sampled_from(Symmetry))
def test_a_pattern_is_taken_exactly_if_a_puzzle_could_have_it(cells: set[int], symmetry: Symmetry) -> None:
    pattern = "".join("1" if cell in cells else "." for cell in range(CELLS))
    lines = [[cell // 9 for cell in cells], [cell % 9 for cell in cells]]
    thin = any(len({first, first + 1, first + 2} - set(line)) > 1 for line in lines for first in (0, 3, 6))
    whole = all(len(cells & set(orbit)) in (0, len(orbit)) for orbit in orbits(symmetry))
    options = {"pattern": pattern, "symmetry": symmetry}
    if len(cells) >= FEWEST_CLUES and not thin and whole:
        target = CellTarget.model_validate(options)
        assert target.blank_cells() == set(range(CELLS)) - cells
        assert target.possible_counts() == [len(cells)]
    else:
        refusal_of_cells(options)


@given(
    cells=st.sets(st.sampled_from([f"r{row}c{column}" for row in range(1, 10) for column in range(1, 10)])),
    symmetry=st.sampled_from(Symmetry),
    clues=counts,
)
def test_empty_cells_leave_the_counts_that_a_sum_of_orbits_has(
    cells: set[str], symmetry: Symmetry, clues: int | None
) -> None:
    options = {"empty_cells": sorted(cells), "symmetry": symmetry, "clues": clues}
    try:
        target = CellTarget.model_validate(options)
    except ValidationError:
        return
    left = [len(orbit) for orbit in orbits(symmetry) if not target.blank_cells() & set(orbit)]
    sums = {0}
    for size in left:
        sums |= {each + size for each in sums}
    least, most = target.clue_range()
    assert target.possible_counts() == sorted(each for each in sums if least <= each <= most)
    assert target.possible_counts()
