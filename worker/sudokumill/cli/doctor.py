"""``doctor``: what is here, what is reachable, and what is wrong."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click

from sudokumill.cli.console import out, print_json


@click.command()
@click.option("--worker", is_flag=True, help="Only say whether this machine's workers get on, in one line.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, worker: bool, as_json: bool) -> None:
    """Says which versions are here, whether plugins and database work, the settings, and what to mend.

    Ends with 1 if something is wrong.

    With --worker it is a health check: it ends with 0 if the workers of this machine (of this container) beat and,
    where chunks wait that they could make, have taken up or ended one of late.

    \b
    Example:
      sudokumill doctor
    """
    if worker:
        ctx.exit(_check_worker(as_json))
    from sudokumill.cli.diagnosis import diagnose
    from sudokumill.cli.tables import plain_table

    report = diagnose()
    problems = report["problems"]
    if as_json:
        print_json(report)
    else:
        console = out()
        for title in ("versions", "database", "broker", "workers", "plugins", "implementations", "settings"):
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


def _check_worker(as_json: bool) -> int:
    from sudokumill.cli.health import examine

    verdict = examine()
    if as_json:
        print_json({"healthy": verdict.healthy, "reason": verdict.reason})
    else:
        click.echo(f"{'healthy' if verdict.healthy else 'unhealthy'}: {verdict.reason}")
    return 0 if verdict.healthy else 1
