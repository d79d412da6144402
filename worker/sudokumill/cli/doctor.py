"""``doctor``: what is here, what is reachable, and what is wrong."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import version
from typing import Any, Final

import click

import sudokumill
from sudokumill.cli.console import out, plain_table, print_json
from sudokumill.contracts import Role
from sudokumill.errors import SudokumillError
from sudokumill.jobs import Part
from sudokumill.registry import PluginState, load_registry
from sudokumill.settings import Settings, load_settings
from sudokumill.store import reading, schema
from sudokumill.store.database import Database

_PACKAGES: Final = ("celery", "redis", "sqlalchemy", "alembic", "pluggy", "psycopg", "numpy", "pydantic")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Says which versions are here, whether plugins and database work, the settings, and what to mend.

    Ends with 1 if something is wrong.

    \b
    Example:
      sudokumill doctor
    """
    settings = load_settings()
    problems: list[str] = []
    report = {
        "versions": _versions(),
        "database": _database(settings, problems),
        "plugins": _plugins(settings, problems),
        "settings": _settings(settings),
        "problems": problems,
    }
    if as_json:
        print_json(report)
    else:
        console = out()
        for title in ("versions", "database", "plugins", "settings"):
            table = plain_table(title, "")
            for name, value in report[title].items():  # type: ignore[attr-defined]
                table.add_row(name, str(value))
            console.print(table)
            console.print()
        for problem in problems:
            console.print(f"wrong: {problem}")
        if not problems:
            console.print("nothing is wrong")
    ctx.exit(1 if problems else 0)


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
