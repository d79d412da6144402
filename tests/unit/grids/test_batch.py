from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import (
    BOX_OF,
    COLUMN_OF,
    PEERS,
    ROW_OF,
    UNITS,
    check_batch,
    digests,
    from_lines,
    to_lines,
)

FINAL = "482716539135829647679354821953172468867495312241638975526941783314587296798263154"
PUZZLE = "000310000007000050300502901060100500002006038708009000900000206000070000600000000"


@given(st.lists(st.text("0123456789", min_size=81, max_size=81), max_size=10))
def test_text_and_back(lines: list[str]) -> None:
    grids = from_lines(lines)
    check_batch(grids)
    assert grids.shape == (len(lines), 81)
    assert [[int(sign) for sign in line] for line in lines] == grids.tolist()
    assert to_lines(grids) == lines


def test_a_dot_is_a_blank() -> None:
    assert to_lines(from_lines([PUZZLE.replace("0", ".")])) == [PUZZLE]


@pytest.mark.parametrize(
    "lines",
    [
        [FINAL[1:]],
        [FINAL + "1"],
        [""],
        [FINAL[1:], FINAL + "1"],
        ["x" + FINAL[1:]],
        ["-" + FINAL[1:]],
        ["٣" + FINAL[1:]],
        ["²" + FINAL[1:]],
        ["\n" + FINAL[1:]],
    ],
)
def test_other_texts_are_refused(lines: list[str]) -> None:
    with pytest.raises(ValueError, match="each line must hold 81"):
        from_lines(lines)


def test_the_digest_of_a_grid_never_changes() -> None:
    # Stored rows are found by these: another hash, or another text under it, would store every grid twice.
    assert [digest.hex() for digest in digests([FINAL, PUZZLE])] == [
        "c16693699f2a04969216c10dda2f6fcb",
        "ba05b763b53e4d7c8e92594c2f84569a",
    ]


def test_a_batch_passes_as_it_is() -> None:
    grids = from_lines([FINAL, PUZZLE])
    assert check_batch(grids) is grids
    assert check_batch(grids[:0]).shape == (0, 81)


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        ([[0] * 81], "a list"),
        (None, "a NoneType"),
        (np.zeros((2, 81), np.int64), "dtype int64, shape (2, 81)"),
        (np.zeros((2, 81), np.int8), "dtype int8, shape (2, 81)"),
        (np.zeros((2, 80), np.uint8), "dtype uint8, shape (2, 80)"),
        (np.zeros((2, 9, 9), np.uint8), "dtype uint8, shape (2, 9, 9)"),
        (np.zeros(81, np.uint8), "dtype uint8, shape (81,)"),
        (np.zeros((4, 81), np.uint8)[::2], "one that is not contiguous"),
        (np.zeros((81, 2), np.uint8).T, "one that is not contiguous"),
    ],
)
def test_what_is_no_batch_is_refused(wrong: object, got: str) -> None:
    with pytest.raises(BatchShapeError) as caught:
        check_batch(wrong, "the finals of generator x")
    assert str(caught.value) == (
        f"the finals of generator x must be a C-contiguous uint8 array of shape (n, 81), got {got}"
    )


def test_units() -> None:
    assert UNITS.shape == (27, 9)
    assert np.bincount(UNITS.ravel()).tolist() == [3] * 81
    for index, of in enumerate((ROW_OF, COLUMN_OF, BOX_OF)):
        for number in range(9):
            assert (of[UNITS[9 * index + number]] == number).all()
    assert UNITS[18].tolist() == [0, 1, 2, 9, 10, 11, 18, 19, 20]
    assert UNITS[26].tolist() == [60, 61, 62, 69, 70, 71, 78, 79, 80]


def test_peers() -> None:
    assert PEERS.shape == (81, 20)
    for cell, peers in enumerate(PEERS):
        alike = (ROW_OF[cell] == ROW_OF) | (COLUMN_OF[cell] == COLUMN_OF) | (BOX_OF[cell] == BOX_OF)
        assert peers.tolist() == [other for other in np.flatnonzero(alike).tolist() if other != cell]


@pytest.mark.parametrize("shared", [ROW_OF, COLUMN_OF, BOX_OF, UNITS, PEERS])
def test_nobody_can_change_what_all_share(shared: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        shared[0] = 1
