"""Tables that read well on a terminal, in a log and in a diff."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table


class _Table(Table):
    """A table whose lines end where their text does; Rich fills them with blanks."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found = super().__rich_console__(console, options)
        for line in Segment.split_lines(each for each in found if isinstance(each, Segment)):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from line
            yield Segment.line()


def plain_table(*columns: str) -> Table:
    """A table without lines; a heading that begins with ``>`` is set to the right, with what is below it."""
    table = _Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="right" if right else "left", overflow="fold")
    return table


def plain_list() -> Table:
    """A table of two columns, names and values, without headings."""
    table = plain_table("", "")
    table.show_header = False
    return table
