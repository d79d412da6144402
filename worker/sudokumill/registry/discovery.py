"""Where plugins come from: the entry points of installed distributions, and a folder of one-file plugins.

Nothing of a plugin is imported here; a ``Source`` only knows how to do it.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Final

from sudokumill.errors import PluginFolderError, UnknownPluginError, near
from sudokumill.hookspecs import PROJECT
from sudokumill.registry.plugins import PluginIdentity

ALL: Final = "all"
NONE: Final = "none"


@dataclass(frozen=True)
class Source:
    """A plugin that can be loaded."""

    identity: PluginIdentity
    load: Callable[[], object]
    """Imports the plugin; raises whatever its code raises."""


def find_sources(plugin_dir: Path | None) -> list[Source]:
    """Every plugin that is here, sorted by name and source, so that no order of installation shows.

    Raises:
        PluginFolderError: the folder cannot be read.
    """
    found = _installed(distributions())
    if plugin_dir is not None:
        found += _files(plugin_dir)
    return sorted(found, key=lambda source: (source.identity.name, source.identity.owner, source.identity.source))


def chosen_names(plugins: str | None, sources: Iterable[Source]) -> frozenset[str]:
    """The names that a setting leaves in.

    Args:
        plugins: ``all`` (as None and the empty text), ``none``, or names parted by commas.
        sources: what there is to choose from.

    Raises:
        UnknownPluginError: a name that no plugin has.
    """
    known = frozenset(source.identity.name for source in sources)
    setting = (plugins or ALL).strip()
    if setting in ("", ALL):
        return known
    if setting == NONE:
        return frozenset()
    names = frozenset(name for part in setting.split(",") if (name := part.strip()))
    for name in sorted(names - known):
        raise UnknownPluginError(name=name, near=near(name, known))
    return names


def load_file(path: Path) -> ModuleType:
    """Runs a one-file plugin as module ``sudokumill_plugin_STEM``.

    Its folder is not put on ``sys.path``: a file there named ``json.py`` must not shadow anything. The module is
    put into ``sys.modules``, where dataclasses and pydantic look up annotations, and stays there if it loads.
    """
    name = f"sudokumill_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _installed(found: Iterable[Distribution]) -> list[Source]:
    """Sources of the entry-point group.

    ``importlib.metadata.entry_points`` was rejected: one unreadable ``entry_points.txt`` of any distribution
    stops it, and it parses those of all of them.
    """
    sources: list[Source] = []
    seen: set[str] = set()
    for distribution in found:
        try:
            text = distribution.read_text("entry_points.txt") or ""
        except (OSError, UnicodeDecodeError):
            continue
        if not re.search(rf"^\s*\[\s*{PROJECT}\s*\]", text, re.MULTILINE):
            continue
        name, version = _name_and_version(distribution)
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key not in seen:  # the first one on sys.path is the one that is imported
            seen.add(key)
            sources += _entry_points(distribution, name, version)
    return sources


def _name_and_version(distribution: Distribution) -> tuple[str, str | None]:
    names, versions = (distribution.metadata.get_all(key) for key in ("Name", "Version"))
    return names[0] if names else "unnamed distribution", versions[0] if versions else None


def _entry_points(distribution: Distribution, name: str, version: str | None) -> list[Source]:
    try:
        entries = list(distribution.entry_points.select(group=PROJECT))
    except Exception as error:
        fault = ImportError(f"entry_points.txt of {name} cannot be read: {error}")
        return [Source(PluginIdentity(name, name, version, "entry_points.txt"), _raiser(fault))]
    return [
        Source(PluginIdentity(entry.name, name, version, entry.value), _entry_loader(entry)) for entry in entries
    ]


def _entry_loader(entry: EntryPoint) -> Callable[[], object]:
    def load() -> object:
        loaded: object = entry.load()
        return loaded

    return load


def _raiser(error: Exception) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load


def _files(folder: Path) -> list[Source]:
    """One source a ``*.py`` file; what begins with an underscore is the author's own, with ``test_`` a test."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".py" and path.is_file())
    except OSError as error:
        raise PluginFolderError(path=folder, reason=error.strerror or str(error)) from error
    return [
        Source(PluginIdentity(path.stem, None, None, str(path)), _file_loader(path))
        for path in paths
        if not path.stem.startswith(("_", "test_"))
    ]


def _file_loader(path: Path) -> Callable[[], object]:
    return lambda: load_file(path)
