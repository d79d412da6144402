"""Jobs that are ordered and run on this machine, with the plugin that does wrong what it is told to."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sudokumill.formats import FORMATS
from sudokumill.jobs import JobKind, JobSpec, Part
from sudokumill.orders import Order, specify
from sudokumill.queue.direct import DirectResult, run_direct
from sudokumill.queue.local import run_local
from sudokumill.registry import Registry, load_registry
from sudokumill.settings import Settings
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.placing import place
from sudokumill.store.progress import Progress, progress

LAB = Path(__file__).parents[2] / "faults" / "plugins"
NAMES = {Part.GENERATOR: "native", Part.DIGGER: "native", Part.SOLVER: "native", Part.CHECKER: "exact-cover"}


@dataclass
class Works:
    """A store, and the two runners."""

    database: Database
    registry: Registry
    settings: Settings
    folder: Path

    def spec(self, kind: JobKind, *options: str, **fields: Any) -> JobSpec:
        names = {**NAMES, **{part: fields.pop(part.value) for part in Part if part.value in fields}}
        order = {"kind": kind, "count": 10, "seed": 20240229, "names": names, "options": options, **fields}
        return specify(Order(**order), self.registry)

    def place(self, kind: JobKind, *options: str, processes: int = 1, **fields: Any) -> int:
        return place(self.database, self.spec(kind, *options, **fields), processes=processes).id

    def run(self, job: int, processes: int = 2, watch: Callable[[Progress], None] = lambda now: None) -> Progress:
        settings = self.settings.model_copy(update={"processes": processes})
        return run_local(self.database, job, settings, watch)

    def make(self, kind: JobKind, *options: str, processes: int = 2, **fields: Any) -> Progress:
        return self.run(self.place(kind, *options, processes=processes, **fields), processes)

    def direct(self, kind: JobKind, *options: str, path: Path, processes: int = 2, **fields: Any) -> DirectResult:
        settings = self.settings.model_copy(update={"processes": processes})
        spec = self.spec(kind, *options, **fields)
        return run_direct(spec, settings, path, FORMATS["line"], lambda made, tried: None)

    def progress(self, job: int) -> Progress:
        return progress(self.database, job)

    def delivered(self, job: int) -> list[tuple[Any, ...]]:
        """What the job delivered, without what says when and where it was made."""
        found = self.progress(job)
        rows = []
        for row in delivered_rows(self.database, found):
            values = dict(row._mapping)
            for name in ("job_id", "chunk_id"):
                values.pop(name, None)
            rows.append(tuple(values.values()))
        return rows

    def lines(self, job: int) -> list[str]:
        """The grids that the job delivered."""
        found = self.progress(job)
        field = "digits" if found.kind in {JobKind.GENERATE, JobKind.SOLVE} else "clues"
        return [getattr(row, field) for row in delivered_rows(self.database, found)]


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_registry(plugin_dir=LAB)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "empty.db"
    database = Database(f"sqlite:///{path}")
    schema.upgrade(database)
    database.dispose()
    return path


@pytest.fixture
def works(tmp_path: Path, empty_store: Path, registry: Registry) -> Iterator[Works]:
    path = tmp_path / "works.db"
    shutil.copyfile(empty_store, path)
    url = f"sqlite:///{path}"
    settings = Settings(database_url=url, plugin_dir=LAB, chunk_seconds=0.5, dry_positions=500)
    made = Works(Database(url), registry, settings, tmp_path)
    yield made
    made.database.dispose()


@pytest.fixture
def new_works(empty_store: Path, registry: Registry) -> Callable[[Path], Works]:
    """Makes another store, for a comparison of two."""

    def make(folder: Path) -> Works:
        folder.mkdir()
        shutil.copyfile(empty_store, folder / "works.db")
        url = f"sqlite:///{folder / 'works.db'}"
        settings = Settings(database_url=url, plugin_dir=LAB, chunk_seconds=0.5, dry_positions=500)
        return Works(Database(url), registry, settings, folder)

    return make
