"""Aiming: how to dig so that many levels come out as an order asks.

What is dug to the end is hard or easy as chance has it. Levels that keep some clues, get some back, or are
symmetric, are easier on the whole. So an order by difficulty begins with a small trial: some ways to dig, some
dozens of levels each; the best of them are tried for longer, and the one that hits best is frozen into the job.

    easy, 20,000 finals       levels of 1.3 to 1.5
    as ordered                22.6 %
    clues 25 .. 27            34.4 %
    clues 28 .. 31            42.1 %
    3 clues put back          48.9 %   <- frozen
    symmetry rot180           40.6 %

**What is compared** is hits of those tried times the line's rows a second, as the hints of its implementations
have it: the levels that one core makes in a second. Hints are constants of a version, and not what this machine
has just measured; the trial has a seed of its own. So the same order is aimed alike on every machine that has the
same plugins, and its levels are the same. Rejected: to aim each chunk by what the chunks before it came to, for
then the levels would depend on how many processes there are.

**Other diggers** are tried where the order names none, if they know what it asks for; but not one that would lose
if its every level hit. The others get a tenth of a second by their hints, and only one that seems to be better
then is tried for longer. A digger that takes many times what it says is left out: the one thing here that hangs on
the machine. A worker that has not the digger that was chosen cannot make the job, so a fleet has the same plugins
everywhere.

**What pays**, in % of 20,000 finals (* of 6,000) by digger ``native`` and grader ``explainer``, by default bands:

                       gentle   easy  medium   hard  expert  master  diabolical  extreme   clues
    to the end            1.6   22.6    33.4    7.6     3.6     8.7        18.8      3.7    24.4
    clues 25 .. 27        6.2   34.4    28.4    6.1     3.0     7.0        12.7      2.0    26.1
    clues 28 .. 31       29.7   42.1    14.9    3.5     1.8     3.5         4.2      0.3    29.5
    clues 37 .. 45 *     97.7    1.8     0.2    0.1     0.1     0.0         0.0      0.0    40.9
    1 put back *          5.3   36.0    31.2    6.1     3.1     5.9        11.2      1.2    25.4
    3 put back           22.1   48.9    18.0    3.2     1.7     2.9         3.1      0.2    27.4
    5 put back           47.8   40.5     7.6    1.4     0.8     1.1         0.8      0.0    29.4
    8 put back *         80.5   16.7     1.7    0.4     0.2     0.3         0.1      0.0    32.4
    20 put back *        99.9    0.1     0.0    0.0     0.0     0.0         0.0      0.0    44.4
    symmetry rot180      13.2   40.6    22.6    5.3     2.5     5.9         9.0      0.9    27.6

At the same number of clues those that are put back leave easier levels than a dig that stops (29.5 and 29.4 clues:
42 and 41 % easy, but 3.5 and 1.4 % hard): more of them are spare. So they hit easy orders better, and a dig that
stops hits hard orders better that want many clues.

Not tried, for they hit no band better: symmetry horizontal and vertical (easy 42, medium 26), diagonal and
antidiagonal (easy 36, diabolical 12), rot90 (gentle 50), full (gentle 70). Cells in the order snake or jump give
more medium levels (42 and 39 in place of 33), but all of them with their blanks in the same corner, which nobody
asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

from pydantic import JsonValue

from sudokumill.contracts import Role
from sudokumill.errors import SudokumillError, UsageError
from sudokumill.grids.symmetries import Symmetry
from sudokumill.jobs import JobKind, JobSpec, Part, Source
from sudokumill.line import Line
from sudokumill.orders import with_digger
from sudokumill.registry import Implementation, Registry
from sudokumill.rows import LevelRows
from sudokumill.targets import AddedTarget, ClueRange, ClueTarget

Aim = Mapping[str, JsonValue]
"""Options of the digger beyond those of the order."""

_ROWS: Final = 256
"""Levels of a way that is tried for long; all are tried with a quarter of them before."""
_FEWEST_ROWS: Final = 64
_SECONDS: Final = 0.3
"""Of one way that is tried for long, by the implementations' hints; slower ones get fewer levels, or no trial."""
_FINALISTS: Final = 3

_OTHER_SECONDS: Final = 0.1
"""Of all ways of another digger, by the hints, before it seems to be better."""
_FEWEST_OTHER_ROWS: Final = 16
_PATIENCE: Final = 10.0
"""Another digger is left out that takes so many times what the hints say, and half a second more."""

_SEED: Final = 20_121_202
_CLUES: Final = ((25, 27), (28, 31), (32, 36), (37, 45))
_ADDED: Final = (1, 2, 3, 5, 8, 20)
_KNOWN: Final = frozenset(ClueTarget.model_fields)
"""With other options of a digger it is not known what clue counts mean beside them."""

_CHANCE: Final = 2.0
"""What was ordered is left as it is where more hits may be chance: within so many standard deviations."""


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

    def plus(self, more: Trial) -> Trial:
        """Both together."""
        return Trial(self.aim, self.tried + more.tried, self.hits + more.hits, self.seconds + more.seconds)


@dataclass(frozen=True)
class _Way:
    """A way to dig, and what it came to so far."""

    spec: JobSpec
    trial: Trial

    @property
    def rate(self) -> float:
        """Levels as ordered that one core makes in a second, by the hints."""
        return self.trial.share * self.spec.rate

    def longer(self, registry: Registry, rows: int) -> _Way:
        """The same way after so many rows in all."""
        more = _try(self.spec, registry, self.trial.tried, max(rows, self.trial.tried))
        return _Way(self.spec, self.trial.plus(more))


def aimed(
    spec: JobSpec, registry: Registry, *, choose: bool = True, others: bool = False
) -> tuple[JobSpec, Trial | None]:
    """An order with the way to dig that hits best.

    Args:
        spec: the order.
        registry: where its implementations are found.
        choose: False: only what is ordered is tried.
        others: its digger may be exchanged, since nobody has named it.

    Returns:
        The order, and its trial; None where nothing was tried: it asks for no difficulty, does not start from
        fresh finals, or would take too long to try.
    """
    rows = _rows(spec)
    if spec.difficulty is None or spec.kind is not JobKind.LEVELS or spec.source is not Source.FRESH:
        return spec, None
    if spec.enumerated or rows < _FEWEST_ROWS:
        return spec, None
    ordered = _Way(spec, _try(spec, registry, 0, rows))
    if not choose:
        return spec, ordered.trial
    ways = [_Way(each, _try(each, registry, 0, rows // 4)) for each in _ways(spec, registry)]
    compared = bool(ways)
    if others:
        for other in _other_orders(spec, registry):
            best = max((way.rate for way in (ordered, *ways)), default=0.0)
            compared = True
            if other.rate > best:
                ways += [way for way in _scan(other, registry) if way.rate > best]
    # sorted keeps the order of equal ones, and max takes the first of them
    finalists = sorted((way for way in ways if way.trial.hits), key=lambda way: -way.rate)[:_FINALISTS]
    best_way = max(
        (way.longer(registry, _rows(way.spec)) for way in finalists), key=lambda way: way.rate, default=ordered
    )
    chosen = best_way if _is_better(best_way, ordered) else ordered
    return chosen.spec.model_copy(update={"tried_aims": compared}), chosen.trial


def _rows(spec: JobSpec) -> int:
    return int(min(_ROWS, spec.rate * _SECONDS))


def _is_better(way: _Way, ordered: _Way) -> bool:
    """Whether a way hits better than what is ordered, by more than may be chance.

    Hits are counts of rare events, so each has itself for its variance; one more, or none at all would be certain.
    """
    deviation = sqrt(
        (way.spec.rate / way.trial.tried) ** 2 * (way.trial.hits + 1)
        + (ordered.spec.rate / ordered.trial.tried) ** 2 * (ordered.trial.hits + 1)
    )
    return way.rate > ordered.rate + _CHANCE * deviation


def _try(spec: JobSpec, registry: Registry, start: int, stop: int) -> Trial:
    """Makes some positions of an order as it would be aimed."""
    line = Line(spec.model_copy(update={"seed": _SEED}), registry)
    began = time.perf_counter()
    made = line.run(start, stop).rows
    seconds = time.perf_counter() - began
    hits = int(made.on_target.sum()) if isinstance(made, LevelRows) else 0
    return Trial(spec.aim, stop - start, hits, seconds)


def _other_orders(spec: JobSpec, registry: Registry) -> Iterator[JobSpec]:
    """The order with each other digger that can do what it asks for, the one first that says it is the fastest."""
    found: list[JobSpec] = []
    for digger in registry.implementations(Role.DIGGER):
        model = digger.descriptor.options
        if digger.name == spec.parts[Part.DIGGER].name or not issubclass(model, ClueRange):
            continue
        try:
            found.append(with_digger(spec, registry.find(Role.DIGGER, digger.name), registry))
        except SudokumillError:
            continue  # nobody has named it, so nobody need know why it does not suit
    yield from sorted(found, key=lambda other: -other.rate)


def _scan(other: JobSpec, registry: Registry) -> list[_Way]:
    """What the ways of another digger come to, tried for as long as it takes to see one that is much better."""
    specs = [other, *_ways(other, registry)]
    rows = int(min(_rows(other) // 4, other.rate * _OTHER_SECONDS / len(specs)))
    if rows < _FEWEST_OTHER_ROWS:
        return []
    until = time.perf_counter() + 0.5 + _PATIENCE * _OTHER_SECONDS
    ways: list[_Way] = []
    for each in specs:
        try:
            ways.append(_Way(each, _try(each, registry, 0, rows)))
        except SudokumillError:
            return []
        if time.perf_counter() > until:
            return []
    return ways


def _ways(spec: JobSpec, registry: Registry) -> Iterator[JobSpec]:
    """Orders with an aim that keeps to what this one says."""
    choice = spec.parts[Part.DIGGER]
    digger = registry.find(Role.DIGGER, choice.name)
    for aim in _aims(choice.options, digger, registry):
        yield spec.model_copy(update={"aim": dict(aim)})


def _aims(ordered: Mapping[str, JsonValue], digger: Implementation, registry: Registry) -> Iterator[Aim]:
    model = digger.descriptor.options
    if not issubclass(model, ClueRange) or ordered.keys() - _KNOWN:
        return
    wanted: list[Aim] = []
    if not ordered.get("minimal"):
        asked: ClueRange = registry.options(digger, ordered)  # type: ignore[assignment] # an instance of its model
        least, most = asked.clue_range()
        ranges = [(max(least, low), min(most, high)) for low, high in _CLUES]
        wanted += [{"clues_min": low, "clues_max": high} for low, high in ranges if low <= high]
        if issubclass(model, AddedTarget):
            wanted += [{"added": clues} for clues in _ADDED]
    if issubclass(model, ClueTarget) and "symmetry" not in ordered:
        wanted.append({"symmetry": Symmetry.ROT180.value})
    for aim in wanted:
        try:
            registry.options(digger, {**ordered, **aim})
        except UsageError:
            continue  # such clue counts, and what is ordered, exclude each other
        yield aim
