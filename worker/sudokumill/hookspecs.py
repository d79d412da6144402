"""The four hooks. A plugin implements those of the roles that it has::

    from sudokumill.hookspecs import hookimpl

    @hookimpl
    def sudokumill_register_generators():
        yield GeneratorDescriptor(name="mine", version="1.0", summary="...", factory=build, rate=50_000)

Hooks only register; the host then calls what the factory builds, in batches (a hook call costs 2 us, a direct
call 0.04 us). So there is no hook for each grid, and no ``firstresult``: the winner would depend on load order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pluggy

from sudokumill.contracts import DiggerDescriptor, GeneratorDescriptor, GraderDescriptor, SolverDescriptor

PROJECT: Final = "sudokumill"
"""Name of the pluggy project and of the entry-point group."""

hookspec: Final = pluggy.HookspecMarker(PROJECT)
hookimpl: Final = pluggy.HookimplMarker(PROJECT)


@hookspec
def sudokumill_register_generators() -> Iterable[GeneratorDescriptor]:
    """Descriptors of the generators that this plugin has."""
    return ()


@hookspec
def sudokumill_register_diggers() -> Iterable[DiggerDescriptor]:
    """Descriptors of the diggers that this plugin has."""
    return ()


@hookspec
def sudokumill_register_solvers() -> Iterable[SolverDescriptor]:
    """Descriptors of the solvers that this plugin has."""
    return ()


@hookspec
def sudokumill_register_graders() -> Iterable[GraderDescriptor]:
    """Descriptors of the graders that this plugin has."""
    return ()
