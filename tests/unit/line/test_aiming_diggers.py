"""An order that names no digger may be given another one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sudokumill.aiming import aimed
from sudokumill.difficulty import Difficulty
from sudokumill.jobs import JobKind, JobSpec, Part
from sudokumill.line import Line
from sudokumill.orders import Order, specify
from sudokumill.registry import Registry, load_registry
from sudokumill.rows import LevelRows
from sudokumill.store.workers import needs_of

NAMES = {
    Part.GENERATOR: "native", Part.DIGGER: "native", Part.SOLVER: "native", Part.CHECKER: "exact-cover",
    Part.GRADER: "counts",
}  # fmt: skip

PLUGIN = """
import time
from pathlib import Path
from sudokumill.contracts import DiggerDescriptor, Options
from sudokumill.hookspecs import hookimpl
from sudokumill.targets import ClueRange, ClueTarget
from sudokumill_native.digger import NativeDigger
from sudokumill_native.options import NativeDiggerOptions

BUILT = Path(__file__).with_suffix(".built")

class {base}Thirty({base}):
    pass

class Thirty:
    "Leaves 30 clues, whatever is asked for."
    def __init__(self, options):
        BUILT.touch()
        self.native = NativeDigger(NativeDiggerOptions(clues=30))
    def dig(self, finals, seeds):
        {act}
        return self.native.dig(finals, seeds)

@hookimpl
def sudokumill_register_diggers():
    yield DiggerDescriptor(name="thirty", version="4", summary="s", factory=Thirty, options={base}Thirty,
                           rate={rate}, engine={engine!r})
"""

With = Callable[..., Registry]


@pytest.fixture
def with_thirty(tmp_path: Path) -> With:
    """A registry with a digger of which every level has a rating of 3.0."""

    def load(
        rate: float = 50_000, base: str = "ClueTarget", engine: str = "native", act: str = "pass"
    ) -> Registry:
        shutil.copy(Path(__file__).parents[2] / "faults" / "plugins" / "judge.py", tmp_path)
        (tmp_path / "thirty.py").write_text(PLUGIN.format(rate=rate, base=base, engine=engine, act=act))
        return load_registry(plugin_dir=tmp_path)

    return load


def _spec(registry: Registry, *options: str, digger: str = "native") -> JobSpec:
    asked = Difficulty(rating_from=3.0, rating_to=3.0)
    order = Order(JobKind.LEVELS, 9, {**NAMES, Part.DIGGER: digger}, options, seed=4, difficulty=asked)
    return specify(order, registry)


def _chosen(registry: Registry, *options: str) -> str:
    found, _ = aimed(_spec(registry, *options), registry, others=True)
    return found.parts[Part.DIGGER].name


def test_the_digger_that_hits_best_is_frozen_into_the_job(with_thirty: With) -> None:
    registry = with_thirty()
    spec = _spec(registry)
    found, trial = aimed(spec, registry, others=True)
    assert trial is not None
    assert trial.share == 1.0
    assert found.parts[Part.DIGGER].model_dump() == {
        "name": "thirty", "version": "4", "pinned": False, "options": {},
    }  # fmt: skip
    assert found.digger_ordered == spec.parts[Part.DIGGER]
    assert found.aimed_by == ["digger thirty"]
    line = Line(found, registry)
    assert line.versions["digger"] == "thirty==4"
    rows = line.run(0, 50).rows
    assert isinstance(rows, LevelRows)
    assert rows.on_target.all()
    # who makes it must have it
    assert "digger thirty" in needs_of(found)


def test_it_is_the_same_order_as_without_an_aim(with_thirty: With) -> None:
    registry = with_thirty()
    spec = _spec(registry)
    found, _ = aimed(spec, registry, others=True)
    assert found.difference(spec) is None
    assert spec.difference(found) is None
    assert found.difference(_spec(registry, digger="thirty")) == "parts"
    assert JobSpec.model_validate(found.model_dump(mode="json")) == found
    # orders that were stored before have no such field
    before = spec.model_dump(mode="json", exclude={"digger_ordered", "aim"})
    assert JobSpec.model_validate(before) == spec
    assert spec.aimed_by == []


def test_who_names_a_digger_gets_it(with_thirty: With) -> None:
    registry = with_thirty()
    found, _ = aimed(_spec(registry), registry)
    assert found.parts[Part.DIGGER].name == "native"
    assert found.digger_ordered is None


def test_the_same_digger_is_chosen_again(with_thirty: With) -> None:
    registry = with_thirty()
    assert len({aimed(_spec(registry), registry, others=True)[0].model_dump_json() for _ in range(3)}) == 1


def test_one_that_says_it_is_slow_is_not_even_built(with_thirty: With, tmp_path: Path) -> None:
    # if every level hit, that would be fewer a second than what native makes
    assert _chosen(with_thirty(rate=60)) == "native"
    assert not (tmp_path / "thirty.built").exists()


def test_hits_count_by_the_time_that_they_take(with_thirty: With) -> None:
    registry = with_thirty()
    spec = _spec(registry)
    _, trial = aimed(spec, registry)
    assert trial is not None
    # native comes to so many levels a second; thirty, of which all are hits, to as many with this rate of its own
    levels = trial.share * spec.rate
    assert 0.1 < trial.share < 0.5
    others = 1 / spec.rate - 1 / 50_000
    equal = 1 / (1 / levels - others)
    assert _chosen(with_thirty(rate=2 * equal)) == "thirty"
    assert _chosen(with_thirty(rate=equal / 2)) == "native"


@pytest.mark.parametrize(
    ("given", "options"),
    [
        # it does not know what is asked for
        ({"base": "Options"}, ()),
        ({"base": "ClueRange"}, ("symmetry=rot180",)),
        ({}, ("empty_cells=r1c1",)),
        # the checker would check its own code
        ({"engine": "exact-cover"}, ()),
        # it does nothing well
        ({"act": "raise RuntimeError('no')"}, ()),
        ({"act": "time.sleep(1)"}, ()),
        ({"act": "return None"}, ()),
    ],
)
def test_what_does_not_suit_is_passed_over(
    with_thirty: With, given: dict[str, str], options: tuple[str, ...]
) -> None:
    assert _chosen(with_thirty(**given), *options) == "native"


def test_a_trial_for_nothing_leaves_the_order_alone(with_thirty: With) -> None:
    registry = with_thirty()
    spec = _spec(registry, "clues=30")
    found, trial = aimed(spec, registry, others=True)
    assert found == spec.model_copy(update={"tried_aims": True})
    assert trial is not None
    assert trial.share == 1.0
    assert np.isclose(spec.rate, found.rate)
