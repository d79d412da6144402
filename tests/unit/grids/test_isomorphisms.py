from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudokumill.grids.batch import Grids, check_batch, from_lines
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.isomorphisms import Isomorphisms, draw
from sudokumill.streams import Streams, position_seeds

FINAL = from_lines(["482716539135829647679354821953172468867495312241638975526941783314587296798263154"])
DRAWS = 40_000

seed_lists = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20)


def drawn(seeds: list[int]) -> Isomorphisms:
    return draw(Streams(np.asarray(seeds, dtype=np.uint64)))


@pytest.fixture(scope="module")
def many() -> Isomorphisms:
    return draw(Streams(position_seeds(2024, np.arange(DRAWS))))


# --- the group -------------------------------------------------------------------------------------------


@given(seeds=seed_lists)
def test_finals_stay_finals(seeds: list[int]) -> None:
    images = drawn(seeds).apply(FINAL.repeat(len(seeds), axis=0))
    check_batch(images)
    assert are_finals(images).all()


@given(seeds=seed_lists, data=st.data())
def test_the_inverse_takes_any_grid_back(seeds: list[int], data: st.DataObject) -> None:
    noise = np.random.default_rng(data.draw(st.integers(0, 1000)))
    grids = noise.integers(0, 10, (len(seeds), 81), dtype=np.uint8)
    there = drawn(seeds)
    back = there.inverse()
    assert np.array_equal(back.apply(there.apply(grids)), grids)
    assert np.array_equal(there.apply(back.apply(grids)), grids)
    again = back.inverse()
    assert np.array_equal(again.cells, there.cells)
    assert np.array_equal(again.digits, there.digits)


@given(seeds=seed_lists)
def test_clues_move_as_whole_units_do(seeds: list[int]) -> None:
    # A puzzle's clues go where its final's digits go: an isomorphism and blanking can change places.
    clues = np.arange(81) % 3 == 0
    moves = drawn(seeds)
    finals = FINAL.repeat(len(seeds), axis=0)
    puzzles = np.where(clues, finals, 0).astype(np.uint8)
    images = moves.apply(puzzles)
    assert np.array_equal(images, np.where(clues[moves.cells], moves.apply(finals), 0))


@given(seeds=seed_lists)
def test_a_row_depends_on_its_own_seed_alone(seeds: list[int]) -> None:
    together = drawn(seeds)
    for place, seed in enumerate(seeds):
        alone = drawn([seed])
        assert np.array_equal(alone.cells[0], together.cells[place])
        assert np.array_equal(alone.digits[0], together.digits[place])


def test_drawing_goes_on_in_the_stream() -> None:
    streams = Streams(np.arange(5, dtype=np.uint64))
    first, second = draw(streams), draw(streams)
    assert not np.array_equal(first.cells, second.cells)


# --- every part of it is drawn, each with the same chance --------------------------------------------------


def orders(triples: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number 0 .. 5 for each order of three; shape (n, 3) -> (n,)."""
    ranks = triples.argsort(axis=1).argsort(axis=1)
    number: NDArray[np.int64] = ranks[:, 0] * 2 + (ranks[:, 1] > ranks[:, 2])
    return number


def lines_of(moves: Isomorphisms) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Whether each move transposes, and from which line each row and each column of the image comes."""
    square = moves.cells.reshape(-1, 9, 9)
    transposed = square[:, 0, 0] // 9 != square[:, 0, 1] // 9
    down, across = square[:, :, 0], square[:, 0, :]
    rows = np.where(transposed[:, None], down % 9, down // 9)
    columns = np.where(transposed[:, None], across // 9, across % 9)
    return transposed, rows, columns


def parts_of(moves: Isomorphisms) -> dict[str, tuple[NDArray[np.int64], int]]:
    """Each factor of the group as a number, with how many values it has."""
    transposed, rows, columns = lines_of(moves)
    parts: dict[str, tuple[NDArray[np.int64], int]] = {"transposition": (transposed.astype(np.int64), 2)}
    for name, lines in (("row", rows), ("column", columns)):
        parts[f"order of {name} bands"] = (orders(lines[:, ::3] // 3), 6)
        for band in range(3):
            within = lines[:, 3 * band : 3 * band + 3]
            assert (within // 3 == within[:, :1] // 3).all()
            parts[f"order in {name} band {band}"] = (orders(within % 3), 6)
    for digit in range(1, 10):
        parts[f"digit {digit}"] = (moves.digits[:, digit].astype(np.int64) - 1, 9)
    return parts


def deviation(numbers: NDArray[np.int64], values: int) -> float:
    """Chi-square of a number against the uniform distribution, as standard deviations from its mean."""
    counts = np.bincount(numbers, minlength=values)
    assert len(counts) == values
    assert counts.min() > 0
    expected = len(numbers) / values
    square = ((counts - expected) ** 2 / expected).sum()
    return float((square - (values - 1)) / (2 * (values - 1)) ** 0.5)


def test_there_are_as_many_as_the_group_has(many: Isomorphisms) -> None:
    sizes = [values for name, (_, values) in parts_of(many).items() if not name.startswith("digit")]
    assert int(np.prod(sizes)) * factorial(9) == factorial(9) * 2 * 6**8
    assert (np.sort(many.digits, axis=1) == np.arange(10)).all()
    assert (many.digits[:, 0] == 0).all()
    assert (np.sort(many.cells, axis=1) == np.arange(81)).all()


def test_every_part_is_uniform(many: Isomorphisms) -> None:
    far = {name: deviation(*part) for name, part in parts_of(many).items()}
    assert max(far.values()) < 4.5, far


def test_the_parts_are_drawn_independently(many: Isomorphisms) -> None:
    parts = list(parts_of(many).items())
    for index, (name, (numbers, values)) in enumerate(parts):
        for other, (others, other_values) in parts[index + 1 :]:
            if name.startswith("digit") and other.startswith("digit"):
                continue  # two digits never become the same one
            assert deviation(numbers * other_values + others, values * other_values) < 5.5, (name, other)


def test_images_of_one_final_differ(many: Isomorphisms) -> None:
    images = many.apply(FINAL.repeat(DRAWS, axis=0))
    assert len(np.unique(images, axis=0)) == DRAWS


def test_apply_is_what_the_docstring_says(many: Isomorphisms) -> None:
    grids: Grids = np.random.default_rng(5).integers(0, 10, (50, 81), dtype=np.uint8)
    some = Isomorphisms(many.cells[:50], many.digits[:50])
    images = some.apply(grids)
    for row in range(50):
        for cell in range(81):
            assert images[row, cell] == some.digits[row, grids[row, some.cells[row, cell]]]
