"""``jobs``: what was ordered, how far it is, and steering it."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from sudokumill.cli.console import FORMAT_NAMES, GREATEST_ID, err, open_store, out, print_json
from sudokumill.cli.strict import StrictGroup
from sudokumill.errors import DatabaseUnreachableError

if TYPE_CHECKING:
    from sudokumill.store.database import Database
    from sudokumill.store.progress import Progress

_LOOK_SECONDS: Final = 0.2
_IDLE_SECONDS: Final = 5.0
"""Between two chunks nobody holds one for a moment; for so long only when nobody is there."""

_AWAY_SECONDS: Final = 600.0
_AWAY_LOOK_SECONDS: Final = 1.0
"""How long, and how often, a database that went away is looked for."""

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_processes = click.option(
    "--processes", type=click.IntRange(1, 256), help="Local processes; by default one a core."
)
_output = click.option("--output", metavar="FILE", help="At the end, write the rows to FILE; - is stdout.")
_format = click.option(
    "--format",
    "text_format",
    type=click.Choice(FORMAT_NAMES),
    help="Format of FILE; by default blocks for .txt, else line.",
)


@click.group(cls=StrictGroup)
def jobs() -> None:
    """Lists jobs, shows how far they are, and steers them.

    \b
    Examples:
      sudokumill jobs list
      sudokumill jobs show 3
      sudokumill jobs resume 3
    """


@jobs.command(name="list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="The newest so many.")
@_json
def list_(limit: int, as_json: bool) -> None:
    """Lists jobs, the newest first.

    \b
    Example:
      sudokumill jobs list --limit 5
    """
    from sudokumill.cli.summary import is_left, job_row, made_of, shown_state
    from sudokumill.cli.tables import plain_table
    from sudokumill.store.progress import jobs as read_jobs

    found, unreadable = read_jobs(_store(), limit)
    for error in unreadable:
        err().print(f"sudokumill: {error}", soft_wrap=True)
    if as_json:
        print_json([job_row(one) for one in found])
        return
    table = plain_table(">job", "kind", "state", ">delivered", ">ordered", ">tried", "made by", "when")
    for one in found:
        parts = ", ".join(choice.name for choice in one.spec.parts.values())
        table.add_row(
            str(one.id), one.kind.value, one.state.value, f"{one.delivered:,}", f"{one.count:,}",
            f"{made_of(one):,}", parts, f"{one.ordered_at:%Y-%m-%d %H:%M}",
        )  # fmt: skip
    out().print(table if found else "no job was ordered yet")
    for one in found:
        if is_left(one):
            click.echo(f"job {one.id}: {shown_state(one)}")


@jobs.command(short_help="Shows a job: what came of it, what failed and why.")
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
@_json
def show(job: int, as_json: bool) -> None:
    """Shows a job: what was ordered, what came of it, what failed and why.

    \b
    Example:
      sudokumill jobs show 3
    """
    from sudokumill.cli.running import print_next
    from sudokumill.cli.summary import job_object, print_job
    from sudokumill.cli.waking import say_why
    from sudokumill.store.progress import progress

    database = _store()
    found = progress(database, job)
    if as_json:
        print_json(job_object(database, found))
        return
    print_job(out(), database, found)
    if not found.state.ended:
        chunks = ", ".join(f"{number} {state.value}" for state, number in found.chunks.items())
        out().print(f"\nchunks: {chunks}")
        say_why(database, found)
        print_next(out().print, found, fleet=_has_broker())


@jobs.command(short_help="Shows a job's progress until it ends or is paused.")
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
@_json
@click.pass_context
def watch(ctx: click.Context, job: int, as_json: bool) -> None:
    """Shows a job's progress until it ends or is paused; ends with 0 if it delivered all.

    When no process has worked on it for some seconds it says so and ends. It waits for a database that goes away.

    \b
    Example:
      sudokumill jobs watch 3
    """
    from sudokumill.cli.bars import Bar
    from sudokumill.cli.running import print_next, show_progress
    from sudokumill.cli.summary import exit_code, items_of, job_object, print_job
    from sudokumill.cli.waking import say_why
    from sudokumill.store.models import JobState
    from sudokumill.store.progress import progress

    database = _store()
    found = progress(database, job)
    worked_on = time.monotonic()
    with Bar(f"job {job}: {items_of(found.kind)}", found.count) as bar:
        while not found.state.ended and found.state is not JobState.PAUSED:
            show_progress(bar, found)
            if found.at_work:
                worked_on = time.monotonic()
            elif time.monotonic() - worked_on > _IDLE_SECONDS:
                break
            time.sleep(_LOOK_SECONDS)
            try:
                found = progress(database, job)
            except DatabaseUnreachableError as error:
                found = _outlast(database, job, error, bar.say)
                worked_on = time.monotonic()
    if as_json:
        print_json(job_object(database, found))
    else:
        print_job(out(), database, found)
        say_why(database, found)
        print_next(out().print, found, fleet=_has_broker())
    ctx.exit(exit_code(found))


@jobs.command(short_help="Lists workers: what they have, are doing and did.")
@_json
def workers(as_json: bool) -> None:
    """Lists the workers of the last day, and runs on single machines: what they have, are doing and did.

    Says so where live workers have different versions of an implementation.

    \b
    Example:
      sudokumill jobs workers
    """
    from sudokumill.cli.fleet import print_workers, worker_object
    from sudokumill.store.workers import workers

    found = workers(_store())
    if as_json:
        print_json([worker_object(one) for one in found])
    else:
        print_workers(out(), found)


@jobs.command(short_help="Stops a job after the batches in hand.")
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
def pause(job: int) -> None:
    """Stops a job after the batches in hand; `jobs resume` goes on.

    \b
    Example:
      sudokumill jobs pause 3
    """
    from sudokumill.store import steering

    steering.pause(_store(), job)
    click.echo(f"job {job} stops after the batches in hand; go on with:  sudokumill jobs resume {job}")


@jobs.command(short_help="Goes on with a paused, interrupted or killed job.")
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
@_processes
@_output
@_format
@_json
@click.pass_context
def resume(
    ctx: click.Context, job: int, processes: int | None, output: str | None, text_format: str | None, as_json: bool
) -> None:
    """Goes on with a job that was paused, interrupted or killed.

    With a broker (SUDOKUMILL_BROKER_URL) the workers of the fleet go on with it, and this command does not wait.
    Without, or with --processes, this machine works on it.

    \b
    Example:
      sudokumill jobs resume 3
    """
    from sudokumill.store import steering

    ctx.exit(_run(job, steering.resume, processes, output, text_format, as_json))


@jobs.command()
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
def cancel(job: int) -> None:
    """Ends a job; what it stored stays.

    \b
    Example:
      sudokumill jobs cancel 3
    """
    from sudokumill.store import steering

    steering.cancel(_store(), job)
    click.echo(f"job {job} is cancelled; what it stored stays")


@jobs.command(short_help="Tries again what failed in a job that has ended.")
@click.argument("job", type=click.IntRange(0, GREATEST_ID))
@_processes
@_output
@_format
@_json
@click.pass_context
def retry(
    ctx: click.Context, job: int, processes: int | None, output: str | None, text_format: str | None, as_json: bool
) -> None:
    """Tries again what failed in a job that has ended, for example after a plugin was mended.

    With a broker the workers of the fleet do that, as after `jobs resume`.

    \b
    Example:
      sudokumill jobs retry 3
    """
    from sudokumill.store import steering

    ctx.exit(_run(job, steering.retry, processes, output, text_format, as_json))


def _run(
    job: int,
    steer: Callable[[Database, int], object],
    processes: int | None,
    output: str | None,
    text_format: str | None,
    as_json: bool,
) -> int:
    from sudokumill.cli.requests import Wishes, check_output
    from sudokumill.cli.running import run_and_tell, with_processes
    from sudokumill.cli.waking import check_broker_setting, hand_over
    from sudokumill.settings import load_settings

    settings = with_processes(load_settings(), processes)
    check_output(output)
    check_broker_setting(settings)
    database = open_store(settings)
    steer(database, job)
    if settings.broker_url is not None and processes is None and output is None:
        return hand_over(database, job, settings)
    return run_and_tell(database, job, settings, Wishes(output, text_format, as_json))


def _outlast(
    database: Database, job: int, error: DatabaseUnreachableError, say: Callable[[str], object]
) -> Progress:
    """Waits until a database that went away is back; the job does not end with it.

    Raises:
        DatabaseUnreachableError: it stays away.
    """
    from sudokumill.store.progress import progress

    say(f"sudokumill: {error}; waiting for it for up to {_AWAY_SECONDS / 60:g} min")
    over = time.monotonic() + _AWAY_SECONDS
    while True:
        time.sleep(_AWAY_LOOK_SECONDS)
        try:
            found = progress(database, job)
        except DatabaseUnreachableError:
            if time.monotonic() > over:
                raise
        else:
            say("sudokumill: the database is back")
            return found


def _has_broker() -> bool:
    from sudokumill.settings import load_settings

    return load_settings().broker_url is not None


def _store() -> Database:
    from sudokumill.settings import load_settings

    return open_store(load_settings())
