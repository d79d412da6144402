"""``export``: stored levels, or what a job delivered, as text."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import itertools

import click

from sudokumill.cli.console import FORMAT_NAMES, err, open_store


@click.command()
@click.option("--job", type=int, metavar="ID", help="What this job delivered; by default all available levels.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The first N of all available levels.")
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
    from sudokumill.cli.delivery import format_for, level_object, write_delivered, write_grids, write_objects
    from sudokumill.settings import load_settings
    from sudokumill.store import reading

    database = open_store(load_settings())
    if job is not None:
        if limit is not None:
            raise click.UsageError("--limit is for all levels; a job delivers what was ordered")
        found = reading.progress(database, job)
        written = write_delivered(database, found, output, text_format, as_json, solutions)
    else:
        rows = itertools.islice(reading.stored_levels(database), limit)
        if as_json:
            written = write_objects(output, map(level_object, rows))
        else:
            lines = (row.solution if solutions else row.clues for row in rows)
            written = write_grids(output, lines, format_for(output, text_format))
    if output != "-":
        err().print(f"{written:,} written to {output}")
    elif not written:
        err().print("nothing to write")
