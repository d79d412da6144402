"""Paths that graders show: right ones pass, and each kind of wrong one is told in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokumill.contracts import Explainer, Link, Step
from sudokumill.errors import WrongPathError
from sudokumill.grids.batch import from_lines
from sudokumill.path_checking import check_path, verified_path
from sudokumill.registry import Registry

# It takes an X-wing (step 24) and two chains from r4c7 and r6c6 (steps 25 and 26).
PUZZLE = from_lines(["940057002005016007000008030679000000480000056000000479050700000300680700100490028"])[0]
CELL_CHAINS = from_lines(["000820000100003000052004900014200705008000400205007610001700260000900007000052000"])[0]

Change = Callable[[list[Step]], object]


class Known:
    """A puzzle with what a good grader and a good solver say of it."""

    def __init__(self, registry: Registry, puzzle: NDArray[np.uint8]) -> None:
        grader = registry.grader("explainer")
        assert isinstance(grader, Explainer)
        self.grader = grader
        self.puzzle = puzzle
        self.solution = registry.solver("native").solve(puzzle[None]).solutions[0]
        self.counted = grader.grade(puzzle[None]).techniques[0]
        self.path = list(grader.path(puzzle))

    def fault(self, path: object, **said: Any) -> str:
        with pytest.raises(WrongPathError) as caught:
            check_path(path, self.puzzle, self.solution, **{"counted": self.counted, **said})
        text = str(caught.value)
        assert "\n" not in text
        return text

    def place_of(self, technique: str) -> int:
        return next(number for number, step in enumerate(self.path) if step.technique == technique)


@pytest.fixture(scope="module")
def known(registry: Registry) -> Known:
    return Known(registry, PUZZLE)


@pytest.fixture(scope="module")
def cell_chains(registry: Registry) -> Known:
    return Known(registry, CELL_CHAINS)


def test_a_right_path_passes(known: Known, cell_chains: Known) -> None:
    for one in (known, cell_chains):
        assert check_path(one.path, one.puzzle, one.solution, counted=one.counted) == tuple(one.path)
        short = one.path[:20]
        counted = {code: sum(step.technique == code for step in short) for code in {s.technique for s in short}}
        check_path(short, one.puzzle, one.solution, counted=counted, whole=False)
        assert "does not fill" in one.fault(short, counted=counted)


X_WING, CHAIN = 23, 24


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"technique": 3}, "its technique is a int, not a code"),
        ({"technique": "fish"}, "its grader declares no technique 'fish'"),
        ({"rating": "3.2"}, "its rating is '3.2', which is no number"),
        ({"rating": float("nan")}, "its rating is nan, which is no number"),
        ({"cells": [3, 4]}, "its cells are a list, not a tuple"),
        ({"cells": (3, 81)}, "its cells have 81, which is no int from 0 to 80"),
        ({"cells": (-1, 3)}, "its cells have -1, which is no int from 0 to 80"),
        ({"cells": (np.int64(3), 4)}, "which is no int from 0 to 80"),
        ({"cells": (4, 3)}, "its cells do not rise"),
        ({"digits": (0, 1)}, "its digits have 0, which is no int from 1 to 9"),
        ({"digits": (True,)}, "its digits have True, which is no int from 1 to 9"),
        ({"digits": None}, "its digits are a NoneType, not a tuple"),
        ({"placements": ((3,),)}, "its placements have (3,), which is no (cell, digit)"),
        ({"eliminations": ((3, 10),)}, "its eliminations have (3, 10), which is no (cell, digit)"),
        ({"eliminations": "r3c3"}, "its eliminations are a str, not a tuple"),
        ({"eliminations": ()}, "it changes nothing"),
        ({"chains": "none"}, "its chains are a str, not a tuple"),
        ({"chains": ([],)}, "its chains have [], which is no tuple of Link"),
        ({"chains": ((),)}, "a chain has no link"),
        ({"chains": ((3,),)}, "link 1 of a chain is a int, not a Link"),
        ({"eliminations": ((0, 3),)}, "it rules 3 out of r1c1, which is a clue"),
        ({"placements": ((0, 9),)}, "it places 9 in r1c1, which is a clue"),
    ],
)
def test_a_step_of_a_wrong_form_is_told(known: Known, changes: dict[str, Any], reason: str) -> None:
    path = list(known.path)
    path[X_WING] = replace(path[X_WING], **changes)
    text = known.fault(path, codes=list(known.counted))
    assert text.startswith(f"step {X_WING + 1} of its path")
    assert reason in text


def test_a_step_that_contradicts_the_solution_is_told(known: Known) -> None:
    blank = int(np.flatnonzero(known.puzzle == 0)[0])
    right = int(known.solution[blank])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"eliminations": ((blank, right),)}, f"it rules {right} out of r1c3, where the solution has it"),
        (
            {"placements": ((blank, right % 9 + 1),)},
            f"it places {right % 9 + 1} in r1c3, where the solution has {right}",
        ),
    ]
    for changes, reason in cases:
        path = list(known.path)
        path[X_WING] = replace(path[X_WING], **changes)
        assert known.fault(path) == f"step {X_WING + 1} of its path (x-wing): {reason}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: None, "its path is a NoneType, not a tuple of Step"),
        (lambda path: dict(enumerate(path)), "its path is a dict, not a tuple of Step"),
        (lambda path: [path[0], "x-wing", *path[2:]], "step 2 of its path is a str, not a Step"),
        (lambda path: path[:-1], "and its grade counts"),
        (lambda path: [], "its path has no step, and its grade counts"),
        (lambda path: path * 200, "more than 10,000"),
    ],
)
def test_what_is_no_path_or_not_the_one_that_was_counted_is_told(
    known: Known, change: Change, reason: str
) -> None:
    assert reason in known.fault(change(known.path))


# --- chains ----------------------------------------------------------------------------------------------


def _link(step: Step, chain: int, number: int, **changes: Any) -> Step:
    chains = [list(links) for links in step.chains]
    chains[chain][number] = replace(chains[chain][number], **changes)
    return replace(step, chains=tuple(map(tuple, chains)))


@pytest.mark.parametrize(
    ("number", "changes", "reason"),
    [
        (2, {"cell": 81}, "link 3 of a chain is no cell 0 to 80"),
        (2, {"on": 1}, "link 3 of a chain is no cell 0 to 80"),
        (2, {"why": "luck"}, "link 3 of a chain has the reason 'luck', which is none"),
        (2, {"why": "assumed"}, "link 3 of a chain is assumed, as only the first is"),
        (0, {"why": "row"}, "link 1 of a chain is the first, and not assumed"),
        (2, {"since": (5,)}, "link 3 of a chain does not follow from links before it"),
        (2, {"since": (2,)}, "link 3 of a chain does not follow from links before it"),
        (2, {"since": ()}, "does not follow"),
        (2, {"since": (0,)}, "does not follow"),
        (2, {"why": "row"}, "link 3 of a chain, r6c6 is 2, does not follow"),
        (2, {"digit": 3}, "link 3 of a chain, r6c6 is 3, does not follow"),
        (1, {"why": "column"}, "link 2 of a chain, r4c5 is not 2, does not follow"),
        (1, {"digit": 9}, "link 2 of a chain, r4c5 is not 9, does not follow"),
        (2, {"why": "x-wing"}, "link 3 of a chain, r6c6 is 2, does not follow"),
        (1, {"why": "x-wing"}, "link 2 of a chain, r4c5 is not 2, does not follow"),
    ],
)
def test_a_link_that_does_not_follow_is_told(
    known: Known, number: int, changes: dict[str, Any], reason: str
) -> None:
    assert known.path[CHAIN].technique == "forcing-x-chain"
    path = list(known.path)
    path[CHAIN] = _link(path[CHAIN], 0, number, **changes)
    text = known.fault(path, codes=list(known.counted))
    assert text.startswith(f"step {CHAIN + 1} of its path (forcing-x-chain): ")
    assert reason in text


def test_chains_that_show_something_else_are_told(known: Known, cell_chains: Known) -> None:
    path = list(known.path)
    # the contradiction left off; another conclusion; another assumption
    path[CHAIN] = replace(path[CHAIN], chains=(path[CHAIN].chains[0][:-1],))
    assert "its chains do not show that r4c7 is not 2" in known.fault(path)
    path = list(known.path)
    path[CHAIN] = replace(path[CHAIN], eliminations=path[CHAIN + 1].eliminations)
    assert "its chains do not show that r6c6 is not 2" in known.fault(path)
    at = cell_chains.place_of("cell-forcing-chains")
    for chain in range(len(cell_chains.path[at].chains)):
        path = list(cell_chains.path)
        chains = list(path[at].chains)
        del chains[chain]
        path[at] = replace(path[at], chains=tuple(chains))
        assert "its chains do not show that" in cell_chains.fault(path)


def test_a_technique_inside_a_chain_needs_candidates_that_have_gone(cell_chains: Known) -> None:
    wrong = int(cell_chains.solution[0]) % 9 + 1
    on = (Link(0, wrong, True, "assumed"), Link(0, wrong, False, "naked-pair", (0,)))
    off = (Link(0, wrong, False, "assumed"),)
    step = Step("nishio", 7.5, (0,), (wrong,), eliminations=((0, wrong),), chains=(on, off))
    text = cell_chains.fault([step], counted={"nishio": 1})
    assert "link 2 of a chain" in text
    good = replace(step, chains=(off, on[:1]))
    assert "do not show" in cell_chains.fault([good], counted={"nishio": 1})


# --- whatever a plugin does ------------------------------------------------------------------------------


class Odd:
    """Raises when it is looked at."""

    def __len__(self) -> int:
        raise SystemExit(3)


def test_what_a_path_raises_is_told_in_one_line(known: Known) -> None:
    class Bad:
        def __init__(self, act: Callable[[], object]) -> None:
            self.act = act

        def grade(self, puzzles: object) -> object:
            raise AssertionError

        def path(self, puzzle: NDArray[np.uint8]) -> Any:
            assert not puzzle.flags.writeable
            return self.act()

    def raises(error: BaseException) -> Callable[[], object]:
        def act() -> object:
            raise error

        return act

    for act, reason in (
        (
            raises(ZeroDivisionError("no way\nout")),
            "its path raised ZeroDivisionError: no way out (test_path_chec",
        ),
        (raises(SystemExit(2)), "its path raised SystemExit: 2"),
        (raises(RecursionError()), "its path raised RecursionError"),
        (lambda: (Step("naked-single", 2.3, Odd(), ()),), "not a tuple"),  # type: ignore[arg-type]
        (lambda: None, "its path is a NoneType"),
    ):
        with pytest.raises(WrongPathError) as caught:
            verified_path(Bad(act), known.puzzle, known.solution, counted={})  # type: ignore[arg-type]
        assert reason in str(caught.value)
        assert "\n" not in str(caught.value)
