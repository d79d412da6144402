"""What every generator promises."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sudokumill.contracts import GenerateStatus, GeneratorDescriptor
from sudokumill.grids.clashes import are_finals
from sudokumill.registry import Implementation, Registry
from sudokumill.streams import Seeds, position_seeds
from sudokumill.testing import check_generator

NOT_UNIFORM = {"random-row": "its twenty swaps leave a digit in its place more often than elsewhere"}


def _enumerates(generator: Implementation) -> bool:
    assert isinstance(generator.descriptor, GeneratorDescriptor)
    return generator.descriptor.size is not None


def _seeds(generator: Implementation, job_seed: int, count: int) -> Seeds:
    if _enumerates(generator):
        return np.arange(count, dtype=np.uint64)
    return position_seeds(job_seed, np.arange(count))


def test_it_keeps_the_contract(generator: Implementation) -> None:
    check_generator(generator)


def test_a_thousand_finals_of_one_job_are_distinct(generator: Implementation, registry: Registry) -> None:
    result = registry.generator(generator.name).generate(_seeds(generator, 77, 1_000))
    assert (result.status == GenerateStatus.MADE).all()
    assert are_finals(result.finals).all()
    assert len(np.unique(result.finals, axis=0)) == 1_000


def test_threads_chunks_and_other_draws_change_nothing(generator: Implementation, registry: Registry) -> None:
    seeds = _seeds(generator, 20_240_229, 200)
    built = registry.generator(generator.name)
    whole = built.generate(seeds).finals
    np.testing.assert_array_equal(built.generate(seeds[:50]).finals, whole[:50])
    chunks = [seeds[start : start + 7] for start in range(0, 200, 7)]
    with ThreadPoolExecutor(8) as pool:
        pieces = list(pool.map(lambda chunk: registry.generator(generator.name).generate(chunk).finals, chunks))
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    with ThreadPoolExecutor(8) as pool:  # one object, called from several threads
        pieces = list(pool.map(lambda chunk: built.generate(chunk).finals, chunks))
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


def test_neighbouring_seeds_have_nothing_in_common(generator: Implementation, registry: Registry) -> None:
    if _enumerates(generator):
        pytest.skip("it enumerates: neighbours are alike by design")
    finals = registry.generator(generator.name).generate(np.arange(1, 1_001, dtype=np.uint64)).finals
    assert len(np.unique(finals, axis=0)) == 1_000
    alike = (finals[1:] == finals[:-1]).mean()
    assert 0.10 < alike < 0.13


def test_digits_are_equally_frequent_in_every_cell(generator: Implementation, registry: Registry) -> None:
    if _enumerates(generator):
        pytest.skip("it enumerates: the top-left digit is chosen")
    if generator.name in NOT_UNIFORM:
        pytest.skip(NOT_UNIFORM[generator.name])
    finals = registry.generator(generator.name).generate(np.arange(1, 1_001, dtype=np.uint64)).finals
    counts = np.stack([(finals == digit).sum(axis=0) for digit in range(1, 10)])
    chi_square = ((counts - 1_000 / 9) ** 2).sum(axis=0) / (1_000 / 9)
    assert chi_square.max() < 45  # 8 degrees of freedom
