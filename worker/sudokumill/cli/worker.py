"""``worker``: works on chunks of any job, as one of a fleet."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

import click


class _Handing(click.Command):
    """A command that hands options on which it does not know."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parts ``-nNAME`` into ``-n NAME``: click would look for this command's own options among the letters."""
        parted: list[str] = []
        for each in args:
            theirs = len(each) > 2 and each[0] == "-" and each[1] not in "-Qch"
            parted += [each[:2], each[2:]] if theirs else [each]
        return super().parse_args(ctx, parted)


@click.command(
    cls=_Handing,
    context_settings={"ignore_unknown_options": True},
    short_help="Works on what was ordered, as one of a fleet.",
)
@click.option(
    "-Q", "--queues", metavar="NAMES", help="Queues to take chunks from, parted by commas; by default all."
)
@click.option(
    "-c", "--concurrency", "processes", type=click.IntRange(1, 256), help="Processes; by default one a core."
)
@click.argument("celery", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def worker(ctx: click.Context, queues: str | None, processes: int | None, celery: tuple[str, ...]) -> None:
    """Works on what was ordered, until it is told to end (SIGTERM, Ctrl-C): chunks in hand are then finished.

    Needs the database (SUDOKUMILL_DATABASE_URL) and the broker (SUDOKUMILL_BROKER_URL) that orders go to. There is
    a queue for each kind of job: generate, dig, solve, grade, levels. Options that are not listed here are handed
    to Celery's worker, for example --loglevel=WARNING or --hostname=w2@%h.

    \b
    Examples:
      sudokumill worker
      sudokumill worker --queues levels,dig --concurrency 4
    """
    from sudokumill.cli.console import err
    from sudokumill.cli.serving import prepared
    from sudokumill.queue.supervisor import supervise

    arguments = prepared(queues, processes, celery)
    console = err()
    ctx.exit(supervise(arguments, lambda line: console.print(f"sudokumill: {line}")))
