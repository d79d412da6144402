"""Aiming: how to dig so that many levels come out as an order asks.

What is dug to the end is hard or easy as chance has it. Levels that keep some clues, or are symmetric, are easier
on the whole. So an order by difficulty begins with a small trial: some ways to dig, a few hundred levels each, and
the one that hits best is frozen into the job.

    as ordered              hits 12 of 256
    clues 28 .. 31               96 of 256   <- frozen
    symmetry rot180              31 of 256

The trial has a seed of its own and looks at hits alone, not at the time that they took: so the same order is
aimed alike on every machine, and its levels are the same. Rejected: to aim each chunk by what the chunks before it
came to, for then the levels would depend on how many processes there are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from sudokumill.errors import UsageError
from sudokumill.grids.symmetries import Symmetry
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.line import Line
from sudokumill.registry import Implementation, Registry
from sudokumill.rows import LevelRows
from sudokumill.targets import ClueRange, ClueTarget

Aim = Mapping[str, JsonValue]
"""Options of the digger beyond those of the order."""

_ROWS: Final = 256
_FEWEST_ROWS: Final = 64
_SECONDS: Final = 0.3
"""Of one way to dig, by the implementations' hints; slower ones get fewer levels, or no trial at all."""

_SEED: Final = 20_121_202
_CLUES: Final = ((25, 27), (28, 31), (32, 36), (37, 45))
_KNOWN: Final = frozenset({"clues_min", "clues_max", "symmetry", "minimal"})
"""With other options of a digger it is not known what clue counts mean beside them."""

_CHANCE: Final = 4
"""So many hits more may be chance: what was ordered is then left as it is."""


@dataclass(frozen=True)
class Trial:
    """What one way to dig came to."""

    aim: Aim
    """Empty: as ordered."""
    tried: int
    hits: int
    seconds: float
    """On one core of this machine."""

    @property
    def share(self) -> float:
        """Hits of those that were tried."""
        return self.hits / self.tried if self.tried else 0.0


def aimed(spec: JobSpec, registry: Registry, *, choose: bool = True) -> tuple[JobSpec, Trial | None]:
    """An order with the way to dig that hits best.

    Args:
        spec: the order.
        registry: where its implementations are found.
        choose: False: only what is ordered is tried.

    Returns:
        The order, and its trial; None where nothing was tried: it asks for no difficulty, does not start from
        fresh finals, or would take too long to try.
    """
    rows = int(min(_ROWS, spec.rate * _SECONDS))
    if spec.difficulty is None or spec.kind is not JobKind.LEVELS or spec.source is not Source.FRESH:
        return spec, None
    if spec.enumerated or rows < _FEWEST_ROWS:
        return spec, None
    digger = registry.find(Part.DIGGER.role, spec.parts[Part.DIGGER].name)
    aims = list(_aims(spec, digger, registry)) if choose else []
    ordered, *others = [_try(spec, aim, registry, rows) for aim in ({}, *aims)]
    # of equal ones the first: max keeps it
    best = max(others, key=lambda trial: trial.hits, default=ordered)
    if best.hits <= ordered.hits + max(_CHANCE, ordered.hits // 8):
        return spec, ordered
    return spec.model_copy(update={"aim": dict(best.aim)}), best


def _try(spec: JobSpec, aim: Aim, registry: Registry, rows: int) -> Trial:
    line = Line(spec.model_copy(update={"aim": dict(aim), "seed": _SEED}), registry)
    began = time.perf_counter()
    made = line.run(0, rows).rows
    seconds = time.perf_counter() - began
    hits = int(made.on_target.sum()) if isinstance(made, LevelRows) else 0
    return Trial(aim, rows, hits, seconds)


def _aims(spec: JobSpec, digger: Implementation, registry: Registry) -> Iterator[Aim]:
    """Ways to dig that keep to what the order says."""
    ordered = spec.parts[Part.DIGGER].options
    model = digger.descriptor.options
    if not issubclass(model, ClueRange) or ordered.keys() - _KNOWN:
        return
    wanted: list[Aim] = []
    if not ordered.get("minimal"):
        least, most = registry.options(digger, ordered).clue_range()  # type: ignore[attr-defined]
        ranges = [(max(least, low), min(most, high)) for low, high in _CLUES]
        wanted += [{"clues_min": low, "clues_max": high} for low, high in ranges if low <= high]
    if issubclass(model, ClueTarget) and "symmetry" not in ordered:
        wanted.append({"symmetry": Symmetry.ROT180.value})
    for aim in wanted:
        try:
            registry.options(digger, {**ordered, **aim})
        except UsageError:
            continue  # such clue counts and the order's symmetry exclude each other
        yield aim
