from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudokumill.grids.batch import from_lines
from sudokumill.grids.symmetries import Symmetry, deciding_orbit, orbits, possible_clue_counts, symmetries

Move = Callable[[int, int], tuple[int, int]]

# Where the clue at (row, column) must have its companions, written down from the words.
COMPANIONS: dict[Symmetry, list[Move]] = {
    Symmetry.NONE: [],
    Symmetry.ROT180: [lambda r, c: (8 - r, 8 - c)],
    Symmetry.ROT90: [lambda r, c: (c, 8 - r), lambda r, c: (8 - r, 8 - c), lambda r, c: (8 - c, r)],
    Symmetry.HORIZONTAL: [lambda r, c: (r, 8 - c)],
    Symmetry.VERTICAL: [lambda r, c: (8 - r, c)],
    Symmetry.DIAGONAL: [lambda r, c: (c, r)],
    Symmetry.ANTIDIAGONAL: [lambda r, c: (8 - c, 8 - r)],
    Symmetry.FULL: [
        lambda r, c: (c, 8 - r),
        lambda r, c: (8 - r, 8 - c),
        lambda r, c: (8 - c, r),
        lambda r, c: (r, 8 - c),
        lambda r, c: (8 - r, c),
        lambda r, c: (c, r),
        lambda r, c: (8 - c, 8 - r),
    ],
}

SIZES: dict[Symmetry, dict[int, int]] = {
    Symmetry.NONE: {1: 81},
    Symmetry.ROT180: {1: 1, 2: 40},
    Symmetry.ROT90: {1: 1, 4: 20},
    Symmetry.HORIZONTAL: {1: 9, 2: 36},
    Symmetry.VERTICAL: {1: 9, 2: 36},
    Symmetry.DIAGONAL: {1: 9, 2: 36},
    Symmetry.ANTIDIAGONAL: {1: 9, 2: 36},
    Symmetry.FULL: {1: 1, 4: 8, 8: 6},
}

every = pytest.mark.parametrize("symmetry", Symmetry)


def has(pattern: NDArray[np.bool_], symmetry: Symmetry) -> bool:
    square = pattern.reshape(9, 9)
    return all(
        square[row, column] == square[move(row, column)]
        for move in COMPANIONS[symmetry]
        for row in range(9)
        for column in range(9)
    )


@every
def test_orbits_part_the_cells(symmetry: Symmetry) -> None:
    cells = [cell for orbit in orbits(symmetry) for cell in orbit]
    assert sorted(cells) == list(range(81))
    for orbit in orbits(symmetry):
        assert list(orbit) == sorted(orbit)
        row, column = divmod(orbit[0], 9)
        together = {(row, column)} | {move(row, column) for move in COMPANIONS[symmetry]}
        assert {divmod(cell, 9) for cell in orbit} == together
    first = [orbit[0] for orbit in orbits(symmetry)]
    assert first == sorted(first)


@every
def test_sizes_of_orbits(symmetry: Symmetry) -> None:
    sizes = [len(orbit) for orbit in orbits(symmetry)]
    assert {size: sizes.count(size) for size in set(sizes)} == SIZES[symmetry]


@every
def test_possible_clue_counts(symmetry: Symmetry) -> None:
    # Every way to choose how many orbits of each size are clues.
    counts = {0}
    for size, many in SIZES[symmetry].items():
        counts = {count + size * chosen for count in counts for chosen in range(many + 1)}
    assert possible_clue_counts(symmetry) == counts
    if symmetry is Symmetry.ROT90:
        assert possible_clue_counts(symmetry) == {count for count in range(82) if count % 4 in (0, 1)}


@given(symmetry=st.sampled_from(Symmetry), seed=st.integers(0, 2**32), share=st.floats(0.05, 0.95))
def test_a_pattern_that_was_built_with_a_symmetry_has_it(symmetry: Symmetry, seed: int, share: float) -> None:
    noise = np.random.default_rng(seed)
    pattern = np.zeros(81, dtype=np.bool_)
    for orbit in orbits(symmetry):
        pattern[list(orbit)] = noise.random() < share
    found = symmetries(pattern[None, :].astype(np.uint8))[0]
    assert has(pattern, symmetry)
    assert has(pattern, found)
    strength = {Symmetry.NONE: 1, Symmetry.ROT90: 4, Symmetry.FULL: 8}
    strongest = max(strength.get(each, 2) for each in Symmetry if has(pattern, each))
    assert strength.get(found, 2) == strongest
    assert found == next(each for each in Symmetry if strength.get(each, 2) == strongest and has(pattern, each))


def test_detection_in_a_batch_keeps_the_rows() -> None:
    rows = []
    wanted = []
    for symmetry in Symmetry:
        for seed in range(8):
            noise = np.random.default_rng(seed)
            pattern = np.zeros(81, dtype=np.uint8)
            for orbit in orbits(symmetry):
                pattern[list(orbit)] = noise.integers(0, 2) * noise.integers(1, 10)
            rows.append(pattern)
            wanted.append(symmetry)
    order = np.random.default_rng(3).permutation(len(rows))
    assert symmetries(np.stack(rows)[order]) == [wanted[place] for place in order]
    assert symmetries(np.empty((0, 81), dtype=np.uint8)) == []


def test_digits_do_not_matter_only_which_cells_are_clues() -> None:
    grid = np.zeros((1, 81), dtype=np.uint8)
    grid[0, [0, 80]] = [3, 7]
    grid[0, [1, 79]] = [9, 1]
    assert symmetries(grid) == [Symmetry.ROT180]


@pytest.mark.parametrize(
    ("cells", "symmetry"),
    [
        ([], Symmetry.FULL),
        ([40], Symmetry.FULL),
        ([0], Symmetry.DIAGONAL),
        ([8], Symmetry.ANTIDIAGONAL),
        ([1, 7], Symmetry.HORIZONTAL),
        ([9, 63], Symmetry.VERTICAL),
        ([1, 79], Symmetry.ROT180),
        ([1, 17, 79, 63], Symmetry.ROT90),
        ([1, 7, 73, 79], Symmetry.ROT180),
        ([1], Symmetry.NONE),
    ],
)
def test_small_patterns(cells: list[int], symmetry: Symmetry) -> None:
    grid = np.zeros((1, 81), dtype=np.uint8)
    grid[0, cells] = 5
    assert symmetries(grid) == [symmetry]


def test_the_symmetry_of_a_pattern_is_computed_not_believed(cases: Mapping[str, dict[str, Any]]) -> None:
    # Called half-turn symmetric by those who posted it; one cell breaks that.
    case = cases["C031"]
    pattern = from_lines([case["input"]["pattern"], case["expect"]["known_to_exist"]])
    named = [symmetry.value for symmetry in symmetries(pattern)]
    (expected,) = case["expect"]["one_of"][0]["pattern_symmetries"]
    assert named == [expected.replace("-", "")] * 2
    only = [each for each in Symmetry if each is not Symmetry.NONE and has(pattern[0] > 0, each)]
    assert only == [Symmetry.ANTIDIAGONAL]


@every
def test_one_orbit_decides_only_under_a_rotation(symmetry: Symmetry) -> None:
    number = deciding_orbit(symmetry)
    assert (number is not None) == (symmetry in {Symmetry.ROT180, Symmetry.ROT90, Symmetry.FULL})
    if number is not None:
        assert orbits(symmetry)[number] == (40,)
