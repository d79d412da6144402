"""``run``: orders a job and makes it on this machine."""

from __future__ import annotations

import click

from sudokumill.cli.kinds import add_kinds


@click.group()
def run() -> None:
    """Makes what a job orders, on this machine, with one process a core.

    What is made goes to the database (SUDOKUMILL_DATABASE_URL, by default the SQLite file sudokumill.db in this
    folder). Ctrl-C stops cleanly; `sudokumill jobs resume ID` goes on.

    \b
    Examples:
      sudokumill run levels --count 1000
      sudokumill run generate --count 10000 --generator las-vegas
    """


add_kinds(
    run,
    "sudokumill.cli.running:order_and_run",
    ("output", "format", "no_store", "processes", "chunk", "key", "dry_run", "json"),
    {
        "generate": "generate --count 1000000 --generator template-permutation \\\n"
        "      --output finals.txt --no-store"
    },
)
