"""Ordering a job and running it on this machine: what ``run`` and ``jobs resume`` do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sudokumill.cli.bars import Bar
from sudokumill.cli.console import err, open_store, out, print_json
from sudokumill.cli.delivery import format_for, write_delivered
from sudokumill.cli.summary import exit_code, items_of, job_object, print_failures, print_job
from sudokumill.errors import BadOrderError
from sudokumill.formats import Reading
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.orders import Order, specify
from sudokumill.queue.direct import DirectResult, run_direct
from sudokumill.queue.local import run_local
from sudokumill.registry import load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.placing import count_inputs, place
from sudokumill.store.reading import Progress, progress


@dataclass(frozen=True)
class Wishes:
    """What the options of ``run`` say beside the order itself."""

    key: str | None
    processes: int | None
    output: str | None
    text_format: str | None
    no_store: bool
    as_json: bool


def order(
    kind: JobKind,
    source: Source,
    given: dict[str, Any],
    source_job: int | None = None,
    reading: Reading | None = None,
) -> int:
    """Orders and runs a job; returns the exit code."""
    settings = load_settings()
    wishes = Wishes(
        given["key"], given["processes"], given["output"], given.get("text_format"),
        given.get("no_store", False), given["as_json"],
    )  # fmt: skip
    if wishes.processes is not None:
        settings = settings.model_copy(update={"processes": wishes.processes})
    _check_wishes(source, given["count"], wishes)
    registry = load_registry(settings.plugins, settings.plugin_dir)

    def specified(inputs: int | None) -> JobSpec:
        return specify(
            Order(
                kind=kind,
                count=given["count"],
                names={part: given.get(part.value) or getattr(settings, part.value) for part in Part},
                options=given["options"],
                seed=given.get("seed"),
                source=source,
                source_job=source_job,
                inputs=inputs,
                limit=given.get("limit", 2),
                new=given.get("new", False),
                max_attempts=given.get("max_attempts"),
                max_seconds=given.get("max_seconds"),
                chunk_rows=given["chunk_rows"],
            ),
            registry,
        )

    if source is Source.FRESH:
        spec = specified(None)
        if wishes.no_store:
            return _run_without_store(spec, settings, wishes)
        database = open_store(settings, create=True)
    else:
        if reading is None:
            # what is wrong with the order itself is said before the database is looked at
            specified(max(1, given["count"] or 1))
        database = open_store(settings, create=reading is not None)
        inputs = len(reading.grids) if reading else count_inputs(database, source, source_job, given["count"])
        spec = specified(inputs)
    placed = place(
        database,
        spec,
        key=wishes.key,
        seed_given=given.get("seed") is not None,
        inputs=[] if reading is None else [reading.grids],
        processes=settings.processes,
        chunk_seconds=settings.chunk_seconds,
    )
    if placed.existed:
        err().print(f"key {wishes.key!r} belongs to job {placed.id}, which is the same order; going on with it")
    return run_and_tell(database, placed.id, settings, wishes)


def run_and_tell(database: Database, job: int, settings: Settings, wishes: Wishes) -> int:
    """Runs a job to its end and says what came of it; returns the exit code."""
    found = progress(database, job)
    if not found.state.ended:
        with Bar(f"job {job}: {items_of(found.kind)}", found.count) as bar:
            found = run_local(database, job, settings, lambda now: bar.show(now.delivered))
    if wishes.output is not None and found.state.ended:
        write_delivered(database, found, wishes.output, wishes.text_format)
    # rows that go to standard output stand there alone
    if wishes.as_json:
        print_json(job_object(database, found), err=wishes.output == "-")
    else:
        console = err() if wishes.output == "-" else out()
        print_job(console, database, found)
        _print_next(console.print, found)
    return exit_code(found)


def _print_next(say: Callable[[str], object], found: Progress) -> None:
    """What a person would type next."""
    say("")
    if found.state in {JobState.RUNNING, JobState.WAITING, JobState.PAUSED}:
        say(f"go on with:  sudokumill jobs resume {found.id}")
    elif found.kind in {JobKind.LEVELS, JobKind.DIG} and found.delivered:
        say("see one:     sudokumill show")
        say(f"see all:     sudokumill export --job {found.id}")
    elif found.delivered:
        say(f"see all:     sudokumill export --job {found.id}")


def _check_wishes(source: Source, count: int | None, wishes: Wishes) -> None:
    if wishes.no_store and wishes.output is None:
        raise BadOrderError(reason="--no-store keeps nothing; say where to with --output FILE")
    if wishes.no_store and wishes.key is not None:
        raise BadOrderError(reason="--key is kept in the database; leave it out, or --no-store")
    if source is Source.FRESH and count is None:
        raise BadOrderError(reason="say how many with --count N")
    if wishes.output is not None and wishes.output != "-":
        path = Path(wishes.output)
        if path.is_dir():
            raise BadOrderError(reason=f"--output {wishes.output}: that is a folder; name a file")
        if not path.absolute().parent.is_dir():
            raise BadOrderError(reason=f"--output {wishes.output}: there is no folder {path.absolute().parent}")


def _run_without_store(spec: JobSpec, settings: Settings, wishes: Wishes) -> int:
    if spec.new:
        raise BadOrderError(reason="--new compares with the database; leave it out, or --no-store")
    if spec.max_seconds is not None:
        raise BadOrderError(reason="--max-seconds needs the database, which keeps what was made until then")
    path = Path(str(wishes.output))
    text = format_for(str(path), wishes.text_format)
    with Bar(items_of(spec.kind), spec.count) as bar:

        def watch(done: int) -> bool:
            bar.show(min(done, spec.count))
            return False

        result = run_direct(spec, settings, path, text, watch)
    _tell_direct(spec, result, wishes)
    return 0


def _tell_direct(spec: JobSpec, result: DirectResult, wishes: Wishes) -> None:
    console = err() if wishes.output == "-" else out()
    if wishes.as_json:
        outcome = {
            "kind": spec.kind.value,
            "count": spec.count,
            "seed": spec.seed,
            "delivered": result.written,
            "tried": result.tried,
            "repeated": result.repeated,
            "missed": result.missed,
            "versions": result.versions,
            "output": wishes.output,
        }
        print_json(outcome, err=wishes.output == "-")
        return
    used = ", ".join(f"{part} {name}" for part, name in result.versions.items())
    console.print(
        f"{result.written:,} {items_of(spec.kind)} written to {wishes.output} ({used}, seed {spec.seed})"
    )
    for number, name in ((result.missed, "off target"), (result.repeated, "repeated")):
        if number:
            console.print(f"{number:,} more were {name}")
    print_failures(console, result.failures)
