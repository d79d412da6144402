from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import PluginFolderError, UnknownPluginError
from sudokumill.registry import PluginState, load_registry

Write = Callable[[str, str], Path]
Install = Callable[..., None]

GOOD = """
@hookimpl
def sudokumill_register_generators():
    yield generator("{name}")
"""


def test_a_file_is_a_plugin(write_plugin: Write) -> None:
    folder = write_plugin("mine", GOOD.format(name="images"))
    registry = load_registry("mine", folder)
    (plugin,) = (plugin for plugin in registry.plugins if plugin.name == "mine")
    assert (plugin.state, plugin.reason, plugin.distribution) == (PluginState.LOADED, "", None)
    assert plugin.source == str(folder / "mine.py")
    assert registry.find(Role.GENERATOR, "images").owner == f"plugin mine ({folder / 'mine.py'})"


def test_an_entry_point_is_a_plugin(install: Install) -> None:
    install("lone-dist", GOOD.format(name="images"), version="2.5", entry="lone")
    registry = load_registry("lone")
    (plugin,) = (plugin for plugin in registry.plugins if plugin.name == "lone")
    assert (plugin.distribution, plugin.version, plugin.source) == ("lone-dist", "2.5", "lone_dist")
    found = registry.find(Role.GENERATOR, "images")
    assert found.owner == "plugin lone (lone-dist 2.5)"
    assert found.reference == "images==1.0"


def test_a_distribution_that_is_there_twice_counts_once(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("twice-dist", GOOD.format(name="images"), version="2.0")
    older = tmp_path / "older" / "Twice_Dist-1.0.dist-info"
    older.mkdir(parents=True)
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: Twice.Dist\nVersion: 1.0\n")
    (older / "entry_points.txt").write_text("[sudokumill]\ntwice-dist = twice_dist\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(older.parent)])
    (plugin,) = (plugin for plugin in load_registry("twice-dist").plugins if plugin.name == "twice-dist")
    assert plugin.version == "2.0"


def test_an_unreadable_entry_point_file_is_one_failed_plugin(install: Install) -> None:
    install("garbled-dist", "", entry_points="[sudokumill]\nno equals sign here\n")
    install("other-dist", GOOD.format(name="images"))
    registry = load_registry()
    (plugin,) = (plugin for plugin in registry.plugins if plugin.distribution == "garbled-dist")
    assert plugin.state is PluginState.FAILED
    assert "entry_points.txt of garbled-dist" in plugin.reason
    assert registry.find(Role.GENERATOR, "images").plugin.name == "other-dist"


def test_none_runs_no_code_and_all_is_the_default(write_plugin: Write, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    folder = write_plugin("mine", f"open({str(trace)!r}, 'w').close()\n" + GOOD.format(name="images"))
    none = load_registry("none", folder)
    assert {plugin.state for plugin in none.plugins} == {PluginState.NOT_CHOSEN}
    assert not trace.exists()
    for setting in (None, "", "all", " all "):
        registry = load_registry(setting, folder)
        assert registry.find(Role.GENERATOR, "images").name == "images"
    assert trace.exists()


def test_a_list_of_names_leaves_the_others_out(write_plugin: Write) -> None:
    for name in ("first", "second", "third"):
        folder = write_plugin(name, GOOD.format(name=name))
    registry = load_registry("third, first", folder)
    states = {plugin.name: plugin.state for plugin in registry.plugins}
    assert states["first"] is states["third"] is PluginState.LOADED
    assert states["second"] is PluginState.NOT_CHOSEN


def test_a_name_that_no_plugin_has_is_refused_with_near_ones(write_plugin: Write) -> None:
    folder = write_plugin("stripes", GOOD.format(name="images"))
    with pytest.raises(UnknownPluginError, match=r"names plugin 'stripe'.*did you mean stripes\?"):
        load_registry("stripe", folder)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PluginFolderError, match=r"absent cannot be used: No such file.*SUDOKUMILL_PLUGIN_DIR"):
        load_registry("none", tmp_path / "absent")
    (tmp_path / "file").touch()
    with pytest.raises(PluginFolderError, match="Not a directory"):
        load_registry("none", tmp_path / "file")


def test_only_python_files_without_underscore_are_plugins(write_plugin: Write) -> None:
    folder = write_plugin("mine", GOOD.format(name="images"))
    (folder / "_shared.py").write_text("raise SystemExit(3)")
    (folder / "test_mine.py").write_text("raise SystemExit(3)")
    (folder / "notes.txt").write_text("no plugin")
    (folder / "package.py").mkdir()
    names = {plugin.name for plugin in load_registry(None, folder).plugins if plugin.distribution is None}
    assert names == {"mine"}


def test_the_folder_shadows_no_module(write_plugin: Write) -> None:
    folder = write_plugin("json", GOOD.format(name="images"))
    path = list(sys.path)
    before = sys.modules["json"]
    load_registry("json", folder)
    assert sys.path == path
    assert sys.modules["json"] is before
    assert sys.modules["sudokumill_plugin_json"].__file__ == str(folder / "json.py")


def test_a_file_that_fails_leaves_no_module(write_plugin: Write) -> None:
    folder = write_plugin("half", "raise RuntimeError('half way')")
    load_registry("half", folder)
    assert "sudokumill_plugin_half" not in sys.modules


def test_the_list_is_the_same_each_time(write_plugin: Write, install: Install) -> None:
    for name in ("zebra", "ant", "mole"):
        folder = write_plugin(name, GOOD.format(name=name))
        install(f"{name}-dist", GOOD.format(name=f"{name}-two"))
    first, second = (load_registry(None, folder) for _ in range(2))
    assert [plugin.owner for plugin in first.plugins] == [plugin.owner for plugin in second.plugins]
    names = [implementation.name for implementation in first.implementations(Role.GENERATOR)]
    assert names == sorted(names)


def test_loading_the_registry_imports_nothing_heavy() -> None:
    code = (
        "import sys; from sudokumill.registry import load_registry; load_registry()\n"
        "print([name for name in ('sqlalchemy', 'celery', 'click', 'rich', 'alembic') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
