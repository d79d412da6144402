"""The registry itself: finds an implementation by role and name, and builds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from sudokumill.contracts import Digger, DiggerDescriptor, Generator, Grader, Options, Role, Solver
from sudokumill.errors import (
    AmbiguousImplementationError,
    BrokenImplementationError,
    HiddenImplementationError,
    PluginError,
    SudokumillError,
    UnknownImplementationError,
    UnknownVersionError,
    UsageError,
    near,
)
from sudokumill.registry.building import Built, build, size_of
from sudokumill.registry.discovery import chosen_names, find_sources
from sudokumill.registry.options import parse_options
from sudokumill.registry.plugins import Implementation, Plugin, PluginState, Refusal
from sudokumill.registry.registration import load_plugin, settled


def load_registry(plugins: str | None = None, plugin_dir: Path | None = None) -> Registry:
    """Loads the plugins that are here.

    Args:
        plugins: ``all``, ``none``, or names of entry points and stems of files, parted by commas; None is all.
        plugin_dir: a folder of one-file plugins (``*.py``); None is no folder.

    Returns:
        The registry. Plugins that failed are in it, with their reasons.

    Raises:
        PluginFolderError: the folder is not there or cannot be read.
        UnknownPluginError: ``plugins`` names one that is not here.
    """
    sources = find_sources(plugin_dir)
    chosen = chosen_names(plugins, sources)
    return Registry(
        load_plugin(source)
        if source.identity.name in chosen
        else replace(settled(source.identity, [], []), state=PluginState.NOT_CHOSEN, reason="not chosen")
        for source in sources
    )


class Registry:
    """What the loaded plugins have registered.

    Args:
        plugins: the plugins, in the order in which they are to be listed.
    """

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        self.plugins: tuple[Plugin, ...] = tuple(plugins)
        """Every plugin that is here: loaded, failed and not chosen."""

    def implementations(self, role: Role) -> tuple[Implementation, ...]:
        """What can be used in a role, sorted by name; of an ambiguous name, all that bear it."""
        found = (one for plugin in self.plugins for one in plugin.implementations if one.role is role)
        return tuple(sorted(found, key=lambda one: (one.name, one.owner)))

    def find(self, role: Role, reference: str) -> Implementation:
        """The implementation that a job names.

        Args:
            role: its role.
            reference: ``NAME`` or ``NAME==VERSION``.

        Raises:
            UnknownImplementationError: nothing has this name (HiddenImplementationError, if a plugin that
                failed or was not chosen may have it).
            UnknownVersionError: it is here in another version.
            AmbiguousImplementationError: two plugins have registered the name; neither wins by load order.
            BrokenImplementationError: it was registered, and refused.
        """
        name, exact, version = (part.strip() for part in reference.partition("=="))
        candidates = [one for one in self.implementations(role) if one.name == name]
        if not candidates:
            raise self._not_found(role, name)
        if len(candidates) > 1:
            owners = " and ".join(one.owner for one in candidates)
            raise AmbiguousImplementationError(role=role, name=name, owners=owners)
        (found,) = candidates
        if exact and version != found.descriptor.version:
            raise UnknownVersionError(role=role, name=name, have=found.descriptor.version, wanted=version)
        return found

    def options(self, implementation: Implementation, values: Mapping[str, object]) -> Options:
        """The checked options model from names and values, which may be texts.

        Raises:
            UnknownOptionError: a name that the implementation does not have.
            BadOptionError: a value of wrong type or range, or a required option that is missing.
            RefusedOptionsError: the options contradict each other.
            BrokenImplementationError: the model's own code failed.
        """
        return parse_options(implementation, values)

    def build(self, implementation: Implementation, options: Options, solver: Solver | None = None) -> Built:
        """The object itself; ``solver`` is for diggers that use the job's.

        Raises:
            BadOrderError: a digger that uses a solver was given none.
            BrokenImplementationError: the factory raised, or what it gave lacks the method of its role.
        """
        return build(implementation, options, solver)

    def size_of(self, implementation: Implementation, options: Options) -> int | None:
        """How many finals an enumerating generator has with these options; None for everything else.

        Raises:
            BrokenImplementationError: its size raised, or gave no whole number above zero.
        """
        return size_of(implementation, options)

    def generator(self, reference: str, /, **options: object) -> Generator:
        """Finds, configures and builds a generator; raises what ``find``, ``options`` and ``build`` raise."""
        return cast("Generator", self._built(Role.GENERATOR, reference, options))

    def digger(self, reference: str, /, solver: Solver | None = None, **options: object) -> Digger:
        """Finds, configures and builds a digger, with the solver that it is to use if it uses the job's."""
        return cast("Digger", self._built(Role.DIGGER, reference, options, solver))

    def solver(self, reference: str, /, **options: object) -> Solver:
        """Finds, configures and builds a solver."""
        return cast("Solver", self._built(Role.SOLVER, reference, options))

    def grader(self, reference: str, /, **options: object) -> Grader:
        """Finds, configures and builds a grader."""
        return cast("Grader", self._built(Role.GRADER, reference, options))

    def probed(self) -> Registry:
        """This registry after every implementation was built once with its default options.

        A factory that raises, or gives an object without the method of its role, only shows when it is called.
        Loading does not call it, since that may import something heavy; a list that is to show what works does.
        An implementation whose options have no defaults is left as it is.
        """
        solver = self._some_solver()
        return Registry(_probe(plugin, solver) for plugin in self.plugins)

    def _built(
        self, role: Role, reference: str, values: Mapping[str, object], solver: Solver | None = None
    ) -> Built:
        found = self.find(role, reference)
        return self.build(found, self.options(found, values), solver)

    def _some_solver(self) -> Solver | None:
        for implementation in self.implementations(Role.SOLVER):
            try:
                return cast("Solver", build(implementation, parse_options(implementation, {})))
            except SudokumillError:
                continue
        return None

    def _not_found(self, role: Role, name: str) -> UnknownImplementationError | BrokenImplementationError:
        for plugin in self.plugins:
            for refusal in plugin.refusals:
                if (refusal.role, refusal.name) == (role, name):
                    return BrokenImplementationError(
                        role=role, name=name, owner=plugin.owner, reason=refusal.reason
                    )
        nearest = near(name, (one.name for one in self.implementations(role)))
        hidden = [text for plugin in self.plugins if (text := _may_hide(plugin))]
        if hidden:
            return HiddenImplementationError(role=role, name=name, near=nearest, hidden="; ".join(hidden))
        return UnknownImplementationError(role=role, name=name, near=nearest)


def _may_hide(plugin: Plugin) -> str | None:
    """Why a plugin may have an implementation that is not here."""
    if plugin.state is PluginState.NOT_CHOSEN:
        return f"{plugin.owner} is left out by SUDOKUMILL_PLUGINS"
    if plugin.reason:
        return f"{plugin.owner} failed to load ({plugin.reason})"
    return None


def _probe(plugin: Plugin, solver: Solver | None) -> Plugin:
    if plugin.state is PluginState.NOT_CHOSEN:
        return plugin
    good: list[Implementation] = []
    refusals = list(plugin.refusals)
    for implementation in plugin.implementations:
        fault = _build_fault(implementation, solver)
        if fault is None:
            good.append(implementation)
        else:
            reason = f"{implementation.role} {implementation.name!r}: {fault}"
            refusals.append(Refusal(reason, implementation.role, implementation.name))
    return settled(plugin, good, refusals)


def _build_fault(implementation: Implementation, solver: Solver | None) -> str | None:
    descriptor = implementation.descriptor
    if isinstance(descriptor, DiggerDescriptor) and descriptor.uses_solver and solver is None:
        return None
    try:
        options = parse_options(implementation, {})
        size_of(implementation, options)
        build(implementation, options, solver)
    except UsageError:
        return None
    except PluginError as error:
        return str(error.fields.get("reason", error))
    return None
