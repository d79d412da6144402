"""The kit of diggers passes what is right, and names the rule that something breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import ConformanceError
from sudokumill.registry import Implementation, load_registry
from sudokumill.testing import check_digger

Find = Callable[[str], Implementation]

PLUGIN = """
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.symmetries import orbits
from sudokumill.targets import ClueRange, ClueTarget

class Orbit:
    "Takes out orbit after orbit where the solver says that one solution stays."
    def __init__(self, options, solver):
        self.options, self.solver = options, solver
    def dig(self, finals, seeds):
        check_batch(finals)
        check_seeds(seeds, len(finals))
        puzzles = finals.copy()
        status = np.where(are_finals(finals), DigStatus.DUG, DigStatus.NOT_A_FINAL).astype(np.uint8)
        least, most = self.options.clue_range()
        for orbit in orbits(self.options.symmetry):
            fewer = puzzles.copy()
            fewer[:, list(orbit)] = 0
            good = self.solver.solve(fewer).counts == 1
            good &= (fewer > 0).sum(axis=1) >= least
            puzzles[good] = fewer[good]
        status[(status == DigStatus.DUG) & ((puzzles > 0).sum(axis=1) > most)] = DigStatus.MISSED
        puzzles[status == DigStatus.NOT_A_FINAL] = 0
        return self.changed(DigResult(puzzles, status), finals)
    def changed(self, result, finals):
        return result

class Careless(Orbit):
    "Takes one clue more."
    def changed(self, result, finals):
        for puzzle in result.puzzles:
            puzzle[np.flatnonzero(puzzle)[:1]] = 0
        return result

class Foreign(Orbit):
    def changed(self, result, finals):
        result.puzzles[:] = np.where(result.puzzles > 0, result.puzzles % 9 + 1, 0)
        return result

class Blind(Orbit):
    "Has an opinion of what is no final."
    def changed(self, result, finals):
        result.status[~are_finals(finals)] = DigStatus.GAVE_UP
        return result

class Boastful(Orbit):
    def changed(self, result, finals):
        result.status[result.status == DigStatus.MISSED] = DigStatus.DUG
        return result

class Modest(Orbit):
    "Says of everything that it missed."
    def changed(self, result, finals):
        result.status[result.status == DigStatus.DUG] = DigStatus.MISSED
        return result

class Shy(Orbit):
    "Says so only of what has an odd number of clues."
    def changed(self, result, finals):
        odd = (result.puzzles > 0).sum(axis=1) % 2 == 1
        result.status[odd & (result.status == DigStatus.DUG)] = DigStatus.MISSED
        return result

class OfAnyLength(Orbit):
    "Takes whatever numbers it is given for seeds."
    def dig(self, finals, seeds):
        return super().dig(finals, np.zeros(len(finals), dtype=np.uint64))

class Trusting(Orbit):
    def dig(self, finals, seeds):
        good = finals if finals.shape[1:] == (81,) else np.zeros((len(finals), 81))
        return super().dig(good.astype(np.uint8), seeds)

class Further(ClueTarget):
    strict: bool = False

class Reserved(Orbit):
    "With an option of its own it may call missed what has the clues that were asked for."
    def changed(self, result, finals):
        if self.options.strict:
            result.status[result.status == DigStatus.DUG] = DigStatus.MISSED
        return result

class Hopeful(Orbit):
    "Of what it missed, nothing is left."
    def changed(self, result, finals):
        result.puzzles[result.status == DigStatus.MISSED] = 0
        return result

class Empty(Orbit):
    "Of nothing is anything left."
    def changed(self, result, finals):
        result.puzzles[:] = 0
        return result

class RangeOnly(Orbit):
    def __init__(self, options, solver):
        super().__init__(ClueTarget(**options.model_dump()), solver)

@hookimpl
def sudokumill_register_diggers():
    for kind in (Orbit, Careless, Foreign, Blind, Boastful, Modest, Shy, OfAnyLength, Trusting, Reserved,
                 Hopeful, Empty, RangeOnly):
        options = {Reserved: Further, RangeOnly: ClueRange}.get(kind, ClueTarget)
        yield DiggerDescriptor(name=kind.__name__.lower(), version="1", summary="s", factory=kind,
                               options=options, rate=9, uses_solver=True)
"""


@pytest.fixture
def find(write_plugin: Callable[[str, str], Path]) -> Find:
    registry = load_registry("others", write_plugin("others", PLUGIN))
    return lambda name: registry.find(Role.DIGGER, name)


@pytest.mark.parametrize(
    "options",
    [{"clues_min": 30, "clues_max": 40, "symmetry": "rot180"}, {"minimal": True}],
)
def test_a_good_digger_passes(find: Find, options: dict[str, object]) -> None:
    check_digger(find("orbit"), options, count=3)


@pytest.mark.parametrize(
    ("name", "rule", "options"),
    [
        ("careless", "one solution", {}),
        ("empty", "one solution", {}),
        ("foreign", "clues are those of the final", {}),
        ("blind", "what is no final is refused", {}),
        ("boastful", "what is dug is on target", {"clues": 18}),
        ("orbit", "what is dug is on target", {"minimal": True, "symmetry": "full"}),
        ("trusting", "a wrong shape or dtype raises", {}),
        ("ofanylength", "a wrong shape or dtype raises", {}),
        ("modest", "what is on target is dug", {}),
        ("modest", "what is on target is dug", {"clues_min": 30, "clues_max": 40, "symmetry": "rot180"}),
        ("shy", "what is on target is dug", {"minimal": True}),
    ],
)
def test_a_bad_digger_is_told_its_rule(find: Find, name: str, rule: str, options: dict[str, object]) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_digger(find(name), options, count=3)
    assert caught.value.fields["rule"] == rule, str(caught.value)


def test_what_an_option_of_its_own_asks_for_may_be_missed(find: Find) -> None:
    check_digger(find("reserved"), {"strict": True}, count=3)


def test_of_a_missed_row_nothing_need_be_left(find: Find) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_digger(find("hopeful"), {"clues": 18}, count=3)
    assert caught.value.fields["rule"] == "puzzles are dug"  # none of three has 18 clues
    check_digger(find("hopeful"), {"clues_max": 27}, count=8)


def test_a_clue_range_alone_is_a_target_too(find: Find) -> None:
    check_digger(find("rangeonly"), {"clues_min": 28, "clues_max": 40}, count=3)
