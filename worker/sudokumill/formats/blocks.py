"""The format ``blocks``: nine rows of nine digits, a space between digits, an empty line after each grid.

    4 8 2 7 1 6 5 3 9
    ...                 nine rows
    7 9 8 2 6 3 1 5 4

0 is a blank. Reading takes any spaces and tabs between digits, and lines that begin with ``#``, ``%`` or ``;``
as remarks. A block with too few or too many rows is a fault of its own and takes nothing from the next, so that
no later grid is shifted.

Some writers put an empty line between the bands of a grid, or after every row. Three blocks of three rows, or
nine of one, one after another are therefore seen as *one* grid: a single fault, or the grid if lenient reading
was asked for. Lenient reading also takes the other blank signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.formats.reading import Fault, Parser, Reading, TextFormat, without_grids
from sudokumill.formats.text import BLANK_SIGNS, REMARK_SIGNS, Lines, LongLine, character_fault
from sudokumill.grids.batch import CELLS, Grids, check_batch

NAME: Final = "blocks"

_SIZE: Final = 9 * 18 + 1
"""Bytes a grid as it is written: nine rows of 18 bytes and the empty line."""

_BLOCK_LINES: Final = 10

# One grid of zeros. Digit i stands at byte 2 * i, through all nine rows, because a row's newline takes the place
# of a space.
_ZEROS: Final = np.frombuffer(b"0 0 0 0 0 0 0 0 0\n" * 9 + b"\n", dtype=np.uint8)
_DIGITS: Final = slice(0, 2 * CELLS, 2)
_PAIRS: Final = _ZEROS[: 2 * CELLS].view("<u2")
_LARGEST: Final = np.zeros(_SIZE, dtype=np.uint8)
_LARGEST[_DIGITS] = 9
_LARGEST.setflags(write=False)

_EXACT_START: Final = re.compile(rb"[0-9] [0-9] ")
_STEP: Final = 1024
_REMARKS: Final = tuple(sign.encode() for sign in REMARK_SIGNS)
_SHOWN: Final = 12
_LENIENT_SIGNS: Final = bytes.maketrans(BLANK_SIGNS.encode(), b"0" * len(BLANK_SIGNS))


def _fill(grids: Grids, out: NDArray[np.uint8]) -> None:
    """See ``TextFormat.fill``.

    A digit and the sign after it are made as one 16-bit sum, in steps that stay in the cache, and laid into the
    text by whole grids: 0.04 s a million. Writing digits alone into every other byte of a text of zeros takes
    twice as long, for numpy has no vector code for a stride of two.
    """
    check_batch(grids)
    pairs = np.empty((min(_STEP, len(grids)), CELLS), dtype="<u2")
    for start in range(0, len(grids), _STEP):
        some = grids[start : start + _STEP]
        pair = pairs[: len(some)]
        pair[...] = some
        pair += _PAIRS
        text = out[start : start + _STEP]
        text[:, : 2 * CELLS] = pair.view(np.uint8)
        text[:, 2 * CELLS] = ord("\n")


@dataclass
class _Block:
    """Rows without an empty line between them."""

    first: int
    last: int = 0
    count: int = 0
    rows: list[bytes] = field(default_factory=list)
    fault: Fault | None = None


class BlocksParser:
    """Reads blocks of nine rows.

    Runs of grids exactly as they are written here are taken together in numpy; all else goes row by row.
    """

    def __init__(self, lenient: bool) -> None:
        self._lenient = lenient
        self._block: _Block | None = None
        self._group: list[_Block] = []
        self._found = _Found()

    def feed(self, piece: Lines | LongLine) -> Reading:
        """See ``Parser``."""
        if isinstance(piece, LongLine):
            self._add_long(piece)
            return self._hand_over()
        data, number, place = piece.data, piece.first, 0
        if b" \n" in data[: 2 * _SIZE]:
            # Writers often put a space behind the last digit too; without it such a file is as fast as any.
            data = data.replace(b" \n", b"\n")
        while place < len(data):
            if self._block is None and not self._group and _EXACT_START.match(data, place):
                grids = _exact_blocks(data, place)
                if len(grids):
                    self._found.add(grids, number)
                    place += _SIZE * len(grids)
                    number += _BLOCK_LINES * len(grids)
                    continue
            end = data.index(b"\n", place)
            self._add(data[place:end], number)
            place = end + 1
            number += 1
        return self._hand_over()

    def finish(self) -> Reading:
        """See ``Parser``: closes the last block."""
        self._close_block()
        self._give_up_group()
        return self._hand_over()

    def _hand_over(self) -> Reading:
        found, self._found = self._found, _Found()
        return found.reading()

    def _add(self, raw: bytes, number: int) -> None:
        """The next line."""
        line = raw.strip(b" \t")
        if not line:
            self._close_block()
        elif not line.startswith(_REMARKS):
            block = self._row_of_block(number)
            if block.count <= 9 and block.fault is None:
                row = _row_of(line, self._lenient)
                if row is None:
                    reason = _row_fault(raw.decode("utf-8", "surrogateescape"), self._lenient)
                    block.fault = Fault(number, reason)
                else:
                    block.rows.append(row)

    def _add_long(self, piece: LongLine) -> None:
        if not piece.head.startswith(_REMARKS):
            block = self._row_of_block(piece.number)
            block.fault = block.fault or Fault(
                piece.number, "a line without an end instead of a row of nine digits"
            )

    def _row_of_block(self, number: int) -> _Block:
        """The block to which a row on this line belongs, with the row counted."""
        if self._block is None:
            self._block = _Block(number)
        self._block.count += 1
        self._block.last = number
        return self._block

    def _close_block(self) -> None:
        """What an empty line does."""
        block, self._block = self._block, None
        if block is None:
            return
        if self._group and self._group[0].count != block.count:
            self._give_up_group()
        if block.count == 9:
            self._take_grid([block])
        elif block.count in (1, 3):
            self._group.append(block)
            if len(self._group) * block.count == 9:
                self._take_grid(self._group)
                self._group = []
        else:
            self._found.faults.append(block.fault or _count_fault(block))

    def _take_grid(self, blocks: list[_Block]) -> None:
        """Nine rows that are one grid, in one block or in several."""
        faults = [block.fault for block in blocks if block.fault]
        if faults:
            self._found.faults += faults
        elif len(blocks) > 1 and not self._lenient:
            reason = (
                f"{_rows(blocks[0].count)} in this block instead of 9; "
                "empty lines inside a grid are read only if lenient reading is asked for"
            )
            self._found.faults.append(Fault(blocks[0].last + 1, reason))
        else:
            cells = b"".join(row for block in blocks for row in block.rows)
            self._found.add(np.frombuffer(cells, dtype=np.uint8).reshape(1, CELLS) - ord("0"), blocks[0].first)

    def _give_up_group(self) -> None:
        """Short blocks that did not add up to a grid."""
        self._found.faults += [block.fault or _count_fault(block) for block in self._group]
        self._group = []


class _Found:
    """Grids and faults since they were last handed over."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._grids: list[Grids] = []
        self._lines: list[NDArray[np.int64]] = []

    def add(self, grids: Grids, first: int) -> None:
        """Grids that follow one another at a distance of ten lines."""
        self._grids.append(grids)
        self._lines.append(np.arange(len(grids), dtype=np.int64) * _BLOCK_LINES + first)

    def reading(self) -> Reading:
        """All of it."""
        if not self._grids:
            return without_grids(NAME, *self.faults)
        return Reading(np.concatenate(self._grids), np.concatenate(self._lines), tuple(self.faults), NAME)


def _exact_blocks(data: bytes, place: int) -> Grids:
    """The grids from this byte on, as far as the text is exactly as it is written here; shape (n, 81).

    The windows that are compared grow, so that a file in which only every other grid is exact is not compared to
    its end again and again.
    """
    found: list[Grids] = []
    window = 1
    while True:
        whole = min(window, (len(data) - place) // _SIZE)
        text = np.frombuffer(data, dtype=np.uint8, count=whole * _SIZE, offset=place).reshape(whole, _SIZE)
        rest = text - _ZEROS  # 0 .. 9 at a digit and 0 elsewhere; what lies below wraps to large numbers
        good = rest <= _LARGEST
        if not good.all():
            whole = int(good.all(axis=1).argmin())
        found.append(rest[:whole, _DIGITS])
        if whole < window:
            return np.concatenate(found)
        place += whole * _SIZE
        window = min(4 * window, _STEP)


def _row_of(line: bytes, lenient: bool) -> bytes | None:
    """The nine digits of a row, or None."""
    numbers = line.split()
    row = b"".join(numbers)
    if lenient:
        row = row.translate(_LENIENT_SIGNS)
    return row if len(numbers) == len(row) == 9 and row.isdigit() else None


def _row_fault(text: str, lenient: bool) -> str:
    """What to say of a line that is no row."""
    signs = "0123456789" + (BLANK_SIGNS if lenient else "")
    numbers = 0
    for number in re.finditer(r"[^ \t]+", text):
        numbers += 1
        word = number.group()
        if len(word) == 1 and word in signs:
            continue
        for place, character in enumerate(word):
            if character not in signs:
                return character_fault(character, number.start() + place + 1, "digit")
        shown = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."
        return f"not a digit: {shown} at column {number.start() + 1}"
    return f"{numbers} number{'' if numbers == 1 else 's'} in this row instead of 9"


def _count_fault(block: _Block) -> Fault:
    hint = "; an empty line parts one grid from the next" if block.count > 9 else ""
    return Fault(block.last, f"{_rows(block.count)} in this block instead of 9{hint}")


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _parser(lenient: bool) -> Parser:
    return BlocksParser(lenient)


BLOCKS: Final = TextFormat(
    NAME,
    "nine rows of nine digits parted by spaces, an empty line between grids",
    _SIZE,
    _parser,
    _fill,
)
