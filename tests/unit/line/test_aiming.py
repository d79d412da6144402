"""Which way to dig an order by difficulty is given."""

from __future__ import annotations

from typing import Any

import pytest

from sudokumill.aiming import aimed
from sudokumill.difficulty import Difficulty
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.line import Line
from sudokumill.orders import Order, specify
from sudokumill.registry import Registry
from sudokumill.rows import LevelRows

NAMES = {Part.GENERATOR: "native", Part.DIGGER: "native", Part.SOLVER: "native", Part.CHECKER: "exact-cover"}


def _spec(
    registry: Registry, low: float, high: float, *options: str, grader: str = "counts", **more: Any
) -> JobSpec:
    asked = Difficulty(rating_from=low, rating_to=high)
    order = {"kind": JobKind.LEVELS, "count": 9, "seed": 4, "options": options, "difficulty": asked, **more}
    return specify(Order(names={**NAMES, Part.GRADER: grader}, **order), registry)


def _hits(spec: JobSpec, registry: Registry) -> int:
    rows = Line(spec, registry).run(0, 100).rows
    assert isinstance(rows, LevelRows)
    return int(rows.on_target.sum())


def test_the_way_that_hits_best_is_frozen_into_the_job(registry: Registry) -> None:
    # the tests' grader rates by clues: 3.0 are 30
    spec = _spec(registry, 2.9, 3.1)
    found, trial = aimed(spec, registry)
    assert found.aim == {"added": 5}
    assert trial is not None
    assert trial.hits > 0.5 * trial.tried
    assert _hits(found, registry) > 10 * max(1, _hits(spec, registry))
    # the order itself is as it was
    assert found.model_copy(update={"aim": {}, "tried_aims": False}) == spec
    assert found.difference(spec) is None
    assert JobSpec.model_validate(found.model_dump(mode="json")) == found


def test_the_same_order_is_aimed_alike_whatever_its_seed(registry: Registry) -> None:
    aims = [aimed(_spec(registry, 2.9, 3.1, seed=seed), registry)[0].aim for seed in (1, 2**62)]
    assert aims[0] == aims[1]


def test_what_hits_well_is_left_as_it_is_ordered(registry: Registry) -> None:
    found, trial = aimed(_spec(registry, 2.2, 2.6), registry)
    assert found.aim == {}
    assert trial is not None
    assert trial.share > 0.8


def test_the_aim_keeps_to_what_is_ordered(registry: Registry) -> None:
    within, _ = aimed(_spec(registry, 2.9, 3.1, "clues_min=30", "clues_max=40"), registry)
    assert within.aim == {"clues_min": 30, "clues_max": 31}
    for options in (("minimal=true",), ("clues=30",), ("clues_min=46",)):
        found, _ = aimed(_spec(registry, 2.9, 5.1, *options), registry)
        assert not found.aim.keys() & {"clues_min", "clues_max"}, options
    symmetric, _ = aimed(_spec(registry, 2.9, 3.1, "symmetry=vertical"), registry)
    assert "symmetry" not in symmetric.aim


@pytest.mark.parametrize(
    "more",
    [
        {"grader": "slow"},
        {"kind": JobKind.DIG, "source": Source.UNDUG, "inputs": 20},
        {"difficulty": None, "graded": True},
    ],
)
def test_what_is_not_tried(registry: Registry, more: dict[str, Any]) -> None:
    spec = _spec(registry, 2.9, 3.1, **more)
    assert aimed(spec, registry) == (spec, None)


def test_who_wants_no_aim_gets_the_trial_alone(registry: Registry) -> None:
    spec = _spec(registry, 2.9, 3.1)
    found, trial = aimed(spec, registry, choose=False)
    assert found == spec
    assert trial is not None
    assert trial.aim == {}
    assert trial.tried == 256
