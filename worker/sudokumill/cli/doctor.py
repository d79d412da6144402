"""``doctor``: what is here, what is reachable, and what is wrong."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click

from sudokumill.cli.console import GREATEST_ID, out, print_json
from sudokumill.cli.strict import StrictCommand


@click.command(cls=StrictCommand)
@click.option("--worker", is_flag=True, help="Only say whether this machine's workers get on, in one line.")
@click.option(
    "--job", type=click.IntRange(0, GREATEST_ID), help="Only audit this job: whether its rows add up to the order."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, worker: bool, job: int | None, as_json: bool) -> None:
    """Says which versions are here, whether plugins and database work, the settings, and what to mend.

    Ends with 1 if something is wrong.

    With --worker it is a health check: it ends with 0 if the workers of this machine (of this container) beat and,
    where chunks wait that they could make, have taken up or ended one of late.

    With --job it counts a job's rows, at any moment, and changes nothing: it ends with 0 if what was delivered and
    what is left add up to the order, each position was counted once, no chunk runs without a lease, and no row is
    without its chunk; else with 1 and a line for each that does not hold.

    \b
    Examples:
      sudokumill doctor
      sudokumill doctor --job 1
    """
    if worker and job is not None:
        raise click.UsageError("--worker and --job are two questions; ask one of them")
    if worker:
        ctx.exit(_check_worker(as_json))
    if job is not None:
        ctx.exit(_audit_job(job, as_json))
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


def _audit_job(job: int, as_json: bool) -> int:
    from sudokumill.cli.console import open_store
    from sudokumill.settings import load_settings
    from sudokumill.store.audit import audit

    settings = load_settings()
    # a lease that is over may stand for a round of the reaper, and one that comes late
    found = audit(open_store(settings), job, 2 * settings.reaper_seconds)
    if as_json:
        print_json(
            {
                "job": found.job, "kind": found.kind, "state": found.state.value, "ordered": found.ordered,
                "delivered": found.delivered, "left": found.left, "positions": found.positions,
                "broken": list(found.broken),
            }
        )  # fmt: skip
        return 1 if found.broken else 0
    click.echo(
        f"job {found.job} ({found.kind}, {found.state.value}): {found.ordered:,} ordered = "
        f"{found.delivered:,} delivered + {found.left:,} {'not made' if found.state.ended else 'to come'}"
    )
    account = " + ".join(f"{number:,} {name}" for name, number in found.positions.items())
    click.echo(f"{sum(found.positions.values()):,} positions = {account or 'none yet'}")
    for line in found.broken:
        click.echo(f"broken: {line}")
    if not found.broken:
        click.echo("it adds up")
    return 1 if found.broken else 0
