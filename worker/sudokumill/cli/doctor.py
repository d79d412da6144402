"""``doctor``: what is here, what is reachable, and what is wrong."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click

from sudokumill.cli.console import out, print_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Says which versions are here, whether plugins and database work, the settings, and what to mend.

    Ends with 1 if something is wrong.

    \b
    Example:
      sudokumill doctor
    """
    from sudokumill.cli.diagnosis import diagnose
    from sudokumill.cli.tables import plain_table

    report = diagnose()
    problems = report["problems"]
    if as_json:
        print_json(report)
    else:
        console = out()
        for title in ("versions", "database", "plugins", "settings"):
            if report[title]:
                table = plain_table(title, "")
                for name, value in report[title].items():
                    table.add_row(name, f"{value:,}" if isinstance(value, int) else str(value))
                console.print(table)
                console.print()
        for problem in problems:
            console.print(f"wrong: {problem}", soft_wrap=True)
        if not problems:
            console.print("nothing is wrong")
    ctx.exit(1 if problems else 0)
