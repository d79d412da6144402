"""The solver that a person names for ``check`` and ``solve``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sudokumill.contracts import Solver
from sudokumill.jobs import Part
from sudokumill.orders import share_out
from sudokumill.registry import load_registry
from sudokumill.settings import Settings


@dataclass(frozen=True)
class ChosenSolver:
    """A solver that is ready, and who it is."""

    solver: Solver
    name: str
    """``solver NAME of plugin ...``, for messages."""


def chosen_solver(settings: Settings, reference: str | None, options: Sequence[str]) -> ChosenSolver:
    """Finds, configures and builds a solver.

    Args:
        settings: plugins, and the solver where none is named.
        reference: ``NAME`` or ``NAME==VERSION``.
        options: ``NAME=VALUE``, as an order has them.

    Raises:
        UsageError: what is wrong with the name or the options.
        PluginError: it cannot be used.
    """
    registry = load_registry(settings.plugins, settings.plugin_dir)
    found = registry.find(Part.SOLVER.role, reference or settings.solver)
    values = share_out(options, {Part.SOLVER: found})[Part.SOLVER]
    built = registry.build(found, registry.options(found, values))
    return ChosenSolver(cast("Solver", built), f"solver {found.name} of {found.owner}")
