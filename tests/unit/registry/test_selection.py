from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from sudokumill.contracts import Role
from sudokumill.errors import (
    AmbiguousImplementationError,
    BadOrderError,
    BrokenImplementationError,
    HiddenImplementationError,
    UnknownImplementationError,
    UnknownVersionError,
    UsageError,
)
from sudokumill.registry import PluginState, Registry, load_registry
from sudokumill.testing import ReferenceSolver

Write = Callable[[str, str], Path]
Install = Callable[..., None]

ONE = "@hookimpl\ndef sudokumill_register_generators():\n    yield generator({!r})\n    yield generator({!r})\n"


def _alone(folder: Path) -> Registry:
    """Only the plugins of the folder, so that what is installed adds nothing to a message."""
    loaded = load_registry(",".join(path.stem for path in folder.glob("*.py")), folder)
    return Registry(plugin for plugin in loaded.plugins if plugin.distribution is None)


def test_find_by_name_and_by_version(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", ONE.format("images", "stripes")))
    assert registry.find(Role.GENERATOR, "images").reference == "images==1.0"
    assert registry.find(Role.GENERATOR, "images==1.0").name == "images"
    with pytest.raises(UnknownVersionError, match=r"in version 1.0, but the order names 2.0"):
        registry.find(Role.GENERATOR, "images==2.0")


def test_an_unknown_name_comes_with_near_ones(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", ONE.format("images", "stripes")))
    with pytest.raises(
        UnknownImplementationError, match=r"no generator is named 'stripe'; did you mean stripes\?"
    ) as caught:
        registry.find(Role.GENERATOR, "stripe")
    assert not isinstance(caught.value, HiddenImplementationError)
    with pytest.raises(UnknownImplementationError, match="known: images, stripes"):
        registry.find(Role.GENERATOR, "quite-else")
    with pytest.raises(UnknownImplementationError, match="no solver is named 'images'; there is none"):
        registry.find(Role.SOLVER, "images")


@pytest.mark.parametrize("order", [("same-a", "same-b"), ("same-b", "same-a")])
def test_two_distributions_under_one_name(install: Install, order: tuple[str, str]) -> None:
    """Case C106: neither wins by load order; both are named with versions; other names work."""
    for distribution in order:
        install(distribution, ONE.format("shared", f"only-{distribution}"), version="3.1")
    registry = load_registry("same-a,same-b")
    for reference in ("shared", "shared==1.0"):
        with pytest.raises(
            AmbiguousImplementationError,
            match=r"'shared' is registered by plugin same-a \(same-a 3.1\) and plugin same-b \(same-b 3.1\)",
        ):
            registry.find(Role.GENERATOR, reference)
    for distribution in order:
        assert registry.find(Role.GENERATOR, f"only-{distribution}").plugin.distribution == distribution
    assert load_registry("same-b").find(Role.GENERATOR, "shared").plugin.distribution == "same-b"


def test_the_same_name_in_two_roles_is_no_clash(write_plugin: Write) -> None:
    folder = write_plugin(
        "mine",
        ONE.format("images", "stripes")
        + """
@hookimpl
def sudokumill_register_solvers():
    from sudokumill.testing import ReferenceSolver
    return [SolverDescriptor(name="images", version="2", summary="s", factory=lambda o: ReferenceSolver(), rate=9)]
""",
    )
    registry = _alone(folder)
    assert registry.find(Role.SOLVER, "images").reference == "images==2"
    assert registry.solver("images").solve(np.zeros((1, 81), dtype=np.uint8)).counts.tolist() == [2]


def test_values_are_frozen(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", ONE.format("images", "stripes")))
    with pytest.raises(FrozenInstanceError):
        registry.plugins[0].name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        registry.find(Role.GENERATOR, "images").role = Role.SOLVER  # type: ignore[misc]


BUILDS = """
class Picky(Options):
    n: int = 3

def refuse(options):
    from sudokumill.errors import BadOrderError
    raise BadOrderError(reason="the seed file is not there")

def fail(options):
    raise SystemExit("no device")

class Shovel:
    def __init__(self, options, solver):
        self.solver = solver
    def dig(self, finals, seeds):
        raise NotImplementedError

@hookimpl
def sudokumill_register_generators():
    yield generator("good", options=Picky)
    yield generator("fails", factory=fail)
    yield generator("refuses", factory=refuse)
    yield generator("gives-class", factory=lambda options: Images)
    yield generator("gives-none", factory=lambda options: None)
    yield generator("no-defaults", options=Needy)
    yield generator("sizeless", size=lambda options: 1 // 0)
    yield generator("counts-up", options=Picky, size=lambda options: options.n)

class Needy(Options):
    path: str

@hookimpl
def sudokumill_register_diggers():
    yield DiggerDescriptor(name="shovel", version="1", summary="s", factory=Shovel, rate=1, uses_solver=True)
"""


def test_a_factory_gets_the_checked_options(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", BUILDS))
    assert registry.generator("good", n="7").options.n == 7  # type: ignore[attr-defined]
    assert registry.generator("good==1.0").options.n == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fails", r"its factory raised SystemExit: no device \(mine\.py:\d+\)"),
        ("gives-class", "its factory gave the class Images, not an object of it"),
        ("gives-none", "its factory gave a NoneType without method generate"),
    ],
)
def test_a_factory_that_fails_is_named_with_its_plugin(write_plugin: Write, name: str, reason: str) -> None:
    registry = _alone(write_plugin("mine", BUILDS))
    with pytest.raises(BrokenImplementationError, match=rf"generator '{name}' of plugin mine \(.*\).*{reason}"):
        registry.generator(name)


def test_a_factory_may_refuse_what_was_ordered(write_plugin: Write) -> None:
    with pytest.raises(UsageError, match="the seed file is not there"):
        _alone(write_plugin("mine", BUILDS)).generator("refuses")


def test_a_digger_that_uses_a_solver_gets_it(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", BUILDS))
    solver = ReferenceSolver()
    assert registry.digger("shovel", solver).solver is solver  # type: ignore[attr-defined]
    with pytest.raises(BadOrderError, match="digger 'shovel' digs with the job's solver, and none was given"):
        registry.digger("shovel")


def test_probed_shows_what_only_shows_when_it_is_built(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", BUILDS))
    assert registry.plugins[0].state is PluginState.LOADED
    (probed,) = registry.probed().plugins
    assert probed.state is PluginState.PARTLY
    names = {implementation.name for implementation in probed.implementations}
    assert names == {"good", "refuses", "no-defaults", "shovel", "counts-up"}
    assert "generator 'fails': its factory raised SystemExit" in probed.reason
    assert "generator 'sizeless': its size raised ZeroDivisionError" in probed.reason


def _size(registry: Registry, name: str, **values: object) -> int | None:
    found = registry.find(Role.GENERATOR, name)
    return registry.size_of(found, registry.options(found, values))


def test_only_what_enumerates_has_a_size(write_plugin: Write) -> None:
    registry = _alone(write_plugin("mine", BUILDS))
    assert _size(registry, "good") is None
    assert _size(registry, "counts-up", n=7) == 7
    shovel = registry.find(Role.DIGGER, "shovel")
    assert registry.size_of(shovel, registry.options(shovel, {})) is None


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        ("1 // 0", r"its size raised ZeroDivisionError: .*\(mine\.py:\d+\)"),
        ("exit(2)", "its size raised SystemExit: 2"),
        ("0", "its size must give a whole number above 0, not 0"),
        ("-1", "its size must give a whole number above 0, not -1"),
        ("1e6", "its size must give a whole number above 0, not 1000000.0"),
        ("True", "its size must give a whole number above 0, not True"),
        ("None", "its size must give a whole number above 0, not a NoneType"),
    ],
)
def test_a_size_that_is_none_is_the_plugins_fault(write_plugin: Write, size: str, reason: str) -> None:
    hook = "@hookimpl\ndef sudokumill_register_generators():\n    "
    registry = _alone(write_plugin("mine", f"{hook}yield generator('odd', size=lambda options: {size})\n"))
    with pytest.raises(BrokenImplementationError, match=rf"generator 'odd' of plugin mine .*{reason}"):
        _size(registry, "odd")
    assert "its size" in registry.probed().plugins[0].reason
