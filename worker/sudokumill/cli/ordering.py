"""Ordering a job and running it on this machine: what ``run`` and ``jobs resume`` do."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sudokumill.cli.bars import Bar
from sudokumill.cli.console import err, open_store, out, print_json
from sudokumill.cli.delivery import format_for, write_delivered
from sudokumill.cli.inputs import InputFile
from sudokumill.cli.summary import exit_code, failure_objects, items_of, job_object, print_failures, print_job
from sudokumill.errors import BadOrderError, FileUnwritableError, KeyTakenError, StoredUnwrittenError
from sudokumill.formats import Reading
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.orders import Order, specify
from sudokumill.output import STANDARD_OUTPUT, shown
from sudokumill.queue.direct import DirectResult, run_direct
from sudokumill.queue.local import run_local
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.placing import Placed, count_inputs, find_key, place
from sudokumill.store.reading import Progress, progress

_READ_AT_A_TIME = 100_000


@dataclass(frozen=True)
class Wishes:
    """What is to become of a job's rows and of its outcome."""

    output: str | None = None
    text_format: str | None = None
    as_json: bool = False

    @property
    def rows_on_stdout(self) -> bool:
        """Whether rows go to standard output; then they stand there alone."""
        return self.output == STANDARD_OUTPUT


@dataclass(frozen=True)
class Request:
    """An order as it was typed: the fields are the options of ``run``."""

    kind: JobKind
    source: Source = Source.FRESH
    source_job: int | None = None
    file: InputFile | None = None
    count: int | None = None
    generator: str | None = None
    digger: str | None = None
    solver: str | None = None
    checker: str | None = None
    options: tuple[str, ...] = ()
    seed: int | None = None
    limit: int = 2
    new: bool = False
    max_attempts: int | None = None
    max_seconds: float | None = None
    chunk_rows: int | None = None
    key: str | None = None
    processes: int | None = None
    no_store: bool = False
    wishes: Wishes = field(default_factory=Wishes)

    def order(self, settings: Settings, inputs: int | None) -> Order:
        """The order, with what the settings say where nothing was typed.

        Args:
            settings: implementations of orders that name none.
            inputs: how many grids the source has; None for fresh ones.
        """
        typed = {
            Part.GENERATOR: self.generator,
            Part.DIGGER: self.digger,
            Part.SOLVER: self.solver,
            Part.CHECKER: self.checker,
        }
        return Order(
            kind=self.kind,
            count=self.count,
            names={part: name or getattr(settings, part.value) for part, name in typed.items()},
            options=self.options,
            seed=self.seed,
            source=self.source,
            source_job=self.source_job,
            inputs=inputs,
            limit=self.limit,
            new=self.new,
            max_attempts=self.max_attempts,
            max_seconds=self.max_seconds,
            chunk_rows=self.chunk_rows,
        )


def order(request: Request) -> int:
    """Orders and runs a job; returns the exit code."""
    settings = with_processes(load_settings(), request.processes)
    _check(request)
    registry = load_registry(settings.plugins, settings.plugin_dir)
    if request.no_store:
        return _run_without_store(specify(request.order(settings, None), registry), settings, request.wishes)
    if request.file is not None:
        return _solve_file(request, request.file, registry, settings)
    if request.source is Source.FRESH:
        spec = specify(request.order(settings, None), registry)
        database = open_store(settings, create=True)
    else:
        # what is wrong with the order itself is said before the database is looked at
        asked = specify(request.order(settings, max(1, request.count or 1)), registry)
        database = open_store(settings)
        before = _ordered_before(database, request, asked)
        if before is not None:
            _say_existed(before, request.key)
            return run_and_tell(database, before.id, settings, request.wishes)
        inputs = count_inputs(database, request.source, request.source_job, request.count)
        spec = specify(request.order(settings, inputs), registry)
    return _place_and_run(database, request, spec, settings)


def run_and_tell(database: Database, job: int, settings: Settings, wishes: Wishes) -> int:
    """Runs a job to its end and says what came of it; returns the exit code."""
    found = progress(database, job)
    if not found.state.ended:
        with Bar(f"job {job}: {items_of(found.kind)}", found.count) as bar:
            found = run_local(database, job, settings, lambda now: bar.show(_reached(now)), bar.say)
    if wishes.output is not None and found.state.ended:
        try:
            write_delivered(database, found, wishes.output, wishes.text_format)
        except FileUnwritableError as error:
            raise StoredUnwrittenError(**error.fields, job=job) from error
    if wishes.as_json:
        print_json(job_object(database, found), err=wishes.rows_on_stdout)
    else:
        console = err() if wishes.rows_on_stdout else out()
        print_job(console, database, found)
        _print_next(console.print, found)
    if wishes.output is not None and not found.state.ended:
        err().print(_how_to_write(found.id, wishes), soft_wrap=True)
    return exit_code(found)


def _reached(now: Progress) -> int:
    """What the bar shows: with what is made but not stored yet, or small jobs would go from nothing to all."""
    return min(now.delivered + now.in_hand, now.count)


def with_processes(settings: Settings, processes: int | None) -> Settings:
    """The settings, with the number of processes that was typed."""
    return settings if processes is None else settings.model_copy(update={"processes": processes})


def _check(request: Request) -> None:
    """Refuses wishes that contradict each other, before anything is loaded."""
    if request.no_store and request.wishes.output is None:
        raise BadOrderError(reason="--no-store keeps nothing; say where to with --output FILE")
    if request.no_store and request.key is not None:
        raise BadOrderError(reason="--key is kept in the database; leave it out, or --no-store")
    if request.no_store and request.new:
        raise BadOrderError(reason="--new compares with the database; leave it out, or --no-store")
    if request.no_store and request.max_seconds is not None:
        raise BadOrderError(reason="--max-seconds needs the database, which keeps what was made until then")
    if request.source is Source.FRESH and request.count is None:
        raise BadOrderError(reason="say how many with --count N")
    check_output(request.wishes.output)


def check_output(output: str | None) -> None:
    """Refuses a FILE that cannot be written at the end, before the work begins.

    Raises:
        BadOrderError: a folder, or a file in a folder that is not there.
    """
    if output is not None and output != STANDARD_OUTPUT:
        path = Path(output)
        if path.is_dir():
            raise BadOrderError(reason=f"--output {output}: that is a folder; name a file")
        if not path.absolute().parent.is_dir():
            raise BadOrderError(reason=f"--output {output}: there is no folder {path.absolute().parent}")


def _solve_file(request: Request, file: InputFile, registry: Registry, settings: Settings) -> int:
    """Solves a file's grids; a line that could not be read makes the whole end with 1."""
    readings = list(file.readings(_READ_AT_A_TIME, "read"))
    spec = specify(request.order(settings, sum(len(reading.grids) for reading in readings)), registry)
    code = _place_and_run(open_store(settings, create=True), request, spec, settings, readings)
    return code or (1 if file.faults else 0)


def _place_and_run(
    database: Database, request: Request, spec: JobSpec, settings: Settings, readings: list[Reading] | None = None
) -> int:
    placed = place(
        database,
        spec,
        key=request.key,
        seed_given=request.seed is not None,
        inputs=[reading.grids for reading in readings or []],
        lines=None if readings is None else np.concatenate([reading.lines for reading in readings]),
        processes=settings.processes,
        chunk_seconds=settings.chunk_seconds,
    )
    if placed.existed:
        _say_existed(placed, request.key)
    return run_and_tell(database, placed.id, settings, request.wishes)


def _ordered_before(database: Database, request: Request, asked: JobSpec) -> Placed | None:
    """The job that was ordered with this key out of stored grids; by now its source may hold others, or none.

    Raises:
        KeyTakenError: the key belongs to another order.
    """
    before = None if request.key is None else find_key(database, request.key)
    if before is None:
        return None
    ordered = progress(database, before.id).spec
    # what was not typed was settled by the first order
    settled = {
        name: getattr(ordered, name)
        for name, typed in (("count", request.count), ("seed", request.seed))
        if typed is None
    }
    difference = ordered.difference(asked.model_copy(update=settled))
    if difference is not None:
        raise KeyTakenError(key=request.key, job=before.id, difference=f"another {difference}")
    return before


def _say_existed(placed: Placed, key: str | None) -> None:
    """In words that fit the state of the job that had been ordered before."""
    job = f"key {key!r} is job {placed.id}"
    if placed.state is JobState.DONE:
        said = f"{job}, which is done"
    elif placed.state.ended:
        said = f"{job}, which ended {placed.state.value}; use another key to order again"
    elif placed.state is JobState.PAUSED:
        said = f"{job}, which is paused"
    else:
        said = f"{job}, which is {placed.state.value}; going on with it"
    err().print(said)


def _print_next(say: Callable[[str], object], found: Progress) -> None:
    """What a person would type next."""
    say("")
    if not found.state.ended:
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


# --- without a store -------------------------------------------------------------------------------------


def _run_without_store(spec: JobSpec, settings: Settings, wishes: Wishes) -> int:
    path = Path(wishes.output or STANDARD_OUTPUT)
    text = format_for(str(path), wishes.text_format)
    with Bar(items_of(spec.kind), spec.count) as bar:
        result = run_direct(spec, settings, path, text, lambda made: bar.show(min(made, spec.count)))
    _tell_direct(spec, result, wishes)
    return 0


def _tell_direct(spec: JobSpec, result: DirectResult, wishes: Wishes) -> None:
    if wishes.as_json:
        outcome = {
            "kind": spec.kind.value,
            "count": spec.count,
            "seed": spec.seed,
            "delivered": result.written,
            "tried": result.tried,
            "repeated": result.repeated,
            "missed": result.missed,
            "failures": failure_objects(result.failures),
            "versions": result.versions,
            "output": wishes.output,
        }
        print_json(outcome, err=wishes.rows_on_stdout)
        return
    console = err() if wishes.rows_on_stdout else out()
    used = ", ".join(f"{part} {name}" for part, name in result.versions.items())
    where = shown(wishes.output or STANDARD_OUTPUT)
    console.print(f"{result.written:,} {items_of(spec.kind)} written to {where} ({used}, seed {spec.seed})")
    for number, name in ((result.missed, "off target"), (result.repeated, "repeated")):
        if number:
            console.print(f"{number:,} more were {name}")
    print_failures(console, result.failures)
