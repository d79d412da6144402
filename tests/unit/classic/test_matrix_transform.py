from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokumill.grids.clashes import are_finals
from sudokumill.streams import position_seeds
from sudokumill_classic.matrix_transform import TEMPLATES, MatrixTransform
from sudokumill_classic.options import MatrixTransformOptions


def _cycles(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> tuple[int, ...]:
    """Cycle lengths of the permutation of digits that takes one row to another."""
    step = dict(zip(one.tolist(), other.tolist(), strict=True))
    lengths = []
    while step:
        start, here = step.popitem()
        length = 1
        while here != start:
            here = step.pop(here)
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths))


def _invariant(final: NDArray[np.uint8]) -> frozenset[tuple[tuple[tuple[int, ...], int], ...]]:
    """The same for all images of a final: cycle lengths of the pairs of rows of a band, and of columns of a stack.

    A set of two, since transposition exchanges them.
    """
    square = final.reshape(9, 9)
    return frozenset(
        tuple(
            sorted(
                Counter(
                    _cycles(lines[3 * band + i], lines[3 * band + j])
                    for band in range(3)
                    for i, j in ((0, 1), (0, 2), (1, 2))
                ).items()
            )
        )
        for lines in (square, square.T)
    )


CLASSES = [_invariant(template) for template in TEMPLATES]


def test_the_seed_finals_are_valid_and_no_image_of_one_another() -> None:
    assert are_finals(TEMPLATES).all()
    assert len(set(CLASSES)) == len(TEMPLATES) == 8


@pytest.mark.parametrize("template", range(1, 9))
def test_images_are_finals_of_the_named_template(template: int) -> None:
    generator = MatrixTransform(MatrixTransformOptions(template=template))
    finals = generator.generate(position_seeds(7, np.arange(50))).finals
    assert are_finals(finals).all()
    assert {_invariant(final) for final in finals} == {CLASSES[template - 1]}


def test_every_row_draws_one_of_the_eight() -> None:
    finals = MatrixTransform(MatrixTransformOptions()).generate(position_seeds(7, np.arange(400))).finals
    drawn = Counter(CLASSES.index(_invariant(final)) for final in finals)
    assert sorted(drawn) == list(range(8))
    assert min(drawn.values()) >= 25


def test_the_whole_group_is_drawn_from() -> None:
    generator = MatrixTransform(MatrixTransformOptions(template=1))
    finals = generator.generate(position_seeds(9, np.arange(20_000))).finals
    assert len(np.unique(finals, axis=0)) == 20_000
    # Each digit is as frequent in each cell as any other (chi-square with 8 degrees of freedom).
    counts = np.stack([(finals == digit).sum(axis=0) for digit in range(1, 10)])
    assert (((counts - 20_000 / 9) ** 2).sum(axis=0) / (20_000 / 9)).max() < 45
    # Rows and columns both show each of the template's eighteen lines' permutations: transposition is drawn.
    rows = [tuple(_cycles(final[:9], final[9:18])) for final in finals[:2_000]]
    square = TEMPLATES[0].reshape(9, 9)
    possible = {
        _cycles(lines[3 * band + i], lines[3 * band + j])
        for lines in (square, square.T)
        for band in range(3)
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    assert set(rows) == possible
