from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sudokumill.grids.cell_orders import Order
from sudokumill.grids.description import PAPER_LEVELS
from sudokumill_classic.options import HolesOptions


@pytest.mark.parametrize(
    "other",
    [
        {"clues": 25},
        {"clues_min": 22},
        {"clues_max": 30},
        {"order": "random"},
        {"row_min": 0},
        {"column_min": 5},
    ],
)
@pytest.mark.parametrize("level", [1, 5])
def test_a_level_and_what_it_sets_contradict_each_other(level: int, other: dict[str, Any]) -> None:
    [(name, value)] = other.items()
    with pytest.raises(ValidationError, match=rf"level={level} and {name}={value} contradict each other"):
        HolesOptions(level=level, **other)


@pytest.mark.parametrize(
    ("level", "order"), [(1, Order.RANDOM), (2, Order.RANDOM), (3, Order.JUMP), (4, Order.SNAKE), (5, Order.ROWS)]
)
def test_a_level_sets_clues_least_clues_and_order(level: int, order: Order) -> None:
    options = HolesOptions(level=level)
    paper = PAPER_LEVELS[level - 1]
    assert options.clue_range() == (paper.clues_min, paper.clues_max)
    assert options.line_mins() == (paper.line_clues_min, paper.line_clues_min)
    assert options.cell_order() is order


def test_level_1_aims_at_no_more_than_60_clues() -> None:
    assert HolesOptions(level=1).aimed_range() == (50, 60)
    assert HolesOptions(level=2).aimed_range() == (36, 49)
    assert HolesOptions(clues_min=50, clues_max=80).aimed_range() == (50, 80)


def test_defaults() -> None:
    options = HolesOptions()
    assert options.clue_range() == (22, 30)
    assert options.line_mins() == (0, 0)
    assert options.cell_order() is Order.RANDOM


def test_options_survive_being_stored() -> None:
    for options in (HolesOptions(), HolesOptions(level=3), HolesOptions(clues=25, order=Order.SNAKE, row_min=1)):
        assert HolesOptions.model_validate_json(options.model_dump_json()) == options


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"row_min": 4}, r"row_min=4 needs 36 clues or more, but at most 30"),
        ({"column_min": 5, "clues": 44}, r"column_min=5 needs 45 clues or more, but at most 44"),
        ({"minimal": True, "level": 1}, r"no minimal puzzle of more than 40 clues is known, but at least 50"),
        ({"minimal": True, "clues_min": 41}, r"no minimal puzzle of more than 40 clues"),
        (
            {"minimal": True, "level": 2},
            r"level=2 and minimal=true contradict each other: the level keeps 36 clues",
        ),
        ({"minimal": True, "level": 3}, r"level=3 and minimal=true contradict each other"),
        ({"level": 0}, "greater than or equal to 1"),
        ({"level": 6}, "less than or equal to 5"),
        ({"order": "spiral"}, "'random', 'jump', 'snake' or 'rows'"),
        ({"row_min": 10}, "less than or equal to 9"),
        ({"clues": 16}, "no classic puzzle has fewer than 17 clues"),
        ({"levle": 3}, "levle"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        HolesOptions.model_validate(wrong)
