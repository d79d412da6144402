from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokumill.contracts import DigStatus, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill.grids.symmetries import Symmetry, orbits, symmetries
from sudokumill.streams import Seeds
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions, SearchOptions
from sudokumill_native.solvers import ExactCoverSolver

Cases = Mapping[str, dict[str, Any]]

SEEDS = np.arange(100, dtype=np.uint64)


@pytest.fixture(scope="module")
def finals() -> Grids:
    return NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals


def digger(**asked: Any) -> NativeDigger:
    return NativeDigger(NativeDiggerOptions.model_validate(asked))


def clue_counts(puzzles: Grids) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = (puzzles > 0).sum(axis=1, dtype=np.int64)
    return counts


def check_sound(puzzles: Grids, finals: Grids) -> None:
    """Clues of the final, and the final as the only solution, by the solver that does not dig."""
    assert (puzzles == finals)[puzzles > 0].all()
    result = ExactCoverSolver(SearchOptions()).solve(puzzles)
    assert (result.status == SolveStatus.UNIQUE).all()
    assert np.array_equal(result.solutions, finals)


def without_each_clue(puzzle: NDArray[np.uint8]) -> Grids:
    """One grid a clue, without it."""
    clues = np.flatnonzero(puzzle)
    grids = np.repeat(puzzle[np.newaxis], len(clues), axis=0)
    grids[np.arange(len(clues)), clues] = 0
    return grids


def is_minimal(puzzle: NDArray[np.uint8]) -> bool:
    status = ExactCoverSolver(SearchOptions()).solve(without_each_clue(puzzle)).status
    return bool((status == SolveStatus.SEVERAL).all())


@pytest.mark.parametrize("minimal", [False, True])
def test_without_a_clue_count_it_digs_to_minimal(finals: Grids, minimal: bool) -> None:
    result = digger(minimal=minimal).dig(finals, SEEDS)
    assert (result.status == DigStatus.DUG).all()
    assert result.puzzles.dtype == np.uint8
    assert result.puzzles.shape == (100, 81)
    check_sound(result.puzzles, finals)
    assert all(is_minimal(puzzle) for puzzle in result.puzzles)
    assert clue_counts(result.puzzles).min() >= 17
    assert clue_counts(result.puzzles).max() <= 40


def test_orders_differ_by_seed(finals: Grids) -> None:
    same = np.repeat(finals[:1], 100, axis=0)
    puzzles = digger().dig(same, SEEDS).puzzles
    assert len(set(to_lines(puzzles))) == 100
    kept = np.count_nonzero(puzzles, axis=0)
    assert kept.max() < 60  # no cell is favoured: 24 of 81 stay, so 30 of 100 on average


@pytest.mark.parametrize("clues", [28, 35, 80])
def test_an_exact_clue_count(finals: Grids, clues: int) -> None:
    result = digger(clues=clues).dig(finals, SEEDS)
    assert (result.status == DigStatus.DUG).all()
    assert (clue_counts(result.puzzles) == clues).all()
    check_sound(result.puzzles, finals)


def test_clue_counts_are_drawn_from_the_whole_range(finals: Grids) -> None:
    result = digger(clues_min=32, clues_max=35).dig(finals, SEEDS)
    assert (result.status == DigStatus.DUG).all()
    counts = np.bincount(clue_counts(result.puzzles), minlength=36)
    assert counts[32:].min() >= 10
    assert counts.sum() == counts[32:].sum()


def test_a_target_that_was_not_met_is_said(finals: Grids, cases: Cases) -> None:
    case = cases["C027"]["input"]
    grids = np.concatenate([from_lines(case["finals"]), finals])
    seeds = np.concatenate([np.array(case["seeds"], dtype=np.uint64), SEEDS])
    result = digger(clues=case["options"]["clues"]).dig(grids, seeds)
    counts = clue_counts(result.puzzles)
    assert np.array_equal(result.status == DigStatus.DUG, counts == 17)
    assert np.array_equal(result.status == DigStatus.MISSED, counts > 17)
    check_sound(result.puzzles, grids)


def test_a_minimal_puzzle_of_another_count_is_missed(finals: Grids) -> None:
    result = digger(minimal=True, clues_min=24, clues_max=25).dig(finals, SEEDS)
    counts = clue_counts(result.puzzles)
    assert np.array_equal(result.status == DigStatus.DUG, (counts >= 24) & (counts <= 25))
    assert set(result.status.tolist()) == {DigStatus.DUG, DigStatus.MISSED}
    assert all(is_minimal(puzzle) for puzzle in result.puzzles)


@pytest.mark.parametrize("symmetry", list(Symmetry))
def test_orbits_go_together_and_none_that_could_go_stays(finals: Grids, symmetry: Symmetry) -> None:
    few, seeds = finals[:20], SEEDS[:20]
    result = digger(symmetry=symmetry).dig(few, seeds)
    assert (result.status == DigStatus.DUG).all()
    check_sound(result.puzzles, few)
    solver = ExactCoverSolver(SearchOptions())
    for puzzle in result.puzzles:
        for orbit in orbits(symmetry):
            cells = list(orbit)
            assert puzzle[cells].all() or not puzzle[cells].any()
            if puzzle[cells].any():
                fewer = puzzle.copy()
                fewer[cells] = 0
                assert solver.solve(fewer[np.newaxis]).status[0] == SolveStatus.SEVERAL


def test_a_symmetric_puzzle_is_minimal_only_if_no_single_clue_can_go(finals: Grids) -> None:
    result = digger(symmetry=Symmetry.ROT180, minimal=True).dig(finals, SEEDS)
    truly = [is_minimal(puzzle) for puzzle in result.puzzles]
    assert (result.status == DigStatus.DUG).tolist() == truly
    assert True in truly
    assert False in truly


def test_a_pattern_has_the_symmetry_asked_for(cases: Cases) -> None:
    case = cases["C024"]["input"]
    grids = from_lines(case["finals"])
    result = digger(**case["options"]).dig(grids, np.array(case["seeds"], dtype=np.uint64))
    check_sound(result.puzzles, grids)
    assert symmetries(result.puzzles) == [Symmetry.ROT180]


@pytest.mark.parametrize(
    ("symmetry", "possible"),
    [(Symmetry.ROT90, {28, 29, 32}), (Symmetry.FULL, {28, 29, 32}), (Symmetry.NONE, None)],
)
def test_only_counts_that_the_symmetry_allows_are_aimed_at(symmetry: Symmetry, possible: set[int] | None) -> None:
    options = NativeDiggerOptions.model_validate({"symmetry": symmetry, "clues_min": 26, "clues_max": 32})
    assert options.aims() == sorted(possible or range(26, 33))


@pytest.mark.parametrize(
    ("symmetry", "clues"),
    [
        (Symmetry.ROT180, 46),
        (Symmetry.ROT180, 47),
        (Symmetry.ROT90, 56),
        (Symmetry.ROT90, 57),
        (Symmetry.HORIZONTAL, 36),
        (Symmetry.ANTIDIAGONAL, 37),
        (Symmetry.FULL, 64),
        (Symmetry.FULL, 65),
    ],
)
def test_symmetric_puzzles_stop_at_their_count(finals: Grids, symmetry: Symmetry, clues: int) -> None:
    result = digger(symmetry=symmetry, clues=clues).dig(finals, SEEDS)
    assert (result.status == DigStatus.DUG).mean() > 0.9
    counts = clue_counts(result.puzzles)
    assert np.array_equal(result.status == DigStatus.DUG, counts == clues)
    assert counts.min() == clues
    check_sound(result.puzzles, finals)


def test_one_of_four_cells_that_could_be_exchanged_stays(cases: Cases) -> None:
    case = cases["C026"]["input"]
    grids = np.repeat(from_lines(case["finals"]), len(case["seeds"]), axis=0)
    result = digger(minimal=True).dig(grids, np.array(case["seeds"], dtype=np.uint64))
    check_sound(result.puzzles, grids)
    assert result.puzzles[:, [1, 3, 10, 12]].any(axis=1).all()


def test_minimal_puzzles_of_given_finals(cases: Cases) -> None:
    case = cases["C023"]["input"]
    grids = from_lines(case["finals"])
    result = digger(minimal=True).dig(grids, np.array(case["seeds"], dtype=np.uint64))
    assert (result.status == DigStatus.DUG).all()
    check_sound(result.puzzles, grids)
    assert all(is_minimal(puzzle) for puzzle in result.puzzles)


def test_what_is_no_final_is_said_and_the_others_go_on(finals: Grids) -> None:
    grids = finals[:5].copy()
    grids[1, 7] = 0
    grids[2, [3, 4]] = grids[2, [4, 3]]
    grids[3, 0] = 10
    result = digger().dig(grids, SEEDS[:5])
    assert result.status.tolist() == [0, 2, 2, 2, 0]
    assert not result.puzzles[1:4].any()
    assert np.array_equal(result.puzzles[[0, 4]], digger().dig(finals, SEEDS).puzzles[[0, 4]])


def test_a_row_does_not_depend_on_its_batch(finals: Grids) -> None:
    dig = digger(clues_min=26, clues_max=30, symmetry=Symmetry.DIAGONAL).dig
    whole = dig(finals, SEEDS)
    backwards = dig(np.ascontiguousarray(finals[::-1]), np.ascontiguousarray(SEEDS[::-1]))
    assert np.array_equal(backwards.puzzles[::-1], whole.puzzles)
    assert np.array_equal(backwards.status[::-1], whole.status)
    for row in range(0, 100, 20):
        alone = dig(finals[row : row + 1], SEEDS[row : row + 1])
        assert np.array_equal(alone.puzzles[0], whole.puzzles[row])
        assert alone.status[0] == whole.status[row]


def test_the_puzzle_of_version_1() -> None:
    # the same on every platform; if it changes, so must the version that the plugin registers
    final = from_lines(["725638419436915287981247653679824135354761928218359764147582396893176542562493871"])
    puzzle = digger().dig(final, SEEDS[:1]).puzzles
    assert to_lines(puzzle) == [
        "005000009006010000980000000070004030300060000000309004140080006803000500000090071"
    ]


@pytest.mark.parametrize("seeds", [SEEDS[:3], SEEDS[:0]])
def test_one_seed_a_final_is_needed(finals: Grids, seeds: Seeds) -> None:
    with pytest.raises(BatchShapeError, match=r"seeds must be a C-contiguous uint64 array of shape \(2,\)"):
        digger().dig(finals[:2], seeds)
