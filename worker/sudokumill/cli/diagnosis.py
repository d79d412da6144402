"""What ``doctor`` finds: versions, database, plugins, settings, and what is wrong with them."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ByteSize

import sudokumill
from sudokumill.cli.fleet import ago, differences, state_of
from sudokumill.cli.waking import why_it_waits
from sudokumill.contracts import Role, Solver
from sudokumill.errors import BadSettingError, SudokumillError, near
from sudokumill.jobs import Part
from sudokumill.queue.address import parse_address
from sudokumill.registry import Plugin, PluginState, Registry, load_registry
from sudokumill.registry.building import detail_of
from sudokumill.registry.discovery import find_sources
from sudokumill.settings import Settings, load_settings
from sudokumill.store import reading, schema
from sudokumill.store.database import Database
from sudokumill.store.progress import open_jobs, progress
from sudokumill.store.workers import needs_of, workers

_JOBS_SHOWN: Final = 20
_PREFIX: Final = "SUDOKUMILL_"
_SECRET: Final = re.compile(r"PASSW|SECRET|TOKEN|KEY|CREDENTIAL")
_PASSWORD: Final = re.compile(r"(://[^\s/@]*:)[^\s/@]*@")
_PACKAGES: Final = ("celery", "redis", "sqlalchemy", "alembic", "pluggy", "psycopg", "numpy", "pydantic")


def diagnose() -> dict[str, Any]:
    """Looks at everything that orders need.

    Returns:
        ``versions``, ``database``, ``broker``, ``workers``, ``plugins``, ``implementations`` (those that have
        something to tell of this machine) and ``settings``, each by name; and ``problems``, one line each, which
        says what to do. A setting that cannot be used hides the others.
    """
    try:
        settings = load_settings()
    except BadSettingError as error:
        return {
            "versions": _versions(),
            "database": {},
            "broker": {},
            "workers": {},
            "plugins": {},
            "implementations": {},
            "settings": {},
            "problems": [
                f"{error}; mend the variable or unset it, then run sudokumill doctor again",
                *_unknown_settings(None, Registry(())),
            ],
        }
    problems: list[str] = []
    database = _database(settings, problems)
    broker = _broker(settings, problems)
    # a server that does not answer is waited for once
    crews = _workers(settings, problems) if database["state"] == "reachable" else {}
    registry = _registry(settings, problems)
    problems[:0] = _unknown_settings(settings.plugin_dir, registry)
    return {
        "versions": _versions(),
        "database": database,
        "broker": broker,
        "workers": crews,
        "plugins": _plugins(registry),
        "implementations": _details(registry, problems),
        "settings": _settings(settings) | _plugin_settings(registry),
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
            if database.path is None:
                # a file may be locked by somebody for long; of a server this is known at once
                database.check_writable()
            about |= {f"{table}s": rows for table, rows in reading.counts(database).items()}
        return {**about, "state": "reachable"}
    except SudokumillError as error:
        problems.append(str(error))
        return {"state": "cannot be used"}


def _broker(settings: Settings, problems: list[str]) -> dict[str, str]:
    """Whether workers can be woken; that there is no broker is no problem."""
    if settings.broker_url is None:
        return {}
    from sudokumill.queue.broker import check_broker  # noqa: PLC0415 - Celery is heavy

    try:
        check_broker(settings, takes=True)
        return {"url": _shown_broker(settings), "state": "reachable"}
    except SudokumillError as error:
        problems.append(str(error))
        return {"state": "cannot be used"}


def _workers(settings: Settings, problems: list[str]) -> dict[str, str]:
    """The fleet: who lives, and whether all have the same; what is wrong with the database is said elsewhere."""
    try:
        database = Database(settings.database_url)
        if database.path is not None and not database.path.exists():
            return {}
        schema.require(database)
        rows = workers(database)
    except SudokumillError:
        return {}
    problems += differences(rows)
    if settings.broker_url is not None:
        problems += _waiting(database)
    return {
        f"{number}": f"{one.crew.node}: {state_of(one)}, {', '.join(one.crew.kinds)}, "
        f"{_counted(one.crew.processes, 'process')}, {one.chunks_done:,} chunks, {one.rows_done:,} rows, "
        f"last heartbeat {ago(one.silent)}"
        for number, one in enumerate((one for one in rows if one.crew.job is None), 1)
    }


def _waiting(database: Database) -> list[str]:
    """Why jobs wait that no live worker takes, the oldest first."""
    reasons: dict[tuple[str, ...], str | None] = {}
    stuck: list[tuple[int, str]] = []
    for job, spec in open_jobs(database):
        wants = (spec.kind.value, *sorted(needs_of(spec)))
        if wants not in reasons:
            reasons[wants] = why_it_waits(database, spec)
        reason = reasons[wants]
        if reason is not None:
            stuck.append((job, reason))
    lines = [
        f"job {job} waits: {reason}" for job, reason in stuck[:_JOBS_SHOWN] if not progress(database, job).at_work
    ]
    more = len(stuck) - _JOBS_SHOWN
    return lines + ([f"{more:,} more jobs wait that no live worker takes"] if more > 0 else [])


def _registry(settings: Settings, problems: list[str]) -> Registry:
    """The plugins, and whether the implementations that orders take by default can be built."""
    try:
        registry = load_registry(settings.plugins, settings.plugin_dir)
    except SudokumillError as error:
        problems.append(str(error))
        return Registry(())
    for plugin in registry.plugins:
        if plugin.state in {PluginState.FAILED, PluginState.PARTLY}:
            problems.append(f"{plugin.owner}: {plugin.reason}; mend, update or uninstall it")
    _try_defaults(registry, settings, problems)
    return registry


def _plugins(registry: Registry) -> dict[str, str]:
    return {
        plugin.name: f"{plugin.distribution or plugin.source} {plugin.version or ''}: {plugin.state.value}, "
        f"{_counted(len(plugin.implementations), 'implementation')}"
        for plugin in registry.plugins
    }


def _details(registry: Registry, problems: list[str]) -> dict[str, str]:
    """What implementations tell of this machine; one that cannot is a problem and hides no other."""
    told = {}
    for role in Role:
        for one in registry.implementations(role):
            try:
                detail = detail_of(one)
            except SudokumillError as error:
                _say_once(str(error), problems)
                continue
            if detail is not None:
                told[f"{role} {one.reference}"] = detail
    return told


def _try_defaults(registry: Registry, settings: Settings, problems: list[str]) -> None:
    """Builds what orders take that name nothing; the digger last, for it may be given the solver."""
    built: dict[Part, object] = {}
    for part in sorted(Part, key=lambda part: part is Part.DIGGER):
        try:
            found = registry.find(part.role, getattr(settings, part.value))
            solver = cast("Solver | None", built.get(Part.SOLVER))
            built[part] = registry.build(found, registry.options(found, {}), solver=solver)
        except BadSettingError as error:
            _say_once(str(error), problems)  # whoever reads that setting objects to it
        except SudokumillError as error:
            problems.append(f"{part.value} of orders that name none: {error}")


def _say_once(problem: str, problems: list[str]) -> None:
    if not any(problem in said for said in problems):
        problems.append(problem)


def _counted(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("s") else "s"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{plural}"


def _unknown_settings(plugin_dir: Path | None, registry: Registry) -> list[str]:
    """Variables with our prefix that nothing reads: most probably mistyped.

    What goes on with a plugin's name is held against what its implementations declare; of one that was not loaded
    that is not known, and nothing is said.
    """
    known = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    loaded = {_prefix_of(plugin.name): _declared(plugin) for plugin in registry.plugins if plugin.implementations}
    try:
        plugins = {source.identity.name for source in find_sources(plugin_dir)}
    except SudokumillError:
        plugins = set()  # the folder's fault is told where plugins are loaded
    silent = tuple({_prefix_of(name) for name in plugins} - loaded.keys())
    declared = [name for names in loaded.values() for name in names]
    unknown = [
        name
        for name in sorted(os.environ)
        if name.upper().startswith(_PREFIX)
        and name.upper() not in [*known, *declared]
        and not name.upper().startswith(silent)
    ]
    # what begins with a plugin's name is held against that plugin's, if it has any
    return [
        f"{name} is not a setting; "
        + near(
            name, next((own for start, own in loaded.items() if own and name.startswith(start)), known + declared)
        )
        for name in unknown
    ]


def _prefix_of(plugin: str) -> str:
    """What the names of a plugin's variables begin with."""
    return f"{_PREFIX}{re.sub(r'[^A-Z0-9]', '_', plugin.upper())}_"


def _declared(plugin: Plugin) -> list[str]:
    """The variables that a plugin says it reads, so far as their names are its own."""
    names = {name for one in plugin.implementations for name in one.descriptor.environment}
    return sorted(name for name in names if name.startswith(_prefix_of(plugin.name)))


def _plugin_settings(registry: Registry) -> dict[str, str]:
    """Every variable that a plugin declares, with what it is set to, but for what may be secret."""
    return {
        name: _shown_variable(name, os.environ.get(name, ""))
        for plugin in registry.plugins
        for name in _declared(plugin)
    }


def _shown_variable(name: str, value: str) -> str:
    if value and _SECRET.search(name):
        return "(set)"
    return _PASSWORD.sub(r"\1***@", value) or "(not set)"


def _settings(settings: Settings) -> dict[str, Any]:
    shown = {f"{_PREFIX}{name.upper()}": _shown(value) for name, value in settings if value is not None}
    try:
        shown["SUDOKUMILL_DATABASE_URL"] = Database(settings.database_url).name
    except SudokumillError:
        # a URL that cannot be parsed may still hold a password
        shown["SUDOKUMILL_DATABASE_URL"] = "(not a usable URL)"
    if settings.broker_url is not None:
        shown["SUDOKUMILL_BROKER_URL"] = _shown_broker(settings)
    return shown


def _shown(value: object) -> object:
    if isinstance(value, ByteSize):
        return value.human_readable()
    return str(value) if isinstance(value, Path) else value


def _shown_broker(settings: Settings) -> str:
    try:
        return parse_address(settings.broker_url or "").shown
    except SudokumillError:
        return "(not a usable URL)"
