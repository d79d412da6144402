"""What can be ordered: one command for each kind of job, under ``run`` and under ``enqueue``."""

# the commands import what they need when they are called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import click

from sudokumill.cli.console import FORMAT_NAMES, GREATEST_ID
from sudokumill.cli.strict import WHOLE, StrictCommand

Option = Callable[[Callable[..., Any]], Callable[..., Any]]

_OPTIONS: Final[dict[str, Option]] = {
    "count": click.option("--count", type=WHOLE, metavar="N", help="How many to make."),
    "most": click.option("--count", type=WHOLE, metavar="N", help="How many to solve; by default all."),
    "seed": click.option("--seed", type=WHOLE, help="Seed of the job; the same seed gives the same rows."),
    "generator": click.option("--generator", metavar="NAME", help="Generator, NAME or NAME==VERSION."),
    "digger": click.option("--digger", metavar="NAME", help="Digger."),
    "solver": click.option("--solver", metavar="NAME", help="Solver."),
    "checker": click.option(
        "--checker", metavar="NAME", help="Solver that counts the solutions of what was dug."
    ),
    "grader": click.option("--grader", metavar="NAME", help="Grader; what is dug is graded by it."),
    "judge": click.option("--grader", metavar="NAME", help="Grader, NAME or NAME==VERSION."),
    "rating": click.option(
        "--rating", metavar="FROM..TO", help="Only levels with such a rating; both ends belong to it."
    ),
    "band": click.option("--band", metavar="NAME", help="Only levels of this band (sudokumill bands)."),
    "technique": click.option(
        "--technique", "techniques", multiple=True, metavar="CODE",
        help="Only levels in whose solving path by this grader the technique is used. May be repeated.",
    ),
    "no_technique": click.option(
        "--no-technique", "without", multiple=True, metavar="CODE",
        help="Only levels in whose solving path by this grader it is not used. May be repeated.",
    ),
    "clues": click.option(
        "--clues", metavar="FROM..TO", help="How many clues remain; short for options of the digger."
    ),
    "symmetry": click.option("--symmetry", metavar="NAME", help="Symmetry of the clue cells, for example rot180."),
    "minimal": click.option(
        "--minimal", is_flag=True, help="Only levels from which no single clue can be taken."
    ),
    "no_aim": click.option(
        "--no-aim", is_flag=True, help="Dig as ordered, also where another way to dig hits better."
    ),
    "no_grade_rest": click.option(
        "--no-grade-rest", is_flag=True,
        help="Leave what is harder than asked for with a lower bound; otherwise a grade job follows for it.",
    ),
    "from_stock": click.option(
        "--from-stock", is_flag=True, help="Take first what is stored and was delivered to no job."
    ),
    "options": click.option(
        "--option", "options", multiple=True, metavar="NAME=VALUE",
        help="Option of an implementation; PART.NAME=VALUE where two have it. May be repeated.",
    ),
    "pattern": click.option(
        "--pattern", metavar="FILE",
        help="Clue cells that each puzzle has: 81 characters, 0 or . is blank, anything else a clue; - is "
        "standard input.",
    ),
    "new": click.option("--new", is_flag=True, help="Deliver only what no earlier job has stored."),
    "distinct": click.option(
        "--distinct", type=click.Choice(["exact", "isomorph"]), default="exact", show_default=True,
        help="Of rows with the same digits, or of all that are essentially the same, only one counts.",
    ),
    "max_attempts": click.option("--max-attempts", type=WHOLE, metavar="N", help="Give up after N attempts."),
    "max_seconds": click.option("--max-seconds", type=float, metavar="S", help="Give up after S seconds."),
    "key": click.option("--key", metavar="TEXT", help="Ordering again with the same key is the same order."),
    "processes": click.option(
        "--processes", type=click.IntRange(1, 256), help="Local processes; by default one a core."
    ),
    "chunk": click.option(
        "--chunk", "chunk_rows", type=WHOLE, metavar="N", help="Rows a chunk; by default some seconds of work."
    ),
    "output": click.option("--output", metavar="FILE", help="Also write the rows to FILE; - is stdout."),
    "format": click.option(
        "--format", "text_format", type=click.Choice(FORMAT_NAMES),
        help="Format of FILE; by default blocks for .txt, else line.",
    ),
    "from_job": click.option(
        "--from-job", type=click.IntRange(0, GREATEST_ID), metavar="ID",
        help="Dig the finals that this job delivered.",
    ),
    "file": click.option(
        "--file",
        "path",
        metavar="FILE",
        help="Solve the grids of this file; - is standard input. Lines that cannot be read are named and left "
        "out; the exit code is 1 then.",
    ),
    "graded_file": click.option(
        "--file",
        "path",
        metavar="FILE",
        help="Grade the puzzles of this file; - is standard input. Lines that cannot be read are named and left "
        "out; the exit code is 1 then.",
    ),
    "most_graded": click.option("--count", type=WHOLE, metavar="N", help="How many to grade; by default all."),
    "limit": click.option(
        "--limit", type=WHOLE, default=2, show_default=True, help="Count up to so many solutions."
    ),
    "lenient": click.option("--lenient", is_flag=True, help="Read ambiguous lines too."),
    "priority": click.option(
        "--priority", type=click.IntRange(-100, 100), default=0, show_default=True,
        help="Jobs with a higher one go first.",
    ),
    "no_store": click.option("--no-store", is_flag=True, help="Only write FILE; use no database."),
    "dry_run": click.option(
        "--dry-run", is_flag=True, help="Say what would be ordered and how long it would take; order nothing."
    ),
    "json": click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON."),
}  # fmt: skip


@dataclass(frozen=True)
class _Kind:
    """A kind of job as a command."""

    name: str
    short: str
    text: str
    options: tuple[str, ...]
    examples: tuple[str, ...]
    """Of both verbs, without ``sudokumill VERB``."""


_DIFFICULTY: Final = ("grader", "rating", "band", "technique", "no_technique")
_FORM: Final = ("pattern", "clues", "symmetry", "minimal")

_MADE: Final = ("options", "seed", "new", "distinct", "max_attempts", "max_seconds")

_KINDS: Final = (
    _Kind(
        "generate",
        "Makes finals: complete valid grids.",
        "Makes finals: complete valid grids.",
        ("count", "generator", *_MADE),
        (
            "generate --count 10000",
            "generate --count 10000 --generator random-row --option max_shuffles=100",
        ),
    ),
    _Kind(
        "levels",
        "Makes levels: finals, dug and checked.",
        "Makes levels: generates finals, digs, and checks that each puzzle has one solution.\n\n"
        "With --rating, --band, --technique or --no-technique only levels of this difficulty count; all others "
        "are stored under what they are, for --from-stock and for games; what is harder is graded by a job that "
        "follows (--no-grade-rest). With --no-store they are thrown away.",
        (
            "count",
            *_FORM,
            *_DIFFICULTY,
            "no_aim",
            "from_stock",
            "no_grade_rest",
            "generator",
            "digger",
            "solver",
            "checker",
            *_MADE,
        ),
        (
            "levels --count 1000",
            "levels --count 200 --band hard --clues 24..30 --symmetry rot180",
            "levels --count 50 --rating 4.2..5.0 --technique xy-wing",
            "levels --count 10 --pattern heart.txt --max-seconds 600",
            "levels --count 50 --digger holes --option level=5",
        ),
    ),
    _Kind(
        "dig",
        "Digs puzzles out of stored finals, or out of fresh ones.",
        "Digs puzzles out of stored finals, by default the oldest that were not dug yet.\n\n"
        "With --generator, out of fresh finals.",
        (
            "from_job",
            "count",
            *_FORM,
            *_DIFFICULTY,
            "no_grade_rest",
            "generator",
            "digger",
            "solver",
            "checker",
            *_MADE,
        ),
        (
            "dig --count 500",
            "dig --from-job 3 --digger holes --option order=snake",
            "dig --count 500 --generator las-vegas",
        ),
    ),
    _Kind(
        "solve",
        "Solves grids of a file, or stored puzzles, and stores what comes out.",
        "Solves grids and stores count, solution and search nodes of each; by default the stored puzzles.\n\n"
        "Ends with 1 if a line of FILE could not be read. To see solutions at once, without a database: "
        "sudokumill solve FILE",
        ("file", "limit", "lenient", "most", "solver", "options"),
        (
            "solve --file puzzles.txt",
            "solve --count 1000 --solver dfs",
        ),
    ),
    _Kind(
        "grade",
        "Grades stored puzzles, or those of a file, and stores what comes out.",
        "Grades puzzles and stores rating, techniques and steps of each; by default the stored puzzles that the "
        "grader in its present version has not graded yet.\n\n"
        "Ends with 1 if a line of FILE could not be read or graded. To see grades at once, without a database: "
        "sudokumill grade FILE",
        ("graded_file", "lenient", "most_graded", "judge", "options"),
        (
            "grade",
            "grade --file puzzles.txt",
        ),
    ),
)


def add_kinds(group: click.Group, act: str, options: tuple[str, ...], more: dict[str, str] | None = None) -> None:
    """Adds the command of each kind of job to a group.

    Args:
        group: ``run`` or ``enqueue``.
        act: ``module:function`` that is called with the request and returns the exit code.
        options: beyond those of the order itself; ``no_store`` only goes to kinds that can do without.
        more: a further example for a kind, by its name.
    """
    for kind in _KINDS:
        names = [*kind.options, *(name for name in options if name != "no_store" or kind.name in _STORELESS)]
        command = _command(kind.name, act)
        for name in reversed(names):
            command = _OPTIONS[name](command)
        examples = [*kind.examples, *filter(None, [(more or {}).get(kind.name)])]
        lines = "\n".join(f"  sudokumill {group.name} {example}" for example in examples)
        group.command(
            name=kind.name, cls=StrictCommand, short_help=kind.short, help=f"{kind.text}\n\n\b\nExamples:\n{lines}"
        )(command)


_STORELESS: Final = ("generate", "levels")


def _command(kind: str, act: str) -> Callable[..., None]:
    @click.pass_context
    def command(ctx: click.Context, /, **given: Any) -> None:
        from sudokumill.cli.requests import request_of
        from sudokumill.jobs import JobKind

        module, _, name = act.partition(":")
        function = getattr(importlib.import_module(module), name)
        ctx.exit(function(request_of(JobKind(kind), given)))

    return command
