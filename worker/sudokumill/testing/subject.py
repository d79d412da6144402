"""The implementation under test, and how another process finds it again."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from sudokumill.contracts import Descriptor, DiggerDescriptor, Options, Role
from sudokumill.errors import BrokenImplementationError, ConformanceError, SudokumillError, UnfindableError
from sudokumill.hookspecs import PROJECT
from sudokumill.registry import Implementation, load_registry
from sudokumill.registry.building import Built, build, size_of
from sudokumill.registry.discovery import load_file
from sudokumill.registry.options import parse_options
from sudokumill.registry.plugins import AnyDescriptor, PluginIdentity
from sudokumill.registry.registration import DESCRIPTORS, HOOKS, descriptor_fault, register
from sudokumill.testing.reference import ReferenceSolver

Values = Mapping[str, object]
"""Option values by name; JSON can hold them."""

Target = Implementation | Descriptor[Any] | str
"""What may be checked: an implementation of a registry; a descriptor that is a name of a module or is yielded by
its hook; ``NAME`` of what is installed; ``package.module:NAME`` or ``path/to/file.py:NAME``."""


@dataclass(frozen=True)
class Subject:
    """An implementation with its options."""

    implementation: Implementation
    where: str
    """A module's name or a file's path; this and the name find it in a fresh process."""

    values: Values = field(default_factory=dict)

    @property
    def role(self) -> Role:
        """Its role."""
        return self.implementation.role

    @property
    def options(self) -> Options:
        """Its options model."""
        return parse_options(self.implementation, self.values)

    @property
    def size(self) -> int | None:
        """How many finals an enumerating generator has; None for everything else.

        Raises:
            ConformanceError: it does not say so by a whole number above zero.
        """
        try:
            return size_of(self.implementation, self.options)
        except BrokenImplementationError as error:
            raise self.broke("size", str(error.fields["reason"]), "call its size with these options") from error

    @property
    def uses_solver(self) -> bool:
        """Whether it is a digger that is given the job's solver; in the kit that is ``ReferenceSolver``."""
        descriptor = self.implementation.descriptor
        return isinstance(descriptor, DiggerDescriptor) and descriptor.uses_solver

    def build(self) -> Built:
        """A new object."""
        return build(self.implementation, self.options, ReferenceSolver() if self.uses_solver else None)

    def broke(self, rule: str, reason: str, repeat: str) -> ConformanceError:
        """The error that says which rule it broke."""
        name = self.implementation.name
        return ConformanceError(role=self.role, name=name, rule=rule, reason=reason, repeat=repeat)


def find_subject(role: Role, target: Target, values: Values | None) -> Subject:
    """The subject that a target names.

    Raises:
        ConformanceError: what was found is no valid descriptor.
        UnfindableError: another process could not find it.
        UsageError: no such implementation; options that it refuses.
    """
    values = dict(values or {})
    if isinstance(target, Implementation):
        return Subject(target, target.plugin.source, values)
    if isinstance(target, str):
        where, colon, name = target.rpartition(":")
        if not colon:
            found = load_registry().find(role, target)
            return Subject(found, found.plugin.source, values)
        return Subject(load_subject(role, where, name), where, values)
    fault = descriptor_fault(role, target)
    if fault is not None:
        name = str(getattr(target, "name", "?"))
        raise ConformanceError(role=role, name=name, rule="descriptor", reason=fault, repeat="as it was called")
    where = _where(role, target)
    identity = PluginIdentity(where, None, None, where)
    return Subject(Implementation(role, cast("AnyDescriptor", target), identity), where, values)


def load_subject(role: Role, where: str, name: str) -> Implementation:
    """The implementation that a module or file registers under a name, or holds as a descriptor of that name.

    Raises:
        ConformanceError: it was refused.
        UnfindableError: there is no such module, or it has no such implementation.
    """
    try:
        module = _load(where)
    except SudokumillError:
        raise
    except Exception as error:
        raise UnfindableError(
            role=role, name=name, where=where, reason=f"{type(error).__name__}: {error}"
        ) from error
    identity = PluginIdentity(where, None, None, where)
    found, refusals = register(module, identity)
    for implementation in found:
        if (implementation.role, implementation.name) == (role, name):
            return implementation
    for held in vars(module).values() if isinstance(module, ModuleType) else ():
        if isinstance(held, DESCRIPTORS[role]) and held.name == name and descriptor_fault(role, held) is None:
            return Implementation(role, cast("AnyDescriptor", held), identity)
    for refusal in refusals:
        if refusal.name == name or not found:
            raise ConformanceError(
                role=role, name=name, rule="descriptor", reason=refusal.reason, repeat="sudokumill plugins"
            )
    raise UnfindableError(role=role, name=name, where=where, reason="it registers no such name")


def _load(where: str) -> object:
    if where.endswith(".py"):
        return load_file(Path(where))
    loaded: object = EntryPoint("subject", where, PROJECT).load()
    return loaded


def _where(role: Role, descriptor: Descriptor[Any]) -> str:
    """Module or file where a descriptor lies.

    Its factory's module is looked at first, since it is there as a rule; then all that are imported.
    """
    likely = [sys.modules.get(str(getattr(descriptor.factory, "__module__", ""))), *list(sys.modules.values())]
    for module in likely:
        if isinstance(module, ModuleType) and _holds(module, role, descriptor):
            return _address(module)
    raise UnfindableError(
        role=role, name=descriptor.name, where="another process", reason="no imported module has its descriptor"
    )


def _holds(module: ModuleType, role: Role, descriptor: Descriptor[Any]) -> bool:
    members = vars(module)
    if any(member is descriptor for member in list(members.values())):
        return True
    if HOOKS[role] not in members:
        return False
    found, _ = register(module, PluginIdentity("", None, None, ""))
    return any(implementation.descriptor == descriptor for implementation in found)


def _address(module: ModuleType) -> str:
    """The module's name if a fresh process would import the same file by it, else the file's path."""
    path = getattr(module, "__file__", None)
    spec = next(_specs(module.__name__), None)
    if path is None or (spec is not None and spec.origin == path):
        return module.__name__
    return str(path)


def _specs(name: str) -> Iterator[importlib.machinery.ModuleSpec]:
    """What the finders say of a name; ``importlib.util.find_spec`` only looks into ``sys.modules``."""
    parent = sys.modules.get(name.rpartition(".")[0])
    path = getattr(parent, "__path__", None)
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path)
        if spec is not None:
            yield spec
