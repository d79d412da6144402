"""``yields``: what ways to dig have come to."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from math import inf

import click

from sudokumill.cli.console import open_store, out, print_json


@click.command()
@click.option("--grader", metavar="NAME", help="By whose grades; by default those that levels show.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def yields(grader: str | None, as_json: bool) -> None:
    """Shows how many levels of each band each way to dig has given, and what one costs.

    Counted over all that is stored and graded, with what missed its job's target. The cost is time on one core for
    one level of the band, with all that was made on the way to it.

    \b
    Examples:
      sudokumill yields
      sudokumill yields --json
    """
    from sudokumill.cli.tables import plain_table
    from sudokumill.settings import load_settings
    from sudokumill.store.bands import shown_grader
    from sudokumill.store.yields import yields as measured

    database = open_store(load_settings())
    name = grader or shown_grader(database)
    found = measured(database, name)
    if as_json:
        print_json(
            [
                {
                    "digger": one.digger, "options": one.options, "band": one.band, "levels": one.levels,
                    "tried": one.tried, "share": one.share,
                    "seconds_a_level": None if one.cost == inf else one.cost,
                }
                for one in found
            ]
        )  # fmt: skip
        return
    if not found:
        click.echo(
            f"no stored level lies in a band of grader {name}; grade what is stored: sudokumill run grade, "
            "and see: sudokumill bands"
        )
        return
    table = plain_table("digger", "options", "band", ">levels", ">of", ">share", ">ms a level")
    before = None
    for one in found:
        way = (one.digger, one.options)
        shown = way if way != before else ("", "")
        cost = "" if one.cost == inf else f"{one.cost * 1000:,.2f}"
        table.add_row(*shown, one.band, f"{one.levels:,}", f"{one.tried:,}", f"{one.share:.1%}", cost)
        before = way
    out().print(table)
