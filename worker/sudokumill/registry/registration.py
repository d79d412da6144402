"""From a plugin's source to its checked descriptors. Nothing is built."""

from __future__ import annotations

import inspect
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

import pluggy

from sudokumill import hookspecs
from sudokumill.contracts import (
    API_VERSION,
    Descriptor,
    DiggerDescriptor,
    GeneratorDescriptor,
    GraderDescriptor,
    Options,
    Role,
    SolverDescriptor,
    Technique,
)
from sudokumill.errors import near
from sudokumill.registry.discovery import Source
from sudokumill.registry.faults import fault_text
from sudokumill.registry.plugins import AnyDescriptor, Implementation, Plugin, PluginIdentity, PluginState, Refusal

HOOKS: Final = {
    Role.GENERATOR: "sudokumill_register_generators",
    Role.DIGGER: "sudokumill_register_diggers",
    Role.SOLVER: "sudokumill_register_solvers",
    Role.GRADER: "sudokumill_register_graders",
}

DESCRIPTORS: Final[dict[Role, type[Descriptor[Any]]]] = {
    Role.GENERATOR: GeneratorDescriptor,
    Role.DIGGER: DiggerDescriptor,
    Role.SOLVER: SolverDescriptor,
    Role.GRADER: GraderDescriptor,
}

METHODS: Final = {Role.GENERATOR: "generate", Role.DIGGER: "dig", Role.SOLVER: "solve", Role.GRADER: "grade"}
"""The method that the object of each role must have."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VERSION: Final = re.compile(r"[^\s=]+")
_VARIABLE: Final = re.compile(r"SUDOKUMILL_[A-Z0-9]+_[A-Z0-9_]+")

_LONGEST_GRADER: Final = 100
_LONGEST_NAME: Final = 100

CODE: Final = _NAME
"""What a technique's code looks like."""

LONGEST_CODE: Final = 60
"""Characters of a technique's code at the most."""


def load_plugin(source: Source) -> Plugin:
    """Imports a plugin, calls its hooks and checks what they give.

    Nothing that the plugin does is raised, except ``KeyboardInterrupt``; it is in ``state`` and ``reason``.
    """
    try:
        module = source.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return settled(source.identity, [], [Refusal(f"import failed: {fault_text(error)}")])
    found, refusals = register(module, source.identity)
    return settled(source.identity, found, refusals)


def settled(identity: PluginIdentity, found: Iterable[Implementation], refusals: Iterable[Refusal]) -> Plugin:
    """The plugin with its state and reason, as they follow from what was found and what was refused."""
    found, refusals = tuple(found), tuple(refusals)
    state = PluginState.PARTLY if found else PluginState.FAILED
    if not refusals:
        state = PluginState.LOADED
    return Plugin(
        identity.name,
        identity.distribution,
        identity.version,
        identity.source,
        state,
        "; ".join(refusal.reason for refusal in refusals),
        found,
        refusals,
    )


def register(module: object, identity: PluginIdentity) -> tuple[list[Implementation], list[Refusal]]:
    """Calls the hooks of one plugin.

    Each plugin has a pluggy manager of its own, and each of its hooks is called by itself: in a common one, the
    first that raises would end the call for all that come after it.

    Returns:
        What can be used, and what was refused.
    """
    try:
        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        manager.register(module, identity.name)
        calls = manager.get_hookcallers(module) or []
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return [], [Refusal(f"its hooks are wrong: {fault_text(error)}")]
    refusals = [*_unknown_hooks(calls), *_unmarked_hooks(module)]
    if not calls and not refusals:
        return [], [Refusal(f"it implements no hook; mark a function {HOOKS[Role.GENERATOR]} with @hookimpl")]
    found: list[Implementation] = []
    for role, hook in HOOKS.items():
        given: list[object] = []
        for impl in getattr(manager.hook, hook).get_hookimpls():
            refusals += _collect(impl, hook, given)
        good, bad = _checked(role, given, identity)
        found += good
        refusals += bad
    return found, refusals


def descriptor_fault(role: Role, given: object) -> str | None:
    """What is wrong with something that was registered for a role; None when nothing is.

    Only what can be seen without building anything. A factory that is a class is asked for its method already.
    """
    wanted = DESCRIPTORS[role]
    if not isinstance(given, wanted):
        return f"{HOOKS[role]} must give {wanted.__name__}, not {_kind(given)}"
    return next(_descriptor_faults(role, given), None)


def _descriptor_faults(role: Role, given: Any) -> Iterator[str]:  # nothing that it declares is to be believed
    # The version first: what a newer API allows elsewhere must not look like a mistake.
    version = given.api_version
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        yield f"api_version must be a whole number above 0, not {version!r}"
    elif version > API_VERSION:
        yield f"it was built for API version {version}, this sudokumill has {API_VERSION}; update sudokumill"
    if not isinstance(given.name, str) or not _NAME.fullmatch(given.name):
        yield "its name must be lower-case letters, digits and single hyphens"
    if not isinstance(given.version, str) or not _VERSION.fullmatch(given.version):
        yield f"its version must be text without spaces and '=', not {given.version!r}"
    if not isinstance(given.summary, str) or not given.summary.strip() or "\n" in given.summary:
        yield "its summary must be one line of text"
    if not callable(given.factory):
        yield f"its factory must be callable, not {_kind(given.factory)}"
    elif isinstance(given.factory, type) and not callable(getattr(given.factory, METHODS[role], None)):
        yield f"{given.factory.__name__} has no method {METHODS[role]}"
    if not isinstance(given.options, type) or not issubclass(given.options, Options):
        yield f"its options must be a subclass of sudokumill.contracts.Options, not {_kind(given.options)}"
    else:
        yield from _schema_fault(given.options)
    if not isinstance(given.rate, int | float) or not 0 < given.rate < math.inf:
        yield f"its rate must be a number of rows a second above 0, not {given.rate!r}"
    if given.detail is not None and not callable(given.detail):
        yield f"its detail must be a function that gives a line of text, not {_kind(given.detail)}"
    if not isinstance(given.environment, tuple) or not all(
        isinstance(name, str) and _VARIABLE.fullmatch(name) for name in given.environment
    ):
        yield "its environment must be a tuple of names SUDOKUMILL_<PLUGIN>_... with the plugin's name"
    yield from _faults_of_its_role(given)


def _faults_of_its_role(given: Any) -> Iterator[str]:
    if isinstance(given, GeneratorDescriptor) and given.size is not None and not callable(given.size):
        yield f"its size must be a function of the options, not {_kind(given.size)}"
    if isinstance(given, DiggerDescriptor) and not isinstance(given.uses_solver, bool):
        yield f"its uses_solver must be True or False, not {_kind(given.uses_solver)}"
    engine: object = given.engine if isinstance(given, DiggerDescriptor | SolverDescriptor) else None
    if engine is not None and not (isinstance(engine, str) and _NAME.fullmatch(engine)):
        yield "its engine must be None, or lower-case letters, digits and single hyphens"
    if isinstance(given, GraderDescriptor):
        yield from _faults_of_a_grader(given)


def _faults_of_a_grader(given: Any) -> Iterator[str]:
    if max(len(str(given.name)), len(str(given.version))) > _LONGEST_GRADER:
        yield f"its name and its version stand beside each grade: {_LONGEST_GRADER} letters at the most"
    techniques, scale, extras = given.techniques, given.scale, given.extras
    if not isinstance(techniques, tuple) or not all(isinstance(one, Technique) for one in techniques):
        yield "its techniques must be a tuple of Technique"
        return
    for one in techniques:
        if not isinstance(one.code, str) or not _NAME.fullmatch(one.code) or len(one.code) > LONGEST_CODE:
            yield f"code {one.code!r}: lower-case letters, digits and single hyphens, {LONGEST_CODE} at the most"
        elif not _is_number(one.rating):
            yield f"technique {one.code}: its rating must be a number, not {one.rating!r}"
        elif not isinstance(one.name, str) or not (one.name.isprintable() and len(one.name) <= _LONGEST_NAME):
            yield f"technique {one.code}: its name must be one line of {_LONGEST_NAME} letters at the most"
    twice = [code for code, times in Counter(given.codes).items() if times > 1]
    if twice:
        yield f"technique {twice[0]} is declared twice"
    if scale is not None and not (
        isinstance(scale, tuple) and len(scale) == 2 and all(map(_is_number, scale)) and scale[0] <= scale[1]
    ):
        yield f"its scale must be None, or the least and the greatest rating, not {scale!r}"
    elif scale is not None and not all(scale[0] <= one.rating <= scale[1] for one in techniques):
        yield "a technique has a rating outside its scale"
    if not _are_limits(given.clue_limits):
        yield "its clue_limits must be a tuple of (rating, clues), with clues from 17 to 81"
    if not isinstance(extras, tuple) or not all(isinstance(name, str) and name.isidentifier() for name in extras):
        yield "its extras must be a tuple of names, each of letters, digits and underscores"


def _are_limits(given: object) -> bool:
    return isinstance(given, tuple) and all(
        isinstance(one, tuple) and len(one) == 2 and all(map(_is_number, one)) and one[1] in range(17, 82)
        for one in given
    )


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)


def _schema_fault(options: type[Options]) -> Iterator[str]:
    """Options are shown by their JSON schema, in lists and in messages; pydantic makes none of some types."""
    try:
        options.model_json_schema()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield f"its options have no JSON schema: {fault_text(error)}"


def _unknown_hooks(calls: list[pluggy.HookCaller]) -> Iterator[Refusal]:
    """Marked functions that are no hook of this API, unless their author marked them optional."""
    for call in calls:
        if not call.has_spec() and not all(impl.optionalhook for impl in call.get_hookimpls()):
            yield Refusal(f"there is no hook {call.name}; {near(call.name, HOOKS.values())}")


def _unmarked_hooks(module: object) -> Iterator[Refusal]:
    """Functions that are named like a hook and lack the mark, so that pluggy does not see them."""
    for hook in HOOKS.values():
        function = inspect.getattr_static(module, hook, None)
        if inspect.isroutine(function) and not hasattr(function, f"{hookspecs.PROJECT}_impl"):
            yield Refusal(f"{hook} lacks @hookimpl (from sudokumill.hookspecs import hookimpl)")


def _collect(impl: pluggy.HookImpl, hook: str, given: list[object]) -> Iterator[Refusal]:
    """Adds what a hook gives to ``given``; what came before it raised is kept."""
    if impl.hookwrapper or impl.wrapper:
        yield Refusal(f"{hook} is a wrapper; hooks only register, there is nothing to wrap")
        return
    try:
        result = impl.function()
        if isinstance(result, str) or not isinstance(result, Iterable):
            yield Refusal(f"{hook} gave {_kind(result)}; it must yield descriptors or return a list of them")
            return
        for item in result:
            given.append(item)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield Refusal(f"{hook} raised {fault_text(error)}")


def _checked(
    role: Role, given: list[object], identity: PluginIdentity
) -> tuple[list[Implementation], list[Refusal]]:
    good: list[Implementation] = []
    bad: list[Refusal] = []
    for item in given:
        name = item.name if isinstance(item, Descriptor) and isinstance(item.name, str) else None
        fault = descriptor_fault(role, item)
        if fault is None:
            good.append(Implementation(role, cast("AnyDescriptor", item), identity))
        else:
            bad.append(Refusal(f"{role} {name!r}: {fault}" if name is not None else fault, role, name))
    # Twice the same name in one plugin: as between two plugins, neither may win by its place.
    counts = Counter(implementation.name for implementation in good)
    for name, count in counts.items():
        if count > 1:
            bad.append(Refusal(f"{role} {name!r}: registered {count} times", role, name))
    return [one for one in good if counts[one.name] == 1], bad


def _kind(given: object) -> str:
    return repr(given) if given is None else f"a {type(given).__name__}"
