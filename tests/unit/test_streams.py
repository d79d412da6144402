from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudokumill.errors import BatchShapeError
from sudokumill.streams import Seeds, Streams, check_seeds, mix, position_seeds, role_seeds

WORD = 2**64

words = st.integers(0, WORD - 1)


def seeds_of(numbers: list[int]) -> Seeds:
    return np.asarray(numbers, dtype=np.uint64)


def plain_splitmix(seed: int, count: int) -> list[int]:
    """SplitMix64 in whole numbers, from the paper."""
    found = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) % WORD
        word = seed
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
        found.append(word ^ (word >> 31))
    return found


def distance(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """In how many of the 64 bits two words differ."""
    differing: NDArray[np.uint8] = np.bitwise_count(one ^ other)
    return differing


# --- words -----------------------------------------------------------------------------------------------


def test_known_words() -> None:
    stream = Streams(seeds_of([0]))
    assert [int(stream.words()[0]) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@given(st.lists(words, min_size=1, max_size=10))
def test_a_stream_is_splitmix64(numbers: list[int]) -> None:
    streams = Streams(seeds_of(numbers))
    drawn = [streams.words().tolist() for _ in range(5)]
    assert [list(row) for row in zip(*drawn, strict=True)] == [plain_splitmix(seed, 5) for seed in numbers]


@given(st.lists(words, min_size=1, max_size=8), st.data())
def test_a_row_that_draws_again_does_not_disturb_the_others(numbers: list[int], data: st.DataObject) -> None:
    streams = Streams(seeds_of(numbers))
    drawn: list[list[int]] = [[] for _ in numbers]
    for _ in range(5):
        some = data.draw(st.lists(st.integers(0, len(numbers) - 1), unique=True))
        rows = np.asarray(some, dtype=np.intp)
        for row, word in zip(some, streams.words(rows).tolist(), strict=True):
            drawn[row].append(word)
    assert drawn == [plain_splitmix(seed, len(row)) for seed, row in zip(numbers, drawn, strict=True)]


def test_the_seeds_that_were_given_stay_as_they_are() -> None:
    seeds = seeds_of([1, 2, 3])
    Streams(seeds).words()
    assert seeds.tolist() == [1, 2, 3]


def test_mixing_loses_nothing() -> None:
    numbers = np.arange(200_000, dtype=np.uint64)
    assert len(np.unique(mix(numbers))) == 200_000
    assert len(np.unique(mix(numbers << np.uint64(40)))) == 200_000


# --- what is drawn from words ----------------------------------------------------------------------------


@given(words, st.integers(1, 400_000))
def test_below_a_bound(seed: int, bound: int) -> None:
    drawn = Streams(seeds_of([seed, seed ^ 1])).below(bound)
    assert drawn.dtype == np.int64
    assert ((drawn >= 0) & (drawn < bound)).all()
    assert drawn[0] == (plain_splitmix(seed, 1)[0] >> 32) * bound >> 32


@pytest.mark.parametrize("bound", [1, 2, 3, 9, 81])
def test_numbers_below_a_bound_are_uniform(bound: int) -> None:
    counts = np.bincount(Streams(position_seeds(7, np.arange(90_000))).below(bound), minlength=bound)
    expected = 90_000 / bound
    assert len(counts) == bound
    assert ((counts - expected) ** 2 / expected).sum() < bound + 5 * (2 * bound) ** 0.5


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_every_permutation_is_as_likely(length: int) -> None:
    orders = Streams(position_seeds(8, np.arange(60_000))).permutations(length)
    assert orders.dtype == np.int64
    number_of = {order: number for number, order in enumerate(permutations(range(length)))}
    counts = np.bincount([number_of[tuple(order)] for order in orders.tolist()], minlength=len(number_of))
    expected = 60_000 / len(number_of)
    assert ((counts - expected) ** 2 / expected).sum() < len(counts) + 5 * (2 * len(counts)) ** 0.5


@given(st.lists(words, min_size=1, max_size=10), st.integers(0, 90))
def test_permutations_hold_everything_once_and_depend_on_the_row_alone(numbers: list[int], length: int) -> None:
    together = Streams(seeds_of(numbers)).permutations(length)
    assert (np.sort(together, axis=1) == np.arange(length)).all()
    alone = [Streams(seeds_of([seed])).permutations(length)[0].tolist() for seed in numbers]
    assert together.tolist() == alone


# --- seeds -----------------------------------------------------------------------------------------------


@given(words, st.lists(st.integers(0, 2**62), min_size=1, max_size=10))
def test_the_seed_of_a_position_depends_on_nothing_else(job_seed: int, positions: list[int]) -> None:
    together = position_seeds(job_seed, np.asarray(positions, dtype=np.int64))
    alone = [int(position_seeds(job_seed, np.asarray([each], dtype=np.int64))[0]) for each in positions]
    assert together.tolist() == alone


def test_seeds_of_positions_are_distinct_within_and_across_jobs() -> None:
    positions = np.arange(50_000)
    seeds = np.concatenate([position_seeds(job, positions) for job in (0, 1, 2, -1, 2**63, 20240229)])
    assert len(np.unique(seeds)) == len(seeds)


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    # Of 64 independent bits 32 differ on average, with a deviation of 4; a mean of n has one of 4 / sqrt(n).
    positions = np.arange(20_000)
    here = position_seeds(5, positions)
    neighbours = {
        "next position": position_seeds(5, positions + 1),
        "next job": position_seeds(6, positions),
        "position and job exchanged": position_seeds(6, positions - 1),
        "other role": role_seeds(here, 1),
        "the position itself": positions.astype(np.uint64),
    }
    for name, other in neighbours.items():
        assert abs(distance(here, other).mean() - 32) < 5 * 4 / 20_000**0.5, name
    for bit in range(64):
        share = ((here >> np.uint64(bit)) & np.uint64(1)).mean()
        assert abs(share - 0.5) < 5 * 0.5 / 20_000**0.5, bit


def test_a_job_seed_counts_by_its_lowest_64_bits() -> None:
    positions = np.arange(10)
    for seed in (0, 1, 2**63):
        for other in (seed + 2**64, seed - 2**64):
            assert np.array_equal(position_seeds(seed, positions), position_seeds(other, positions))


def test_roles_draw_from_different_streams() -> None:
    seeds = position_seeds(1, np.arange(20_000))
    roles = [seeds, *(role_seeds(seeds, role) for role in range(4))]
    assert len(np.unique(np.concatenate(roles))) == 20_000 * len(roles)
    for index, one in enumerate(roles):
        for other in roles[index + 1 :]:
            assert abs(distance(one, other).mean() - 32) < 5 * 4 / 20_000**0.5


def test_the_seeds_of_a_job_never_change() -> None:
    # The same order must give the same levels in every later version.
    assert position_seeds(42, np.asarray([0, 1, 10**12])).tolist() == [
        12870963724712631011,
        6332618229526065668,
        2397494292551998585,
    ]


# --- what is no batch of seeds -----------------------------------------------------------------------------


def test_seeds_pass_as_they_are() -> None:
    seeds = seeds_of([1, 2, 3])
    assert check_seeds(seeds) is seeds
    assert check_seeds(seeds, 3) is seeds
    assert check_seeds(seeds[:0], 0).shape == (0,)


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        ([1, 2, 3], "a list"),
        (None, "a NoneType"),
        (np.arange(3), "dtype int64, shape (3,)"),
        (np.zeros(3), "dtype float64, shape (3,)"),
        (np.zeros((3, 1), np.uint64), "dtype uint64, shape (3, 1)"),
        (np.zeros((), np.uint64), "dtype uint64, shape ()"),
        (np.zeros(6, np.uint64)[::2], "one that is not contiguous"),
    ],
)
def test_what_are_no_seeds_is_refused(wrong: Any, got: str) -> None:
    for check in (check_seeds, Streams):
        with pytest.raises(BatchShapeError) as caught:
            check(wrong)
        assert str(caught.value) == f"seeds must be a C-contiguous uint64 array of shape (n,), got {got}"


def test_there_must_be_one_seed_a_row() -> None:
    with pytest.raises(BatchShapeError, match=r"uint64 array of shape \(4,\), got dtype uint64, shape \(3,\)"):
        check_seeds(seeds_of([1, 2, 3]), 4)


def test_seeds_that_lie_askew_in_memory_are_refused() -> None:
    askew = np.frombuffer(bytes(17), dtype=np.uint8)[1:].view(np.uint64)
    assert not askew.flags.aligned
    with pytest.raises(BatchShapeError, match="not aligned"):
        check_seeds(askew)
