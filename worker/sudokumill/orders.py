"""From what a person asks for to a job's specification: everything that can be refused is refused here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, cast

from sudokumill.contracts import DiggerDescriptor, GraderDescriptor, Options, Solver, SolverDescriptor
from sudokumill.difficulty import Difficulty, check_difficulty
from sudokumill.errors import (
    AmbiguousOptionError,
    BadOrderError,
    CountBeyondSizeError,
    NoCanonicaliserError,
    SameCheckerError,
    UnknownOptionError,
    near,
)
from sudokumill.jobs import (
    GREATEST_COUNT,
    GREATEST_LIMIT,
    Choice,
    Distinct,
    JobKind,
    JobSpec,
    Part,
    Source,
    combined_rate,
    draw_seed,
)
from sudokumill.registry import Implementation, Registry
from sudokumill.registry.canonicaliser import find_canonicaliser
from sudokumill.registry.options import stored_options
from sudokumill.targets import ClueRange, ClueTarget

PARTS: Final[Mapping[JobKind, tuple[Part, ...]]] = {
    JobKind.GENERATE: (Part.GENERATOR,),
    JobKind.DIG: (Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER),
    JobKind.SOLVE: (Part.SOLVER,),
    JobKind.GRADE: (Part.GRADER,),
    JobKind.LEVELS: (Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER),
}
"""What every job of a kind needs; one that digs has a grader besides, where it is ordered."""


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
    distinct: Distinct = Distinct.EXACT
    max_attempts: int | None = None
    max_seconds: float | None = None
    chunk_rows: int | None = None
    graded: bool = False
    """What is dug is graded."""
    difficulty: Difficulty | None = None
    """What its grade is to be; then it is graded in any case."""
    from_stock: bool = False
    grade_rest: bool = True
    """What is dug and lies above a ceiling of its grader is graded when the job has ended."""


def specify(order: Order, registry: Registry) -> JobSpec:
    """The specification of an order, or the reason why it cannot be one.

    Raises:
        UsageError: what is wrong, in one of its subclasses; nothing was stored.
        PluginError: an implementation that is named cannot be used.
    """
    parts = _parts(order)
    chosen = {part: registry.find(part.role, order.names[part]) for part in parts}
    values = share_out(order.options, chosen)
    models = {part: registry.options(found, values[part]) for part, found in chosen.items()}
    _check_numbers(order)
    _check_checker(chosen)
    if order.distinct is Distinct.ISOMORPH and find_canonicaliser(registry) is None:
        raise NoCanonicaliserError(asked="--distinct isomorph")
    if order.difficulty is not None:
        models[Part.GRADER] = _with_ceiling(order.difficulty, chosen[Part.GRADER], models, registry)
    if order.from_stock:
        _check_stock(order, chosen, models)
    # some options only show to be wrong when they are used; the digger comes last: it may be given the solver
    built: dict[Part, object] = {}
    for part in sorted(parts, key=lambda part: part is Part.DIGGER):
        solver = cast("Solver | None", built.get(Part.SOLVER))
        built[part] = registry.build(chosen[part], models[part], solver=solver)
    finals = registry.size_of(chosen[Part.GENERATOR], models[Part.GENERATOR]) if Part.GENERATOR in chosen else None
    _check_count(order, chosen, finals)
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
                options=stored_options(found, models[part]),
            )
            for part, found in chosen.items()
        },
        source=order.source,
        source_job=order.source_job,
        size=finals if order.inputs is None else order.inputs,
        enumerated=finals is not None,
        limit=order.limit,
        new=order.new,
        distinct=order.distinct,
        max_attempts=order.max_attempts,
        max_seconds=order.max_seconds,
        chunk_rows=order.chunk_rows,
        difficulty=order.difficulty,
        from_stock=order.from_stock,
        grade_rest=order.grade_rest and Part.DIGGER in chosen and _has_ceiling(chosen, models),
        rate=combined_rate(order.kind, {part: found.descriptor.rate for part, found in chosen.items()}),
    )


def with_digger(spec: JobSpec, digger: Implementation, registry: Registry) -> JobSpec:
    """The same order with another digger, which is to do what the ordered one was asked for.

    Args:
        spec: an order.
        digger: what is to stand in the place of its digger.
        registry: where its implementations are found.

    Raises:
        UsageError: it does not know an option of the order, or shares its code with the order's checker.
        PluginError: it, or another implementation of the order, cannot be used.
    """
    ordered = spec.parts[Part.DIGGER]
    chosen = {part: registry.find(part.role, choice.name) for part, choice in spec.parts.items()}
    chosen[Part.DIGGER] = digger
    _check_checker(chosen)
    options = stored_options(digger, registry.options(digger, ordered.options))
    choice = Choice(name=digger.name, version=digger.descriptor.version, options=options)
    return spec.model_copy(
        update={
            "parts": spec.parts | {Part.DIGGER: choice},
            "digger_ordered": ordered,
            "rate": combined_rate(spec.kind, {part: found.descriptor.rate for part, found in chosen.items()}),
        }
    )


def _has_ceiling(chosen: Mapping[Part, Implementation], models: Mapping[Part, Options]) -> bool:
    grader = chosen.get(Part.GRADER)
    return grader is not None and stored_options(grader, models[Part.GRADER]).get("ceiling") is not None


def _parts(order: Order) -> list[Part]:
    parts = [
        part for part in PARTS[order.kind] if not (part is Part.GENERATOR and order.source is not Source.FRESH)
    ]
    if (order.graded or order.difficulty is not None) and Part.DIGGER in parts:
        parts.append(Part.GRADER)
    return parts


def _with_ceiling(
    asked: Difficulty, grader: Implementation, models: Mapping[Part, Options], registry: Registry
) -> Options:
    """The grader's options, with a ceiling that lets it stop where a puzzle surely misses what is asked for.

    Raises:
        BadOrderError: no puzzle can be what is asked for.
    """
    descriptor = grader.descriptor
    # the registry checked the kind; this says so to the type checker
    assert isinstance(descriptor, GraderDescriptor)  # noqa: S101
    digging = models[Part.DIGGER]
    fewest = digging.clue_range()[0] if isinstance(digging, ClueRange) else 0
    check_difficulty(asked, descriptor, fewest)
    options = models[Part.GRADER]
    ceiling = getattr(options, "ceiling", None) if descriptor.has_ceiling else None
    if ceiling is not None and ceiling < asked.low:
        raise BadOrderError(
            reason=f"{asked}: option grader.ceiling={ceiling:g} ends each grading below that; leave it out"
        )
    if asked.rating_to is None or not descriptor.has_ceiling or "ceiling" in options.model_fields_set:
        return options
    return registry.options(grader, stored_options(grader, options) | {"ceiling": asked.rating_to})


_KNOWN_OF_STOCK: Final = frozenset(ClueTarget.model_fields)
"""Options of a digger by which stored levels can be chosen."""


def _check_stock(order: Order, chosen: Mapping[Part, Implementation], models: Mapping[Part, Options]) -> None:
    if order.new:
        raise BadOrderError(
            reason="--from-stock delivers what is stored, and --new does not; leave one of them out"
        )
    asked = set(stored_options(chosen[Part.DIGGER], models[Part.DIGGER]))
    if not isinstance(models[Part.DIGGER], ClueRange) or asked - _KNOWN_OF_STOCK:
        names = ", ".join(sorted(asked - _KNOWN_OF_STOCK))
        raise BadOrderError(
            reason=f"--from-stock cannot tell which stored levels meet {names or chosen[Part.DIGGER].name}; "
            f"it knows {', '.join(sorted(_KNOWN_OF_STOCK))}"
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
    if not 1 <= order.limit <= GREATEST_LIMIT:
        raise BadOrderError(reason=f"--limit {order.limit}: count up to 1 .. {GREATEST_LIMIT:,} solutions")
    if order.max_attempts is not None and order.max_attempts < 1:
        raise BadOrderError(reason=f"--max-attempts {order.max_attempts}: allow one attempt or more")
    if order.max_seconds is not None and not 0 < order.max_seconds < inf:
        raise BadOrderError(reason=f"--max-seconds {order.max_seconds:g}: allow more than zero seconds")
    if order.count is None and order.inputs is None:
        raise BadOrderError(reason="say how many with --count N")
    if order.inputs is not None and order.inputs < 1:
        raise BadOrderError(reason="the source holds no grid")


def share_out(options: Sequence[str], chosen: Mapping[Part, Implementation]) -> dict[Part, dict[str, str]]:
    """Which part each ``NAME=VALUE`` belongs to: the one that has an option of that name.

    Args:
        options: ``NAME=VALUE``, or ``PART.NAME=VALUE`` where several parts have an option of that name.
        chosen: the implementation at each part.

    Raises:
        BadOrderError: a text of another form, a part that is not there, or a name that is given twice.
        AmbiguousOptionError: several parts have an option of that name.
        UnknownOptionError: none has.
    """
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
                option=name,
                owners=" and ".join(f"{part.value} {chosen[part].descriptor.name}" for part in owners),
                example=f"{owners[0].value}.{name}={value}",
            )
        if not owners:
            known = {each for found in chosen.values() for each in found.descriptor.options.model_fields}
            raise UnknownOptionError(
                owner=_shown_parts(chosen),
                option=name,
                near=near(name, known),
            )
        if name in values[owners[0]]:
            raise BadOrderError(reason=f"--option {name} is given twice")
        values[owners[0]][name] = value
    return values


def _shown_parts(chosen: Mapping[Part, Implementation]) -> str:
    named = ", ".join(f"{part.value} {found.name}" for part, found in chosen.items())
    return named if len(chosen) == 1 else f"this order ({named})"


def _check_checker(chosen: Mapping[Part, Implementation]) -> None:
    """The code that counts must not be the code that the digger relied on, whatever its name."""
    if Part.DIGGER not in chosen:
        return
    digger = chosen[Part.DIGGER].descriptor
    solver, checker = chosen[Part.SOLVER].descriptor, chosen[Part.CHECKER].descriptor
    # the registry checked the kinds; this says so to the type checker
    assert isinstance(digger, DiggerDescriptor)  # noqa: S101
    assert isinstance(solver, SolverDescriptor)  # noqa: S101
    assert isinstance(checker, SolverDescriptor)  # noqa: S101
    relied_on = {digger.engine} | ({solver.search} if digger.uses_solver else set())
    if checker.search in relied_on:
        raise SameCheckerError(digger=digger.name, checker=checker.name, engine=checker.search)


def _check_count(order: Order, chosen: Mapping[Part, Implementation], finals: int | None) -> None:
    """No more than there are: grids of a source, or finals of an enumerating generator."""
    if order.count is None:
        return
    if order.inputs is not None and order.count > order.inputs:
        raise BadOrderError(
            reason=f"--count {order.count:,}: the source has {order.inputs:,} grids; order no more than these"
        )
    if finals is not None and order.count > finals:
        raise CountBeyondSizeError(name=chosen[Part.GENERATOR].name, size=finals, count=order.count)
