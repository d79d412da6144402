from __future__ import annotations

import numpy as np
import pytest

from sudokumill.contracts import GenerateStatus
from sudokumill.grids.clashes import are_finals, have_clashes
from sudokumill.streams import Streams, position_seeds
from sudokumill_classic import las_vegas
from sudokumill_classic.las_vegas import LasVegas
from sudokumill_classic.options import LasVegasOptions


def test_nearly_all_tries_succeed_with_eleven_digits() -> None:
    result = LasVegas(LasVegasOptions()).generate(position_seeds(3, np.arange(2_000)))
    assert are_finals(result.finals).all()
    tries = result.reports["successful tries"]
    assert tries.weight is not None
    assert (tries.total == 1).all()
    assert (tries.weight >= 1).all()
    assert 0.97 <= tries.total.sum() / tries.weight.sum() < 1


def test_digits_are_equally_frequent_in_every_cell() -> None:
    finals = LasVegas(LasVegasOptions(n=3)).generate(position_seeds(4, np.arange(1_500))).finals
    counts = np.stack([(finals == digit).sum(axis=0) for digit in range(1, 10)])
    assert (((counts - 1_500 / 9) ** 2).sum(axis=0) / (1_500 / 9)).max() < 45


@pytest.mark.parametrize("n", [0, 1, 11, 20, 28])
def test_starts_have_n_digits_and_no_clash(n: int) -> None:
    starts, possible = las_vegas._draw_starts(Streams(position_seeds(5, np.arange(200))), n)
    assert possible.any()
    assert (np.count_nonzero(starts[possible], axis=1) == n).all()
    assert not have_clashes(starts[possible]).any()


def test_a_final_keeps_the_digits_of_its_start() -> None:
    starts, possible = las_vegas._draw_starts(Streams(position_seeds(6, np.arange(50))), 11)
    done = 0
    for start in starts[possible]:
        final = las_vegas._complete(start.tolist(), 1_000)
        if final is not None:
            done += 1
            assert (np.array(final)[start > 0] == start[start > 0]).all()
            assert are_finals(np.array([final], dtype=np.uint8)).all()
    assert done >= 45


def test_a_search_never_passes_its_budget() -> None:
    assert las_vegas._complete([0] * 81, 80) is None
    assert las_vegas._complete([0] * 81, 81) is not None


def test_the_more_digits_the_fewer_tries_succeed() -> None:
    shares = []
    for n in (11, 20, 26):
        result = LasVegas(LasVegasOptions(n=n)).generate(position_seeds(3, np.arange(100)))
        assert are_finals(result.finals).all()
        tries = result.reports["successful tries"]
        assert tries.weight is not None
        shares.append(tries.total.sum() / tries.weight.sum())
    assert shares[0] > shares[1] + 0.1 > shares[2] + 0.2


def test_a_grid_that_uses_up_its_tries_is_given_up_and_zero() -> None:
    result = LasVegas(LasVegasOptions(n=24, max_tries=2)).generate(position_seeds(3, np.arange(100)))
    made = result.status == GenerateStatus.MADE
    assert 20 < made.sum() < 95
    assert are_finals(result.finals[made]).all()
    assert not result.finals[~made].any()
    tries = result.reports["successful tries"]
    assert tries.weight is not None
    np.testing.assert_array_equal(tries.total, made)
    assert (tries.weight[~made] == 2).all()
