"""Options that are wrong get one clear line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import (
    BadOptionError,
    BrokenImplementationError,
    RefusedOptionsError,
    UnknownOptionError,
    UsageError,
)
from sudokumill.registry import Registry, load_registry
from sudokumill.registry.options import stored_options

Write = Callable[[str, str], Path]

PLUGIN = """
from enum import StrEnum
from typing import Literal
from pydantic import field_serializer, field_validator, model_validator
from pydantic_core import PydanticCustomError
from sudokumill.targets import ClueTarget

class Order(StrEnum):
    RANDOM = "random"
    SNAKE = "snake"

class Rich(Options):
    n: int = Field(11, ge=0, le=40, description="digits")
    share: float = Field(0.5, gt=0, lt=1)
    budget: int | None = Field(None, ge=1_000)
    order: Order = Order.RANDOM
    shape: Literal["square", "stripe"] = "square"
    mix: bool = True
    label: str = Field("x", min_length=1, max_length=3)
    even: int = 2
    custom: int = 0
    broken: int = 0
    step: int = Field(3, multiple_of=3)
    cells: tuple[int, ...] = ()

    @field_validator("even")
    @classmethod
    def _is_even(cls, value):
        if value % 2:
            raise ValueError("an odd number\\nleaves one over")
        return value

    @field_validator("custom")
    @classmethod
    def _custom(cls, value):
        if value:
            raise PydanticCustomError("mine", "only {least} will do", {"least": 0})
        return value

    @field_validator("broken")
    @classmethod
    def _broken(cls, value):
        return 1 // (value - 7)

    @model_validator(mode="after")
    def _together(self):
        if self.n == 3 and not self.mix:
            raise ValueError("n=3 needs mix")
        return self

class Needy(Options):
    n: int = Field(ge=1, le=9)

class Secret(Options):
    word: str = "x"

    @field_serializer("word")
    def _keep(self, word):
        raise LookupError("not to be told")

class Nothing(Options):
    limit: int | None = Field(5, ge=1)
    label: str | None = "x"
    word: str = "x"
    number: int = 1
    order: Order | None = Order.RANDOM
    ranged: ClueTarget | None = None

@hookimpl
def sudokumill_register_generators():
    yield generator("rich", options=Rich)
    yield generator("needy", options=Needy)
    yield generator("targeted", options=ClueTarget)
    yield generator("secret", options=Secret)
    yield generator("nothing", options=Nothing)
"""


@pytest.fixture
def registry(write_plugin: Write) -> Registry:
    return load_registry("mine", write_plugin("mine", PLUGIN))


def test_texts_are_read_as_the_type_that_is_wanted(registry: Registry) -> None:
    rich = registry.find(Role.GENERATOR, "rich")
    texts = {"n": "5", "share": "0.25", "budget": "2000", "order": "snake", "mix": "false", "label": "ab"}
    model = registry.options(rich, texts)
    assert model.model_dump(include=set(texts)) == {
        "n": 5,
        "share": 0.25,
        "budget": 2000,
        "order": "snake",
        "mix": False,
        "label": "ab",
    }


@pytest.mark.parametrize(
    ("name", "values", "kind", "text"),
    [
        ("rich", {"n": "99"}, BadOptionError, "generator rich: option n: 99 is not a whole number from 0 to 40"),
        (
            "rich",
            {"n": "many"},
            BadOptionError,
            "generator rich: option n: many is not a whole number from 0 to 40",
        ),
        ("rich", {"n": 1.5}, BadOptionError, "generator rich: option n: 1.5 is not a whole number from 0 to 40"),
        ("rich", {"n": ""}, BadOptionError, "generator rich: option n: '' is not a whole number from 0 to 40"),
        (
            "rich",
            {"share": 1},
            BadOptionError,
            "generator rich: option share: 1 is not a number above 0 and below 1",
        ),
        (
            "rich",
            {"budget": "5"},
            BadOptionError,
            "generator rich: option budget: 5 is not a whole number of at least 1,000",
        ),
        (
            "rich",
            {"order": "jump"},
            BadOptionError,
            "generator rich: option order: jump is not one of random, snake",
        ),
        (
            "rich",
            {"shape": "disc"},
            BadOptionError,
            "generator rich: option shape: disc is not one of square, stripe",
        ),
        ("rich", {"mix": "maybe"}, BadOptionError, "generator rich: option mix: maybe is not true or false"),
        (
            "rich",
            {"label": "a" * 90},
            BadOptionError,
            f"generator rich: option label: {'a' * 57}... is not text of at least 1 and at most 3 characters",
        ),
        (
            "rich",
            {"step": 4},
            BadOptionError,
            "generator rich: option step: 4 is not a whole number that is a multiple of 3",
        ),
        ("rich", {"cells": 5}, BadOptionError, "generator rich: option cells: 5: Input should be a valid tuple"),
        ("rich", {"even": 3}, BadOptionError, "generator rich: option even: an odd number leaves one over"),
        ("rich", {"custom": 3}, BadOptionError, "generator rich: option custom: only 0 will do"),
        ("rich", {"n": 3, "mix": "no"}, RefusedOptionsError, "generator rich: n=3 needs mix"),
        (
            "rich",
            {"odrer": "snake"},
            UnknownOptionError,
            "generator rich has no option 'odrer'; did you mean order?",
        ),
        (
            "rich",
            {"n": 99, "colour": 1},
            UnknownOptionError,
            "generator rich has no option 'colour'; known: broken, budget, cells, custom, even, label, mix, n, "
            "order, shape, share, step",
        ),
        ("needy", {}, BadOptionError, "generator needy: option n: it is required: a whole number from 1 to 9"),
        (
            "targeted",
            {"clues": "16"},
            BadOptionError,
            "generator targeted: option clues: 16: no classic puzzle has fewer than 17 clues",
        ),
        (
            "targeted",
            {"clues_max": 82},
            BadOptionError,
            "generator targeted: option clues_max: 82: a grid has 81 cells",
        ),
        (
            "targeted",
            {"clues_min": "many"},
            BadOptionError,
            "generator targeted: option clues_min: many is not a whole number from 17 to 80",
        ),
    ],
)
def test_wrong_options_get_one_line(
    registry: Registry, name: str, values: dict[str, object], kind: type[UsageError], text: str
) -> None:
    with pytest.raises(kind) as caught:
        registry.options(registry.find(Role.GENERATOR, name), values)
    assert str(caught.value) == text
    assert caught.value.exit_code == 2


def test_a_validator_that_fails_is_the_plugins_fault(registry: Registry) -> None:
    with pytest.raises(
        BrokenImplementationError, match=r"'rich' of plugin mine .*checking its options raised ZeroDiv"
    ):
        registry.options(registry.find(Role.GENERATOR, "rich"), {"broken": 7})


def test_none_can_be_said_where_it_is_allowed(registry: Registry) -> None:
    nothing = registry.find(Role.GENERATOR, "nothing")
    texts = {"limit": "none", "label": "none", "word": "none", "order": "none"}
    model = registry.options(nothing, texts)
    assert model.model_dump(include=set(texts)) == {"limit": None, "label": None, "word": "none", "order": None}
    assert stored_options(nothing, model) == {"limit": None, "label": None, "word": "none", "order": None}
    assert registry.options(nothing, stored_options(nothing, model)) == model
    with pytest.raises(BadOptionError, match="option number: none is not a whole number"):
        registry.options(nothing, {"number": "none"})
    with pytest.raises(BadOptionError, match="option limit: None is not a whole number of at least 1"):
        registry.options(nothing, {"limit": "None"})


@pytest.mark.parametrize(("name", "nodes"), [("dfs", None), ("random-blank", None), ("native", None), ("dfs", 5)])
def test_a_solver_can_be_asked_for_no_budget(name: str, nodes: int | None) -> None:
    solver = load_registry().find(Role.SOLVER, name)
    text = "none" if nodes is None else str(nodes)
    assert load_registry().options(solver, {"max_nodes": text}).model_dump()["max_nodes"] == nodes


def test_options_that_cannot_be_stored_are_the_plugins_fault(registry: Registry) -> None:
    secret = registry.find(Role.GENERATOR, "secret")
    with pytest.raises(
        BrokenImplementationError, match=r"'secret' of plugin mine .*storing its options raised Pydan"
    ):
        stored_options(secret, registry.options(secret, {"word": "y"}))
