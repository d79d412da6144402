"""What is known of a plugin: who it is, whether it works, what it registered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sudokumill.contracts import (
    DiggerDescriptor,
    GeneratorDescriptor,
    GraderDescriptor,
    Role,
    SolverDescriptor,
)
from sudokumill.errors import BrokenImplementationError

AnyDescriptor = GeneratorDescriptor | DiggerDescriptor | SolverDescriptor | GraderDescriptor


class PluginState(StrEnum):
    """How far a plugin came."""

    LOADED = "loaded"
    PARTLY = "partly"
    """Some of what it registered can be used, the rest was refused."""
    FAILED = "failed"
    NOT_CHOSEN = "not chosen"
    """The settings leave it out; none of its code was run."""


@dataclass(frozen=True)
class PluginIdentity:
    """Who a plugin is, known before any of its code is run."""

    name: str
    """Of its entry point, or the stem of its file."""

    distribution: str | None
    """None for a plugin that is one file."""

    version: str | None
    """Of the distribution."""

    source: str
    """What is imported (``package.module``), or the path of the file."""

    @property
    def owner(self) -> str:
        """``plugin NAME (DISTRIBUTION VERSION)`` or ``plugin NAME (PATH)``, for messages."""
        if self.distribution is None:
            return f"plugin {self.name} ({self.source})"
        return f"plugin {self.name} ({self.distribution} {self.version or 'of unknown version'})"


@dataclass(frozen=True)
class Implementation:
    """One usable implementation of a role."""

    role: Role
    descriptor: AnyDescriptor
    plugin: PluginIdentity

    @property
    def name(self) -> str:
        """The name that orders use."""
        return self.descriptor.name

    @property
    def owner(self) -> str:
        """``plugin NAME (DISTRIBUTION VERSION)``, for messages."""
        return self.plugin.owner

    @property
    def reference(self) -> str:
        """``NAME==VERSION``: what a job freezes, and what ``Registry.find`` takes."""
        return f"{self.descriptor.name}=={self.descriptor.version}"

    def broken(self, reason: str) -> BrokenImplementationError:
        """The error that says why it cannot be used."""
        return BrokenImplementationError(role=self.role, name=self.name, owner=self.owner, reason=reason)


@dataclass(frozen=True)
class Refusal:
    """Something that a plugin registered, or tried to, and that cannot be used."""

    reason: str
    role: Role | None = None
    name: str | None = None
    """Name of the implementation, where it has one that can be read."""


@dataclass(frozen=True)
class Plugin(PluginIdentity):
    """A plugin after loading."""

    state: PluginState
    reason: str
    """One line; empty when it is loaded."""

    implementations: tuple[Implementation, ...] = ()
    refusals: tuple[Refusal, ...] = ()
