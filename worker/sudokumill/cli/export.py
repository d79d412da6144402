"""``export``: stored levels, or what a job delivered, as text."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

import click

from sudokumill.cli.console import FORMAT_NAMES, GREATEST_ID, err, open_store
from sudokumill.cli.strict import StrictCommand
from sudokumill.errors import BadOrderError

_JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson")
_FOREIGN_ENDINGS: Final = (
    ".csv",
    ".tsv",
    ".xml",
    ".sql",
    ".db",
    ".sqlite",
    ".xlsx",
    ".pdf",
    ".sdk",
    ".gz",
    ".zip",
)


@click.command(cls=StrictCommand)
@click.option(
    "--job",
    type=click.IntRange(0, GREATEST_ID),
    metavar="ID",
    help="What this job delivered; by default all available levels.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option("--output", default="-", metavar="FILE", help="Where to; by default standard output.")
@click.option(
    "--format", "text_format", type=click.Choice(FORMAT_NAMES), help="By default blocks for .txt, else line."
)
@click.option("--solutions", is_flag=True, help="Write solutions instead of clues.")
@click.option("--json", "as_json", is_flag=True, help="One object a line: id, clues, solution, metadata.")
def export(
    job: int | None, limit: int | None, output: str, text_format: str | None, solutions: bool, as_json: bool
) -> None:
    """Writes levels as lines of 81, as blocks of nine rows, or as JSON lines.

    \b
    Examples:
      sudokumill export --job 1 > levels.lines
      sudokumill export --job 1 --output levels.txt
      sudokumill export --json --limit 10
    """
    from sudokumill.cli.bars import counted
    from sudokumill.cli.delivery import format_for, level_object, write_delivered, write_grids, write_objects
    from sudokumill.output import STANDARD_OUTPUT
    from sudokumill.settings import load_settings
    from sudokumill.store import levels, reading
    from sudokumill.store.progress import progress

    if as_json and (text_format is not None or solutions):
        other = "--format" if text_format is not None else "--solutions"
        raise BadOrderError(reason=f"--json has a form of its own, with clues and solutions; leave out {other}")
    _check_ending(output, as_json)
    database = open_store(load_settings())
    if job is not None:
        found = progress(database, job)
        if not found.state.ended:
            err().print(f"job {job} is {found.state.value}: this is what it has delivered so far")
        written = write_delivered(database, found, output, text_format, as_json, solutions, limit)
    else:
        stored = reading.counts(database)["puzzle"]
        total = stored if limit is None else min(limit, stored)
        rows = counted(itertools.islice(levels.stored_levels(database), limit), "levels: written", total)
        if as_json:
            written = write_objects(output, map(level_object, rows))
        else:
            lines = (row.solution if solutions else row.clues for row in rows)
            written = write_grids(output, lines, format_for(output, text_format))
    if output != STANDARD_OUTPUT:
        err().print(f"{written:,} written to {output}")
    elif not written:
        err().print("nothing to write")


def _check_ending(output: str, as_json: bool) -> None:
    """Refuses a name that promises another format than is written.

    Raises:
        BadOrderError: what to type.
    """
    ending = Path(output).suffix.lower()
    if ending in _JSON_ENDINGS and not as_json:
        raise BadOrderError(reason=f"--output {output}: that is to be JSON; add --json, or name it .lines or .txt")
    if as_json and ending == ".txt":
        raise BadOrderError(reason=f"--output {output}: --json writes one object a line; name it .jsonl")
    if ending in _FOREIGN_ENDINGS:
        raise BadOrderError(
            reason=f"--output {output}: a file that ends in {ending} would be another format; write .lines, .txt, "
            "or .jsonl with --json"
        )
