"""From what a person asks for to a job's specification: everything that can be refused is refused here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, cast

from sudokumill.contracts import DiggerDescriptor, GeneratorDescriptor, Options, Solver
from sudokumill.errors import (
    AmbiguousOptionError,
    BadOrderError,
    CountBeyondSizeError,
    SameCheckerError,
    UnknownOptionError,
    near,
)
from sudokumill.jobs import GREATEST_COUNT, Choice, JobKind, JobSpec, Part, Source, combined_rate, draw_seed
from sudokumill.registry import Implementation, Registry

_PARTS: Final[Mapping[JobKind, tuple[Part, ...]]] = {
    JobKind.GENERATE: (Part.GENERATOR,),
    JobKind.DIG: (Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER),
    JobKind.SOLVE: (Part.SOLVER,),
    JobKind.LEVELS: (Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER),
}


@dataclass(frozen=True)
class Order:
    """What a person asks for, before it was checked."""

    kind: JobKind
    count: int | None
    names: Mapping[Part, str]
    """``NAME`` or ``NAME==VERSION`` of each part."""
    options: Sequence[str] = field(default_factory=tuple)
    """``NAME=VALUE`` or ``PART.NAME=VALUE``."""
    seed: int | None = None
    source: Source = Source.FRESH
    source_job: int | None = None
    inputs: int | None = None
    """How many grids the source has; None for fresh ones."""
    limit: int = 2
    new: bool = False
    max_attempts: int | None = None
    max_seconds: float | None = None
    chunk_rows: int | None = None


def specify(order: Order, registry: Registry) -> JobSpec:
    """The specification of an order, or the reason why it cannot be one.

    Raises:
        UsageError: what is wrong, in one of its subclasses; nothing was stored.
        PluginError: an implementation that is named cannot be used.
    """
    parts = [
        part for part in _PARTS[order.kind] if not (part is Part.GENERATOR and order.source is not Source.FRESH)
    ]
    chosen = {part: registry.find(part.role, order.names[part]) for part in parts}
    values = _share_out(order.options, chosen)
    models = {part: registry.options(found, values[part]) for part, found in chosen.items()}
    _check_numbers(order)
    _check_checker(chosen, models)
    # some options only show to be wrong when they are used; the digger comes last: it may be given the solver
    built: dict[Part, object] = {}
    for part in sorted(parts, key=lambda part: part is Part.DIGGER):
        solver = cast("Solver | None", built.get(Part.SOLVER))
        built[part] = registry.build(chosen[part], models[part], solver=solver)
    size, enumerated = _size(order, chosen.get(Part.GENERATOR), models.get(Part.GENERATOR))
    count = order.count if order.count is not None else order.inputs
    return JobSpec(
        kind=order.kind,
        count=count,
        seed=draw_seed() if order.seed is None else order.seed,
        parts={
            part: Choice(
                name=found.descriptor.name,
                version=found.descriptor.version,
                pinned="==" in order.names[part],
                options=models[part].model_dump(mode="json", exclude_unset=True),
            )
            for part, found in chosen.items()
        },
        source=order.source,
        source_job=order.source_job,
        size=size,
        enumerated=enumerated,
        limit=order.limit,
        new=order.new,
        max_attempts=order.max_attempts,
        max_seconds=order.max_seconds,
        chunk_rows=order.chunk_rows,
        rate=combined_rate({part: found.descriptor.rate for part, found in chosen.items()}),
    )


def _check_numbers(order: Order) -> None:
    if order.count is not None and order.count < 1:
        raise BadOrderError(reason=f"--count {order.count}: order one or more")
    if order.count is not None and order.count > GREATEST_COUNT:
        raise BadOrderError(
            reason=f"--count {order.count:,}: one job makes at most {GREATEST_COUNT:,}; order several"
        )
    if order.seed is not None and not 0 <= order.seed < 2**63:
        raise BadOrderError(reason=f"--seed {order.seed}: a seed is a whole number from 0 to 2**63 - 1")
    if order.chunk_rows is not None and order.chunk_rows < 1:
        raise BadOrderError(reason=f"--chunk {order.chunk_rows}: a chunk has one row or more")
    if order.limit < 1:
        raise BadOrderError(reason=f"--limit {order.limit}: count up to one solution or more")
    if order.max_attempts is not None and order.max_attempts < 1:
        raise BadOrderError(reason=f"--max-attempts {order.max_attempts}: allow one attempt or more")
    if order.max_seconds is not None and not 0 < order.max_seconds < inf:
        raise BadOrderError(reason=f"--max-seconds {order.max_seconds:g}: allow more than zero seconds")
    if order.count is None and order.inputs is None:
        raise BadOrderError(reason="say how many with --count N")
    if order.inputs is not None and order.inputs < 1:
        raise BadOrderError(reason="the source holds no grid")


def _share_out(options: Sequence[str], chosen: Mapping[Part, Implementation]) -> dict[Part, dict[str, str]]:
    """Which part each ``NAME=VALUE`` belongs to: the one that has an option of that name."""
    values: dict[Part, dict[str, str]] = {part: {} for part in chosen}
    for text in options:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadOrderError(reason=f"--option {text!r}: write NAME=VALUE, for example --option clues_max=30")
        prefix, dot, rest = name.partition(".")
        if dot:
            owners = [part for part in chosen if part.value == prefix]
            if not owners:
                raise BadOrderError(
                    reason=f"--option {text!r}: this job has no {prefix!r}; {near(prefix, chosen)}"
                )
            name = rest
        else:
            owners = [part for part, found in chosen.items() if name in found.descriptor.options.model_fields]
        if len(owners) > 1:
            raise AmbiguousOptionError(
                option=repr(name),
                owners=" and ".join(f"{part.value} {chosen[part].descriptor.name}" for part in owners),
                example=f"{owners[0].value}.{name}={value}",
            )
        if not owners:
            known = {each for found in chosen.values() for each in found.descriptor.options.model_fields}
            raise UnknownOptionError(
                owner=" or ".join(f"{part.value} {found.descriptor.name}" for part, found in chosen.items()),
                option=name,
                near=near(name, known),
            )
        if name in values[owners[0]]:
            raise BadOrderError(reason=f"--option {name} is given twice")
        values[owners[0]][name] = value
    return values


def _check_checker(chosen: Mapping[Part, Implementation], models: Mapping[Part, Options]) -> None:
    """The solver that counts must not be the one that the digger relied on."""
    digger = chosen.get(Part.DIGGER)
    if digger is None:
        return
    descriptor = digger.descriptor
    assert isinstance(descriptor, DiggerDescriptor)  # noqa: S101 - the registry checked it
    relied_on = chosen[Part.SOLVER].descriptor.name if descriptor.uses_solver else descriptor.shares_code_with
    if relied_on == chosen[Part.CHECKER].descriptor.name:
        raise SameCheckerError(digger=descriptor.name, solver=relied_on)


def _size(order: Order, generator: Implementation | None, options: Options | None) -> tuple[int | None, bool]:
    """Positions that exist, and whether the generator enumerates them."""
    if order.inputs is not None:
        if order.count is not None and order.count > order.inputs:
            raise BadOrderError(
                reason=f"--count {order.count:,}: the source has {order.inputs:,} grids; order no more than these"
            )
        return order.inputs, False
    if generator is None:
        return None, False
    descriptor = generator.descriptor
    assert isinstance(descriptor, GeneratorDescriptor)  # noqa: S101 - the registry checked it
    if descriptor.size is None:
        return None, False
    size = descriptor.size(options)
    if order.count is not None and order.count > size:
        raise CountBeyondSizeError(name=descriptor.name, size=size, count=order.count)
    return size, True
