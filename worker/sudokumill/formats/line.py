"""The format ``line``: a grid is 81 characters on one line.

    8*****3***7*89*****2*****1*4*9*6***1*815**69**5****4******8*********3**5**4*1*82*   remark

1-9 are clues. Every writer has its own sign for a blank (``BLANK_SIGNS``); one line must keep to one of them,
because two in one line are more often a damaged line than a habit. What follows the 81 cells after a space, a
tab or one of ``#%;,`` is a remark (a rating, a name), and so is a line that begins with one of ``#%;``.

Reading asked to be lenient takes two blank signs in one line, and rows of nine that a sign parts
(``080000005.000835410.903407820...``).
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.formats.reading import Fault, Parser, Reading, TextFormat
from sudokumill.formats.text import BLANK_SIGNS, REMARK_SIGNS, Lines, LongLine, character_fault
from sudokumill.grids.batch import CELLS, Grids, check_batch

NAME: Final = "line"

_SIZE: Final = CELLS + 1
"""Bytes a grid as it is written: its digits and a newline."""

_SIGNS: Final = frozenset("123456789" + BLANK_SIGNS)
_END: Final = re.compile(rf"[ \t,{REMARK_SIGNS}]")
_PARTED: Final = CELLS + 8
_CANDIDATES: Final = CELLS * 9

# 81 bytes of text become 81 cells by one translation: 0 .. 9 for cells, 255 for every other byte.
_VALUES: Final = bytes(
    int(chr(byte)) if chr(byte).isdigit() and byte < 128 else 0 if chr(byte) in BLANK_SIGNS else 255
    for byte in range(256)
)
# The same for the blank signs, one bit each (X and x are one sign), so that a line's signs can be or-ed together.
_SIGN_BITS: Final = bytes(
    1 << BLANK_SIGNS.lower().index(chr(byte).lower()) if chr(byte) in BLANK_SIGNS else 0 for byte in range(256)
)
_ENDS_CELLS: Final = np.isin(np.arange(256), list(f"\n \t,{REMARK_SIGNS}".encode()))


def _fill(grids: Grids, out: NDArray[np.uint8]) -> None:
    """See ``TextFormat.fill``."""
    np.add(check_batch(grids), np.uint8(ord("0")), out=out[:, :CELLS])
    out[:, CELLS] = ord("\n")


class LineParser:
    """Reads lines of 81.

    Lines that begin with 81 good cells are taken together in numpy; every other line is looked at alone, which
    also finds the words for what is wrong with it.
    """

    def __init__(self, lenient: bool) -> None:
        self._lenient = lenient

    def feed(self, piece: Lines | LongLine) -> Reading:
        """See ``Parser``."""
        if isinstance(piece, LongLine):
            return _reading([(piece.number, _cells_of_long(piece, self._lenient))])
        text = np.frombuffer(piece.data, dtype=np.uint8)
        ends = np.flatnonzero(text == ord("\n"))
        starts = np.concatenate([[0], ends[:-1] + 1])
        good, cells = self._good_lines(piece.data, text, starts, ends)
        rest = np.setdiff1d(np.flatnonzero(ends > starts), good, assume_unique=True)
        clean = Reading(cells, good + piece.first, (), NAME)
        if not len(rest):
            return clean
        raw = [piece.data[starts[place] : ends[place]].decode("utf-8", "surrogateescape") for place in rest]
        others = _reading(
            [
                (piece.first + place, _cells_of(line, self._lenient))
                for place, line in zip(rest.tolist(), raw, strict=True)
            ]
        )
        lines = np.concatenate([clean.lines, others.lines])
        order = np.argsort(lines)
        return Reading(np.concatenate([clean.grids, others.grids])[order], lines[order], others.faults, NAME)

    def finish(self) -> Reading:
        """See ``Parser``: no line is left over."""
        return _reading([])

    def _good_lines(
        self, data: bytes, text: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], Grids]:
        """Which lines are a grid beyond doubt, and these grids."""
        after = text[np.minimum(starts + CELLS, len(text) - 1)]
        good = np.flatnonzero((ends - starts >= CELLS) & _ENDS_CELLS[after])
        if not len(good):
            return good, np.empty((0, CELLS), dtype=np.uint8)
        cells = _windows(data.translate(_VALUES), starts[good])
        fine = np.ones(len(good), dtype=np.bool_)
        if cells.max() > 9:
            fine &= cells.max(axis=1) <= 9
        if not self._lenient and len({sign.lower() for sign in BLANK_SIGNS if sign.encode() in data}) > 1:
            signs = np.bitwise_or.reduce(_windows(data.translate(_SIGN_BITS), starts[good]), axis=1)
            fine &= signs & (signs - np.uint8(1)) == 0  # at most one bit is set
        return (good, np.ascontiguousarray(cells)) if fine.all() else (good[fine], cells[fine])


def _windows(data: bytes, starts: NDArray[np.intp]) -> NDArray[np.uint8]:
    """The 81 bytes from each start, shape (lines, 81); what lies beyond the data is 255."""
    if len(starts) * _SIZE == len(data) and (starts == np.arange(len(starts)) * _SIZE).all():
        return np.frombuffer(data, dtype=np.uint8).reshape(-1, _SIZE)[:, :CELLS]
    padded = np.frombuffer(data + b"\xff" * CELLS, dtype=np.uint8)
    windows: NDArray[np.uint8] = np.lib.stride_tricks.sliding_window_view(padded, CELLS)[starts]
    return windows


def _cells_of(text: str, lenient: bool) -> bytes | str | None:
    """The 81 values of a line; or, as text, why it has none; or None for a remark or an empty line."""
    line = text.strip(" \t")
    if not line or line[0] in REMARK_SIGNS:
        return None
    separator = _row_separator(line)
    if separator and lenient:
        return "".join(line[start : start + 9] for start in range(0, _PARTED, 10)).encode().translate(_VALUES)
    cells = _END.split(line, maxsplit=1)[0]
    before = len(text) - len(text.lstrip(" \t"))
    fault = (
        _parted_fault(separator)
        or _sign_fault(cells, before)
        or _count_fault(len(cells), line)
        or _blanks_fault(cells, lenient)
    )
    return fault or cells.encode("ascii").translate(_VALUES)


def _cells_of_long(piece: LongLine, lenient: bool) -> bytes | str | None:
    """The same for a line of which only the beginning is known."""
    head = piece.head.decode("utf-8", "surrogateescape")
    if head[0] in REMARK_SIGNS or _END.search(head):
        return _cells_of(head, lenient)
    return _sign_fault(head, 0) or _count_fault(piece.leading, head)


def _sign_fault(cells: str, before: int) -> str | None:
    """What to say of the first character that is no sign of a cell; ``before`` characters stand in front."""
    for place, character in enumerate(cells):
        if character not in _SIGNS:
            return character_fault(character, before + place + 1, "digit or blank")
    return None


def _row_separator(line: str) -> str | None:
    """The sign that parts nine rows of nine cells: it stands between the rows and nowhere else."""
    if len(line) < _PARTED or not _END.match(line[_PARTED:] or " "):
        return None
    separator = line[9]
    rows = [line[start : start + 9] for start in range(0, _PARTED, 10)]
    if separator.isalnum() or set(line[9:_PARTED:10]) != {separator}:
        return None
    return separator if set("".join(rows)) <= _SIGNS - {separator} else None


def _parted_fault(separator: str | None) -> str | None:
    """What to say of a line whose rows are parted by this sign."""
    if separator is None:
        return None
    name = {".": "dot", " ": "space", "\t": "tab"}.get(separator, f"sign {separator}")
    return f"{_PARTED} characters: the {name} seems to part rows of nine digits here; ask for lenient reading"


def _count_fault(count: int, line: str) -> str | None:
    """What to say of a line that has only signs of cells, but not 81."""
    if count == CELLS:
        return None
    if count == _CANDIDATES:
        return f"{count} characters: a candidate list, not 81 cells"
    numbers = line.split()
    if len(numbers) == 9 and all(len(number) == 1 for number in numbers):
        return "1 cell instead of 81; nine rows of nine numbers are the format blocks"
    return f"{count} cell{'' if count == 1 else 's'} instead of 81"


def _blanks_fault(cells: str, lenient: bool) -> str | None:
    """What to say of 81 cells with more than one sign for a blank."""
    if lenient or len(set(cells.lower()) & set(BLANK_SIGNS)) < 2:
        return None
    return "two different blank signs in one line; ask for lenient reading if both are meant"


def _reading(found: list[tuple[int, bytes | str | None]]) -> Reading:
    """From what ``_cells_of`` said of each line."""
    cells = b"".join(each for _, each in found if isinstance(each, bytes))
    return Reading(
        np.frombuffer(cells, dtype=np.uint8).reshape(-1, CELLS),
        np.asarray([number for number, each in found if isinstance(each, bytes)], dtype=np.int64),
        tuple(Fault(number, each) for number, each in found if isinstance(each, str)),
        NAME,
    )


def _parser(lenient: bool) -> Parser:
    return LineParser(lenient)


LINE: Final = TextFormat(NAME, "81 characters a line", _SIZE, _parser, _fill)
