from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.clashes import are_finals
from sudokumill.streams import SeedRole, Seeds, Streams, position_seeds, role_seeds
from sudokumill_classic import las_vegas
from sudokumill_classic.las_vegas import LasVegas
from sudokumill_classic.options import LasVegasOptions


def _generate(count: int, job_seed: int = 3, **options: Any) -> GenerateResult:
    return LasVegas(LasVegasOptions(**options)).generate(position_seeds(job_seed, np.arange(count)))


def _share(result: GenerateResult) -> float:
    """Tries that succeeded, of all."""
    tries = result.reports["successful tries"]
    assert tries.weight is not None
    return float(tries.total.sum() / tries.weight.sum())


def test_98_of_100_tries_succeed_with_eleven_digits() -> None:
    result = _generate(2_000)
    assert are_finals(result.finals).all()
    assert (result.status == GenerateStatus.MADE).all()
    assert abs(_share(result) - 0.98) < 0.008


def test_a_greater_budget_makes_more_tries_succeed() -> None:
    little, much = _generate(400, max_nodes=81), _generate(400, max_nodes=10_000)
    assert are_finals(little.finals).all()
    assert _share(little) < _share(much) - 0.1
    assert _share(much) > 0.97


def test_without_digits_the_search_never_fails() -> None:
    # it needs one placement a cell and no more, whatever the digits are called
    assert _share(_generate(50, n=0, max_nodes=81)) == 1


def test_the_more_digits_the_fewer_tries_succeed() -> None:
    results = [_generate(100, n=n) for n in (11, 20, 26)]
    assert all(are_finals(result.finals).all() for result in results)
    shares = [_share(result) for result in results]
    assert shares[0] > shares[1] + 0.1 > shares[2] + 0.2


def test_digits_are_equally_frequent_in_every_cell() -> None:
    finals = _generate(1_500, 4, n=3).finals
    counts = np.stack([(finals == digit).sum(axis=0) for digit in range(1, 10)])
    assert (((counts - 1_500 / 9) ** 2).sum(axis=0) / (1_500 / 9)).max() < 45


def test_a_grid_that_uses_up_its_tries_is_given_up_and_zero() -> None:
    result = _generate(100, n=24, max_tries=2)
    made = result.status == GenerateStatus.MADE
    assert 20 < made.sum() < 95
    assert are_finals(result.finals[made]).all()
    assert not result.finals[~made].any()
    tries = result.reports["successful tries"]
    assert tries.weight is not None
    np.testing.assert_array_equal(tries.total, made)
    assert (tries.weight[~made] == 2).all()
    # a grid that is made is made in the same way however many tries it may have
    free = _generate(100, n=24)
    np.testing.assert_array_equal(result.finals[made], free.finals[made])


def test_no_try_draws_what_the_digger_of_the_row_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Seeds] = []

    class Recorded(Streams):
        def __init__(self, seeds: Seeds) -> None:
            begun.append(seeds.copy())
            super().__init__(seeds)

    monkeypatch.setattr(las_vegas, "Streams", Recorded)
    seeds = position_seeds(3, np.arange(100))
    tries = LasVegas(LasVegasOptions(n=24)).generate(seeds).reports["successful tries"].weight
    assert tries is not None
    assert tries.max() > 3
    drawn = np.concatenate(begun)
    assert len(np.unique(drawn)) == len(drawn) == 100 + tries.sum()  # a root a row, and a stream a try
    assert not np.isin(role_seeds(seeds, SeedRole.DIGGER), drawn).any()


def test_what_are_no_seeds_is_refused() -> None:
    with pytest.raises(BatchShapeError, match="uint64"):
        LasVegas(LasVegasOptions()).generate(np.arange(3))  # type: ignore[arg-type]
