"""Placing an order: from what was typed to a job in the database."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokumill.aiming import Trial, aimed
from sudokumill.classing import class_ids
from sudokumill.cli.console import err, open_store
from sudokumill.cli.requests import Request
from sudokumill.contracts import GraderDescriptor, Role
from sudokumill.difficulty import Difficulty, parse_range
from sudokumill.errors import BadOrderError, KeyTakenError
from sudokumill.jobs import Distinct, JobSpec, Source
from sudokumill.orders import specify
from sudokumill.queue.crew import pace
from sudokumill.registry import Registry, load_registry
from sudokumill.registry.canonicaliser import find_canonicaliser
from sudokumill.settings import Settings
from sudokumill.store import schema
from sudokumill.store.advance import advance
from sudokumill.store.bands import DEFAULT_BANDS, DEFAULT_GRADER, BandRange, band_named, bands
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.placing import Placed, count_inputs, find_key, grader_of, place
from sudokumill.store.progress import progress
from sudokumill.store.workers import live

if TYPE_CHECKING:
    from sudokumill.cli.inputs import InputFile
    from sudokumill.formats import Reading

_READ_AT_A_TIME: Final = 100_000

_GREATEST_FILE: Final = 5_000_000
"""Grids of a file that one order takes: they are held in memory (400 MB) until they stand in the database."""


@dataclass(frozen=True)
class Accepted:
    """An order that stands in the database."""

    database: Database
    job: Placed
    spec: JobSpec
    unread: int
    """Lines of its file that could not be read."""
    trial: Trial | None = None
    """What the order's way to dig came to, in a small trial."""


def accept(request: Request, settings: Settings, here: int = 0) -> Accepted:
    """Orders a job, or finds the one that the key of this order ordered before.

    Args:
        request: what was typed.
        settings: where to.
        here: processes of this machine that will work on it, beside the fleet's.

    Raises:
        UsageError, PluginError: why it cannot be ordered; nothing is left behind.
        StoreError: the database cannot be used.
    """
    registry = load_registry(settings.plugins, settings.plugin_dir)
    if request.file is not None:
        readings = read_whole(request.file)
        spec = specify(request.order(settings, sum(len(reading.grids) for reading in readings)), registry)
        database = open_store(settings, create=True)
        placed = _place(database, request, spec, settings, registry, here, readings)
        return Accepted(database, placed, spec, request.file.faults)
    if request.source is Source.FRESH:
        spec = specify(request.order(settings, None, difficulty_of(request, settings)), registry)
        if request.key is not None and _is_there(settings):
            # before the trial, which takes its time and changes nothing for an order that stands
            database = open_store(settings)
            before = _ordered_before(database, request, spec)
            if before is not None:
                _say_existed(before, request.key)
                return Accepted(database, before, progress(database, before.id).spec, 0)
        spec, trial = aimed(spec, registry, choose=not request.no_aim, others=request.digger is None)
        database = open_store(settings, create=True)
        return Accepted(database, _place(database, request, spec, settings, registry, here), spec, 0, trial)
    return _accept_stored(request, registry, settings, here)


def read_whole(file: InputFile, most: int = _GREATEST_FILE) -> list[Reading]:
    """All grids of a file, which may have no end.

    Raises:
        BadOrderError: it has more than ``most``.
    """
    readings: list[Reading] = []
    grids = 0
    for reading in file.readings(min(_READ_AT_A_TIME, most), "read"):
        readings.append(reading)
        grids += len(reading.grids)
        if grids > most:
            raise BadOrderError(
                reason=f"--file {file.name}: it has more than {most:,} grids; split it, and order each part"
            )
    return readings


def difficulty_of(request: Request, settings: Settings) -> Difficulty | None:
    """What an order asks of the grade; the range of its band is that of this moment.

    Raises:
        BadOrderError: no range.
        UnknownBandError: the grader has no band of this name.
    """
    asked = Difficulty(techniques=request.techniques, without=request.without)
    low, high = 0.0, inf
    if request.rating is not None:
        low, high = _typed_range(request, settings, request.rating)
    elif request.band is not None:
        grader = (request.grader or settings.grader).partition("==")[0]
        found = band_named(known_bands(settings), grader, request.band)
        low, high = found.low, found.high
        asked = asked.model_copy(update={"band": found.name})
    if request.rating is not None or request.band is not None:
        ends = {"rating_from": low, "rating_to": None if high == inf else high}
        asked = asked.model_copy(update=ends)
    return asked if asked.asks else None


def _typed_range(request: Request, settings: Settings, typed: str) -> tuple[float, float]:
    """The range that was typed; what is none is refused with the scale of its grader."""
    try:
        return parse_range(typed)
    except BadOrderError as error:
        registry = load_registry(settings.plugins, settings.plugin_dir)
        grader = registry.find(Role.GRADER, request.grader or settings.grader).descriptor
        if not isinstance(grader, GraderDescriptor) or grader.scale is None:
            raise
        least, most = grader.scale
        raise BadOrderError(
            reason=f"{error}; the ratings of grader {grader.name} go from {least:g} to {most:g}"
        ) from None


def known_bands(settings: Settings) -> dict[str, list[BandRange]]:
    """The bands of the database; where there is none yet, those that a new one has."""
    if not _is_there(settings):
        return {DEFAULT_GRADER: list(DEFAULT_BANDS)}
    database = open_store(settings)
    try:
        return bands(database)
    finally:
        database.dispose()


def _is_there(settings: Settings) -> bool:
    """Whether the database is there, with tables in it."""
    database = Database(settings.database_url)
    try:
        return (database.path is None or database.path.exists()) and schema.revision_of(database) is not None
    finally:
        database.dispose()


def _accept_stored(request: Request, registry: Registry, settings: Settings, here: int) -> Accepted:
    """An order that starts from stored grids."""
    # what is wrong with the order itself is said before the database is looked at
    difficulty = difficulty_of(request, settings)
    asked = specify(request.order(settings, max(1, request.count or 1), difficulty), registry)
    database = open_store(settings)
    before = _ordered_before(database, request, asked)
    if before is not None:
        _say_existed(before, request.key)
        return Accepted(database, before, progress(database, before.id).spec, 0)
    inputs = count_inputs(database, request.source, request.source_job, request.count, grader_of(asked))
    spec = specify(request.order(settings, inputs, difficulty), registry)
    return Accepted(database, _place(database, request, spec, settings, registry, here), spec, 0)


def _place(
    database: Database,
    request: Request,
    spec: JobSpec,
    settings: Settings,
    registry: Registry,
    here: int,
    readings: list[Reading] | None = None,
) -> Placed:
    takes_classes = spec.from_stock and spec.distinct is Distinct.ISOMORPH
    placed = place(
        database,
        spec,
        key=request.key,
        seed_given=request.seed is not None,
        inputs=[reading.grids for reading in readings or []],
        lines=None if readings is None else np.concatenate([reading.lines for reading in readings]),
        processes=(fleet_processes(database, spec) + here) or settings.processes,
        chunk_seconds=settings.chunk_seconds,
        priority=request.priority,
        classify=partial(class_ids, find_canonicaliser(registry)) if takes_classes else None,
    )
    if placed.existed:
        _say_existed(placed, request.key)
    elif spec.from_stock:
        # one that the stock has filled is done
        return replace(placed, state=advance(database, placed.id, pace(settings)))
    return placed


@dataclass(frozen=True)
class Proposed:
    """What would be ordered."""

    spec: JobSpec
    trial: Trial | None
    database: Database | None
    """None: there is none yet."""
    before: Placed | None = None
    """The job that the key of this order ordered before."""


def propose(request: Request, settings: Settings) -> Proposed:
    """What ``accept`` would order; nothing is ordered, and no database is made.

    Raises:
        UsageError, PluginError: why it cannot be ordered.
        StoreError: the database cannot be used.
    """
    registry = load_registry(settings.plugins, settings.plugin_dir)
    database = None if request.no_store or not _is_there(settings) else open_store(settings)
    difficulty, trial, inputs = difficulty_of(request, settings), None, None
    if request.file is not None:
        inputs = sum(len(reading.grids) for reading in read_whole(request.file))
    elif request.source is not Source.FRESH:
        asked = specify(request.order(settings, max(1, request.count or 1), difficulty), registry)
        database = open_store(settings)
        inputs = count_inputs(database, request.source, request.source_job, request.count, grader_of(asked))
    spec = specify(request.order(settings, inputs, difficulty), registry)
    if inputs is None:
        spec, trial = aimed(spec, registry, choose=not request.no_aim, others=request.digger is None)
    before = None if database is None else _ordered_before(database, request, spec)
    return Proposed(spec, trial, database, before)


def fleet_processes(database: Database, spec: JobSpec) -> int:
    """How many processes of live workers will share a job's work."""
    return sum(crew.processes for crew in live(database) if crew.job is None and crew.can(spec))


def _ordered_before(database: Database, request: Request, asked: JobSpec) -> Placed | None:
    """The job that was ordered with this key; by now the source of stored grids may hold others, or none.

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
