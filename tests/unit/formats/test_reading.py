from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.errors import FileUnreadableError, UnknownFormatError
from sudokumill.formats import (
    FORMATS,
    Reading,
    iter_readings,
    read_grids,
    sniff,
    text_format,
)
from sudokumill.formats.reading import joined
from sudokumill.formats.text import BLOCK, LONGEST_LINE, lines_of
from sudokumill.grids.batch import check_batch, from_lines, to_lines

PUZZLE = "000310000007000050300502901060100500002006038708009000900000206000070000600000000"
ROW = b"1 2 3 4 5 6 7 8 9"


def parse(blocks: list[bytes], name: str, lenient: bool = False) -> Reading:
    """Reads text that comes in just these blocks."""
    parser = FORMATS[name].parser(lenient)
    return joined([*(parser.feed(piece) for piece in lines_of(iter(blocks))), parser.finish()])


def same(one: Reading, other: Reading) -> bool:
    return (
        to_lines(one.grids) == to_lines(other.grids)
        and one.lines.tolist() == other.lines.tolist()
        and one.faults == other.faults
    )


def as_rows(grid: str) -> list[bytes]:
    return [" ".join(grid[start : start + 9]).encode() for start in range(0, 81, 9)]


# --- what stands in a file, line by line, and what must come of it -----------------------------------------

Expected = tuple[list[bytes], str | None, str | None]
"""The lines; the grid that they give, on the first of them; or the beginning of a fault's reason."""

grid_texts = st.integers(0, 2**32).map(
    lambda seed: "".join(map(str, np.random.default_rng(seed).choice(10, 81, p=[0.6] + [0.4 / 9] * 9)))
)


def line_pieces(grid: str) -> list[Expected]:
    clue = next((place for place, sign in enumerate(grid) if sign != "0"), 0)
    return [
        ([grid.encode()], grid, None),
        ([grid.replace("0", ".").encode()], grid, None),
        ([grid.replace("0", "*").encode() + b" ER=7.1"], grid, None),
        ([b"\t " + grid.replace("0", "X").encode() + b"# \xff\x00 what is behind does not matter"], grid, None),
        ([grid.encode() + b",the next column"], grid, None),
        ([b""], None, None),
        ([b" \t "], None, None),
        ([b"# 123 \xe9"], None, None),
        ([b" % 123"], None, None),
        ([grid[1:].encode()], None, "80 cells"),
        ([grid.encode() + b"1"], None, "82 cells"),
        ([grid[:40].encode() + b"A" + grid[41:].encode()], None, "not a digit or blank: A at column 41"),
        (
            [b"  " + grid[:40].encode() + b"\x07" + grid[41:].encode()],
            None,
            "not a digit or blank: U+0007 at column 43",
        ),
        ([grid[:80].encode() + b"\x00"], None, "NUL character at column 81"),
        ([b"\xff" + grid[1:].encode()], None, "not UTF-8 text: byte 0xFF at column 1"),
        (["٣".encode() + grid[1:].encode()], None, "digit U+0663 at column 1"),
        ([b"0." + b"1" * 79], None, "two different blank signs"),
        ([grid[:clue].encode()], None, f"{clue} cell" if clue else None),
        ([ROW], None, "1 cell instead of 81; nine rows"),
    ]


def block_pieces(grid: str) -> list[Expected]:
    rows = as_rows(grid)
    bad = [row.replace(b" ", b"\t", 1) for row in rows[:8]]
    return [
        ([*rows, b""], grid, None),
        ([row.replace(b" ", b" \t ") + b"  " for row in rows] + [b"", b" ", b""], grid, None),
        ([row + b" " for row in rows] + [b""], grid, None),
        ([*rows[:4], b"# a remark is no row", *rows[4:], b""], grid, None),
        ([*rows[:8], b""], None, "8 rows in this block instead of 9"),
        ([*rows, *rows[:1], b""], None, "10 rows in this block instead of 9"),
        ([*bad, b"1 2 3", b""], None, "3 numbers in this row instead of 9"),
        ([*bad, b"1 2 3 10 5 6 7 8 9", b""], None, "not a digit: 10 at column 7"),
        ([*bad, b"1" * 500, b""], None, "not a digit: 111111111111... at column 1"),
        ([b"1 2 3 4 5 6 7 8 .", *bad, b""], None, "not a digit: . at column 17"),
        (
            [*rows[:3], b"", *rows[3:6], b"", *rows[6:], b""],
            None,
            "3 rows in this block instead of 9; empty lines",
        ),
        ([part for row in rows for part in (row, b"")], None, "1 row in this block instead of 9; empty lines"),
        ([*rows[:2], b"", *rows[2:], b""], None, "2 rows in this block"),
    ]


@st.composite
def files(draw: st.DrawFn, name: str) -> tuple[bytes, list[Expected]]:
    pieces = [
        draw(st.sampled_from((line_pieces if name == "line" else block_pieces)(grid)))
        for grid in draw(st.lists(grid_texts, max_size=12))
    ]
    lines = [line for piece in pieces for line in piece[0]]
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    last = draw(st.sampled_from([b"", end]))
    return (end.join(lines) + last) if lines else b"", pieces


@pytest.mark.parametrize("name", ["line", "blocks"])
@given(data=st.data())
def test_every_grid_and_every_fault_is_found_on_its_line(name: str, data: st.DataObject) -> None:
    content, pieces = data.draw(files(name))
    reading = read_grids(io.BytesIO(content), name)
    number, grids, faults = 1, [], []
    for lines, grid, reason in pieces:
        if grid is not None:
            grids.append((number, grid))
        if reason is not None:
            faults.append((number, number + len(lines), reason))
        if reason == "2 rows in this block":
            faults.append((number, number + len(lines), "7 rows in this block instead of 9"))
        number += len(lines)
    assert list(zip(reading.lines.tolist(), to_lines(reading.grids), strict=True)) == grids
    if not grids and not faults:
        faults = [(0, 1, "the file holds no puzzle")]
    assert len(reading.faults) == len(faults)
    for fault, (low, high, reason) in zip(reading.faults, faults, strict=True):
        assert low <= fault.line < high
        assert fault.reason.startswith(reason)
        assert fault.reason.isprintable()
        assert len(fault.reason) < 120


@pytest.mark.parametrize("name", ["line", "blocks"])
@given(data=st.data())
def test_it_does_not_matter_where_blocks_of_bytes_are_cut(name: str, data: st.DataObject) -> None:
    content, _ = data.draw(files(name))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    blocks = [content[low:high] for low, high in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    assert same(parse(blocks, name), parse([content], name))


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", ["line", "blocks"])
@given(grids=st.lists(grid_texts, min_size=1, max_size=40))
def test_what_is_written_is_read_back(name: str, lenient: bool, grids: list[str]) -> None:
    content = FORMATS[name].write(from_lines(grids))
    assert sniff(content) == name
    reading = read_grids(io.BytesIO(content), None, lenient)
    check_batch(reading.grids)
    assert to_lines(reading.grids) == grids
    assert reading.faults == ()
    assert reading.lines.tolist() == [1 + place * (1 if name == "line" else 10) for place in range(len(grids))]


@given(size=st.integers(1, 25), count=st.integers(0, 60), bad=st.sets(st.integers(0, 59), max_size=30))
def test_pieces_are_the_whole(size: int, count: int, bad: set[int]) -> None:
    content = b"".join(b"short\n" if place in bad else PUZZLE.encode() + b"\n" for place in range(count))
    whole = read_grids(io.BytesIO(content), "line")
    pieces = list(iter_readings(io.BytesIO(content), "line", size=size))
    assert all(len(piece.grids) <= size for piece in pieces)
    assert same(joined(pieces), whole)
    assert len(whole.grids) == len(set(range(count)) - bad)


def test_a_large_file_is_never_whole_in_memory() -> None:
    # A stream without an end: what is asked for at once stays small, and so does each reading.
    text = (PUZZLE + "\n").encode() * (BLOCK // 82 + 2)
    asked: list[int] = []

    class Endless(io.RawIOBase):
        def read(self, size: int = -1, /) -> bytes:
            start = sum(asked) % 82
            asked.append(size)
            return text[start : start + size]

    readings = iter_readings(Endless(), "line", size=10_000)
    for _, reading in zip(range(5), readings, strict=False):
        assert to_lines(reading.grids) == [PUZZLE] * 10_000
        assert reading.faults == ()
    assert max(asked) <= BLOCK
    assert sum(asked) < 6 * 10_000 * 82 + BLOCK


def test_a_million_grids_are_read_in_order() -> None:
    grids = from_lines([PUZZLE]).repeat(1_000_000, axis=0)
    grids[:, :7] = np.arange(1_000_000)[:, None] // 10 ** np.arange(6, -1, -1) % 10
    for name, chosen in FORMATS.items():
        reading = read_grids(io.BytesIO(chosen.write(grids)))
        assert reading.format == name
        assert np.array_equal(reading.grids, grids)
        assert reading.lines[-1] == (1_000_000 if name == "line" else 9_999_991)
        assert reading.faults == ()


# --- encodings, line ends, long lines --------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["line", "blocks", None])
def test_utf16_is_named_once(encoding: str, name: str | None) -> None:
    content = (PUZZLE + "\n").encode(encoding) * 5
    reading = read_grids(io.BytesIO(content), name)
    assert len(reading.grids) == 0
    assert len(reading.faults) == 1
    assert reading.faults[0].line == 1
    assert "UTF-16" in reading.faults[0].reason


@pytest.mark.parametrize("name", ["line", "blocks"])
def test_a_byte_order_mark_is_no_cell(name: str) -> None:
    content = b"\xef\xbb\xbf" + FORMATS[name].write(from_lines([PUZZLE]))
    assert to_lines(read_grids(io.BytesIO(content)).grids) == [PUZZLE]


@pytest.mark.parametrize(
    "length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK]
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b" a remark\n"])
def test_a_line_of_any_length_is_counted_and_not_shown(length: int, end: bytes) -> None:
    reading = read_grids(io.BytesIO(b"1" * length + end + (b"" if end == b"" else PUZZLE.encode())), "line")
    assert [str(fault) for fault in reading.faults] == [f"line 1: {length} cells instead of 81"]
    assert reading.lines.tolist() == ([2] if end else [])


def test_long_lines_that_are_no_cells() -> None:
    long = 2 * BLOCK
    lines = [
        b"#" + b"1" * long,
        PUZZLE.encode() + b" " + b"x" * long,
        b"{" + b" " * long,
        b" " * long,
        b" " * long + PUZZLE.encode(),
        "1é".encode() + b"1" * long,
        b"1" * 2000 + "é".encode() * long,
        PUZZLE.encode(),
    ]
    reading = read_grids(io.BytesIO(b"\n".join(lines)), "line")
    assert reading.lines.tolist() == [2, 5, 8]
    assert to_lines(reading.grids) == [PUZZLE] * 3
    assert [str(fault) for fault in reading.faults] == [
        "line 3: not a digit or blank: { at column 1",
        "line 6: not a digit or blank: é at column 2",
        f"line 7: {2000 + long} cells instead of 81",
    ]


def test_a_long_line_spoils_only_its_block() -> None:
    rows = as_rows(PUZZLE)
    lines = [*rows, b"", *rows[:8], b"1 " * BLOCK, b"", *rows, b"", b"#" + b" " * 2 * BLOCK, *rows]
    reading = read_grids(io.BytesIO(b"\n".join(lines)), "blocks")
    assert reading.lines.tolist() == [1, 21, 32]
    assert [str(fault) for fault in reading.faults] == [
        "line 19: a line without an end instead of a row of nine digits"
    ]


# --- lenient reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [".", "-", "|", "/", ",", ";", ":", " ", "\t", "#"])
def test_rows_of_nine_with_a_sign_between_are_read_on_request(separator: str) -> None:
    line = separator.join(PUZZLE[start : start + 9] for start in range(0, 81, 9)).encode()
    strict = read_grids(io.BytesIO(line + b" and a remark"), "line")
    assert len(strict.grids) == 0
    assert "seems to part rows of nine" in strict.faults[0].reason
    assert to_lines(read_grids(io.BytesIO(line + b" and a remark"), "line", lenient=True).grids) == [PUZZLE]


@pytest.mark.parametrize("lenient", [False, True])
def test_nine_parted_rows_and_something_more_are_no_grid(lenient: bool) -> None:
    line = "|".join(PUZZLE[start : start + 9] for start in range(0, 81, 9)) + "|000000000"
    reading = read_grids(io.BytesIO(line.encode()), "line", lenient)
    assert len(reading.grids) == 0
    assert [fault.reason for fault in reading.faults] == ["not a digit or blank: | at column 10"]


@pytest.mark.parametrize("lenient", [False, True])
def test_89_dots_and_digits_are_not_parted_rows(lenient: bool) -> None:
    reading = read_grids(io.BytesIO(b"." * 89), "line", lenient)
    assert [fault.reason for fault in reading.faults] == ["89 cells instead of 81"]


@pytest.mark.parametrize("count", [1, 3])
def test_empty_lines_inside_a_grid_are_read_on_request(count: int) -> None:
    rows = as_rows(PUZZLE)
    spread = b"\n\n".join(b"\n".join(rows[start : start + count]) for start in range(0, 9, count)) + b"\n\n"
    plain = b"\n".join(rows) + b"\n\n"
    reading = read_grids(io.BytesIO(spread + plain + spread + spread), "blocks", lenient=True)
    assert to_lines(reading.grids) == [PUZZLE] * 4
    assert reading.faults == ()


@pytest.mark.parametrize("lenient", [False, True])
def test_bands_that_do_not_make_a_grid_take_nothing_from_the_next(lenient: bool) -> None:
    rows = as_rows(PUZZLE)
    content = b"\n".join([*rows[:3], b"", *rows[3:6], b"", *rows, b"", *rows[:3]])
    reading = read_grids(io.BytesIO(content), "blocks", lenient)
    assert reading.lines.tolist() == [9]
    assert [str(fault) for fault in reading.faults] == [
        f"line {line}: 3 rows in this block instead of 9" for line in (3, 7, 21)
    ]


def test_other_blank_signs_in_blocks_are_read_on_request() -> None:
    content = b"\n".join(as_rows(PUZZLE.replace("0", ".")))
    assert read_grids(io.BytesIO(content)).faults[0].reason == "not a digit: . at column 1"
    assert to_lines(read_grids(io.BytesIO(content), lenient=True).grids) == [PUZZLE]


# --- sources and names -----------------------------------------------------------------------------------


def test_a_path_and_a_stream_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "grids.txt"
    path.write_bytes(FORMATS["blocks"].write(from_lines([PUZZLE] * 3)))
    with path.open("rb") as stream:
        assert same(read_grids(path), read_grids(stream))
        assert not stream.closed
    assert same(read_grids(path), read_grids(str(path)))


def test_a_pipe_that_gives_little_at_once_is_read_whole() -> None:
    content = b"\xef\xbb\xbf" + FORMATS["line"].write(from_lines([PUZZLE] * 20))

    def drops() -> Iterator[bytes]:
        yield from (content[place : place + 1] for place in range(len(content)))

    source = drops()

    class Drops(io.RawIOBase):
        def read(self, size: int = -1, /) -> bytes:
            return next(source, b"")

    assert to_lines(read_grids(Drops()).grids) == [PUZZLE] * 20


@pytest.mark.parametrize("name", ["absent.txt", ".", "nul\0.txt"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileUnreadableError, match="cannot read ") as caught:
        read_grids(os.path.join(tmp_path, name))
    assert str(tmp_path) in str(caught.value)


def test_a_stream_that_fails_is_an_error_of_reading() -> None:
    class Failing(io.RawIOBase):
        name = "the drive"

        def read(self, size: int = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(FileUnreadableError, match=r"^cannot read the drive: Input/output error$"):
        read_grids(Failing())


def test_an_unknown_format_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=r"'block'; did you mean blocks\?"):
        iter_readings(tmp_path / "absent.txt", "block")
    with pytest.raises(UnknownFormatError, match="known: blocks, line"):
        text_format("sdk")


def test_a_reading_must_have_room(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one grid"):
        iter_readings(tmp_path / "absent.txt", size=0)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"", "line"),
        (b"# 1 2 3 4 5 6 7 8 9\n" + PUZZLE.encode(), "line"),
        (b"a title line\n" + b"\n".join(as_rows(PUZZLE)), "blocks"),
        (b"\n\n" + b"0 0 x 0 0 0 10 0 0\n", "blocks"),
        (PUZZLE.encode() + b" 1 2 3 4 5 6", "line"),
        (PUZZLE.encode() + b" ED=1.2/1.2/1.2", "line"),
        (b"1" * 5_000_000, "line"),
    ],
)
def test_the_most_probable_format(head: bytes, name: str) -> None:
    assert sniff(head) == name
