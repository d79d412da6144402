"""``enqueue``: orders a job that the workers of a fleet make."""

from __future__ import annotations

import click

from sudokumill.cli.kinds import add_kinds


@click.group()
def enqueue() -> None:
    """Orders what workers then make (`sudokumill worker`), on this machine or on others.

    The order goes to the database (SUDOKUMILL_DATABASE_URL), and the workers are woken through the broker
    (SUDOKUMILL_BROKER_URL). Without a broker, or a worker, the order waits. `sudokumill jobs watch ID` shows
    how far it is.

    \b
    Examples:
      sudokumill enqueue levels --count 100000
      sudokumill enqueue generate --count 1000 --priority 5
    """


add_kinds(enqueue, "sudokumill.cli.enqueuing:order_and_wake", ("chunk", "key", "priority", "dry_run", "json"))
