"""Waking the workers of a fleet after an order, and saying why it waits if it does."""

# Celery takes long to load, and runs without a broker do not need it
# ruff: noqa: PLC0415

from __future__ import annotations

from sudokumill.cli.console import err, out
from sudokumill.errors import BrokerUnreachableError
from sudokumill.jobs import JobKind, JobSpec
from sudokumill.queue.address import parse_address
from sudokumill.settings import Settings
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.progress import Progress, progress
from sudokumill.store.workers import live


def check_broker_setting(settings: Settings) -> None:
    """Refuses a broker's URL that cannot be used, before anything is ordered or steered.

    Raises:
        BadBrokerUrlError: why.
    """
    if settings.broker_url is not None:
        parse_address(settings.broker_url)


def wake(database: Database, kind: JobKind, settings: Settings) -> str | None:
    """Publishes what waits of a kind of job.

    Returns:
        Why it could not be published, and what will; None when there is nothing to say.
    """
    if settings.broker_url is None:
        return (
            "SUDOKUMILL_BROKER_URL is not set, so no worker is woken; those that live look for themselves within "
            f"{settings.reaper_seconds:g} s"
        )
    from sudokumill.queue.broker import check_broker
    from sudokumill.queue.dispatcher import dispatcher

    try:
        if not dispatcher(database, settings).dispatch((kind,)):
            # nobody has room for it now; who is told so should not learn later that nobody could be woken either
            check_broker(settings, takes=True)
    except BrokerUnreachableError as error:
        return f"{error}; workers whose broker can be used take it all the same"
    return None


def why_it_waits(database: Database, spec: JobSpec) -> str | None:
    """Why no live worker takes the chunks of a job, and what starts it; None when one does."""
    crews = [crew for crew in live(database) if crew.job is None]
    serving = [crew for crew in crews if spec.kind in crew.kinds]
    if not serving:
        return f"no worker takes {spec.kind.value} jobs now; start one: sudokumill worker"
    lacking = [crew.lacks(spec) for crew in serving]
    if not all(lacking):
        return None
    return f"no live worker has {', '.join(sorted(lacking, key=len)[0])}; start one that has"


def say_why(database: Database, found: Progress) -> None:
    """Says on standard error why a fleet's job waits, if no live worker takes it."""
    if found.state not in {JobState.WAITING, JobState.RUNNING} or found.at_work:
        return
    reason = why_it_waits(database, found.spec)
    if reason is not None:
        err().print(f"sudokumill: nobody works on job {found.id}: {reason}")


def of_one_machine(database: Database, settings: Settings) -> str | None:
    """A warning where a broker is set and the database is a file: most probably its URL was forgotten."""
    if database.path is None or settings.broker_url is None:
        return None
    return (
        f"the database is a file of this machine ({database.path}), and workers on others have none of it; is "
        "SUDOKUMILL_DATABASE_URL right?"
    )


def hand_over(database: Database, job: int, settings: Settings) -> int:
    """Wakes the workers for a job that is to go on, and says why it waits if it does; returns the exit code."""
    found = progress(database, job)
    for reason in (wake(database, found.kind, settings), why_it_waits(database, found.spec)):
        if reason is not None:
            err().print(f"sudokumill: job {job} waits: {reason}")
    out().print(f"job {job} goes on with the fleet's workers; watch it:  sudokumill jobs watch {job}")
    return 0
