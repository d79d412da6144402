from __future__ import annotations

from sudokumill.contracts import Role
from sudokumill.registry import PluginState, Registry


def test_every_built_in_plugin_loads_whole(registry: Registry) -> None:
    states = {plugin.name: plugin.state for plugin in registry.plugins}
    assert states.items() >= {"classic": PluginState.LOADED, "native": PluginState.LOADED}.items()


def test_every_method_is_there_by_name(registry: Registry) -> None:
    names = {role: {one.name for one in registry.implementations(role)} for role in Role}
    assert names[Role.GENERATOR] >= {
        "native",
        "random-row",
        "matrix-transform",
        "las-vegas",
        "template-permutation",
    }
    assert names[Role.DIGGER] >= {"native", "holes"}
    assert names[Role.SOLVER] >= {"native", "exact-cover", "dfs", "random-blank"}


def test_everything_can_be_built_with_its_defaults(registry: Registry) -> None:
    probed = registry.probed()
    for role in Role:
        assert probed.implementations(role) == registry.implementations(role)
