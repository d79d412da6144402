"""What ``doctor`` finds: versions, database, plugins, settings, and what is wrong with them."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import version
from typing import Any, Final

import sudokumill
from sudokumill.contracts import Role
from sudokumill.errors import BadSettingError, SudokumillError
from sudokumill.jobs import Part
from sudokumill.registry import PluginState, load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store import reading, schema
from sudokumill.store.database import Database

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
            "problems": [f"{error}; mend the variable or unset it, then run sudokumill doctor again"],
        }
    problems: list[str] = []
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
            return {**about, "state": "not there yet; the first order makes it"}
        found = schema.revision_of(database)
        about["schema"] = found or "empty"
        if found is not None:
            schema.require(database)
            about |= {f"{table}s": f"{rows:,}" for table, rows in reading.counts(database).items()}
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
    for part in Part:
        name = getattr(settings, part.value)
        try:
            found = registry.find(part.role, name)
            registry.build(found, registry.options(found, {})) if part.role is not Role.DIGGER else None
        except SudokumillError as error:
            problems.append(f"{part.value} of orders that name none: {error}")
    return {
        plugin.name: f"{plugin.distribution or plugin.source} {plugin.version or ''}: {plugin.state.value}, "
        f"{len(plugin.implementations)} implementations"
        for plugin in registry.plugins
    }


def _settings(settings: Settings) -> dict[str, str]:
    shown = {f"SUDOKUMILL_{name.upper()}": str(value) for name, value in settings if value is not None}
    try:
        shown["SUDOKUMILL_DATABASE_URL"] = Database(settings.database_url).name
    except SudokumillError:
        # a URL that cannot be parsed may still hold a password
        shown["SUDOKUMILL_DATABASE_URL"] = "(not a usable URL)"
    return shown
