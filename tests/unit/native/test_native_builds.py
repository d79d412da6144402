"""Every build of the batch engine gives the same rows, in batches of every size."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.contracts import DigStatus, SolveResult, SolveStatus
from sudokumill.errors import BadSettingError
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.clashes import are_finals
from sudokumill_native import _kernel
from sudokumill_native.builds import SETTING, chosen_build
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions, SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

Cases = Mapping[str, dict[str, Any]]

FIELDS = ("counts", "solutions", "nodes", "status")
SEEDS = np.arange(150, dtype=np.uint64)


@pytest.fixture(params=_kernel.builds)
def build(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def solve(puzzles: Grids, build: str, limit: int = 2, max_nodes: int | None = None) -> SolveResult:
    return NativeSolver(SearchOptions(max_nodes=max_nodes), build).solve(puzzles, limit)


def check_equal(one: SolveResult, other: SolveResult) -> None:
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@pytest.fixture(scope="module")
def mixture(minimal_puzzles: Grids, thirty_clue_puzzles: Grids) -> Grids:
    """No, one, two and many solutions, clashes, numbers above 9, a blank grid; in no order."""
    random = np.random.default_rng(5)
    fewer = thirty_clue_puzzles[:200].copy()
    for puzzle in fewer:
        puzzle[random.choice(np.flatnonzero(puzzle), random.integers(1, 6), replace=False)] = 0
    spoiled = np.concatenate([minimal_puzzles[:300], thirty_clue_puzzles[200:500]])
    for changes in (100, 200, 300):
        spoiled[np.arange(changes), random.integers(0, 81, changes)] = random.integers(0, 12, changes)
    grids = np.concatenate([minimal_puzzles[:300], fewer, spoiled, np.zeros((2, 81), dtype=np.uint8)])
    return np.ascontiguousarray(random.permutation(grids))


BOUNDS = [(1, None), (2, None), (2, 3), (2, 10), (40, None), (500, 60)]


@pytest.mark.parametrize(("limit", "max_nodes"), BOUNDS)
def test_the_builds_agree_in_every_row(mixture: Grids, limit: int, max_nodes: int | None) -> None:
    expected = solve(mixture, "portable", limit, max_nodes)
    for build in _kernel.builds:
        check_equal(solve(mixture, build, limit, max_nodes), expected)


@pytest.mark.parametrize(("limit", "max_nodes"), BOUNDS)
def test_the_engines_agree_in_every_row(build: str, mixture: Grids, limit: int, max_nodes: int | None) -> None:
    few = mixture[:150]
    together = solve(few, build, limit, max_nodes)
    for row in range(len(few)):
        alone = solve(few[row : row + 1], build, limit, max_nodes)
        for field in FIELDS:
            assert np.array_equal(getattr(alone, field)[0], getattr(together, field)[row])


@pytest.mark.parametrize(("limit", "max_nodes"), [(2, None), (2, 4), (30, None), (30, 25)])
def test_what_stands_in_front_of_a_batch_changes_nothing(
    build: str, minimal_puzzles: Grids, limit: int, max_nodes: int | None
) -> None:
    # the solver tries a search by what kind of rows come first: those that end early, or those that do not
    random = np.random.default_rng(8)
    early = minimal_puzzles[:300].copy()
    for puzzle in early:
        puzzle[random.permutation(np.flatnonzero(puzzle))[:6]] = 0
    unique = minimal_puzzles[300:600]
    expected = [solve(rows, build, limit, max_nodes) for rows in (early, unique)]
    assert (expected[0].counts == limit).mean() > 0.5 or max_nodes is not None
    for first, second in ((0, 1), (1, 0)):
        rows = np.concatenate([(early, unique)[first], (early, unique)[second]])
        whole = solve(rows, build, limit, max_nodes)
        for field in FIELDS:
            parts = [getattr(expected[each], field) for each in (first, second)]
            np.testing.assert_array_equal(getattr(whole, field), np.concatenate(parts))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 100])
def test_batches_of_any_size(build: str, mixture: Grids, size: int) -> None:
    whole = solve(mixture[:200], build)
    part = solve(np.ascontiguousarray(mixture[100 : 100 + size]), build)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(part, field), getattr(whole, field)[100 : 100 + size])


def test_a_mixture_has_every_kind_of_row(mixture: Grids) -> None:
    status = np.bincount(solve(mixture, "portable").status, minlength=6)
    assert status[[SolveStatus.UNIQUE, SolveStatus.SEVERAL, SolveStatus.NO_SOLUTION, SolveStatus.CLASH]].min() > 20


@pytest.mark.parametrize("limit", [1, 2, 30])
def test_every_build_counts_what_the_other_solver_counts(build: str, mixture: Grids, limit: int) -> None:
    one = solve(mixture, build, limit)
    other = ExactCoverSolver(SearchOptions()).solve(mixture, limit)
    np.testing.assert_array_equal(one.counts, other.counts)
    np.testing.assert_array_equal(one.status, other.status)
    single = one.status == SolveStatus.UNIQUE
    np.testing.assert_array_equal(one.solutions[single], other.solutions[single])
    found = one.counts > 0
    assert are_finals(one.solutions[found]).all()
    assert ((one.solutions == mixture) | (mixture == 0))[found].all()


@given(seed=st.integers(0, 2**32), clues=st.integers(0, 30))
def test_the_builds_agree_on_few_clues(minimal_puzzles: Grids, seed: int, clues: int) -> None:
    random = np.random.default_rng(seed)
    grids = minimal_puzzles[random.integers(0, len(minimal_puzzles), 40)].copy()
    for grid in grids:
        grid[random.permutation(81)[clues:]] = 0
    expected = solve(grids, "portable", 20)
    for build in _kernel.builds:
        check_equal(solve(grids, build, 20), expected)


def test_two_equal_clues_in_a_box_are_found_without_a_search(build: str) -> None:
    grids = np.zeros((27, 81), dtype=np.uint8)
    units = [[9 * i + j for j in range(9)] for i in range(9)]
    units += [[i + 9 * j for j in range(9)] for i in range(9)]
    units += [[i // 3 * 27 + i % 3 * 3 + j // 3 * 9 + j % 3 for j in range(9)] for i in range(9)]
    for grid, unit in zip(grids, units, strict=True):
        grid[[unit[2], unit[7]]] = 5
    result = solve(grids, build)
    assert (result.status == SolveStatus.CLASH).all()
    assert not result.nodes.any()
    assert not result.counts.any()


def test_the_builds_make_the_same_finals() -> None:
    for uniformity in (13, 15):
        options = NativeGeneratorOptions(uniformity=uniformity)
        expected = NativeGenerator(options, "portable").generate(SEEDS).finals
        assert are_finals(expected).all()
        for build in _kernel.builds:
            np.testing.assert_array_equal(NativeGenerator(options, build).generate(SEEDS).finals, expected)


def test_a_final_depends_on_its_seed_alone(build: str) -> None:
    generator = NativeGenerator(NativeGeneratorOptions(uniformity=14), build)
    whole = generator.generate(SEEDS).finals
    np.testing.assert_array_equal(generator.generate(SEEDS[::-1].copy()).finals[::-1], whole)
    for row in (0, 7, 149):
        np.testing.assert_array_equal(generator.generate(SEEDS[row : row + 1]).finals[0], whole[row])


WISHES: list[dict[str, Any]] = [
    {},
    {"clues": 27},
    {"clues_min": 24, "clues_max": 33},
    {"minimal": True, "clues_max": 24},
    {"symmetry": "rot180"},
    {"symmetry": "rot180", "minimal": True},
    {"symmetry": "full", "clues_min": 30, "clues_max": 40},
    {"symmetry": "diagonal", "clues": 36},
]


def _finals(count: int) -> Grids:
    return NativeGenerator(NativeGeneratorOptions(uniformity=13), "portable").generate(SEEDS[:count]).finals


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_the_builds_dig_the_same_puzzles(wish: dict[str, Any]) -> None:
    finals = _finals(150)
    finals[[3, 77], 5] = 0  # these are none
    options = NativeDiggerOptions.model_validate(wish)
    expected = NativeDigger(options, "portable").dig(finals, SEEDS)
    assert expected.status[[3, 77]].tolist() == [DigStatus.NOT_A_FINAL] * 2
    for build in _kernel.builds:
        result = NativeDigger(options, build).dig(finals, SEEDS)
        np.testing.assert_array_equal(result.puzzles, expected.puzzles)
        np.testing.assert_array_equal(result.status, expected.status)


def _dug_one_by_one(final: Grids, seed: int, wish: dict[str, Any]) -> Grids:
    """The same by a loop: each row alone, so that every group holds one row."""
    return (
        NativeDigger(NativeDiggerOptions.model_validate(wish), "portable")
        .dig(final, np.array([seed], dtype=np.uint64))
        .puzzles
    )


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_a_puzzle_does_not_depend_on_its_batch(build: str, wish: dict[str, Any]) -> None:
    finals = _finals(90)
    whole = NativeDigger(NativeDiggerOptions.model_validate(wish), build).dig(finals, SEEDS[:90]).puzzles
    for row in range(0, 90, 9):
        np.testing.assert_array_equal(_dug_one_by_one(finals[row : row + 1], row, wish)[0], whole[row])


def test_digging_is_greedy(build: str) -> None:
    # Each clue that stayed could not have gone: the puzzle without it has several solutions.
    finals = _finals(60)
    puzzles = NativeDigger(NativeDiggerOptions(), build).dig(finals, SEEDS[:60]).puzzles
    solved = ExactCoverSolver(SearchOptions()).solve(puzzles)
    np.testing.assert_array_equal(solved.solutions, finals)
    fewer = []
    for puzzle in puzzles:
        for cell in np.flatnonzero(puzzle):
            fewer.append(puzzle.copy())
            fewer[-1][cell] = 0
    assert (ExactCoverSolver(SearchOptions()).solve(np.array(fewer)).status == SolveStatus.SEVERAL).all()


@pytest.mark.parametrize("threads", [2, 5, 200])
def test_threads_change_nothing(build: str, mixture: Grids, threads: int) -> None:
    few = mixture[:150]
    check_equal(NativeSolver(SearchOptions(), build, threads).solve(few, 30), solve(few, build, 30))
    options = NativeGeneratorOptions(uniformity=13)
    finals = NativeGenerator(options, build).generate(SEEDS).finals
    np.testing.assert_array_equal(NativeGenerator(options, build, threads).generate(SEEDS).finals, finals)
    wish = NativeDiggerOptions()
    puzzles = NativeDigger(wish, build).dig(finals, SEEDS).puzzles
    np.testing.assert_array_equal(NativeDigger(wish, build, threads).dig(finals, SEEDS).puzzles, puzzles)


def test_no_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        NativeSolver(SearchOptions(), threads=0).solve(np.zeros((1, 81), dtype=np.uint8))


def test_no_rows_on_threads(build: str) -> None:
    assert NativeSolver(SearchOptions(), build, 3).solve(np.zeros((0, 81), dtype=np.uint8)).counts.shape == (0,)


QEMU = shutil.which("qemu-x86_64")


@pytest.mark.slow
@pytest.mark.skipif(QEMU is None, reason="there is no qemu-x86_64 (on Debian: apt-get install qemu-user)")
@pytest.mark.parametrize(("cpu", "expected"), [("Nehalem", "portable"), ("Haswell", "avx2")])
def test_an_older_cpu_gets_its_own_build(cpu: str, expected: str) -> None:
    program = """if True:
        import numpy as np
        from sudokumill_native import _kernel
        build = _kernel.builds[0]
        seeds = np.arange(5, dtype=np.uint64)
        finals = _kernel.make_finals(seeds, 13, build)
        numbers = np.arange(81, dtype=np.uint8)
        puzzles, _ = _kernel.dig(finals, seeds, numbers, [0], (0, 81), False, build)
        solved = np.array_equal(_kernel.solve(puzzles, 2, None, build)[1], finals)
        print(build, solved)
    """
    ran = subprocess.run(
        [str(QEMU), "-cpu", cpu, sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == [expected, "True"], ran.stderr


# --- the choice ------------------------------------------------------------------------------------------


def test_the_fastest_build_is_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    assert chosen_build() == _kernel.builds[0]
    assert _kernel.builds[-1] == "portable"


def test_the_environment_names_a_build(monkeypatch: pytest.MonkeyPatch, build: str) -> None:
    monkeypatch.setenv(SETTING, build)
    assert chosen_build() == build


def test_a_build_that_cannot_run_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "avx1024")
    with pytest.raises(BadSettingError, match=r"SUDOKUMILL_NATIVE_BUILD.*'avx1024'"):
        NativeSolver(SearchOptions())
    with pytest.raises(ValueError, match="no such build"):
        _kernel.solve(np.zeros((1, 81), dtype=np.uint8), 2, None, "avx1024")


def test_every_solver_of_a_process_obeys(build: str, cases: Cases) -> None:
    # what is registered is built without a word about builds
    program = (
        "import sys, numpy as np; from sudokumill.registry import load_registry;"
        "registry = load_registry();"
        "print(*(getattr(registry, role)('native')._build for role in ('solver', 'digger', 'generator')))"
    )
    environment = {**os.environ, SETTING: build}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == [build] * 3
    assert solve(from_lines([cases["C019"]["input"]["grid"]]), build, 100).counts.tolist() == [26]
