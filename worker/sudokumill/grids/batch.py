"""Batches of grids: type, units, text of 81 characters, identity."""

from __future__ import annotations

import hashlib
from typing import Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import BatchShapeError

S = TypeVar("S", bound=np.generic)

Grids = NDArray[np.uint8]
"""C-contiguous uint8, shape (n, 81), row-major, 0 = blank."""

CELLS: Final = 81

ROW_OF: Final = np.arange(CELLS, dtype=np.uint8) // 9
COLUMN_OF: Final = np.arange(CELLS, dtype=np.uint8) % 9
BOX_OF: Final = (ROW_OF // 3 * 3 + COLUMN_OF // 3).astype(np.uint8)

UNITS: Final = np.concatenate(
    [[np.flatnonzero(of == index) for index in range(9)] for of in (ROW_OF, COLUMN_OF, BOX_OF)]
).astype(np.intp)
"""Shape (27, 9): the cells of the nine rows, the nine columns and the nine boxes, in this order."""

PEERS: Final = np.array(
    [np.setdiff1d(UNITS[np.equal(UNITS, cell).any(axis=1)], [cell]) for cell in range(CELLS)], dtype=np.intp
)
"""Shape (81, 20): the cells that share a row, a column or a box with each cell, rising."""

for _shared in (ROW_OF, COLUMN_OF, BOX_OF, UNITS, PEERS):
    _shared.setflags(write=False)

_WANTED: Final = f"uint8 array of shape (n, {CELLS})"


_LINES_AT_ONCE: Final = 1_500
"""So few that what they are turned into on the way (a text, its bytes, a mask; 123 kB each) stays in the
processor's cache, and is below the 128 kB from which on the C library gets memory from the system each time."""

_LINE: Final = np.dtype(f"V{CELLS}")
"""A line as one item: numpy copies it as a whole, in half the time of its bytes."""

_POINT: Final = np.uint8(256 + ord(".") - ord("0"))
"""A point, taken for a digit."""

_NO_LINES: Final = "each line must hold 81 of the characters 0-9 and '.'"


def check_batch(grids: object, what: str = "grids") -> Grids:
    """The array itself, if it is a batch of grids.

    Raises:
        BatchShapeError: wrong type, dtype, shape or memory order.
    """
    if not isinstance(grids, np.ndarray):
        raise BatchShapeError(what=what, wanted=_WANTED, got=f"a {type(grids).__name__}")
    if grids.dtype != np.uint8 or grids.ndim != 2 or grids.shape[1] != CELLS:
        raise BatchShapeError(what=what, wanted=_WANTED, got=f"dtype {grids.dtype}, shape {grids.shape}")
    if not grids.flags.c_contiguous:
        raise BatchShapeError(what=what, wanted=_WANTED, got="one that is not contiguous")
    return cast("Grids", grids)


def read_only(array: NDArray[S]) -> NDArray[S]:
    """A view that cannot be written on: what a plugin is shown must stay what its result is checked against."""
    view = array.view()
    view.flags.writeable = False
    return view


def from_lines(lines: list[str]) -> Grids:
    """Grids from texts of 81 characters, ``1``-``9`` for clues, ``0`` or ``.`` for blanks.

    For files and other input of unknown worth use ``sudokumill.formats``, which says what is wrong and where.

    Raises:
        ValueError: a text that is not such a line.
    """
    grids = np.empty((len(lines), CELLS), dtype=np.uint8)
    # one for all: to make one takes as long as to use it
    mask = np.empty((min(len(lines), _LINES_AT_ONCE), CELLS), dtype=bool)
    for first in range(0, len(lines), _LINES_AT_ONCE):
        some = lines[first : first + _LINES_AT_ONCE]
        # a newline between lines stands in the way of a digit where a length is wrong
        text = "\n".join(some)
        if len(text) != (CELLS + 1) * len(some) - 1 or not text.isascii():
            raise ValueError(_NO_LINES)
        digits = grids[first : first + len(some)]
        digits.view(_LINE)[:, 0] = np.ndarray(
            len(some), dtype=_LINE, buffer=text.encode("ascii"), strides=(CELLS + 1,)
        )
        digits -= np.uint8(ord("0"))
        if "." in text:
            clue = np.not_equal(digits, _POINT, out=mask[: len(some)])
            digits *= clue.view(np.uint8)  # as numbers, for numpy would turn truth values into such piece by piece
        if digits.max() > 9:
            raise ValueError(_NO_LINES)
    return grids


def to_lines(grids: Grids) -> list[str]:
    """Texts of 81 digits, 0 for blanks: what ``from_lines`` reads and what the store keeps.

    Args:
        grids: shape (n, 81), every number 0 .. 9; a greater one becomes a sign that is no digit, or raises.
    """
    text = (grids + np.uint8(ord("0"))).tobytes().decode("ascii")
    return [text[start : start + CELLS] for start in range(0, len(text), CELLS)]


def digests(lines: list[str]) -> list[bytes]:
    """The identity of each grid: the 128-bit BLAKE2b of its line of 81 digits, 16 bytes."""
    blake2b = hashlib.blake2b
    return [blake2b(line.encode("ascii"), digest_size=16).digest() for line in lines]


def cell_name(cell: int) -> str:
    """``r1c1`` .. ``r9c9`` for 0 .. 80."""
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"
