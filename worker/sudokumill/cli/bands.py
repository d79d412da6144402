"""``bands``: names for ranges of ratings."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from sudokumill.cli.console import misplaced_option, open_store, out, print_json
from sudokumill.cli.strict import StrictGroup
from sudokumill.errors import BadBandError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudokumill.contracts import GraderDescriptor
    from sudokumill.store.bands import BandRange
    from sudokumill.store.database import Database

_grader = click.option("--grader", metavar="NAME", help="Whose ratings; by default those that levels show.")


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=StrictGroup, invoke_without_command=True)
@_json
@click.pass_context
def bands(ctx: click.Context, as_json: bool) -> None:
    """Lists and changes bands: names for ranges of a grader's ratings.

    A level's band is found when it is read, so a change holds at once, also for levels that were graded before.

    \b
    Examples:
      sudokumill bands
      sudokumill bands set hard=2.9..4.4 expert=4.5..6.2
    """
    if ctx.invoked_subcommand is None:
        _list(as_json)
    elif as_json:
        raise misplaced_option(ctx)


@bands.command(name="list", short_help="Lists the bands of each grader, and how many levels they have.")
@_json
def list_(as_json: bool) -> None:
    """Lists the bands of each grader, the easiest first, with how many levels are in each.

    Without a database, those that a new one has.

    \b
    Example:
      sudokumill bands list --json
    """
    _list(as_json)


def _list(as_json: bool) -> None:
    from math import inf

    from sudokumill.cli.tables import plain_table
    from sudokumill.difficulty import shown_rating

    shown, counted, nowhere = _counted()
    if as_json:
        print_json(
            [
                {
                    "grader": grader, "band": one.name, "from": one.low,
                    "to": None if one.high == inf else one.high, "levels": levels, "shown": grader == shown,
                }
                for grader, rows in counted.items()
                for one, levels in rows
            ]
        )  # fmt: skip
        return
    table = plain_table("grader", "band", ">from", ">to", ">levels")
    for grader, rows in counted.items():
        for one, levels in rows:
            high = "" if one.high == inf else shown_rating(one.high)
            table.add_row(grader, one.name, shown_rating(one.low), high, "-" if levels is None else f"{levels:,}")
    out().print(table if counted else "there is no band; add one: sudokumill bands set NAME=FROM..TO")
    for grader, levels in nowhere.items():
        click.echo(f"\n{levels:,} levels have a rating by grader {grader} that lies in no band")
    if counted and (len(counted) > 1 or shown not in counted):
        click.echo(f"\nthe view level shows what grader {shown} says")


def _counted() -> tuple[str, Mapping[str, Sequence[tuple[BandRange, int | None]]], Mapping[str, int]]:
    """The grader whose grades levels show, each grader's bands with the number of levels in each, and in none.

    None in place of numbers where there is no database yet: those are the bands that a new one has.
    """
    from sudokumill.errors import NoDatabaseError
    from sudokumill.store.bands import DEFAULT_BANDS, DEFAULT_GRADER, shown_grader
    from sudokumill.store.grades import levels_in_bands, levels_in_no_band

    try:
        database = _store()
    except NoDatabaseError as error:
        click.echo(
            f"there is no database at {error.fields['path']} yet: these are the bands of a new one", err=True
        )
        return DEFAULT_GRADER, {DEFAULT_GRADER: [(one, None) for one in DEFAULT_BANDS]}, {}
    return shown_grader(database), levels_in_bands(database), levels_in_no_band(database)


@bands.command(name="set", short_help="Adds bands, or gives them other ranges.")
@click.argument("wanted", metavar="NAME=FROM..TO", nargs=-1, required=True)
@_grader
def set_(wanted: tuple[str, ...], grader: str | None) -> None:
    """Adds bands, or gives those of these names other ranges.

    Both ends of a range belong to it; without TO it has no end. Where one ends at which the next begins, the
    rating at the border is in the next. Bands of one grader must not overlap: where the border between two moves,
    name both. Says so where ratings between two bands are in none.

    \b
    Examples:
      sudokumill bands set hard=2.9..4.2 expert=4.3..6.2
      sudokumill bands set extreme=7.6..8.9 nightmare=9..
    """
    from sudokumill.contracts import GraderDescriptor, Role
    from sudokumill.difficulty import shown_rating
    from sudokumill.registry import load_registry
    from sudokumill.settings import load_settings
    from sudokumill.store.bands import gaps, set_bands, shown_grader

    ranges = [_parsed(text) for text in wanted]
    settings = load_settings()
    database = open_store(settings, create=True)
    name = grader or shown_grader(database)
    descriptor = load_registry(settings.plugins, settings.plugin_dir).find(Role.GRADER, name).descriptor
    if isinstance(descriptor, GraderDescriptor) and descriptor.scale is not None:
        _check_scale(ranges, name, descriptor.scale)
    every = set_bands(database, name, ranges)
    named = {one.name for one in ranges}
    click.echo(f"grader {name}: {', '.join(str(one) for one in every if one.name in named)}")
    tenths = isinstance(descriptor, GraderDescriptor) and _in_tenths(descriptor)
    for low, high in gaps(every):
        if high.low - low.high > _TENTH or not tenths:
            begin, end = shown_rating(low.low), shown_rating(high.low)
            click.echo(
                f"ratings between {shown_rating(low.high)} and {end} are in no band; where there are such, let "
                f"{low.name} end where {high.name} begins: {low.name}={begin}..{end}",
                err=True,
            )


_TENTH: Final = 0.100001
"""Between two bands of a grader whose ratings have one decimal nothing is missing."""


def _in_tenths(grader: GraderDescriptor) -> bool:
    return bool(grader.techniques) and all(round(one.rating, 1) == one.rating for one in grader.techniques)


@bands.command(short_help="Takes a band away.")
@click.argument("name")
@_grader
def remove(name: str, grader: str | None) -> None:
    """Takes a band away; levels that were in it are then in none.

    \b
    Example:
      sudokumill bands remove gentle
    """
    from sudokumill.store.bands import remove_band, shown_grader

    database = _store()
    remove_band(database, grader or shown_grader(database), name)
    click.echo(f"band {name} is removed")


@bands.command(short_help="Says whose grades the view level shows.")
@click.argument("grader")
def use(grader: str) -> None:
    """Lets the view `level`, and all that shows levels, show the grades of this grader.

    \b
    Example:
      sudokumill bands use explainer
    """
    from sudokumill.contracts import Role
    from sudokumill.registry import load_registry
    from sudokumill.settings import load_settings
    from sudokumill.store.bands import show_grader
    from sudokumill.store.grades import has_grades

    settings = load_settings()
    load_registry(settings.plugins, settings.plugin_dir).find(Role.GRADER, grader)
    database = open_store(settings, create=True)
    show_grader(database, grader)
    click.echo(f"the view level shows what grader {grader} says")
    if not has_grades(database, grader):
        click.echo(
            f"no level has a grade of it yet, so levels are shown without; sudokumill run grade --grader {grader}",
            err=True,
        )


def _parsed(text: str) -> BandRange:
    from sudokumill.difficulty import parse_range
    from sudokumill.errors import BadOrderError
    from sudokumill.store.bands import BandRange

    name, equals, typed = text.partition("=")
    if not equals:
        raise BadBandError(name=text, reason="write NAME=FROM..TO, for example hard=2.9..4.4")
    try:
        low, high = parse_range(typed)
    except BadOrderError as error:
        raise BadBandError(name=name, reason=str(error)) from None
    return BandRange(low, high, name)


def _check_scale(ranges: list[BandRange], grader: str, scale: tuple[float, float]) -> None:
    for one in ranges:
        if one.low > scale[1] or one.high < scale[0]:
            reason = f"the ratings of grader {grader} go from {scale[0]:g} to {scale[1]:g}"
            raise BadBandError(name=one.name, reason=reason)


def _store() -> Database:
    from sudokumill.settings import load_settings

    return open_store(load_settings())
