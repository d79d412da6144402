"""``yields``: what ways to dig have come to."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from math import inf

import click

from sudokumill.cli.console import open_store, out, print_json
from sudokumill.cli.strict import StrictCommand


@click.command(cls=StrictCommand)
@click.option("--grader", metavar="NAME", help="By whose grades; by default those that levels show.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def yields(grader: str | None, as_json: bool) -> None:
    """Shows how many levels of each band each way to dig has given, and what one costs.

    A way is what was run: digger and options, and the grader that graded what was dug, up to which ceiling.
    Counted over all that was tried and graded, with what missed its job's target, left no puzzle, was stored
    before, or was dropped from stock since. The cost is time on one core for one level of the band, with all that
    was made on the way to it; what a later grade job took is not in it.

    \b
    Examples:
      sudokumill yields
      sudokumill yields --json
    """
    from sudokumill.cli.stock import grader_named
    from sudokumill.cli.tables import plain_table
    from sudokumill.settings import load_settings
    from sudokumill.store.yields import yields as measured

    settings = load_settings()
    database = open_store(settings)
    name = grader_named(database, settings, grader)
    found = measured(database, name)
    if as_json:
        print_json(
            [
                {
                    "digger": one.way.digger, "options": one.way.options, "grader": one.way.grader or None,
                    "others": one.way.others, "band": one.band, "levels": one.levels, "tried": one.tried,
                    "share": one.share, "seconds_a_level": None if one.cost == inf else one.cost,
                }
                for one in found
            ]
        )  # fmt: skip
        return
    if not found:
        click.echo(
            f"nothing that was dug has a grade of {name} and a band; grade what is stored: sudokumill run grade, "
            "and see: sudokumill bands"
        )
        return
    # generator, solver and checker stand there only where they tell two ways apart
    apart = len({one.way.others for one in found}) > 1
    more = ["with"] if apart else []
    table = plain_table(
        "digger", "options", "graded by", *more, "band", ">levels", ">tried", ">share", ">ms a level"
    )
    before = None
    for one in found:
        way = (one.way.digger, one.way.options, one.way.grader or "-", *([one.way.others] if apart else []))
        shown = way if way != before else ("",) * len(way)
        cost = "-" if one.cost == inf else f"{one.cost * 1000:,.2f}"
        table.add_row(*shown, one.band, f"{one.levels:,}", f"{one.tried:,}", f"{one.share:.1%}", cost)
        before = way
    out().print(table)
