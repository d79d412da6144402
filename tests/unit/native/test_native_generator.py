from __future__ import annotations

import numpy as np
import pytest

from sudokumill.contracts import GenerateStatus
from sudokumill.grids.batch import Grids, to_lines
from sudokumill.grids.clashes import are_finals
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeGeneratorOptions


def seeds(count: int, first: int = 0) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.arange(first, first + count, dtype=np.uint64)


@pytest.fixture(scope="module")
def finals() -> Grids:
    result = NativeGenerator(NativeGeneratorOptions()).generate(seeds(5_000))
    assert (result.status == GenerateStatus.MADE).all()
    return result.finals


def test_finals_are_valid_and_distinct(finals: Grids) -> None:
    assert finals.dtype == np.uint8
    assert finals.shape == (5_000, 81)
    assert are_finals(finals).all()
    assert len(set(to_lines(finals))) == len(finals)


def test_no_seeds_give_no_finals() -> None:
    result = NativeGenerator(NativeGeneratorOptions()).generate(seeds(0))
    assert (result.finals.shape, result.status.shape) == ((0, 81), (0,))


def test_each_cell_holds_each_digit_equally_often(finals: Grids) -> None:
    sample = finals[:1_000]
    counts = np.stack([(sample == digit).sum(axis=0) for digit in range(1, 10)])
    expected = len(sample) / 9
    chi_square = ((counts - expected) ** 2 / expected).sum(axis=0)
    assert chi_square.max() < 45  # 8 degrees of freedom; by chance once in 2.7 million cells
    assert 6 < chi_square.mean() < 10


def test_neighbouring_seeds_have_nothing_in_common(finals: Grids) -> None:
    share = (finals[1:] == finals[:-1]).mean()
    assert 0.10 < share < 0.13  # 1/9 by chance


def test_bands_are_not_all_alike(finals: Grids) -> None:
    # How often the three digits of the first minirow stay together in the other two rows of their band: in 2 of
    # 56 bands (3.6 %) if all bands are equally likely, in half of them where finals are found by a search alone.
    square = np.sort(finals.reshape(-1, 9, 3, 3), axis=3)
    together = (square[:, 0, 0] == square[:, 1, 1]).all(axis=1) | (square[:, 0, 0] == square[:, 1, 2]).all(axis=1)
    assert 0.02 < together.mean() < 0.07


def test_the_last_seed_is_as_good_as_the_first() -> None:
    last = np.array([2**64 - 1], dtype=np.uint64)
    assert are_finals(NativeGenerator(NativeGeneratorOptions()).generate(last).finals).all()


def test_a_row_does_not_depend_on_its_batch(finals: Grids) -> None:
    generator = NativeGenerator(NativeGeneratorOptions())
    backwards = generator.generate(np.ascontiguousarray(seeds(300)[::-1])).finals
    assert np.array_equal(backwards[::-1], finals[:300])
    for row in range(0, 300, 50):
        assert np.array_equal(generator.generate(seeds(1, first=row)).finals[0], finals[row])


def test_the_finals_of_version_2(finals: Grids) -> None:
    # the same on every platform; if these change, so must the version that the plugin registers
    assert to_lines(finals[:2]) == [
        "746159832312864597598237641183592764429716358675348219851423976937681425264975183",
        "524879631819362574736514892671423985943158267258697143482935716195746328367281459",
    ]
