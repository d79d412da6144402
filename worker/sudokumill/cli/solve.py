"""``solve``: solutions of a file's grids, at once and without a database."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from sudokumill.cli.console import FORMAT_NAMES, print_json
from sudokumill.cli.strict import StrictCommand

_AT_A_TIME = 1_000


@click.command(cls=StrictCommand)
@click.argument("file")
@click.option("--solver", metavar="NAME", help="Solver, NAME or NAME==VERSION.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the solver. May be repeated."
)
@click.option(
    "--limit", type=click.IntRange(1), default=2, show_default=True, help="Count up to so many solutions."
)
@click.option(
    "--format", "text_format", type=click.Choice(FORMAT_NAMES), help="Of FILE; by default the most probable."
)
@click.option("--lenient", is_flag=True, help="Read ambiguous lines too.")
@click.option(
    "--output-format", type=click.Choice(FORMAT_NAMES), default="line", show_default=True,
    help="Of what is printed.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One object a grid.")
@click.pass_context
def solve(
    ctx: click.Context,
    file: str,
    solver: str | None,
    options: tuple[str, ...],
    limit: int,
    text_format: str | None,
    lenient: bool,
    output_format: str,
    as_json: bool,
) -> None:
    """Solves each grid in FILE and prints its solution, the first one if there are several.

    A grid that has not exactly one solution gets a remark, which begins with #; so what is printed can be read
    again. Ends with 0 if every grid has exactly one solution. FILE may be - for standard input.

    \b
    Examples:
      sudokumill solve puzzles.txt
      sudokumill solve puzzles.txt --output-format blocks
      sudokumill solve puzzles.txt --solver dfs --limit 100 --json
    """
    from sudokumill.cli.chosen import chosen
    from sudokumill.cli.inputs import InputFile
    from sudokumill.contracts import SolveStatus
    from sudokumill.grids.batch import to_lines
    from sudokumill.jobs import Part
    from sudokumill.settings import load_settings
    from sudokumill.solving import verified_solve

    tool = chosen(load_settings(), Part.SOLVER, solver, options)
    source = InputFile(file, text_format, lenient)
    unique = True
    for reading in source.readings(_AT_A_TIME, "solve"):
        solved = verified_solve(tool.built, reading.grids, limit)
        faults, result = dict(solved.failed), solved.result
        rows = zip(
            reading.lines.tolist(), to_lines(reading.grids), result.status.tolist(), result.counts.tolist(),
            result.nodes.tolist(), to_lines(result.solutions), strict=True,
        )  # fmt: skip
        for row, (line, puzzle, code, count, nodes, solution) in enumerate(rows):
            unique = unique and code == SolveStatus.UNIQUE
            status = SolveStatus(code).name.lower().replace("_", " ")
            one = _Solved(line, puzzle, status, count, count >= limit, nodes, solution if count else None)
            if row in faults:
                source.say(line, f"{tool.name}: {faults[row]}")
            elif as_json:
                print_json(one.as_object())
            else:
                one.print(output_format == "blocks")
    ctx.exit(0 if unique and not source.faults else 1)


@dataclass(frozen=True)
class _Solved:
    """What came of one grid."""

    line: int
    puzzle: str
    status: str
    count: int
    limit_reached: bool
    nodes: int
    solution: str | None

    def as_object(self) -> dict[str, Any]:
        return {
            "line": self.line, "puzzle": self.puzzle, "status": self.status, "solutions": self.count,
            "limit_reached": self.limit_reached, "nodes": self.nodes, "solution": self.solution,
        }  # fmt: skip

    def print(self, blocks: bool) -> None:
        """The solution and what is to be said of it, so that what is printed can be read again."""
        solution = self.solution or ""
        if not blocks:
            click.echo("  ".join(filter(None, (solution, self._remark()))))
            return
        if self._remark():
            click.echo(self._remark())
        if solution:
            click.echo("\n".join(" ".join(solution[row : row + 9]) for row in range(0, 81, 9)) + "\n")

    def _remark(self) -> str:
        if self.status == "unique":
            return ""
        remark = f"# line {self.line}: {self.status}"
        if not self.count:
            return remark
        least = self.limit_reached or self.status == "gave up"
        number = f"{self.count:,}{' or more' if least else ''}"
        return f"{remark}, {number} solution{'' if number == '1' else 's'}"
