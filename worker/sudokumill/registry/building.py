"""From a descriptor and its checked options to the object that the production line calls."""

from __future__ import annotations

from sudokumill.contracts import Digger, DiggerDescriptor, Generator, Grader, Options, Solver
from sudokumill.errors import BadOrderError, BrokenImplementationError, UsageError
from sudokumill.registry.faults import fault_text
from sudokumill.registry.plugins import Implementation
from sudokumill.registry.registration import METHODS

Built = Generator | Digger | Solver | Grader


def build(implementation: Implementation, options: Options, solver: Solver | None = None) -> Built:
    """Calls the factory.

    Args:
        implementation: what to build.
        options: the model that ``Registry.options`` gave.
        solver: the job's solver; only a digger with ``uses_solver`` gets it.

    Raises:
        BadOrderError: a digger that uses a solver was given none.
        BrokenImplementationError: the factory raised, or what it gave lacks the method of its role.
        UsageError: of the factory's own, where options only show to be wrong when they are used.
    """
    descriptor = implementation.descriptor
    needs_solver = isinstance(descriptor, DiggerDescriptor) and descriptor.uses_solver
    if needs_solver and solver is None:
        raise BadOrderError(reason=f"digger {descriptor.name!r} digs with the job's solver, and none was given")
    try:
        built: object = descriptor.factory(options, solver) if needs_solver else descriptor.factory(options)
    except (KeyboardInterrupt, UsageError):
        raise
    except BaseException as error:
        raise _broken(implementation, f"its factory raised {fault_text(error)}") from error
    method = METHODS[implementation.role]
    if isinstance(built, type):
        raise _broken(implementation, f"its factory gave the class {built.__name__}, not an object of it")
    if not callable(getattr(built, method, None)):
        raise _broken(implementation, f"its factory gave a {type(built).__name__} without method {method}")
    return built  # type: ignore[return-value]  # its method was just seen


def _broken(implementation: Implementation, reason: str) -> BrokenImplementationError:
    return BrokenImplementationError(
        role=implementation.role, name=implementation.name, owner=implementation.owner, reason=reason
    )
