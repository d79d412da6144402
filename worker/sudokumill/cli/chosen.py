"""The implementation that a person names for a command that works at once, such as ``solve``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, cast, overload

from sudokumill.contracts import Explainer, Grader, Options, Solver
from sudokumill.errors import BadOrderError
from sudokumill.jobs import Part
from sudokumill.orders import share_out
from sudokumill.registry import Implementation, load_registry
from sudokumill.settings import Settings

T_co = TypeVar("T_co", bound=Solver | Grader, covariant=True)


@dataclass(frozen=True)
class Chosen(Generic[T_co]):
    """An implementation that is ready, and who it is."""

    built: T_co
    found: Implementation
    options: Options

    @property
    def name(self) -> str:
        """``grader NAME of plugin ...``, for messages."""
        return f"{self.found.role} {self.found.name} of {self.found.owner}"

    def explainer(self) -> Explainer:
        """The same, as one that shows its way.

        Raises:
            BadOrderError: it cannot.
        """
        try:
            explains = callable(getattr(self.built, "path", None))
        except Exception:  # a property of a plugin may raise anything
            explains = False
        if not explains:
            raise BadOrderError(reason=f"{self.name} does not show its way; leave out --path, or choose another")
        return cast("Explainer", self.built)


@overload
def chosen(
    settings: Settings, part: Literal[Part.GRADER], reference: str | None, options: Sequence[str] = ()
) -> Chosen[Grader]: ...


@overload
def chosen(
    settings: Settings,
    part: Literal[Part.SOLVER, Part.CHECKER],
    reference: str | None,
    options: Sequence[str] = (),
) -> Chosen[Solver]: ...


def chosen(
    settings: Settings, part: Part, reference: str | None, options: Sequence[str] = ()
) -> Chosen[Solver] | Chosen[Grader]:
    """Finds, configures and builds an implementation.

    Args:
        settings: plugins, and who stands at the part where nobody is named.
        part: the place that it takes.
        reference: ``NAME`` or ``NAME==VERSION``; None: that of the settings.
        options: ``NAME=VALUE``, as an order has them.

    Raises:
        UsageError: what is wrong with the name or the options.
        PluginError: it cannot be used.
    """
    registry = load_registry(settings.plugins, settings.plugin_dir)
    found = registry.find(part.role, reference or getattr(settings, part.value))
    model = registry.options(found, share_out(options, {part: found})[part])
    built = cast("Solver | Grader", registry.build(found, model))
    return cast("Chosen[Solver] | Chosen[Grader]", Chosen(built, found, model))
