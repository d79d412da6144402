from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sudokumill.grids.symmetries import Symmetry, possible_clue_counts
from sudokumill.targets import FEWEST_CLUES, ClueRange, ClueTarget

counts = st.one_of(st.none(), st.integers(10, 90))


class NarrowTarget(ClueTarget):
    """As a digger would have it: its own range where the options name none."""

    def default_range(self) -> tuple[int, int]:
        return 22, 30


def refusal(**options: object) -> str:
    with pytest.raises(ValidationError) as caught:
        ClueTarget.model_validate(options)
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


def test_an_odd_count_with_a_half_turn_is_possible_through_the_centre(cases: Mapping[str, dict[str, Any]]) -> None:
    # C033 is impossible only with the centre asked to be blank, and that cannot be asked for.
    given_options = cases["C033"]["input"]
    assert "empty_cells" not in ClueTarget.model_fields
    target = ClueTarget(symmetry=given_options["symmetry"], clues=given_options["clues"])
    assert target.clue_range() == (25, 25)
    assert "empty_cells" in refusal(symmetry="rot180", clues=25, empty_cells=["r5c5"])


@pytest.mark.cases("generate", ids=["C037"])
def test_an_unknown_option_is_named(case: dict[str, Any]) -> None:
    assert "dificulty" in refusal(dificulty=case["input"]["dificulty"])


@given(clues=counts, low=counts, high=counts, symmetry=st.sampled_from(Symmetry), minimal=st.booleans())
def test_a_target_is_taken_exactly_if_it_can_be_met(
    clues: int | None, low: int | None, high: int | None, symmetry: Symmetry, minimal: bool
) -> None:
    options = {"clues": clues, "clues_min": low, "clues_max": high, "symmetry": symmetry, "minimal": minimal}
    asked = [number for number in (clues, low, high) if number is not None]
    in_range = all(17 <= number <= 81 for number in asked)
    least = clues if clues is not None else (17 if low is None else low)
    most = clues if clues is not None else (81 if high is None else high)
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


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, (22, 30)),
        ({"clues": 40}, (40, 40)),
        ({"clues_min": 25}, (25, 30)),
        ({"clues_min": 35}, (35, 35)),
        ({"clues_max": 28}, (22, 28)),
        ({"clues_max": 20}, (20, 20)),
        ({"clues_min": 17, "clues_max": 81}, (17, 81)),
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
    "options", [{"clues": 60}, {"clues": 41}, {"clues_min": 41}, {"clues_min": 50, "clues_max": 81}]
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
        assert (number["minimum"], number["maximum"]) == (17, 81)
