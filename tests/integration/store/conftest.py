"""A store in each kind of database, and a line that makes of each position what the test says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import numpy as np
import pytest
from sqlalchemy import select

from servers.postgresql import PostgreSQL
from servers.states import guard
from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill.grids.description import describe
from sudokumill.grids.isomorphisms import draw
from sudokumill.jobs import Choice, Distinct, JobKind, JobSpec, Part
from sudokumill.rows import Batch, FinalRows, ItemError, LevelRows, ReportSum
from sudokumill.store import leases, schema
from sudokumill.store.advance import Pace, advance
from sudokumill.store.audit import Account, audit
from sudokumill.store.database import Database
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.leases import Claim, Hold, Holder
from sudokumill.store.models import Base, Chunk, JobState
from sudokumill.store.placing import Placed, place
from sudokumill.store.progress import Progress, progress
from sudokumill.streams import Streams, position_seeds

FINAL = from_lines(["826495173759213864134786925978562341312974658645138792467851239291347586583629417"])
MANY = 3_000

_EMPTY: LiteralString = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    DELETE FROM item_error; DELETE FROM solution; DELETE FROM grade; DELETE FROM delivery;
    DELETE FROM puzzle; DELETE FROM final;
    DELETE FROM input; DELETE FROM chunk; DELETE FROM job; DELETE FROM worker; DELETE FROM moved;
    ALTER SEQUENCE job_id_seq RESTART; ALTER SEQUENCE chunk_id_seq RESTART
"""

Content = Callable[[int], int | None]
"""Number of the final that a position makes; None for an item error. Negative: a puzzle off target."""


@dataclass
class Mill:
    """Steps of a job's life, with numbers for finals."""

    database: Database
    finals: Grids
    pace: Pace
    remove: Callable[[], None]

    def __post_init__(self) -> None:
        self.numbers = {line: number for number, line in enumerate(to_lines(self.finals))}

    def close(self) -> None:
        """Ends the connections and removes the store."""
        self.database.dispose()
        self.remove()

    def spec(self, count: int = 10, kind: JobKind = JobKind.GENERATE, **fields: Any) -> JobSpec:
        role = Part.SOLVER if kind is JobKind.SOLVE else Part.GENERATOR
        parts = {role: Choice(name="fake", version="1")}
        return JobSpec(**{"kind": kind, "count": count, "seed": 1, "parts": parts, "rate": 1000.0, **fields})

    def place(self, count: int = 10, kind: JobKind = JobKind.GENERATE, **fields: Any) -> int:
        return self.placed(count, kind, **fields).id

    def placed(
        self,
        count: int = 10,
        kind: JobKind = JobKind.GENERATE,
        *,
        key: str | None = None,
        inputs: Any = (),
        lines: Any = None,
        **fields: Any,
    ) -> Placed:
        return place(self.database, self.spec(count, kind, **fields), key=key, inputs=inputs, lines=lines)

    def claim(self, job: int, lease: float = 60.0, owner: str = "elsewhere:1:1") -> Claim:
        held = leases.claim(self.database, Holder(owner, owner, lease), job=job)
        assert held is not None, "no chunk waits"
        return held

    def claims(self, job: int) -> list[Claim]:
        """Every chunk that waits."""
        held: list[Claim] = []
        while (
            one := leases.claim(self.database, Holder("elsewhere:1:1", "elsewhere", 60.0), job=job)
        ) is not None:
            held.append(one)
        return held

    def class_of(self, number: int) -> int:
        """Three finals each are of one class: to the store, any grid may stand for others as their form."""
        return abs(number) // 3

    def made(
        self, start: int, stop: int, content: Content, kind: JobKind, distinct: Distinct = Distinct.EXACT
    ) -> Made:
        made = Made(reached=start)
        # two batches, so that there is a border inside of a chunk
        for low, high in ((start, (start + stop) // 2), ((start + stop) // 2, stop)):
            if low < high:
                made.add(self.batch(low, high, content, kind, distinct), (high - low) / 1_000, high)
        return made

    def batch(
        self, start: int, stop: int, content: Content, kind: JobKind, distinct: Distinct = Distinct.EXACT
    ) -> Batch:
        numbers = [(position, content(position)) for position in range(start, stop)]
        errors = tuple(
            ItemError(position, Part.GENERATOR, "fake==1 of plugin fake", "broken")
            for position, number in numbers
            if number is None
        )
        good = [(position, number) for position, number in numbers if number is not None]
        positions = np.array([position for position, _ in good], dtype=np.int64)
        finals = self.finals[[abs(number) for _, number in good]]
        reports = {"tries": ReportSum(float(len(good)), float(len(good)), 1.0, 1.0)} if good else {}
        forms = self.finals[[self.class_of(number) for _, number in good]]
        if kind is JobKind.GENERATE:
            rows_of = FinalRows(positions, finals, forms if distinct is Distinct.ISOMORPH else None)
            return Batch(rows_of, errors, reports)
        puzzles = finals.copy()
        puzzles[:, :9] = 0
        rows = LevelRows(
            positions=positions,
            finals=finals,
            puzzles=puzzles,
            on_target=np.array([number >= 0 for _, number in good], dtype=np.bool_),
            nodes=np.zeros(len(good), dtype=np.int64),
            minimal=np.zeros(len(good), dtype=np.int8),
            descriptions=describe(puzzles),
            forms=forms,
        )
        return Batch(rows, errors, reports)

    def finish(self, held: Claim, content: Content, stop: int | None = None, rest: Hold = Hold.GO_ON) -> None:
        spec = progress(self.database, held.job).spec
        made = self.made(held.start, held.stop if stop is None else stop, content, spec.kind, spec.distinct)
        finish(
            self.database,
            prepare(
                self.database,
                held,
                made,
                versions={"generator": "fake==1"},
                new=spec.new,
                licence="CC0-1.0",
                distinct=spec.distinct,
                rest=rest,
            ),
        )

    def advance(self, job: int) -> JobState:
        return advance(self.database, job, self.pace)

    def run(self, job: int, content: Content) -> Progress:
        """To its end, one chunk after another."""
        while not self.advance(job).ended:
            self.finish(self.claim(job), content)
        return self.progress(job)

    def progress(self, job: int) -> Progress:
        return progress(self.database, job)

    def audit(self, job: int, patience: float = 0.0) -> Account:
        """The oracle's answer, which must have nothing to complain of."""
        found = audit(self.database, job, patience)
        assert found.broken == ()
        return found

    def delivered(self, job: int) -> list[tuple[int, int]]:
        """(position, number) of what the job delivered."""
        found = self.progress(job)
        field = "digits" if found.kind is JobKind.GENERATE else "solution"
        return [(row.position, self.numbers[getattr(row, field)]) for row in delivered_rows(self.database, found)]

    def rows(self, table: type[Base]) -> list[Any]:
        with self.database.read() as connection:
            return list(connection.execute(select(table)).all())

    def chunks(self, job: int) -> list[Any]:
        """The job's chunks, by their first position."""
        return sorted((row for row in self.rows(Chunk) if row.job_id == job), key=lambda row: (row.start, row.id))


@pytest.fixture(scope="session")
def many_finals() -> Grids:
    seeds = position_seeds(5, np.arange(MANY))
    return draw(Streams(seeds)).apply(np.repeat(FINAL, MANY, axis=0))


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the newest schema and nothing in it."""
    path = tmp_path_factory.mktemp("store") / "empty.db"
    database = Database(f"sqlite:///{path}")
    schema.upgrade(database)
    guard(database)
    database.dispose()
    return path


@pytest.fixture(scope="session")
def empty_database(postgresql_server: PostgreSQL) -> str:
    """Name of a PostgreSQL database with the newest schema and nothing in it."""
    name = postgresql_server.new_database()
    database = Database(postgresql_server.url(name))
    schema.upgrade(database)
    guard(database)
    database.dispose()
    return name


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def new_mill(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, many_finals: Grids
) -> Callable[[], Mill]:
    """Makes an empty store, of each kind of database in turn; ``close`` it."""

    def in_file() -> Mill:
        path = tmp_path_factory.mktemp("mill") / "mill.db"
        shutil.copyfile(request.getfixturevalue("empty_file"), path)
        return Mill(Database(f"sqlite:///{path}"), many_finals, Pace(1, 0.01, 60), path.unlink)

    free: list[str] = []

    def on_server() -> Mill:
        server: PostgreSQL = request.getfixturevalue("postgresql_server")
        server.start()
        # to empty a database takes a tenth of the time of making one
        name = free.pop() if free else server.new_database(request.getfixturevalue("empty_database"))

        def empty() -> None:
            server.execute(_EMPTY, name)
            free.append(name)

        return Mill(Database(server.url(name)), many_finals, Pace(1, 0.01, 60), empty)

    return in_file if request.param == "sqlite" else on_server


@pytest.fixture
def mill(new_mill: Callable[[], Mill]) -> Iterator[Mill]:
    made = new_mill()
    yield made
    made.close()
