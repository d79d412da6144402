from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.errors import BatchShapeError
from sudokumill.formats import FORMATS, TextFormat, read_grids
from sudokumill.grids.batch import Grids, from_lines, to_lines

PUZZLE = "000310000007000050300502901060100500002006038708009000900000206000070000600000000"

both = pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)


def random_grids(count: int, seed: int = 1) -> Grids:
    return np.random.default_rng(seed).integers(0, 10, (count, 81), dtype=np.uint8)


def plain_line(grid: str) -> str:
    return grid + "\n"


def plain_blocks(grid: str) -> str:
    return "".join(" ".join(grid[start : start + 9]) + "\n" for start in range(0, 81, 9)) + "\n"


def test_the_two_forms() -> None:
    grids = from_lines([PUZZLE])
    assert FORMATS["line"].write(grids) == PUZZLE.encode() + b"\n"
    assert FORMATS["blocks"].write(grids) == (
        b"0 0 0 3 1 0 0 0 0\n"
        b"0 0 7 0 0 0 0 5 0\n"
        b"3 0 0 5 0 2 9 0 1\n"
        b"0 6 0 1 0 0 5 0 0\n"
        b"0 0 2 0 0 6 0 3 8\n"
        b"7 0 8 0 0 9 0 0 0\n"
        b"9 0 0 0 0 0 2 0 6\n"
        b"0 0 0 0 7 0 0 0 0\n"
        b"6 0 0 0 0 0 0 0 0\n"
        b"\n"
    )


@pytest.mark.parametrize("count", [0, 1, 2, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize(("name", "plain"), [("line", plain_line), ("blocks", plain_blocks)])
def test_written_as_a_plain_loop_writes(count: int, name: str, plain: Callable[[str], str]) -> None:
    grids = random_grids(count)
    assert FORMATS[name].write(grids).decode("ascii") == "".join(map(plain, to_lines(grids)))


def test_every_grid_takes_the_same_number_of_bytes() -> None:
    assert {name: each.size for name, each in FORMATS.items()} == {"line": 82, "blocks": 163}


@both
@given(count=st.integers(0, 40), cuts=st.lists(st.integers(0, 40), max_size=5))
def test_parts_written_at_their_offsets_are_the_whole(chosen: TextFormat, count: int, cuts: list[int]) -> None:
    grids = random_grids(count)
    borders = sorted([0, *(cut for cut in cuts if cut < count), count])
    text = bytearray(b"?" * count * chosen.size)
    for low, high in pairwise(borders):
        text[low * chosen.size : high * chosen.size] = chosen.write(grids[low:high])
    assert bytes(text) == chosen.write(grids)


@both
def test_processes_can_write_into_one_file(chosen: TextFormat, tmp_path: Path) -> None:
    grids = random_grids(300)
    path = tmp_path / "grids.txt"
    with path.open("wb") as stream:
        for low in (200, 0, 100):
            os.pwrite(stream.fileno(), chosen.write(grids[low : low + 100]), low * chosen.size)
    assert np.array_equal(read_grids(path).grids, grids)


@both
def test_memory_can_be_used_again(chosen: TextFormat) -> None:
    memory = np.full((2000, chosen.size), 255, dtype=np.uint8)
    for seed in (1, 2):
        grids = random_grids(1500, seed)
        chosen.fill(grids, memory[:1500])
        assert memory[:1500].tobytes() == chosen.write(grids)
        assert (memory[1500:] == 255).all()


@both
@pytest.mark.parametrize(
    "wrong", [np.zeros((2, 80), np.uint8), np.zeros(81, np.uint8), np.zeros((1, 81), np.int64), [[0] * 81]]
)
def test_what_is_no_batch_is_refused(chosen: TextFormat, wrong: Grids) -> None:
    with pytest.raises(BatchShapeError):
        chosen.write(wrong)
