"""What a plugin gives and gets: descriptors, the Protocols of the four roles, their results.

Everything works on batches. Row ``i`` of a result depends on row ``i`` of the inputs and on ``seeds[i]`` alone:
never on the batch's size or order, on threads or processes, on ``PYTHONHASHSEED`` or on a global random
generator (*row invariance*). A wrong shape or dtype raises; what is wrong with one row is that row's status, and
the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import NoneType
from typing import Any, Final, Generic, Protocol, TypeVar, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from sudokumill.grids.batch import Grids
from sudokumill.streams import Seeds

API_VERSION: Final = 1
"""The version of this file's promises. A plugin built for a newer one is not loaded, and is listed with the
reason; older ones are, as long as nothing that they use has gone."""


class Role(StrEnum):
    """What an implementation can be."""

    GENERATOR = "generator"
    DIGGER = "digger"
    SOLVER = "solver"
    GRADER = "grader"


class Options(BaseModel):
    """Base of option models: unknown names are refused, values are fixed once checked.

    Give each field a description and bounds (``Field(11, ge=0, le=40, description=...)``): they are what a
    person sees in ``sudokumill plugins show`` and in the message that refuses a value. A field that may be None
    (``int | None``) can be given as the text ``none``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    @field_validator("*", mode="before")
    @classmethod
    def _none_as_text(cls, value: object, info: ValidationInfo) -> object:
        """The text ``none`` means None where that is allowed: a command line has only texts."""
        field = cls.model_fields.get(info.field_name or "")
        if value == "none" and field is not None and NoneType in get_args(field.annotation):
            return None
        return value


# --- results ---------------------------------------------------------------------------------------------


class GenerateStatus(IntEnum):
    """What became of a row that was to be made."""

    MADE = 0
    GAVE_UP = 1


class DigStatus(IntEnum):
    """What became of a final that was dug."""

    DUG = 0
    MISSED = 1
    """The puzzle is sound, but not what the options asked for (its clue count, for example). Where no sound puzzle
    was left, as of a pattern of clues that has several solutions, the row is all zeros."""
    NOT_A_FINAL = 2
    GAVE_UP = 3


class SolveStatus(IntEnum):
    """What is known of a grid's solutions."""

    UNIQUE = 0
    SEVERAL = 1
    """Two or more; exact when the count is below the limit."""
    NO_SOLUTION = 2
    CLASH = 3
    """Givens contradict each other, or a number is above 9; no search was started."""
    GAVE_UP = 4
    """The node budget ran out; the count is a lower bound."""
    SOLVABLE = 5
    """One was found and the limit was 1, so it is not known whether there are more."""


class GradeStatus(IntEnum):
    """What became of a puzzle that was graded."""

    GRADED = 0
    NOT_UNIQUE = 1
    NO_SOLUTION = 2
    CLASH = 3
    COMPLETE = 4
    GAVE_UP = 5
    """The budget ran out; the rating is a lower bound."""
    ABOVE = 6
    """The rating is surely above the option ``ceiling``, and grading stopped there; it is a lower bound."""


@dataclass(frozen=True)
class Report:
    """A figure that an implementation reports of each row: ``total[i] / weight[i]``.

    A job shows the least and the greatest of these, and sum(total) / sum(weight) over all its rows. So a mean is
    a total with weight one, and a share of tries is successes with tries as weight.
    """

    total: NDArray[np.float64]
    """Shape (n,)."""

    weight: NDArray[np.float64] | None = None
    """Shape (n,), zero or above; None means one for each row. Zero: there is no figure for this row."""


Reports = Mapping[str, Report]


@dataclass(frozen=True)
class GenerateResult:
    """Finals, one a seed."""

    finals: Grids
    """Shape (n, 81). A row that was not made is all zeros."""

    status: NDArray[np.uint8]
    """Shape (n,), ``GenerateStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class DigResult:
    """Puzzles, one a final: a subset of its clues that has it as its only solution."""

    puzzles: Grids
    """Shape (n, 81). A row that could not be dug, or of which no puzzle was left, is all zeros."""

    status: NDArray[np.uint8]
    """Shape (n,), ``DigStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class SolveResult:
    """Counts and solutions, one row a puzzle."""

    counts: NDArray[np.int64]
    """Shape (n,): solutions found; the search stops at the limit."""

    solutions: Grids
    """Shape (n, 81): the first one found in the solver's fixed order, zeros when there is none."""

    nodes: NDArray[np.int64]
    """Shape (n,): placements that the search tried and did not deduce."""

    status: NDArray[np.uint8]
    """Shape (n,), ``SolveStatus``."""

    reports: Reports = field(default_factory=dict)


@dataclass(frozen=True)
class GradeResult:
    """Grades, one row a puzzle."""

    rating: NDArray[np.float64]
    """Shape (n,); NaN where there is no grade. With ``GAVE_UP`` and ``ABOVE`` a lower bound."""

    hardest: list[str | None]
    """Code of the hardest technique of each row; None where there is no grade."""

    techniques: list[Mapping[str, int]]
    """How often each technique was used, for each row; empty where there is no grade."""

    steps: NDArray[np.int64]
    """Shape (n,): 0 where there is no grade."""

    status: NDArray[np.uint8]
    """Shape (n,), ``GradeStatus``."""

    extras: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Further figures of this grader, each of shape (n,), NaN where there is none; see ``KNOWN_EXTRAS``."""


KNOWN_EXTRAS: Final[Mapping[str, str]] = {
    "er": "highest rating of a step",
    "ep": "highest rating of a step up to and with the first that places a digit",
    "ed": "rating of the first step",
    "rating_sum": "ratings of all steps, added up",
    "bottleneck": "least number of placements that were available at any step",
}
"""Names of ``GradeResult.extras`` that mean the same with every grader; the store has a column for each. A grader
may have others, which are shown and not stored."""


LINK_REASONS: Final = ("assumed", "cell", "row", "column", "box")
"""What ``Link.why`` may be beside the code of a technique."""


@dataclass(frozen=True)
class Link:
    """One conclusion of a chain: a candidate is right (on), or it is wrong."""

    cell: int
    digit: int
    on: bool

    why: str
    """``assumed`` is what a chain begins with. ``cell``, ``row``, ``column``, ``box``: a candidate is on because all
    others of its cell, or of its digit in that unit, are off; it is off because another one there is on. Else the
    code of a technique that sees it once the candidates of ``since`` are gone."""

    since: tuple[int, ...] = ()
    """Indexes of earlier links of the same chain: those that it follows from."""


@dataclass(frozen=True)
class Step:
    """One step of the way to a puzzle's solution. Cells are numbered 0 .. 80, row-major; digits are 1 .. 9."""

    technique: str
    """Its code, one of the grader's."""

    rating: float

    cells: tuple[int, ...]
    """The cells that make up the pattern, rising."""

    digits: tuple[int, ...]
    """The digits that make it up, rising."""

    placements: tuple[tuple[int, int], ...] = ()
    """(cell, digit) that it places."""

    eliminations: tuple[tuple[int, int], ...] = ()
    """(cell, digit) that it rules out. What follows from a placement in its row, column and box is not listed."""

    chains: tuple[tuple[Link, ...], ...] = ()
    """For a technique of assumptions: each chain with what it assumes and all that follows. Either the chain that
    assumes the opposite of what the step concludes meets a candidate that is both on and off; or there is a chain
    for each of several cases of which one must be right (a candidate on and off, the candidates of a cell, the
    places of a digit in a row, column or box), and every one of them ends in what the step concludes. Other
    techniques have none: their cells and digits say it all."""


# --- roles -----------------------------------------------------------------------------------------------


class Generator(Protocol):
    """Makes finals."""

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed. A generator that enumerates gets positions 0, 1, 2, ... in place of seeds."""
        ...


class Digger(Protocol):
    """Takes clues out of finals so that puzzles remain."""

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        """One puzzle a final."""
        ...


class Solver(Protocol):
    """Counts and finds solutions."""

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        """Counts up to ``limit`` (1 or more) solutions of each puzzle."""
        ...


class Grader(Protocol):
    """Says how hard a puzzle is for a person."""

    def grade(self, puzzles: Grids) -> GradeResult:
        """One grade a puzzle."""
        ...


@runtime_checkable
class Explainer(Grader, Protocol):
    """A grader that can show its way."""

    def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
        """The steps that ``grade`` counts, in their order, from the clues to the solution.

        Args:
            puzzle: shape (81,).

        Returns:
            All steps; of a puzzle that is given up or above the ceiling, those that were taken. For what has none
            or several solutions, clashes, or has no blank: none.
        """
        ...


# --- descriptors -----------------------------------------------------------------------------------------

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Descriptor(Generic[T_co]):
    """What a plugin registers: enough to list, choose and check an implementation without building it."""

    name: str
    """Lower case, digits and hyphens; unique within its role."""

    version: str
    """Changes whenever the same seed and options give another result."""

    summary: str
    """One line for lists."""

    factory: Callable[..., T_co]
    """Called with the checked options model as its only argument (a digger that uses one: and the solver).
    Imports what is heavy when it is called, not before."""

    options: type[Options] = Options
    rate: float
    """Rows a second on one core, a hint: chunks are planned by it until something was measured."""

    detail: Callable[[], str] | None = None
    """What only the machine at hand can tell, in one line: which build of its code runs there, say. ``doctor`` and
    ``plugins show`` ask for it and lists do not, so it may import what is heavy. No result may depend on it: what
    decides about rows is the version's and the options'."""

    api_version: int = API_VERSION


@dataclass(frozen=True, kw_only=True)
class GeneratorDescriptor(Descriptor[Generator]):
    """A generator."""

    size: Callable[[Any], int] | None = None
    """For one that enumerates: from its options model, how many distinct finals it has. The host then passes
    positions as seeds and refuses counts above it. None: it draws from its seeds."""


@dataclass(frozen=True, kw_only=True)
class DiggerDescriptor(Descriptor[Digger]):
    """A digger.

    The host counts the solutions of every puzzle by a solver whose code the digger did not rely on. So a digger
    says on which code it does: that of the job's solver, or a search of its own.
    """

    uses_solver: bool = False
    """True: ``factory(options, solver)`` gets the job's solver, and digs by it."""

    engine: str | None = None
    """Name of the search inside this digger, as solvers name theirs (``SolverDescriptor.engine``); None: it has
    none that any solver shares."""


@dataclass(frozen=True, kw_only=True)
class SolverDescriptor(Descriptor[Solver]):
    """A solver."""

    engine: str | None = None
    """Name of the code that it searches by; None: a code of its own, named as it is. Solvers that share their
    search say so by the same engine, and none of them checks what was dug by another."""

    @property
    def search(self) -> str:
        """The engine, or the name where there is none."""
        return self.engine or self.name


@dataclass(frozen=True)
class Technique:
    """What a grader can find in a puzzle."""

    code: str
    """Lower case, digits and hyphens: ``x-wing``. It is what is stored, and what an order names."""

    rating: float
    """The least rating that a step by it has."""


@dataclass(frozen=True, kw_only=True)
class GraderDescriptor(Descriptor[Grader]):
    """A grader.

    What it declares here lets the host refuse, without building it, an order for a rating that it never gives or
    for a technique that it does not know. By convention an option ``ceiling: float | None`` (None by default)
    makes it stop as soon as a puzzle's rating is surely above: the row is then ``GradeStatus.ABOVE``. What is not
    above gets exactly the grade that it gets without.
    """

    techniques: tuple[Technique, ...] = ()
    """Those that it can name, in the order in which it tries them. None declared: no order can ask for one."""

    scale: tuple[float, float] | None = None
    """The least and the greatest rating that it gives. None: no order can ask for a rating by it."""

    extras: tuple[str, ...] = ()
    """Names of the figures in ``GradeResult.extras``, always all of them."""

    clue_limits: tuple[tuple[float, int], ...] = ()
    """Each ``(rating, clues)``: no puzzle is known that has this rating or a higher one, and more clues. So an
    order for hard puzzles that are nearly full is refused, and does not search for ever."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of its techniques."""
        return tuple(one.code for one in self.techniques)

    @property
    def has_ceiling(self) -> bool:
        """Whether it can stop early."""
        return "ceiling" in self.options.model_fields


# --- what an object may have beside its role -------------------------------------------------------------


@runtime_checkable
class Canonicaliser(Protocol):
    """A solver that also brings grids to their canonical form, faster than the host can."""

    def canonical(self, puzzles: Grids, solutions: Grids) -> Grids:
        """The canonical form of each puzzle or final, exactly that of ``grids.canonical.canonical_forms``.

        Args:
            puzzles: shape (n, 81).
            solutions: shape (n, 81), the only solution of each.

        Returns:
            Shape (n, 81); zeros where the solution is not a final that keeps the clues.
        """
        ...


@runtime_checkable
class MinimalityTester(Protocol):
    """A solver that also says which puzzles are minimal, faster than by counting the solutions without each clue."""

    def minimal(self, puzzles: Grids, solutions: Grids) -> NDArray[np.bool_]:
        """Which puzzles have several solutions without any single clue: exactly what ``solve`` would count.

        Args:
            puzzles: shape (n, 81).
            solutions: shape (n, 81), the only solution of each.

        Returns:
            Shape (n,); of a row whose solution is not a final that keeps the clues, False.
        """
        ...
