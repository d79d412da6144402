"""What a plugin registers: descriptors, and the option models that they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, Final, Generic, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from sudokumill.contracts.roles import Digger, Generator, Grader, Solver

API_VERSION: Final = 1
"""The version of this package's promises. A plugin built for a newer one is not loaded, and is listed with the
reason; older ones are, as long as nothing that they use has gone."""


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

    environment: tuple[str, ...] = ()
    """Environment variables that it reads, each ``SUDOKUMILL_<PLUGIN>_...`` with the plugin's name: what belongs
    to a machine and changes no row. ``doctor`` lists them, and calls others that begin so mistyped."""

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

    name: str = ""
    """What people call it, in one line, for lists; the code where it has none."""


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
    """The least and the greatest rating that it gives; a lower bound may lie beyond the greatest, and then says
    that the puzzle does. None: no order can ask for a rating by it."""

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
