"""Reading the files that people hand over: batch by batch, with a word about every line that cannot be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from sudokumill.cli.bars import Bar
from sudokumill.errors import NoGridsError
from sudokumill.formats import FORMATS, Fault, Reading, iter_readings

STANDARD_INPUT: Final = "-"
"""What a person writes for it in place of a path."""

_HELD_FAULTS: Final = 20


class InputFile:
    """Grids of a file; what is wrong with it is said on standard error as it is found.

    Args:
        path: where it is; ``-`` is standard input.
        text_format: its format; None for the most probable one.
        lenient: read what is ambiguous, too.
    """

    def __init__(self, path: str, text_format: str | None, lenient: bool) -> None:
        self.name = "standard input" if path == STANDARD_INPUT else path
        self.faults = 0
        """Lines that could not be read, so far."""
        self._path = path
        self._format = text_format
        self._lenient = lenient

    def readings(self, size: int, what: str) -> Iterator[Reading]:
        """The file's grids, at most ``size`` at a time, and at least one; shows how far it is.

        Args:
            size: grids at a time.
            what: is done with them, for the bar.

        Raises:
            FileUnreadableError: it cannot be read.
            NoGridsError: it has no grid that can be used. That is one error, which names the first fault, not a
                list of what a picture holds; so faults are held back until there is a grid.
        """
        source = sys.stdin.buffer if self._path == STANDARD_INPUT else self._path
        held: list[Fault] = []
        begun = False
        passed = 0
        bar: Bar | None = None
        for reading in iter_readings(source, self._format, self._lenient, size):
            if len(reading.grids) and not begun:
                begun = True
                self._say_held(held)
            self.faults += len(reading.faults)
            if not begun:
                held += reading.faults[: _HELD_FAULTS - len(held)]
                continue
            for fault in reading.faults:
                self._say(fault)
            if len(reading.grids):
                bar = bar or Bar(what, self._expected(reading.format))
                yield reading
                passed += len(reading.grids)
                # on a terminal the results themselves show how far it is
                if not sys.stdout.isatty():
                    bar.show(passed)
        if bar is not None:
            bar.close()
        if not begun:
            others = self.faults - 1
            more = f" (and {others:,} more)" if others > 0 else ""
            raise NoGridsError(path=self.name, reason=f"{held[0] if held else 'it is empty'}{more}")

    def _expected(self, text_format: str) -> int:
        """How many grids the file has, going by its size; 0 where that says nothing."""
        path = Path(self._path)
        return path.stat().st_size // FORMATS[text_format].size if path.is_file() else 0

    def say(self, line: int, reason: str) -> None:
        """Says what is wrong with a line's grid."""
        self._say(Fault(line, reason))

    def _say_held(self, held: list[Fault]) -> None:
        for fault in held:
            self._say(fault)
        if self.faults > len(held):
            click.echo(f"{self.name}: and {self.faults - len(held):,} more faults before the first grid", err=True)

    def _say(self, fault: Fault) -> None:
        click.echo(f"{self.name}: {fault}", err=True)
