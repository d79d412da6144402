"""Clues that come back after a dig to the end."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sudokumill.contracts import DigStatus
from sudokumill.grids.batch import Grids
from sudokumill.grids.symmetries import Symmetry, orbits
from sudokumill.streams import position_seeds
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions

SEEDS = position_seeds(6, np.arange(200))
SPARSE = "111000000111010101000111000011010110000111000011000110000111000101010111000000111"


@cache
def finals() -> Grids:
    made = NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals
    made.setflags(write=False)
    return made


def dig(build: str | None = None, **asked: Any) -> tuple[Grids, Grids]:
    """Puzzles and statuses."""
    result = NativeDigger(NativeDiggerOptions.model_validate(asked), build).dig(finals(), SEEDS)
    return result.puzzles, result.status


@given(added=st.integers(1, 40), symmetry=st.sampled_from(Symmetry), build=st.sampled_from(_kernel.builds))
def test_so_many_clues_come_back_and_none_goes(added: int, symmetry: Symmetry, build: str) -> None:
    to_the_end, _ = dig(symmetry=symmetry)
    puzzles, status = dig(build, symmetry=symmetry, added=added)
    before, after = to_the_end > 0, puzzles > 0
    assert (puzzles == finals())[after].all()
    assert after[before].all()
    more = after.sum(axis=1) - before.sum(axis=1)
    largest = max(map(len, orbits(symmetry)))
    blanks = 81 - before.sum(axis=1)
    dug = status == DigStatus.DUG
    # a puzzle leaves something to solve
    np.testing.assert_array_equal(dug, (blanks >= added) & ~after.all(axis=1))
    assert (more[dug] >= added).all()
    assert (more[dug] < added + largest).all()
    # where there are too few, all are back
    assert after[~dug].all()
    for orbit in orbits(symmetry):
        clues = after[:, list(orbit)]
        assert (clues.all(axis=1) == clues.any(axis=1)).all()


def test_all_blanks_are_as_likely_to_come_back() -> None:
    # also those that went last: of the order in which they went, what comes back knows nothing
    count = 20_000
    seeds = position_seeds(1, np.arange(count))
    same = np.repeat(finals()[:1], count, axis=0)
    options = NativeDiggerOptions(order="rows", added=1)
    puzzles = NativeDigger(options).dig(same, seeds).puzzles
    times = (puzzles > 0).sum(axis=0)
    always = times == count
    assert (~always).sum() == 81 - (always.sum())
    drawn = times[~always]
    assert drawn.sum() == count
    expected = count / len(drawn)
    chi_square = float(((drawn - expected) ** 2 / expected).sum())
    # 1 in 10,000 lies above that with 56 degrees of freedom
    assert len(drawn) - 1 < 60
    assert chi_square < 105


def test_a_clue_count_is_checked_after_they_came_back() -> None:
    puzzles, status = dig(added=5, clues_min=29, clues_max=30)
    free, _ = dig(added=5)
    np.testing.assert_array_equal(puzzles, free)
    counts = (puzzles > 0).sum(axis=1)
    np.testing.assert_array_equal(status == DigStatus.DUG, (counts == 29) | (counts == 30))
    assert {DigStatus.DUG, DigStatus.MISSED} == set(status.tolist())


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"added": 2, "minimal": True}, "added=2 contradicts minimal"),
        ({"added": 2, "pattern": SPARSE}, "added=2 contradicts a pattern"),
        ({"added": 9, "clues": 25}, "added=9 leaves 26 clues or more, but at most 25 are to remain"),
        ({"added": 3, "clues_min": 44}, "added=3 leaves at most 43 clues, .* but at least 44 are to remain"),
        ({"added": 41}, "less than or equal to 40"),
        ({"added": -1}, "greater than or equal to 0"),
    ],
)
def test_what_contradicts_it_is_refused(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        NativeDiggerOptions.model_validate(asked)


def test_where_cells_go_together_a_dig_may_end_with_more_clues() -> None:
    NativeDiggerOptions(added=3, clues_min=44, symmetry=Symmetry.FULL)
    NativeDiggerOptions(added=3, clues_min=44, row_min=5)


def test_the_kernel_refuses_a_number_that_no_grid_has() -> None:
    cells = np.arange(81, dtype=np.uint8)
    for wrong in (-1, 82):
        with pytest.raises(ValueError, match="added must be 0 to 81"):
            _kernel.dig(finals(), SEEDS, cells, [0], (17, 81), minimal=False, build="portable", added=wrong)
