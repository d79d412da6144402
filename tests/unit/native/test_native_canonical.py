"""The kernel's canonical forms against the definition, on finals and puzzles of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from sudokumill.contracts import Canonicaliser
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.canonical import canonical_forms, least_isomorphisms
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Streams, position_seeds
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions, SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

SEEDS = position_seeds(11, np.arange(2_000))
SOLVER = NativeSolver(SearchOptions())

AUTOMORPHIC = {
    648: "123456789456789123789123456231564897564897231897231564312645978645978312978312645",
    108: "123456789456789123789123456231564897564897231897231564312978645645312978978645312",
}
"""Finals by the number of their automorphisms."""


@pytest.fixture(scope="module")
def finals() -> Grids:
    return NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals


@pytest.fixture(scope="module")
def puzzles(finals: Grids) -> Grids:
    return NativeDigger(NativeDiggerOptions()).dig(finals, SEEDS).puzzles


def scattered(grids: Grids, solutions: Grids, seed: int) -> tuple[Grids, Grids]:
    """Each grid and its solution under one random isomorphism."""
    isomorphisms = draw(Streams(position_seeds(seed, np.arange(len(grids)))))
    return isomorphisms.apply(grids), isomorphisms.apply(solutions)


def of_many_automorphisms(line: str, count: int) -> tuple[Grids, Grids]:
    """A final so many times, and puzzles of it: random clues, some few and some many, that need not be enough."""
    finals = from_lines([line] * count)
    keep = np.random.default_rng(7).random((count, 81)) < np.linspace(0, 1, count)[:, None]
    return np.where(keep, finals, 0).astype(np.uint8), finals


def test_it_is_the_definition(finals: Grids, puzzles: Grids) -> None:
    some, grids = finals[:40], puzzles[:40]
    np.testing.assert_array_equal(SOLVER.canonical(some, some), canonical_forms(some, some))
    np.testing.assert_array_equal(SOLVER.canonical(grids, some), canonical_forms(grids, some))


@pytest.mark.parametrize("automorphisms", AUTOMORPHIC)
def test_it_is_the_definition_where_a_final_has_automorphisms(automorphisms: int) -> None:
    grids, solutions = of_many_automorphisms(AUTOMORPHIC[automorphisms], 25)
    np.testing.assert_array_equal(SOLVER.canonical(grids, solutions), canonical_forms(grids, solutions))


def test_two_thousand_finals_and_puzzles_have_the_form_of_their_isomorphs(finals: Grids, puzzles: Grids) -> None:
    for grids in (finals, puzzles):
        forms = SOLVER.canonical(grids, finals)
        np.testing.assert_array_equal(SOLVER.canonical(*scattered(grids, finals, 12)), forms)
        np.testing.assert_array_equal(SOLVER.canonical(forms, SOLVER.canonical(finals, finals)), forms)
        assert len(np.unique(forms, axis=0)) == len(grids)


@pytest.mark.parametrize("automorphisms", AUTOMORPHIC)
def test_automorphic_finals_have_the_form_of_their_isomorphs(automorphisms: int) -> None:
    grids, solutions = of_many_automorphisms(AUTOMORPHIC[automorphisms], 300)
    forms = SOLVER.canonical(grids, solutions)
    np.testing.assert_array_equal(SOLVER.canonical(*scattered(grids, solutions, 13)), forms)
    # an automorphism takes a puzzle to others of the same final: with one clue there is one class for each orbit
    single = np.where(np.eye(81, dtype=np.bool_), solutions[:81], 0).astype(np.uint8)
    classes = np.unique(SOLVER.canonical(single, np.ascontiguousarray(solutions[:81])), axis=0)
    sources = least_isomorphisms(solutions[0]).cells
    assert len(sources) == automorphisms
    assert len(classes) == len({frozenset(sources[:, cell].tolist()) for cell in range(81)})


def test_a_puzzles_form_is_part_of_its_finals(finals: Grids, puzzles: Grids) -> None:
    forms = SOLVER.canonical(puzzles, finals)
    np.testing.assert_array_equal(forms, np.where(forms, SOLVER.canonical(finals, finals), 0))
    assert ((forms > 0).sum(axis=1) == (puzzles > 0).sum(axis=1)).all()


def test_near_misses_differ(finals: Grids, puzzles: Grids) -> None:
    changed = 0
    for puzzle, final in zip(puzzles[:100], finals, strict=False):
        # one clue goes, another cell's digit comes: the same final and the same number of clues
        other = puzzle.copy()
        other[np.flatnonzero(puzzle)[0]] = 0
        blank = np.flatnonzero(puzzle == 0)[0]
        other[blank] = final[blank]
        one, two = SOLVER.canonical(np.stack([puzzle, other]), np.stack([final, final]))
        changed += not np.array_equal(one, two)
    assert changed == 100


def test_threads_and_batches_change_nothing(finals: Grids, puzzles: Grids) -> None:
    forms = _kernel.canonical_forms(puzzles, finals)
    np.testing.assert_array_equal(_kernel.canonical_forms(puzzles, finals, threads=4), forms)
    np.testing.assert_array_equal(_kernel.canonical_forms(puzzles[7:8], finals[7:8]), forms[7:8])
    assert _kernel.canonical_forms(puzzles[:0], finals[:0]).shape == (0, 81)


def test_a_row_without_its_solution_is_zeros_and_the_others_go_on(finals: Grids, puzzles: Grids) -> None:
    grids, solutions = puzzles[:4].copy(), finals[:4].copy()
    solutions[0] = 0  # none
    solutions[1, 80] = solutions[1, 79]  # no final
    solutions[2] = np.roll(solutions[2].reshape(9, 9), 3, axis=1).ravel()  # another grid's
    forms = SOLVER.canonical(grids, solutions)
    assert not forms[:3].any()
    np.testing.assert_array_equal(forms[3:], SOLVER.canonical(puzzles[3:4], finals[3:4]))


def test_what_is_no_batch_is_refused(finals: Grids) -> None:
    with pytest.raises(BatchShapeError):
        SOLVER.canonical(finals[:, :80], finals)
    with pytest.raises(BatchShapeError):
        SOLVER.canonical(finals, finals.astype(np.int64))
    with pytest.raises(ValueError, match="one solution a grid"):
        SOLVER.canonical(finals, finals[:5])
    with pytest.raises(ValueError, match="threads"):
        _kernel.canonical_forms(finals, finals, threads=0)


def test_the_host_finds_it_by_its_method() -> None:
    assert isinstance(SOLVER, Canonicaliser)
    assert not isinstance(ExactCoverSolver(SearchOptions()), Canonicaliser)
