"""``show``: draws a level."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sudokumill.cli.console import draw, open_store, print_json, shown_id
from sudokumill.cli.strict import StrictCommand
from sudokumill.errors import AmbiguousLevelError, NoLevelError, UnknownLevelError

if TYPE_CHECKING:
    from sqlalchemy import Row

    from sudokumill.store.database import Database


@click.command(cls=StrictCommand)
@click.argument("level", required=False)
@click.option("--solution", is_flag=True, help="Draw the solution too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(level: str | None, solution: bool, as_json: bool) -> None:
    """Draws a level: the one with this id, or the first that the newest job delivered.

    Where no job has delivered any, one that is stored.

    The beginning of an id is enough where no other level has it.

    \b
    Examples:
      sudokumill show
      sudokumill show 1f0c5a2e --solution
    """
    from sudokumill.cli.delivery import level_object, shown_grade
    from sudokumill.settings import load_settings
    from sudokumill.store import levels
    from sudokumill.store.delivered import newest_delivered

    database = open_store(load_settings())
    job, row = None, None
    if level is not None:
        row = _find(database, level)
    elif (found := newest_delivered(database)) is not None:
        job, row = found
    else:
        row = levels.newest_level(database)
    if row is None:
        raise NoLevelError()
    if as_json:
        print_json(level_object(row))
        return
    click.echo(draw(row.clues))
    if solution:
        click.echo("\n" + draw(row.solution, row.clues))
    paper = f" (paper level {row.paper_level})" if row.paper_level else ""
    nodes = "" if row.nodes is None else f", {row.nodes:,} search nodes"
    minimal = {True: "minimal", False: "not minimal", None: "minimality not known"}[row.minimal]
    click.echo(f"\n{row.clue_count} clues{paper}, symmetry {row.symmetry}, {minimal}{nodes}")
    if row.grade_status is not None:
        click.echo(shown_grade(row))
    whose = f"job {row.job_id}" if job in {None, row.job_id} else f"job {job}, made by job {row.job_id}"
    click.echo(f"id {shown_id(row.id)}, {whose}")


def _find(database: Database, level: str) -> Row[Any]:
    from sudokumill.store import levels

    digits = level.replace("-", "").lower()
    if not digits or len(digits) > 32 or any(digit not in "0123456789abcdef" for digit in digits):
        raise UnknownLevelError(level=level)
    found = levels.levels_between(
        database, bytes.fromhex(digits.ljust(32, "0")), bytes.fromhex(digits.ljust(32, "f"))
    )
    if not found:
        raise UnknownLevelError(level=level)
    if len(found) > 1:
        raise AmbiguousLevelError(level=level)
    return found[0]
