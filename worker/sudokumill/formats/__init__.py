"""Grids as text: one module a format, and the reading of files of unknown worth.

    reading = read_grids("finals.txt")
    reading.grids, reading.lines, reading.faults

A bad place in a file never stops the reading: the good grids come in, and each bad place is named with its line
and a reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from types import MappingProxyType
from typing import Final

from sudokumill.errors import FileMissingError, FileUnreadableError, UnknownFormatError, near
from sudokumill.formats.blocks import BLOCKS
from sudokumill.formats.line import LINE
from sudokumill.formats.reading import Fault, Reading, TextFormat, joined, without_grids
from sudokumill.formats.text import REMARK_SIGNS, Readable, blocks_of, encoding_fault, lines_of

__all__ = [
    "FORMATS",
    "Fault",
    "Reading",
    "TextFormat",
    "iter_readings",
    "read_grids",
    "sniff",
    "text_format",
]

FORMATS: Final[Mapping[str, TextFormat]] = MappingProxyType({each.name: each for each in (LINE, BLOCKS)})
"""Every format by its name."""

Source = str | os.PathLike[str] | Readable
"""A path, or a binary stream that stays open."""

_SNIFFED_LINES: Final = 50
_MARK: Final = b"\xef\xbb\xbf"


def text_format(name: str) -> TextFormat:
    """The format of this name.

    Raises:
        UnknownFormatError: there is none.
    """
    if name not in FORMATS:
        raise UnknownFormatError(name=name, near=near(name, FORMATS))
    return FORMATS[name]


def sniff(head: bytes) -> str:
    """The name of the format that a file with this beginning is most probably in.

    Args:
        head: the first bytes of a file; a cut last line does no harm.

    Returns:
        ``blocks`` if more lines are short numbers with spaces between than are not, else ``line``.
    """
    rows = others = 0
    for raw in head.decode("latin-1").splitlines()[: 4 * _SNIFFED_LINES]:
        words = raw[:1000].split()
        if words and words[0][0] not in REMARK_SIGNS:
            parted = len(words) >= 5 and max(map(len, words)) <= 2
            rows, others = rows + parted, others + (not parted)
            if rows + others == _SNIFFED_LINES:
                break
    return BLOCKS.name if rows > others else LINE.name


def iter_readings(
    source: Source, format: str | None = None, lenient: bool = False, size: int = 100_000
) -> Iterator[Reading]:
    """Reads a file piece by piece, so that it is never whole in memory.

    Args:
        source: a path, or a binary stream, which is read to its end and stays open.
        format: a name in ``FORMATS``; None takes the most probable one.
        lenient: also takes what is ambiguous and would be a fault; each format says what that is.
        size: the most grids in one reading.

    Yields:
        At least one reading. Grids come in the file's order, and so do faults; a reading may hold faults of lines
        that are a little behind its last grid. A file with no grid and nothing wrong gives one fault, of line 0:
        ``the file holds no puzzle``.

    Raises:
        UnknownFormatError: there is no such format.
        FileUnreadableError: it cannot be opened or read.
        ValueError: ``size`` is below 1.
    """
    if size < 1:
        raise ValueError("a reading must hold at least one grid")
    if format is not None:
        text_format(format)
    return _readings(source, format, lenient, size)


def read_grids(source: Source, format: str | None = None, lenient: bool = False) -> Reading:
    """Reads a whole file; the arguments and errors are those of ``iter_readings``."""
    return joined(list(iter_readings(source, format, lenient)))


def _readings(source: Source, name: str | None, lenient: bool, size: int) -> Iterator[Reading]:
    with _opened(source) as stream:
        blocks = _read_blocks(stream, source)
        head = next(blocks, b"")
        name = name or sniff(head.removeprefix(_MARK))
        fault = encoding_fault(head)
        if fault:
            yield without_grids(name, Fault(1, fault))
            return
        yield from _sized(_parsed(chain([head.removeprefix(_MARK)], blocks), FORMATS[name], lenient), name, size)


def _parsed(blocks: Iterator[bytes], taken: TextFormat, lenient: bool) -> Iterator[Reading]:
    """What the format's parser finds in each run of lines."""
    parser = taken.parser(lenient)
    for piece in lines_of(blocks):
        yield parser.feed(piece)
    yield parser.finish()


def _sized(pieces: Iterator[Reading], name: str, size: int) -> Iterator[Reading]:
    """The same readings, joined and cut: each but the last has ``size`` grids, or fewer and as many faults."""
    held: list[Reading] = []
    grids = faults = 0
    empty = True
    for piece in pieces:
        start = 0
        while start == 0 or start < len(piece.grids):
            part = slice(start, start + size - grids)
            held.append(Reading(piece.grids[part], piece.lines[part], () if start else piece.faults, name))
            grids += len(held[-1].grids)
            faults += len(held[-1].faults)
            start += max(len(held[-1].grids), 1)
            if grids == size or faults >= size:
                yield joined(held)
                held, grids, faults, empty = [], 0, 0, False
    if grids or faults:
        yield joined(held)
    elif empty:
        yield without_grids(name, Fault(0, "the file holds no puzzle"))


@contextmanager
def _opened(source: Source) -> Iterator[Readable]:
    """The stream of a source; a file is closed again."""
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    try:
        stream = open(source, "rb", buffering=0)  # noqa: SIM115 - only the opening is inside the try
    except (OSError, ValueError) as error:
        kind = FileMissingError if isinstance(error, FileNotFoundError) else FileUnreadableError
        raise kind(path=os.fspath(source), reason=_reason(error)) from error
    with stream:
        yield stream


def _read_blocks(stream: Readable, source: Source) -> Iterator[bytes]:
    """``blocks_of`` with this project's error."""
    try:
        yield from blocks_of(stream)
    except OSError as error:
        path = os.fspath(source) if isinstance(source, str | os.PathLike) else getattr(source, "name", "the input")
        raise FileUnreadableError(path=path, reason=_reason(error)) from error


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
