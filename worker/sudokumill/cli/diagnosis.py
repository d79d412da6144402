"""What ``doctor`` finds: versions, database, plugins, settings, and what is wrong with them."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

import sudokumill
from sudokumill.contracts import Solver
from sudokumill.errors import BadSettingError, SudokumillError, near
from sudokumill.jobs import Part
from sudokumill.registry import PluginState, Registry, load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store import reading, schema
from sudokumill.store.database import Database

_PREFIX: Final = "SUDOKUMILL_"
_PACKAGES: Final = ("celery", "redis", "sqlalchemy", "alembic", "pluggy", "psycopg", "numpy", "pydantic")


def diagnose() -> dict[str, Any]:
    """Looks at everything that orders need.

    Returns:
        ``versions``, ``database``, ``plugins`` and ``settings``, each by name; and ``problems``, one line each,
        which says what to do. A setting that cannot be used hides the others.
    """
    try:
        settings = load_settings()
    except BadSettingError as error:
        return {
            "versions": _versions(),
            "database": {},
            "plugins": {},
            "settings": {},
            "problems": [
                f"{error}; mend the variable or unset it, then run sudokumill doctor again",
                *_unknown_settings(),
            ],
        }
    problems = _unknown_settings()
    return {
        "versions": _versions(),
        "database": _database(settings, problems),
        "plugins": _plugins(settings, problems),
        "settings": _settings(settings),
        "problems": problems,
    }


def _versions() -> dict[str, str]:
    return {
        "sudokumill": sudokumill.__version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{package: version(package) for package in _PACKAGES},
    }


def _database(settings: Settings, problems: list[str]) -> dict[str, Any]:
    """Whether the store can be used; a SQLite file that is not there yet is no problem."""
    try:
        database = Database(settings.database_url)
        about: dict[str, Any] = {"url": database.name}
        if database.path is not None and not database.path.exists():
            folder = database.path.absolute().parent
            if not folder.is_dir() or not os.access(folder, os.W_OK):
                problems.append(f"{database.name} cannot be made: {folder} is no folder that you may write to")
            return {**about, "state": "not there yet; the first order makes it"}
        found = schema.revision_of(database)
        about["schema"] = found or "empty"
        if found is not None:
            schema.require(database)
            about |= {f"{table}s": rows for table, rows in reading.counts(database).items()}
        return {**about, "state": "reachable"}
    except SudokumillError as error:
        problems.append(str(error))
        return {"state": "cannot be used"}


def _plugins(settings: Settings, problems: list[str]) -> dict[str, str]:
    """Each plugin's state, and whether the implementations that orders take by default are here."""
    try:
        registry = load_registry(settings.plugins, settings.plugin_dir)
    except SudokumillError as error:
        problems.append(str(error))
        return {}
    for plugin in registry.plugins:
        if plugin.state in {PluginState.FAILED, PluginState.PARTLY}:
            problems.append(f"{plugin.owner}: {plugin.reason}; mend, update or uninstall it")
    _try_defaults(registry, settings, problems)
    return {
        plugin.name: f"{plugin.distribution or plugin.source} {plugin.version or ''}: {plugin.state.value}, "
        f"{_counted(len(plugin.implementations), 'implementation')}"
        for plugin in registry.plugins
    }


def _try_defaults(registry: Registry, settings: Settings, problems: list[str]) -> None:
    """Builds what orders take that name nothing; the digger last, for it may be given the solver."""
    built: dict[Part, object] = {}
    for part in sorted(Part, key=lambda part: part is Part.DIGGER):
        try:
            found = registry.find(part.role, getattr(settings, part.value))
            solver = cast("Solver | None", built.get(Part.SOLVER))
            built[part] = registry.build(found, registry.options(found, {}), solver=solver)
        except SudokumillError as error:
            problems.append(f"{part.value} of orders that name none: {error}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _unknown_settings() -> list[str]:
    """Variables with our prefix that nothing reads: most probably mistyped."""
    known = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    return [
        f"{name} is not a setting; {near(name, known)}"
        for name in sorted(os.environ)
        if name.upper().startswith(_PREFIX) and name.upper() not in known
    ]


def _settings(settings: Settings) -> dict[str, Any]:
    shown = {
        f"{_PREFIX}{name.upper()}": str(value) if isinstance(value, Path) else value
        for name, value in settings
        if value is not None
    }
    try:
        shown["SUDOKUMILL_DATABASE_URL"] = Database(settings.database_url).name
    except SudokumillError:
        # a URL that cannot be parsed may still hold a password
        shown["SUDOKUMILL_DATABASE_URL"] = "(not a usable URL)"
    return shown
