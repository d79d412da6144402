"""``check``: the checker of finals and puzzles."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sudokumill.cli.console import FORMAT_NAMES, print_json
from sudokumill.cli.strict import StrictCommand

if TYPE_CHECKING:
    from sudokumill.checking import Finding

_AT_A_TIME = 1_000


@click.command(cls=StrictCommand)
@click.argument("file")
@click.option("--solver", metavar="NAME", help="Solver that counts, NAME or NAME==VERSION.")
@click.option(
    "--limit", type=click.IntRange(2), default=2, show_default=True, help="Count up to so many solutions."
)
@click.option("--format", "text_format", type=click.Choice(FORMAT_NAMES), help="By default the most probable.")
@click.option("--lenient", is_flag=True, help="Read ambiguous lines too.")
@click.option("--json", "as_json", is_flag=True, help="One object a grid.")
@click.pass_context
def check(
    ctx: click.Context,
    file: str,
    solver: str | None,
    limit: int,
    text_format: str | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Says of each grid in FILE whether it is a final or a puzzle; names every clash.

    Ends with 0 if every grid is a final or a puzzle and every line could be read. FILE may be - for standard
    input.

    \b
    Examples:
      sudokumill check puzzles.txt
      sudokumill check puzzles.txt --limit 1000
    """
    from sudokumill.checking import check_grids
    from sudokumill.cli.chosen import chosen
    from sudokumill.cli.inputs import InputFile
    from sudokumill.jobs import Part
    from sudokumill.settings import load_settings

    tool = chosen(load_settings(), Part.SOLVER, solver)
    source = InputFile(file, text_format, lenient)
    sound = True
    for reading in source.readings(_AT_A_TIME, "check"):
        findings = check_grids(reading.grids, tool.built, limit)
        for line, finding in zip(reading.lines.tolist(), findings, strict=True):
            sound = sound and finding.sound
            if finding.fault is not None:
                source.say(line, f"{tool.name}: {finding.fault}")
            elif as_json:
                print_json(_object(line, finding))
            else:
                click.echo(f"line {line}: {finding}")
    ctx.exit(0 if sound and not source.faults else 1)


def _object(line: int, finding: Finding) -> dict[str, Any]:
    from sudokumill.grids.batch import to_lines

    return {
        "line": line,
        "verdict": finding.verdict.value,
        "givens": finding.givens,
        "clashes": [{"unit": one.unit, "digit": one.digit, "cells": list(one.cells)} for one in finding.clashes],
        "solutions": finding.count,
        "exact": finding.exact,
        "solution": None if finding.solution is None else to_lines(finding.solution[None, :])[0],
        "minimal": finding.minimal,
        "removable": None if finding.undecided else list(finding.removable),
    }
