from __future__ import annotations

import numpy as np
import pytest

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.grids.clashes import are_finals
from sudokumill.isolation import add_up
from sudokumill.streams import position_seeds
from sudokumill_classic.options import RandomRowOptions
from sudokumill_classic.random_row import RandomRow


@pytest.fixture(scope="module")
def many() -> GenerateResult:
    return RandomRow(RandomRowOptions()).generate(position_seeds(2024, np.arange(20_000)))


def test_finals_are_valid_and_distinct(many: GenerateResult) -> None:
    assert are_finals(many.finals).all()
    assert (many.status == GenerateStatus.MADE).all()
    assert len(np.unique(many.finals, axis=0)) == len(many.finals)


def test_the_shuffles_are_those_that_the_source_measured(many: GenerateResult) -> None:
    shuffles = many.reports["shuffles"]
    assert shuffles.weight is not None
    assert (shuffles.weight == 1).all()
    assert 47 <= shuffles.total.mean() <= 53
    # nine rows in one shuffle each; a further try costs two, so the number is odd and the 220th is never made
    assert (shuffles.total % 2 == 1).all()
    assert shuffles.total.min() == 9
    assert shuffles.total.max() == 219


def test_85_of_100_starts_succeed() -> None:
    once = RandomRow(RandomRowOptions(max_starts=1)).generate(position_seeds(7, np.arange(20_000)))
    assert abs((once.status == GenerateStatus.MADE).mean() - 0.85) < 0.01


def test_the_first_row_comes_from_twenty_swaps(many: GenerateResult) -> None:
    # An even number of swaps gives permutations with an even number of inversions only.
    first = many.finals[:, :9]
    inversions = sum((first[:, i] > first[:, j]).astype(int) for i in range(9) for j in range(i + 1, 9))
    assert np.all(inversions % 2 == 0)
    # A place is passed over by all twenty with probability (7/8)**20 = 0.069; then its digit is still there.
    for place in range(1, 9):
        at_home = (first[:, place] == place + 1).mean()
        assert 0.069 + 0.931 / 9 - 0.015 < at_home < 0.069 + 0.931 / 9 + 0.015


def test_a_grid_starts_over_at_max_shuffles() -> None:
    seeds = position_seeds(1, np.arange(300))
    result = RandomRow(RandomRowOptions(max_shuffles=30, max_starts=10_000)).generate(seeds)
    assert (result.status == GenerateStatus.MADE).all()
    assert are_finals(result.finals).all()
    assert result.reports["shuffles"].total.max() <= 29


def test_a_grid_that_uses_up_its_starts_is_given_up_and_zero() -> None:
    seeds = position_seeds(1, np.arange(300))
    result = RandomRow(RandomRowOptions(max_shuffles=40, max_starts=1)).generate(seeds)
    made = result.status == GenerateStatus.MADE
    assert 50 < made.sum() < 250
    assert are_finals(result.finals[made]).all()
    assert not result.finals[~made].any()
    # what was not made has no figure: it would be the least of the job
    shuffles = result.reports["shuffles"]
    assert shuffles.weight is not None
    np.testing.assert_array_equal(shuffles.weight, made)
    assert add_up(result.reports)["shuffles"].least >= 9
    # what is made is what the same seeds make without a limit that is in the way
    free = RandomRow(RandomRowOptions()).generate(seeds)
    np.testing.assert_array_equal(result.finals[made], free.finals[made])


def test_no_seeds_give_no_finals() -> None:
    assert RandomRow(RandomRowOptions()).generate(np.zeros(0, dtype=np.uint64)).finals.shape == (0, 81)
