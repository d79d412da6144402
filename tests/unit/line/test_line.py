from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokumill.contracts import SolveStatus
from sudokumill.errors import UnknownImplementationError, UnknownVersionError
from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.jobs import Choice, JobKind, JobSpec, Part
from sudokumill.line import Line
from sudokumill.registry import Registry
from sudokumill.rows import Batch, FinalRows, LevelRows, SolutionRows

Lines = Callable[..., Line]


def _finals(batch: Batch) -> FinalRows:
    assert isinstance(batch.rows, FinalRows)
    return batch.rows


def _levels(batch: Batch) -> LevelRows:
    assert isinstance(batch.rows, LevelRows)
    return batch.rows


def _solutions(batch: Batch) -> SolutionRows:
    assert isinstance(batch.rows, SolutionRows)
    return batch.rows


_PLACE = re.compile(r" \(\w+\.py:\d+\)$")


def _errors(batch: Batch) -> dict[int, str]:
    assert len({error.position for error in batch.errors}) == len(batch.errors), "one error a position"
    """Reasons by position, without the place in the plugin's file, which each that was raised must have."""
    reasons = {error.position: error.reason for error in batch.errors}
    assert all(_PLACE.search(reason) for reason in reasons.values() if reason.startswith("raised"))
    return {position: _PLACE.sub("", reason) for position, reason in reasons.items()}


def _by_position(rows: FinalRows | LevelRows) -> dict[int, str]:
    grids = rows.finals if isinstance(rows, FinalRows) else rows.puzzles
    return dict(zip(rows.positions.tolist(), to_lines(grids), strict=True))


# --- finals ------------------------------------------------------------------------------------------------


def test_finals_of_a_good_generator(line_of: Lines) -> None:
    batch = line_of(JobKind.GENERATE).run(100, 130)
    rows = _finals(batch)
    assert rows.positions.tolist() == list(range(100, 130))
    assert are_finals(rows.finals).all()
    assert not batch.errors
    report = batch.reports["generator position"]
    assert (report.least, report.greatest, report.total / report.weight) == (100, 129, 114.5)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raise", "raised ZeroDivisionError: the plugin failed"),
        ("unspeakable", "raised Unspeakable: its message cannot be shown"),
        ("exit", "raised SystemExit: 3"),
        ("shape", "wrong shape: finals has 80 cells instead of 81"),
        ("rows", "wrong shape: finals has 2 rows for 1"),
        ("flat", "wrong shape: finals has 1 dimensions instead of 81"),
        ("dtype", "wrong dtype: finals is int64, not uint8"),
        ("list", "wrong type: finals is a list, not an array"),
        ("result", "returned a tuple instead of a GenerateResult"),
        ("status", "unknown status 9"),
        ("infinite", "report 'tries' has figures that are no numbers below 1e100"),
        ("weight", "report 'tries' has a weight below zero, or next to it"),
        ("invalid", "invalid final"),
        ("gave_up", "gave up"),
    ],
)
def test_each_fault_of_a_generator_costs_its_rows_alone(line_of: Lines, fault: str, reason: str) -> None:
    batch = line_of(JobKind.GENERATE, generator=f"lab {fault}@3,11,12").run(0, 20)
    assert _errors(batch) == {3: reason, 11: reason, 12: reason}
    error = batch.errors[0]
    assert error.part is Part.GENERATOR
    assert error.owner.startswith("lab==1.0 of plugin lab")
    undisturbed = _by_position(_finals(line_of(JobKind.GENERATE).run(0, 20)))
    assert _by_position(_finals(batch)) == {
        position: line for position, line in undisturbed.items() if position not in {3, 11, 12}
    }


@settings(max_examples=60)
@given(st.sets(st.integers(0, 39)), st.sets(st.integers(0, 39)), st.sets(st.integers(0, 39)))
def test_any_rows_at_fault(line_of: Lines, raising: set[int], misshapen: set[int], invalid: set[int]) -> None:
    faults = " ".join(
        f"{name}@{','.join(map(str, sorted(rows)))}"
        for name, rows in (("raise", raising), ("shape", misshapen), ("invalid", invalid))
        if rows
    )
    batch = line_of(JobKind.GENERATE, generator=f"lab {faults}").run(0, 40)
    wanted = dict.fromkeys(invalid, "invalid final")
    wanted |= dict.fromkeys(misshapen, "wrong shape: finals has 80 cells instead of 81")
    wanted |= dict.fromkeys(raising, "raised ZeroDivisionError: the plugin failed")
    assert _errors(batch) == wanted
    undisturbed = _by_position(_finals(line_of(JobKind.GENERATE).run(0, 40)))
    rows = _finals(batch)
    assert _by_position(rows) == {
        position: undisturbed[position] for position in range(40) if position not in wanted
    }
    assert (np.diff(rows.positions) > 0).all()
    report = batch.reports.get("generator position")
    assert (report.weight if report else 0) == 40 - len(raising | misshapen)


def test_when_all_fail_there_are_no_rows(line_of: Lines) -> None:
    for fault in ("raise/1", "invalid/1"):
        batch = line_of(JobKind.GENERATE, generator=f"lab {fault}").run(0, 5)
        assert len(_finals(batch).positions) == 0
        assert sorted(_errors(batch)) == [0, 1, 2, 3, 4]
    batch = line_of(JobKind.LEVELS, generator="lab raise/1").run(0, 5)
    assert len(_levels(batch).positions) == 0
    assert _levels(batch).puzzles.shape == (0, 81)


def test_a_generator_that_writes_on_its_seeds_does_not_disturb_the_digger(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, generator="lab mutate@4").run(0, 10)
    assert set(_errors(batch)) == {4}
    assert "read-only" in _errors(batch)[4]
    good = _by_position(_levels(line_of(JobKind.LEVELS).run(0, 10)))
    assert _by_position(_levels(batch)) == {position: line for position, line in good.items() if position != 4}


def test_an_array_in_another_order_is_a_batch_all_the_same(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, generator="lab fortran/1", digger="native").run(0, 20)
    assert not batch.errors
    assert _levels(batch).finals.flags.c_contiguous
    straight = line_of(JobKind.LEVELS, digger="native").run(0, 20)
    assert _by_position(_levels(batch)) == _by_position(_levels(straight))


def test_a_seeded_generator_gets_seeds(line_of: Lines) -> None:
    line = line_of(JobKind.GENERATE, generator="native")
    whole = _by_position(_finals(line.run(0, 50)))
    pieces: dict[int, str] = {}
    for start in range(0, 50, 7):
        pieces |= _by_position(_finals(line.run(start, min(start + 7, 50))))
    assert pieces == whole
    assert len(set(whole.values())) == 50


# --- levels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("digger", "generator"), [("lab", "lab"), ("native", "native"), ("holes", "random-row"), ("holes", "lab")]
)
def test_levels_of_good_implementations(line_of: Lines, digger: str, generator: str) -> None:
    batch = line_of(JobKind.LEVELS, generator=generator, digger=digger).run(0, 20)
    rows = _levels(batch)
    assert not batch.errors
    assert rows.positions.tolist() == list(range(20))
    assert ((rows.puzzles == 0) | (rows.puzzles == rows.finals)).all()
    assert (rows.nodes >= 0).all()
    assert rows.descriptions.clue_count.tolist() == (rows.puzzles > 0).sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raise", "raised ZeroDivisionError: the plugin failed"),
        ("exit", "raised SystemExit: 3"),
        ("shape", "wrong shape: puzzles has 80 cells instead of 81"),
        ("rows", "wrong shape: puzzles has 2 rows for 1"),
        ("dtype", "wrong dtype: puzzles is int64, not uint8"),
        ("list", "wrong type: puzzles is a list, not an array"),
        ("result", "returned a tuple instead of a DigResult"),
        ("status", "unknown status 9"),
        ("gave_up", "gave up"),
        ("refused", "refused a valid final"),
        ("foreign", "not a subset of its final"),
        ("several", "2 solutions"),
    ],
)
def test_each_fault_of_a_digger_costs_its_rows_alone(line_of: Lines, fault: str, reason: str) -> None:
    batch = line_of(JobKind.LEVELS, digger=f"lab {fault}@3,11,12").run(0, 20)
    assert _errors(batch) == {3: reason, 11: reason, 12: reason}
    assert {error.part for error in batch.errors} == {Part.DIGGER}
    undisturbed = _by_position(_levels(line_of(JobKind.LEVELS).run(0, 20)))
    assert _by_position(_levels(batch)) == {
        position: line for position, line in undisturbed.items() if position not in {3, 11, 12}
    }


@settings(max_examples=40)
@given(st.sets(st.integers(0, 29)), st.sets(st.integers(0, 29)), st.sets(st.integers(0, 29)))
def test_any_rows_at_fault_in_any_part(
    line_of: Lines, generated: set[int], dug: set[int], several: set[int]
) -> None:
    def words(**rows: set[int]) -> str:
        return " ".join(f"{name}@{','.join(map(str, each))}" for name, each in rows.items() if each)

    generator, digger = words(invalid=generated), words(raise_=dug, several=several).replace("raise_", "raise")
    batch = line_of(JobKind.LEVELS, generator=f"lab {generator}", digger=f"lab {digger}").run(0, 30)
    wanted = dict.fromkeys(several, "2 solutions")
    wanted |= dict.fromkeys(dug, "raised ZeroDivisionError: the plugin failed")
    wanted |= dict.fromkeys(generated, "invalid final")
    assert _errors(batch) == wanted
    undisturbed = _by_position(_levels(line_of(JobKind.LEVELS).run(0, 30)))
    assert _by_position(_levels(batch)) == {
        position: undisturbed[position] for position in range(30) if position not in wanted
    }


def test_a_sound_puzzle_off_target_is_kept_as_such(line_of: Lines) -> None:
    rows = _levels(line_of(JobKind.LEVELS, digger="lab missed@2,5").run(0, 8))
    assert rows.on_target.tolist() == [position not in {2, 5} for position in range(8)]


@pytest.mark.parametrize("faults", ["barren@2,5", "barren@2,5 missed@1 foreign@5"])
def test_where_no_puzzle_was_left_there_is_neither_a_row_nor_an_error(line_of: Lines, faults: str) -> None:
    batch = line_of(JobKind.LEVELS, digger=f"lab {faults}").run(0, 8)
    assert _levels(batch).positions.tolist() == [0, 1, 3, 4, 6, 7]
    assert (batch.barren, batch.errors) == (2, ())
    empty = line_of(JobKind.LEVELS, digger="lab barren/1").run(0, 8)
    assert (len(_levels(empty).positions), empty.barren, empty.errors) == (0, 8, ())


def test_only_a_missed_row_may_be_all_zeros(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, digger="lab barren@2 blank@4").run(0, 8)
    assert batch.barren == 1
    assert _errors(batch) == {4: "2 solutions"}


def test_a_digger_that_works_on_the_finals_themselves_spoils_nothing(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, digger="lab inplace@4").run(0, 10)
    assert set(_errors(batch)) == {4}
    assert "read-only" in _errors(batch)[4]
    assert are_finals(_levels(batch).finals).all()


@pytest.mark.parametrize("digger", ["lab inplace/1", "lab"])
def test_inputs_are_left_as_they_are(line_of: Lines, digger: str) -> None:
    finals = _finals(line_of(JobKind.GENERATE).run(0, 10)).finals
    before = finals.copy()
    line_of(JobKind.DIG, digger=digger).run(0, 10, finals)
    assert (finals == before).all()


@pytest.mark.cases("plugin", ids=["C107"])
def test_a_digger_that_claims_too_much(line_of: Lines, registry: Registry, case: dict[str, Any]) -> None:
    assert "tenth" in case["input"]["scenario"]
    two_solutions = from_lines(
        ["349618572782359...651742389273895...195476238864231957527164893918523764436987125"]
    )
    finals = _finals(line_of(JobKind.GENERATE).run(0, 660)).finals
    number = np.arange(1, 661)
    twos = number % 10 == 0
    finals[twos] = registry.solver("exact-cover").solve(two_solutions).solutions
    # the digger knows the other finals by number, and takes those of the grid with two solutions for number -2
    line = line_of(JobKind.DIG, digger="lab two@-2 foreign/11 shape/12")
    batch = line.run(0, 660, finals)
    shapes = (number % 12 == 0) & ~twos
    subsets = (number % 11 == 0) & ~twos & ~shapes
    assert Counter(_errors(batch).values()) == {
        "2 solutions": int(twos.sum()),
        "not a subset of its final": int(subsets.sum()),
        "wrong shape: puzzles has 80 cells instead of 81": int(shapes.sum()),
    }
    good = np.flatnonzero(~(shapes | subsets | twos))
    assert _levels(batch).positions.tolist() == good.tolist()
    straight = line_of(JobKind.DIG).run(0, 660, finals)
    assert (_levels(batch).puzzles == _levels(straight).puzzles[good]).all()


def test_a_puzzle_of_another_final_with_two_solutions(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, digger="lab two@4").run(0, 8)
    assert _errors(batch) == {4: "not a subset of its final"}


# --- the checker and the solver ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("gave_up", "gave up on a dug puzzle"),
        ("several", "2 solutions"),
        ("none", "its solution is none"),
        ("wrong", "its solution is none"),
    ],
)
def test_what_the_checker_does_not_confirm_is_not_kept(line_of: Lines, fault: str, reason: str) -> None:
    batch = line_of(JobKind.LEVELS, checker=f"lab {fault}/3").run(0, 40)
    rows = _levels(batch)
    blanks = np.argmin(_levels(line_of(JobKind.LEVELS).run(0, 40)).puzzles, axis=1)
    assert _errors(batch) == dict.fromkeys(np.flatnonzero(blanks % 3 == 2).tolist(), reason)
    assert (np.argmin(rows.puzzles, axis=1) % 3 != 2).all()
    assert len(batch.errors) > 3


def test_a_checker_that_raises_is_itself_at_fault(line_of: Lines) -> None:
    batch = line_of(JobKind.LEVELS, checker="lab raise/9").run(0, 40)
    assert batch.errors
    assert {error.part for error in batch.errors} == {Part.CHECKER}
    assert set(_errors(batch).values()) == {"raised ZeroDivisionError: the plugin failed"}
    assert len(_levels(batch).positions) + len(batch.errors) == 40


def test_nodes_of_a_solver_that_gave_up_are_unknown(line_of: Lines) -> None:
    rows = _levels(line_of(JobKind.LEVELS, solver="lab gave_up/1").run(0, 8))
    assert rows.nodes.tolist() == [-1] * 8
    assert (rows.minimal == -1).all()


def test_a_solver_that_raises_costs_its_rows(line_of: Lines) -> None:
    blanks = np.argmin(_levels(line_of(JobKind.LEVELS).run(0, 60)).puzzles, axis=1)
    bad = int(blanks[7])
    batch = line_of(JobKind.LEVELS, solver=f"lab raise@{bad}").run(0, 60)
    assert set(_errors(batch)) == set(np.flatnonzero(blanks == bad).tolist())
    assert {error.part for error in batch.errors} == {Part.SOLVER}


# --- minimality --------------------------------------------------------------------------------------------


def _is_minimal(puzzle: Grids, registry: Registry) -> bool:
    clues = np.flatnonzero(puzzle)
    fewer = np.repeat(puzzle[None, :], len(clues), axis=0)
    fewer[np.arange(len(clues)), clues] = 0
    status = registry.solver("exact-cover").solve(fewer).status
    return bool((status == SolveStatus.SEVERAL).all())


@pytest.mark.parametrize(
    "options", [{}, {"symmetry": "rot180"}, {"clues_min": 24, "clues_max": 26}, {"minimal": True}]
)
def test_minimal_means_that_no_single_clue_can_go(
    line_of: Lines, registry: Registry, options: dict[str, Any]
) -> None:
    line = line_of(JobKind.LEVELS, generator="native", digger="native", options={"digger": options})
    rows = _levels(line.run(0, 60))
    assert rows.minimal.tolist() == [_is_minimal(puzzle, registry) for puzzle in rows.puzzles]


@pytest.mark.cases("dig", ids=["C024"])
def test_a_symmetric_puzzle_is_not_called_minimal_for_its_orbits(
    line_of: Lines, registry: Registry, case: dict[str, Any]
) -> None:
    finals = from_lines(case["input"]["finals"])
    line = line_of(JobKind.DIG, digger="native", options={"digger": case["input"]["options"]})
    rows = _levels(line.run(0, 40, np.repeat(finals, 40, axis=0)))
    minimal = [_is_minimal(puzzle, registry) for puzzle in rows.puzzles]
    assert rows.minimal.tolist() == minimal
    assert False in minimal
    assert {symmetry.value for symmetry in rows.descriptions.symmetry} <= {"rot180", "rot90", "full"}


def test_what_the_solver_could_not_look_at_is_not_called_minimal(line_of: Lines) -> None:
    # the solver solves the puzzles, but raises for grids with one clue less in a certain place
    options = {"digger": {"minimal": True}}
    straight = _levels(line_of(JobKind.LEVELS, generator="native", digger="native", options=options).run(0, 30))
    assert straight.minimal.all()
    first = np.argmin(straight.puzzles, axis=1)
    rows = _levels(
        line_of(JobKind.LEVELS, generator="native", digger="native", solver="lab raise@0", options=options).run(
            0, 30
        )
    )
    kept = first != 0
    assert rows.positions.tolist() == np.flatnonzero(kept).tolist()
    # each of them has a clue in the first cell, which nobody could take away
    assert (rows.minimal == -1).all()


# --- solve -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def given_grids(minimal_puzzles: Grids) -> Grids:
    grids = minimal_puzzles[:100].copy()
    grids[3] = 0
    grids[4, :2] = 5
    return grids


def test_solutions_of_a_good_solver(line_of: Lines, given_grids: Grids) -> None:
    rows = _solutions(line_of(JobKind.SOLVE, solver="exact-cover").run(0, 100, given_grids))
    assert rows.positions.tolist() == list(range(100))
    names = [SolveStatus(int(status)) for status in rows.status]
    assert names[3] is SolveStatus.SEVERAL
    assert names[4] is SolveStatus.CLASH
    assert names.count(SolveStatus.UNIQUE) == 98
    assert not rows.solutions[4].any()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("wrong", "its solution is none"),
        ("none", "its solution is none"),
        ("raise", "raised ZeroDivisionError: the plugin failed"),
        ("shape", "wrong shape: solutions has 80 cells instead of 81"),
        ("miscount", "its count and its status contradict each other"),
    ],
)
def test_what_a_lying_solver_says_is_not_kept(line_of: Lines, given_grids: Grids, fault: str, reason: str) -> None:
    batch = line_of(JobKind.SOLVE, solver=f"lab {fault}/2").run(0, 100, given_grids)
    lied = np.argmin(given_grids, axis=1) % 2 == 1
    if fault == "wrong":
        lied[4] = False  # a clash has no solution to be wrong about
    assert 3 < lied.sum() < 50
    assert _errors(batch) == dict.fromkeys(np.flatnonzero(lied).tolist(), reason)
    rows = _solutions(batch)
    assert rows.positions.tolist() == np.flatnonzero(~lied).tolist()
    straight = _solutions(line_of(JobKind.SOLVE).run(0, 100, given_grids))
    assert (rows.solutions == straight.solutions[~lied]).all()


def test_positions_of_solutions_rise_although_calls_failed(line_of: Lines, minimal_puzzles: Grids) -> None:
    rows = _solutions(line_of(JobKind.SOLVE, solver="lab raise/3").run(50, 150, minimal_puzzles[:100]))
    assert (np.diff(rows.positions) > 0).all()
    assert rows.positions.min() >= 50


# --- building ----------------------------------------------------------------------------------------------


def _spec(name: str, version: str, pinned: bool) -> JobSpec:
    choice = Choice(name=name, version=version, pinned=pinned)
    return JobSpec(kind=JobKind.GENERATE, count=1, seed=1, parts={Part.GENERATOR: choice}, rate=1.0)


def test_a_pinned_version_is_the_only_one_that_will_do(registry: Registry) -> None:
    Line(_spec("lab", "0.9", pinned=False), registry)
    with pytest.raises(UnknownVersionError, match=re.escape("'lab' is here in version 1.0")):
        Line(_spec("lab", "0.9", pinned=True), registry)
    with pytest.raises(UnknownImplementationError):
        Line(_spec("gone", "1", pinned=False), registry)


def test_versions_name_what_stands_at_each_part(line_of: Lines) -> None:
    assert line_of(JobKind.LEVELS, digger="holes").versions == {
        "generator": "lab==1.0",
        "digger": "holes==1",
        "solver": "native==2",
        "checker": "exact-cover==1",
    }
