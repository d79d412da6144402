"""Who brings grids to their canonical form.

What the form is does not depend on who finds it, so no job names it: any solver that can will do.
"""

from __future__ import annotations

from sudokumill.contracts import Canonicaliser, Role
from sudokumill.errors import SudokumillError
from sudokumill.registry.plugins import Implementation
from sudokumill.registry.selection import Registry


def find_canonicaliser(registry: Registry) -> Canonicaliser | None:
    """The first solver, by name, that can do it; None where there is none."""
    found = named_canonicaliser(registry)
    return None if found is None else found[1]


def named_canonicaliser(registry: Registry) -> tuple[Implementation, Canonicaliser] | None:
    """``find_canonicaliser``, and who it is.

    To see whether it can, a solver must be built. One that cannot be is passed over: whoever names it is told why.
    """
    for implementation in registry.implementations(Role.SOLVER):
        try:
            solver = registry.solver(implementation.name)
        except SudokumillError:
            continue
        if isinstance(solver, Canonicaliser):
            return implementation, solver
    return None
