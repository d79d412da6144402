from __future__ import annotations

import numpy as np
import pytest

from sudokumill.contracts import GenerateStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.clashes import are_finals
from sudokumill_classic.options import TemplatePermutationOptions
from sudokumill_classic.plugin import TEMPLATE_PERMUTATIONS, sudokumill_register_generators
from sudokumill_classic.template_permutation import TemplatePermutation

_POWERS = 10 ** np.arange(16, -1, -1, dtype=np.int64)


def test_its_size_is_2_903_040() -> None:
    [descriptor] = [each for each in sudokumill_register_generators() if each.name == "template-permutation"]
    assert descriptor.size is not None
    assert descriptor.size(TemplatePermutationOptions()) == TEMPLATE_PERMUTATIONS == 2_903_040


def test_all_its_finals_are_distinct() -> None:
    generator = TemplatePermutation(TemplatePermutationOptions(first_digit=4))
    # The first row and the first column as one number of 17 digits: finals with different numbers are different.
    numbers = np.empty(TEMPLATE_PERMUTATIONS, dtype=np.int64)
    step = 103_680
    for start in range(0, TEMPLATE_PERMUTATIONS, step):
        result = generator.generate(np.arange(start, start + step, dtype=np.uint64))
        assert (result.status == GenerateStatus.MADE).all()
        assert are_finals(
            result.finals[::7]
        ).all()  # 7 and 72 have no common divisor: it meets every order of rows
        assert (result.finals[:, 0] == 4).all()
        digits = np.hstack([result.finals[:, :9], result.finals[:, 9::9]]).astype(np.int64)
        numbers[start : start + step] = digits @ _POWERS
    assert len(np.unique(numbers)) == TEMPLATE_PERMUTATIONS


def test_rows_stay_in_their_groups_and_the_first_stays_first() -> None:
    generator = TemplatePermutation(TemplatePermutationOptions())
    first = generator.generate(np.arange(72, dtype=np.uint64)).finals.reshape(72, 9, 9)
    for group in (slice(0, 1), slice(1, 3), slice(3, 6), slice(6, 9)):
        rows = {frozenset(map(bytes, grid[group])) for grid in first}
        assert len(rows) == 1


@pytest.mark.parametrize("first_digit", range(1, 10))
def test_the_top_left_digit_is_the_chosen_one(first_digit: int) -> None:
    generator = TemplatePermutation(TemplatePermutationOptions(first_digit=first_digit))
    positions = np.arange(0, TEMPLATE_PERMUTATIONS, 9_973, dtype=np.uint64)
    finals = generator.generate(positions).finals
    assert are_finals(finals).all()
    assert (finals[:, 0] == first_digit).all()


def test_positions_are_seeds_by_their_type() -> None:
    with pytest.raises(BatchShapeError, match="uint64"):
        TemplatePermutation(TemplatePermutationOptions()).generate(np.arange(3))  # type: ignore[arg-type]


def test_a_position_beyond_the_size_gives_up_and_the_others_go_on() -> None:
    generator = TemplatePermutation(TemplatePermutationOptions())
    positions = np.array([2**64 - 1, 5, TEMPLATE_PERMUTATIONS, TEMPLATE_PERMUTATIONS - 1], dtype=np.uint64)
    result = generator.generate(positions)
    made, gave_up = GenerateStatus.MADE, GenerateStatus.GAVE_UP
    assert result.status.tolist() == [gave_up, made, gave_up, made]
    assert not result.finals[[0, 2]].any()
    np.testing.assert_array_equal(result.finals[1], generator.generate(positions[1:2]).finals[0])
