"""Progress on standard error: a bar on a terminal, plain lines elsewhere; nothing in the first second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final, TypeVar

from sudokumill.cli.console import err

if TYPE_CHECKING:
    from rich.progress import Progress

_QUIET_SECONDS: Final = 1.0
_LINE_SECONDS: Final = 5.0
_SHOWN_EACH: Final = 1_000

T = TypeVar("T")


class Bar:
    """Shows how far something is, with rate and time left.

    It draws only when it is told a number: a thread of its own would be in the way of forking.

    Args:
        what: names it.
        total: the number at the end, as far as is known.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._began = time.monotonic()
        self._first: int | None = None
        self._next_line = self._began + _QUIET_SECONDS
        self._bar: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.refresh()
            self._bar.stop()

    def show(self, done: int) -> None:
        """Takes note of the number reached."""
        self._total = max(self._total, done)
        if self._first is None:
            # a job that is resumed has made some before; they do not count for the rate
            self._first = done
        now = time.monotonic()
        if now < self._next_line and self._bar is None:
            return
        rate = (done - self._first) / max(now - self._began, 1e-9)
        if sys.stderr.isatty():
            self._draw(done, rate)
        else:
            self._next_line = now + _LINE_SECONDS
            err().print(f"{self._what}: {done:,} of {self._total:,}, {rate:,.0f}/s{self._left(done, rate)}")

    def say(self, text: str) -> None:
        """Says something between, above the bar where one is drawn."""
        (err() if self._bar is None else self._bar.console).print(text)

    def _left(self, done: int, rate: float) -> str:
        return f", {(self._total - done) / rate:,.0f} s left" if rate > 0 else ""

    def _draw(self, done: int, rate: float) -> None:
        if self._bar is None:
            # loads slowly, and most of what is shown is over before a bar is drawn
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=err(),
                auto_refresh=False,
                transient=True,
            )
            self._bar.start()
            self._bar.add_task(self._what, total=self._total, completed=self._first or 0, rate="")
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=done, rate=f"{rate:,.0f}/s", refresh=True)


def counted(rows: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Hands rows on and shows how many have passed, unless they appear on the terminal themselves.

    Args:
        rows: what is being written.
        what: names it.
        total: how many there will be, as far as is known.
    """
    if sys.stdout.isatty():
        yield from rows
        return
    with Bar(what, total) as bar:
        for number, row in enumerate(rows, 1):
            yield row
            if number % _SHOWN_EACH == 0:
                bar.show(number)
