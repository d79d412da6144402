"""``run``: orders a job and makes it on this machine."""

# the commands import what they need when they are called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sudokumill.cli.console import FORMAT_NAMES, GREATEST_ID
from sudokumill.errors import BadOrderError

if TYPE_CHECKING:
    from sudokumill.jobs import JobKind

F = TypeVar("F", bound=Callable[..., Any])


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


def _options(*names: str) -> Callable[[F], F]:
    """The options that these kinds of order share, in the order of the names."""
    table = {
        "count": click.option("--count", type=int, metavar="N", help="How many to make."),
        "most": click.option("--count", type=int, metavar="N", help="How many to solve; by default all."),
        "seed": click.option("--seed", type=int, help="Seed of the job; the same seed gives the same rows."),
        "generator": click.option("--generator", metavar="NAME", help="Generator, NAME or NAME==VERSION."),
        "digger": click.option("--digger", metavar="NAME", help="Digger."),
        "solver": click.option("--solver", metavar="NAME", help="Solver."),
        "checker": click.option(
            "--checker", metavar="NAME", help="Solver that counts the solutions of what was dug."
        ),
        "options": click.option(
            "--option", "options", multiple=True, metavar="NAME=VALUE",
            help="Option of an implementation; PART.NAME=VALUE where two have it. May be repeated.",
        ),
        "new": click.option("--new", is_flag=True, help="Deliver only what no earlier job has stored."),
        "max_attempts": click.option("--max-attempts", type=int, metavar="N", help="Give up after N attempts."),
        "max_seconds": click.option("--max-seconds", type=float, metavar="S", help="Give up after S seconds."),
        "key": click.option("--key", metavar="TEXT", help="Ordering again with the same key is the same order."),
        "processes": click.option(
            "--processes", type=click.IntRange(1, 256), help="Local processes; by default one a core."
        ),
        "chunk": click.option(
            "--chunk", "chunk_rows", type=int, metavar="N", help="Rows a chunk; by default some seconds of work."
        ),
        "output": click.option("--output", metavar="FILE", help="Also write the rows to FILE; - is stdout."),
        "format": click.option(
            "--format", "text_format", type=click.Choice(FORMAT_NAMES),
            help="Format of FILE; by default blocks for .txt, else line.",
        ),
        "no_store": click.option("--no-store", is_flag=True, help="Only write FILE; use no database."),
        "json": click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON."),
    }  # fmt: skip

    def decorate(command: F) -> F:
        for name in reversed(names):
            command = table[name](command)
        return command

    return decorate


@run.command(short_help="Makes finals: complete valid grids.")
@_options(
    "count", "generator", "options", "seed", "new", "max_attempts", "max_seconds", "output", "format", "no_store",
    "processes", "chunk", "key", "json",
)  # fmt: skip
@click.pass_context
def generate(ctx: click.Context, /, **given: Any) -> None:
    """Makes finals: complete valid grids.

    \b
    Examples:
      sudokumill run generate --count 10000
      sudokumill run generate --count 10000 --generator random-row --option max_shuffles=100
      sudokumill run generate --count 1000000 --generator template-permutation \\
          --output finals.txt --no-store
    """
    from sudokumill.jobs import JobKind

    ctx.exit(_order(JobKind.GENERATE, given))


@run.command(short_help="Makes levels: finals, dug and checked.")
@_options(
    "count", "generator", "digger", "solver", "checker", "options", "seed", "new", "max_attempts", "max_seconds",
    "output", "format", "no_store", "processes", "chunk", "key", "json",
)  # fmt: skip
@click.pass_context
def levels(ctx: click.Context, /, **given: Any) -> None:
    """Makes levels: generates finals, digs, and checks that each puzzle has one solution.

    \b
    Examples:
      sudokumill run levels --count 1000
      sudokumill run levels --count 100 --option clues_max=26 --option symmetry=rot180
      sudokumill run levels --count 50 --digger holes --option level=5
    """
    from sudokumill.jobs import JobKind

    ctx.exit(_order(JobKind.LEVELS, given))


@run.command(short_help="Digs puzzles out of stored finals, or out of fresh ones.")
@click.option(
    "--from-job", type=click.IntRange(0, GREATEST_ID), metavar="ID", help="Dig the finals that this job delivered."
)
@_options(
    "count", "generator", "digger", "solver", "checker", "options", "seed", "new", "max_attempts", "max_seconds",
    "output", "format", "processes", "chunk", "key", "json",
)  # fmt: skip
@click.pass_context
def dig(ctx: click.Context, /, from_job: int | None, **given: Any) -> None:
    """Digs puzzles out of stored finals, by default the oldest that were not dug yet.

    With --generator, out of fresh finals.

    \b
    Examples:
      sudokumill run dig --count 500
      sudokumill run dig --from-job 3 --digger holes --option order=snake
      sudokumill run dig --count 500 --generator las-vegas
    """
    from sudokumill.jobs import JobKind, Source

    if given["generator"] is not None and from_job is not None:
        raise BadOrderError(
            reason="--from-job takes stored finals and --generator makes fresh ones; leave one of them out"
        )
    source = Source.UNDUG if from_job is None else Source.JOB
    if given["generator"] is not None:
        source = Source.FRESH
    ctx.exit(_order(JobKind.DIG, given, source=source, source_job=from_job))


@run.command(short_help="Solves grids of a file, or stored puzzles, and stores what comes out.")
@click.option("--file", "path", metavar="FILE", help="Solve the grids of this file; - is standard input.")
@click.option("--limit", type=int, default=2, show_default=True, help="Count up to so many solutions.")
@click.option("--lenient", is_flag=True, help="Read ambiguous lines too.")
@_options("most", "solver", "options", "output", "format", "processes", "chunk", "key", "json")
@click.pass_context
def solve(ctx: click.Context, /, path: str | None, lenient: bool, **given: Any) -> None:
    """Solves grids and stores count, solution and search nodes of each; by default the stored puzzles.

    Ends with 1 if a line of FILE could not be read. To see solutions at once, without a database:
    sudokumill solve FILE

    \b
    Examples:
      sudokumill run solve --file puzzles.txt
      sudokumill run solve --count 1000 --solver dfs
    """
    from sudokumill.cli.inputs import InputFile
    from sudokumill.jobs import JobKind, Source

    file = None if path is None else InputFile(path, None, lenient)
    ctx.exit(_order(JobKind.SOLVE, given, source=Source.PUZZLES if file is None else Source.FILE, file=file))


def _order(kind: JobKind, given: dict[str, Any], **more: Any) -> int:
    """Makes the request of what click has read; the names of its parameters are those of the request's fields."""
    from sudokumill.cli.ordering import Request, Wishes, order

    wishes = Wishes(**{name: given.pop(name) for name in ("output", "text_format", "as_json")})
    return order(Request(kind=kind, wishes=wishes, **given, **more))
