"""``solve``: solutions of a file's grids, at once and without a database."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click

from sudokumill.cli.console import FORMAT_NAMES, print_json, read_input

_AT_A_TIME = 1_000


@click.command()
@click.argument("file")
@click.option("--solver", metavar="NAME", help="Solver, NAME or NAME==VERSION.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the solver.")
@click.option(
    "--limit", type=click.IntRange(1), default=2, show_default=True, help="Count up to so many solutions."
)
@click.option("--format", "text_format", type=click.Choice(FORMAT_NAMES), help="By default the most probable.")
@click.option("--lenient", is_flag=True, help="Read ambiguous lines too.")
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
    as_json: bool,
) -> None:
    """Solves each grid in FILE: a line of output for each, its solution and what is known of it.

    Output is in the line format, so it can be read again; in the blocks format with --format blocks. Ends with 0
    if every grid has exactly one solution. FILE may be - for standard input.

    \b
    Examples:
      sudokumill solve puzzles.txt
      sudokumill solve puzzles.txt --solver dfs --limit 100 --json
    """
    from sudokumill.contracts import SolveStatus
    from sudokumill.grids.batch import Grids, to_lines
    from sudokumill.registry import load_registry
    from sudokumill.settings import load_settings

    settings = load_settings()
    registry = load_registry(settings.plugins, settings.plugin_dir)
    values = dict(option.partition("=")[::2] for option in options)
    built = registry.solver(solver or settings.solver, **values)
    reading = read_input(file, text_format, lenient)
    blocks = text_format == "blocks"
    unique = not reading.faults
    for start in range(0, len(reading.grids), _AT_A_TIME):
        some = slice(start, start + _AT_A_TIME)
        puzzles: Grids = reading.grids[some]
        result = built.solve(puzzles, limit=limit)
        for line, puzzle, solution, count, nodes, code in zip(
            reading.lines[some].tolist(), to_lines(puzzles), to_lines(result.solutions), result.counts.tolist(),
            result.nodes.tolist(), result.status.tolist(), strict=True,
        ):  # fmt: skip
            status = SolveStatus(code).name.lower().replace("_", " ")
            unique = unique and code == SolveStatus.UNIQUE
            if as_json:
                print_json(
                    {
                        "line": line, "puzzle": puzzle, "status": status, "solutions": count,
                        "limit_reached": count >= limit, "nodes": nodes,
                        "solution": solution if count else None,
                    }
                )  # fmt: skip
                continue
            remark = f"# line {line}: {status}"
            if count:
                least = count >= limit or code == SolveStatus.GAVE_UP
                remark += f", {count:,}{' or more' if least else ''} solutions"
            _print_grid(solution if count else "", "" if code == SolveStatus.UNIQUE else remark, blocks)
    ctx.exit(0 if unique else 1)


def _print_grid(solution: str, remark: str, blocks: bool) -> None:
    """A solution and what is to be said of it, so that what is printed can be read again."""
    if not blocks:
        click.echo("  ".join(filter(None, (solution, remark))))
        return
    if remark:
        click.echo(remark)
    if solution:
        click.echo("\n".join(" ".join(solution[row : row + 9]) for row in range(0, 81, 9)) + "\n")
