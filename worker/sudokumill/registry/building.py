"""From a descriptor and its checked options to the object that the production line calls."""

from __future__ import annotations

from typing import cast

from sudokumill.contracts import (
    Digger,
    DiggerDescriptor,
    Generator,
    GeneratorDescriptor,
    Grader,
    Options,
    Solver,
)
from sudokumill.errors import BadOrderError, UsageError
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
        raise implementation.broken(f"its factory raised {fault_text(error)}") from error
    method = METHODS[implementation.role]
    if isinstance(built, type):
        raise implementation.broken(f"its factory gave the class {built.__name__}, not an object of it")
    if not callable(getattr(built, method, None)):
        raise implementation.broken(f"its factory gave a {type(built).__name__} without method {method}")
    return cast("Built", built)  # its method was just seen


def size_of(implementation: Implementation, options: Options) -> int | None:
    """How many distinct finals an enumerating generator has with these options; None for everything else.

    Raises:
        BrokenImplementationError: its size raised, or gave no whole number above zero.
        UsageError: of its own, where options only show to be wrong when they are used.
    """
    descriptor = implementation.descriptor
    if not isinstance(descriptor, GeneratorDescriptor) or descriptor.size is None:
        return None
    try:
        size: object = descriptor.size(options)
    except (KeyboardInterrupt, UsageError):
        raise
    except BaseException as error:
        raise implementation.broken(f"its size raised {fault_text(error)}") from error
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        shown = size if isinstance(size, int | float) else f"a {type(size).__name__}"
        raise implementation.broken(f"its size must give a whole number above 0, not {shown}")
    return size


def detail_of(implementation: Implementation) -> str | None:
    """What an implementation tells of itself on this machine, in one line; None where it has nothing to tell.

    Raises:
        BrokenImplementationError: its detail raised, or gave no line of text.
        UsageError: of its own, about a setting for example.
    """
    detail = implementation.descriptor.detail
    if detail is None:
        return None
    try:
        told: object = detail()
    except (KeyboardInterrupt, UsageError):
        raise
    except BaseException as error:
        raise implementation.broken(f"its detail raised {fault_text(error)}") from error
    if not isinstance(told, str) or not told.strip() or len(told.splitlines()) > 1:
        raise implementation.broken("its detail must give one line of text")
    return told
