"""The grader that a person names for ``grade``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sudokumill.contracts import Explainer, Grader
from sudokumill.errors import BadOrderError
from sudokumill.jobs import Part
from sudokumill.orders import share_out
from sudokumill.registry import load_registry
from sudokumill.settings import Settings


@dataclass(frozen=True)
class ChosenGrader:
    """A grader that is ready, and who it is."""

    grader: Grader
    name: str
    """``grader NAME of plugin ...``, for messages."""
    grader_name: str
    version: str

    def explainer(self) -> Explainer:
        """The same, as one that shows its way.

        Raises:
            BadOrderError: it cannot.
        """
        if not isinstance(self.grader, Explainer):
            raise BadOrderError(reason=f"{self.name} does not show its way; leave out --path, or choose another")
        return self.grader


def chosen_grader(settings: Settings, reference: str | None, options: Sequence[str]) -> ChosenGrader:
    """Finds, configures and builds a grader.

    Args:
        settings: plugins, and the grader where none is named.
        reference: ``NAME`` or ``NAME==VERSION``.
        options: ``NAME=VALUE``, as an order has them.

    Raises:
        UsageError: what is wrong with the name or the options.
        PluginError: it cannot be used.
    """
    registry = load_registry(settings.plugins, settings.plugin_dir)
    found = registry.find(Part.GRADER.role, reference or settings.grader)
    values = share_out(options, {Part.GRADER: found})[Part.GRADER]
    built = registry.build(found, registry.options(found, values))
    return ChosenGrader(
        cast("Grader", built), f"grader {found.name} of {found.owner}", found.name, found.descriptor.version
    )
