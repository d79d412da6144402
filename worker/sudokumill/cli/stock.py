"""``stock``: levels that no job has delivered."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from sudokumill.cli.console import GREATEST_ID, misplaced_option, open_store, out, print_json
from sudokumill.cli.strict import StrictGroup

if TYPE_CHECKING:
    from sudokumill.settings import Settings
    from sudokumill.store.clearing import Meant
    from sudokumill.store.database import Database

_grader = click.option("--grader", metavar="NAME", help="By whose grades; by default those that levels show.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=StrictGroup, invoke_without_command=True)
@_grader
@_json
@click.pass_context
def stock(ctx: click.Context, grader: str | None, as_json: bool) -> None:
    """Shows what is in stock, by band: levels that are stored and that no job has delivered.

    They missed the target of the job that made them, or were more than it needed. Games may have them, and an
    order with --from-stock takes them first.

    \b
    Examples:
      sudokumill stock
      sudokumill stock drop --band easy --above 10000
    """
    if ctx.invoked_subcommand is not None:
        if grader is not None or as_json:
            raise misplaced_option(ctx)
        return
    from sudokumill.cli.tables import plain_table
    from sudokumill.settings import load_settings
    from sudokumill.store import clearing

    settings = load_settings()
    database = open_store(settings)
    name = grader_named(database, settings, grader)
    found = clearing.stock(database, name)
    total = sum(one.levels for one in found)
    if as_json:
        print_json(
            {
                "grader": name,
                "levels": total,
                "stock": [
                    {
                        "band": one.band, "why": None if one.band is not None else one.name, "levels": one.levels,
                        "oldest_job": one.oldest, "newest_job": one.newest,
                    }
                    for one in found
                ],
            }
        )  # fmt: skip
        return
    if not found:
        click.echo("nothing is in stock: all that is stored was delivered, or may yet be")
        return
    table = plain_table("band", ">levels", ">oldest job", ">newest job")
    for one in found:
        shown = one.name if one.band is not None else f"({one.name})"
        table.add_row(shown, f"{one.levels:,}", str(one.oldest), str(one.newest))
    out().print(table)
    click.echo(
        f"\n{total:,} levels, in bands of grader {name}; games may have them, and --from-stock takes them first"
    )


@stock.command(short_help="Drops levels of the stock for good.")
@click.option("--band", metavar="NAME", help="Those of this band (sudokumill bands).")
@click.option("--rating", metavar="FROM..TO", help="Those with such a rating.")
@click.option("--ungraded", is_flag=True, help="Those without a rating.")
@click.option("--job", type=click.IntRange(0, GREATEST_ID), metavar="ID", help="Those that this job made.")
@click.option(
    "--above", type=click.IntRange(0), metavar="N",
    help="Only what a band has beyond N levels; the oldest stay.",
)  # fmt: skip
@_grader
@click.option("--yes", is_flag=True, help="Do it; without, only how many they are is said.")
@_json
def drop(
    band: str | None,
    rating: str | None,
    ungraded: bool,
    job: int | None,
    above: int | None,
    grader: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Drops levels of the stock for good, with their grades and with finals that nothing else has.

    What a job delivered stays, and so does what a job that has not ended may still need. Games that have such a
    level keep it; the factory may make it again. Says how many they are, and drops them with --yes. A SQLite file
    keeps its size.

    \b
    Examples:
      sudokumill stock drop --band easy --above 10000
      sudokumill stock drop --job 7 --yes
    """
    from sudokumill.cli.bars import Bar
    from sudokumill.settings import load_settings
    from sudokumill.store import clearing

    settings = load_settings()
    database = open_store(settings)
    meant = _meant(database, grader_named(database, settings, grader), band, rating, ungraded, job, above)
    found = clearing.count(database, meant)
    total, needed = sum(found.values()), clearing.count_needed(database, meant)
    if not yes or not total:
        if as_json:
            print_json({"levels": total, "needed": needed, "finals": None, "dropped": False, "bands": found})
        else:
            bands = ", ".join(f"{name} {number:,}" for name, number in found.items())
            more = f" ({bands}); nothing was dropped yet: type it again with --yes" if total else ""
            click.echo(f"{total:,} levels of the stock are meant{more}")
            if needed:
                click.echo(f"{needed:,} more are in stock and stay: a job that has not ended may need them")
        return
    with Bar("levels dropped", total) as bar:
        gone = clearing.drop(database, meant, bar.show)
    if as_json:
        print_json(
            {"levels": gone.levels, "needed": needed, "finals": gone.finals, "dropped": True, "bands": found}
        )
    else:
        click.echo(f"{gone.levels:,} levels of the stock were dropped, and {gone.finals:,} finals with them")
        if database.path is not None:
            click.echo(
                f"the file does not shrink: SQLite uses the room again; to give it back, while nothing runs: "
                f"sqlite3 {shlex.quote(str(database.path))} VACUUM"
            )


def _meant(
    database: Database, grader: str, band: str | None, rating: str | None, ungraded: bool, job: int | None,
    above: int | None,
) -> Meant:  # fmt: skip
    """What the filters mean.

    Raises:
        BadOrderError: no range, or two filters that exclude each other.
        UnknownBandError: the grader has no such band.
        UnknownJobError: there is no such job.
    """
    from math import inf

    from sudokumill.difficulty import parse_range
    from sudokumill.errors import BadOrderError
    from sudokumill.store.bands import band_named, bands
    from sudokumill.store.clearing import Meant
    from sudokumill.store.progress import progress

    if sum([band is not None, rating is not None, ungraded]) > 1:
        raise BadOrderError(reason="--band, --rating and --ungraded exclude each other; name one of them")
    if band is not None:
        band_named(bands(database), grader, band)
    if job is not None:
        progress(database, job)
    low, high = (None, inf) if rating is None else parse_range(rating)
    return Meant(grader, band, low, high, job, ungraded, above)


def grader_named(database: Database, settings: Settings, typed: str | None) -> str:
    """The grader whose grades and bands are meant; where none is named, the one whose grades levels show.

    Raises:
        UnknownImplementationError: neither a plugin has it, nor has any puzzle a grade of it.
    """
    from sudokumill.contracts import Role
    from sudokumill.errors import UnknownImplementationError
    from sudokumill.registry import load_registry
    from sudokumill.store.bands import shown_grader
    from sudokumill.store.grades import has_grades

    if typed is None:
        return shown_grader(database)
    try:
        return load_registry(settings.plugins, settings.plugin_dir).find(Role.GRADER, typed).descriptor.name
    except UnknownImplementationError:
        if not has_grades(database, typed):
            raise
    return typed
