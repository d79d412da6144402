"""Running a job on this machine and telling what came of it: what ``run`` and ``jobs resume`` do."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sudokumill.cli.bars import Bar
from sudokumill.cli.console import err, out, print_json
from sudokumill.cli.delivery import write_delivered
from sudokumill.cli.estimate import estimate
from sudokumill.cli.ordering import Accepted, accept
from sudokumill.cli.requests import Request, Wishes
from sudokumill.cli.summary import exit_code, items_of, job_object, print_job
from sudokumill.cli.waking import check_broker_setting, wake
from sudokumill.errors import FileUnwritableError, StoredUnwrittenError, SudokumillError
from sudokumill.jobs import JobKind
from sudokumill.output import STANDARD_OUTPUT, shown
from sudokumill.queue.local import run_local
from sudokumill.settings import Settings, load_settings
from sudokumill.store.database import Database
from sudokumill.store.followers import followers
from sudokumill.store.models import JobState
from sudokumill.store.progress import Progress, progress
from sudokumill.store.reading import failed_lines

if TYPE_CHECKING:
    from sudokumill.cli.inputs import InputFile

_MOST_LINES: Final = 1_000

_LONG: Final = 10.0
"""Seconds that an order by difficulty takes before it is worth a word."""


def order_and_run(request: Request) -> int:
    """Orders and runs a job; returns the exit code, which is 1 too if a line of its file could not be read."""
    settings = with_processes(load_settings(), request.processes)
    if request.dry_run:
        from sudokumill.cli.proposal import tell_proposal  # noqa: PLC0415 - most orders are meant

        return tell_proposal(request, settings, settings.processes)
    if request.no_store:
        from sudokumill.cli.unstored import run_without_store  # noqa: PLC0415 - most orders have a store

        return run_without_store(request, settings)
    check_broker_setting(settings)
    accepted = accept(request, settings, here=settings.processes)
    if accepted.trial is not None and not accepted.job.state.ended:
        _say_how_long(accepted, settings)
    code = run_and_tell(accepted.database, accepted.job.id, settings, request.wishes)
    if request.file is not None:
        _say_lines(accepted.database, accepted.job.id, request.file)
    return code or (1 if accepted.unread else 0)


def _say_how_long(accepted: Accepted, settings: Settings) -> None:
    """Says so beforehand where an order takes long, or leaves much beside what is ordered."""
    about = estimate(accepted, here=settings.processes)
    if about.seconds is None or about.seconds > _LONG:
        err().print(f"sudokumill: job {accepted.job.id}: it takes {about}", soft_wrap=True)
    warning = about.warning()
    if warning is not None:
        err().print(f"sudokumill: job {accepted.job.id}: {warning}", soft_wrap=True)


def run_and_tell(database: Database, job: int, settings: Settings, wishes: Wishes) -> int:
    """Runs a job to its end and says what came of it; returns the exit code."""
    found = progress(database, job)
    if not found.state.ended:
        if settings.broker_url is not None:
            # workers that share the database take chunks of it too
            alone = wake(database, found.kind, settings)
            if alone is not None:
                err().print(f"sudokumill: job {job} is made on this machine alone: {alone}")
        found = _run(database, found, settings, f"job {job}: {items_of(found.kind)}")
    if wishes.output is not None and found.state.ended:
        try:
            write_delivered(database, found, wishes.output, wishes.text_format)
        except FileUnwritableError as error:
            raise StoredUnwrittenError(**error.fields, job=job) from error
    if found.state.ended:
        # what was ordered is there by now
        _grade_rest(database, job, settings)
    if wishes.as_json:
        print_json(job_object(database, found), err=wishes.rows_on_stdout)
    else:
        console = err() if wishes.rows_on_stdout else out()
        print_job(console, database, found)
        print_next(console.print, found)
    if wishes.output is not None and not found.state.ended:
        err().print(_how_to_write(found.id, wishes), soft_wrap=True)
    return exit_code(found)


def _say_lines(database: Database, job: int, file: InputFile) -> None:
    """Says which lines of a job's file came to nothing, and why."""
    found = failed_lines(database, job, _MOST_LINES + 1)
    for line, reason in found[:_MOST_LINES]:
        file.say(line, reason)
    if len(found) > _MOST_LINES:
        err().print(f"{file.name}: and more; sudokumill jobs show {job} counts them by reason")


def _run(database: Database, found: Progress, settings: Settings, what: str) -> Progress:
    """Runs a job to its end behind a bar."""
    with Bar(what, found.count) as bar:
        return run_local(database, found.id, settings, lambda now: _show(bar, now), bar.say)


def _show(bar: Bar, now: Progress) -> None:
    """With what is made but not stored yet, or small jobs would go from nothing to all."""
    show_progress(bar, now, now.in_hand, now.hits_in_hand)


def show_progress(bar: Bar, now: Progress, in_hand: int = 0, hits_in_hand: int = 0) -> None:
    """Shows on a bar how much of a job counts, and what was tried for that."""
    bar.show(min(now.delivered + hits_in_hand, now.count), now.tried + in_hand)


def _grade_rest(database: Database, job: int, settings: Settings) -> None:
    """Runs the grade jobs that followed a job; what goes wrong there is said, and the job itself is none the
    worse."""
    while True:
        left = [one for one in followers(database, job) if not one.state.ended]
        if not left or left[0].state is JobState.PAUSED:
            return
        if settings.broker_url is not None:
            wake(database, JobKind.GRADE, settings)
        try:
            one = _run(database, left[0], settings, f"job {left[0].id}: grades of what job {job} left")
        except SudokumillError as error:
            err().print(f"sudokumill: job {left[0].id}, which grades what job {job} left: {error}")
            return
        if not one.state.ended:
            return


def with_processes(settings: Settings, processes: int | None) -> Settings:
    """The settings, with the number of processes that was typed."""
    return settings if processes is None else settings.model_copy(update={"processes": processes})


def print_next(say: Callable[[str], object], found: Progress, fleet: bool = False) -> None:
    """What a person would type next.

    Args:
        say: prints a line.
        found: the job.
        fleet: there is a broker, so a worker takes what waits when one is there.
    """
    say("")
    if not found.state.ended:
        if found.at_work:
            return
        if fleet and found.state is not JobState.PAUSED:
            say("a worker of the fleet takes it as soon as one can")
            say(f"or make it on this machine:  sudokumill jobs resume {found.id} --processes 1")
        else:
            say(f"go on with:  sudokumill jobs resume {found.id}")
    elif found.kind in {JobKind.LEVELS, JobKind.DIG} and found.delivered:
        say("see one:     sudokumill show")
        say(f"see all:     sudokumill export --job {found.id}")
    elif found.delivered:
        say(f"see all:     sudokumill export --job {found.id}")


def _how_to_write(job: int, wishes: Wishes) -> str:
    """Says that the rows were not written, and how they can be."""
    output = wishes.output or STANDARD_OUTPUT
    command = f"sudokumill export --job {job} --output {shlex.quote(output)}"
    if wishes.text_format is not None:
        command += f" --format {wishes.text_format}"
    return f"{shown(output)} was not written; when the job is done:  {command}"
