"""What reading a file gives, and what a text format is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import NoGridsError
from sudokumill.formats.text import Lines, LongLine
from sudokumill.grids.batch import CELLS, Grids


@dataclass(frozen=True)
class Fault:
    """A place in a file that could not be read."""

    line: int
    """Counted from 1; 0 stands for the file."""

    reason: str
    """One short sentence; it never repeats a long line."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True)
class Reading:
    """Grids of a file, and what in it could not be read."""

    grids: Grids
    """Shape (n, 81)."""

    lines: NDArray[np.int64]
    """Shape (n,): the line on which each grid begins, counted from 1."""

    faults: tuple[Fault, ...]
    format: str
    """Name of the format that the file was taken for."""

    def require_grids(self, path: object) -> Grids:
        """The grids, if there is one.

        Raises:
            NoGridsError: there is none; the message has the first fault and counts the others.
        """
        if len(self.grids):
            return self.grids
        others = len(self.faults) - 1
        more = f" (and {others:,} more)" if others > 0 else ""
        raise NoGridsError(path=path, reason=f"{self.faults[0] if self.faults else 'it is empty'}{more}")


class Parser(Protocol):
    """Reads one file of one format, piece by piece."""

    def feed(self, piece: Lines | LongLine) -> Reading:
        """What is complete after this piece."""
        ...

    def finish(self) -> Reading:
        """What only the end of the file completes."""
        ...


@dataclass(frozen=True)
class TextFormat:
    """One way to write grids as text."""

    name: str
    summary: str
    """One line for lists."""

    size: int
    """Bytes a grid as written here, the same for each: grid ``i`` of a file begins at byte ``i * size``."""

    parser: Callable[[bool], Parser]
    """A parser for one file; True asks for lenient reading."""

    fill: Callable[[Grids, NDArray[np.uint8]], None]
    """Writes grids of shape (n, 81) into a given uint8 array of shape (n, size); another batch raises
    ``BatchShapeError``."""

    def write(self, grids: Grids) -> bytes:
        """The text of the grids: ``n * size`` bytes.

        Fresh memory costs more than the digits do (the pages are made when they are first touched). So where
        speed counts, hand over a thousand grids at a time, or ``fill`` the same array again and again: 0.04 s a
        million in either format, against 0.13 s for a million at once.
        """
        text = np.empty((len(grids), self.size), dtype=np.uint8)
        self.fill(grids, text)
        return text.tobytes()


def without_grids(name: str, *faults: Fault) -> Reading:
    """A reading that has faults at most; ``name`` is the format's."""
    return Reading(np.empty((0, CELLS), dtype=np.uint8), np.empty(0, dtype=np.int64), faults, name)


def joined(readings: list[Reading]) -> Reading:
    """Several readings of one file, in its order and at least one, as one."""
    if len(readings) == 1:
        return readings[0]
    return Reading(
        np.concatenate([each.grids for each in readings]),
        np.concatenate([each.lines for each in readings]),
        tuple(fault for each in readings for fault in each.faults),
        readings[0].format,
    )
