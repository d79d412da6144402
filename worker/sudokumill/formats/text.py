"""From bytes to lines: byte order marks, UTF-16, line ends, a missing last newline, lines without an end.

A file is read in blocks of a megabyte and never held whole. What a parser gets are runs of whole lines, each
ended by one ``\\n`` whatever the file had (``\\r\\n``, ``\\r``, nothing at the end), and now and then a line
that is too long to be held, of which only the beginning and a count are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

BLOCK: Final = 1 << 20
"""Bytes read at once."""

LONGEST_LINE: Final = 1 << 16
"""Bytes of an unfinished line that are carried from one block to the next."""

REMARK_SIGNS: Final = "#%;"
"""A line that begins with one of these is a remark."""

BLANK_SIGNS: Final = "0.*_-?Xx"
"""What writers put for a blank cell."""

_HEAD: Final = 1 << 10
_WHITE: Final = b" \t"
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_LONE_BYTES: Final = range(0xDC80, 0xDD00)
_FULL_WIDTH: Final = range(0xFF10, 0xFF1A)


class Readable(Protocol):
    """A binary stream."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, none at the end."""
        ...


@dataclass(frozen=True)
class Lines:
    """A run of whole lines."""

    first: int
    """Number of the first line, counted from 1."""

    data: bytes
    """The lines, each ended by ``\\n``."""


@dataclass(frozen=True)
class LongLine:
    """A line that was not kept."""

    number: int
    head: bytes
    """Its first bytes, without white space in front."""

    leading: int
    """Characters up to the first space or tab, or to the end."""


def blocks_of(stream: Readable) -> Iterator[bytes]:
    """Blocks of ``BLOCK`` bytes, the last one shorter, also from a stream that gives less than it is asked for."""
    while True:
        parts: list[bytes] = []
        missing = BLOCK
        while missing and (part := stream.read(missing)):
            parts.append(part)
            missing -= len(part)
        if parts:
            yield b"".join(parts)
        if missing:
            return


def encoding_fault(head: bytes) -> str | None:
    """Why a file that begins so cannot be read as UTF-8 at all, or None.

    Without this, a file in UTF-16 would give a fault on every line, and none of them would say what is wrong.
    """
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return f"not UTF-8 text (byte 0x{head[0]:02X} at the start looks like UTF-16)"
    start = head[:64]
    if len(start) >= 4 and (not any(start[1::2]) or not any(start[::2])) and any(start):
        return "not UTF-8 text (a NUL in every second byte looks like UTF-16)"
    return None


def lines_of(blocks: Iterator[bytes]) -> Iterator[Lines | LongLine]:
    """Cuts blocks into runs of whole lines.

    Args:
        blocks: the file's bytes in order, without a byte order mark.

    Yields:
        Every line once, in order.
    """
    number, carry, held = 1, b"", b""
    long: _LongLine | None = None
    for block in blocks:
        data, held = _one_line_end(held + block)
        if long is not None:
            rest, newline, data = data.partition(b"\n")
            long.grow(rest)
            if not newline:
                continue
            yield long.kept()
            long = None
            number += 1
        data = carry + data
        cut = data.rfind(b"\n") + 1
        if cut:
            yield Lines(number, data[:cut])
            number += data.count(b"\n", 0, cut)
        carry = data[cut:]
        if len(carry) > LONGEST_LINE:
            carry = carry.lstrip(_WHITE)
        if len(carry) > LONGEST_LINE:
            long = _LongLine(number, carry)
            carry = b""
    if long is not None:
        yield long.kept()
    elif carry:
        yield Lines(number, carry + b"\n")


def character_fault(character: str, column: int, wanted: str) -> str:
    """Names a character that has no place in a grid, in words that a terminal shows as they are.

    Args:
        character: one character of text decoded with ``surrogateescape``.
        column: its column, counted from 1.
        wanted: what was expected, for example ``digit or blank``.
    """
    code = ord(character)
    if code == 0:
        return f"NUL character at column {column}"
    if code in _LONE_BYTES:
        return f"not UTF-8 text: byte 0x{code - 0xDC00:02X} at column {column}"
    if code in _FULL_WIDTH:
        return f"full-width digit at column {column}; only ASCII 1-9 count"
    if character.isdigit() and not character.isascii():
        return f"digit U+{code:04X} at column {column}; only ASCII 1-9 count"
    shown = character if character.isprintable() else f"U+{code:04X}"
    return f"not a {wanted}: {shown} at column {column}"


class _LongLine:
    """Counts a line that is too long to be held."""

    def __init__(self, number: int, start: bytes) -> None:
        self._number = number
        self._head = start[:_HEAD]
        self._leading = 0
        self._ended = False
        self.grow(start)

    def grow(self, part: bytes) -> None:
        """Takes the next bytes of the line."""
        if not self._ended:
            end = re.search(rb"[ \t]", part)
            self._ended = end is not None
            self._leading += len(part[: end.start() if end else None].translate(None, _CONTINUATION))

    def kept(self) -> LongLine:
        """What is known of it."""
        return LongLine(self._number, self._head, self._leading)


def _one_line_end(data: bytes) -> tuple[bytes, bytes]:
    """The bytes with ``\\n`` as the only line end, and a last ``\\r`` apart: a ``\\n`` may follow it."""
    if b"\r" not in data:
        return data, b""
    held = b"\r" if data.endswith(b"\r") else b""
    data = data[: len(data) - len(held)]
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), held
