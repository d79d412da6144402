"""What all tests share: the cases, the stored puzzles, real servers, and a hypothesis profile that repeats itself.

A *case* is one line of ``data/cases.jsonl``: an input that broke some other tool, with the right answer. It is a
dict with the keys ``id``, ``kind``, ``input``, ``expect``, ``why``, and ``format`` if it is about a text format.

One test body over all cases of a kind, or over some of them; each becomes a test with the case's id in its name::

    @pytest.mark.cases("check")                          # every case of this kind
    @pytest.mark.cases("parse", format="line")           # ... whose field ``format`` is "line"
    @pytest.mark.cases("dig", ids=["C023", "C026"])      # ... only these
    @pytest.mark.cases("dig", without=["C025"])          # ... all but these
    def test_clashes(case: dict[str, Any]) -> None: ...

Single cases by id, from the fixture ``cases``::

    def test_two_solutions(cases: Mapping[str, dict[str, Any]]) -> None:
        grid = cases["C001"]["input"]["grid"]

A file from a case about a text format: the fixture ``case_file`` writes it and returns its path.

Real servers (see the package ``servers``) start when the first test asks, and serve all the others::

    def test_a_wake_up(redis_url: str) -> None: ...         # the server is empty
    def test_the_store(postgresql_url: str) -> None: ...    # a new, empty database
    def test_either(database_url: str) -> None: ...         # twice: a new SQLite file, a new PostgreSQL database
    def test_a_cut(redis_server: Redis) -> None: ...        # may stop, kill and start it

A server with settings of its own is made by the test: ``with PostgreSQL(fsync=True) as server: ...``
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import settings

from servers.postgresql import PostgreSQL
from servers.redis import Redis
from sudokumill.grids.batch import Grids, from_lines

DATA = Path(__file__).parent / "data"

# The examples of a property depend on its source text alone, so that a run can be repeated on any machine; no
# deadline, because a busy machine is not a fault.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

Case = dict[str, Any]


@cache
def _all_cases() -> Mapping[str, Case]:
    lines = (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return MappingProxyType({case["id"]: case for case in map(json.loads, lines)})


def _chosen(
    kind: str, ids: list[str] | None = None, without: list[str] | None = None, **fields: str
) -> list[Case]:
    """The cases that a ``cases`` marker names; that there are none, or not all that were named, is an error."""
    found = {
        name: case
        for name, case in _all_cases().items()
        if case["kind"] == kind and all(case.get(key) == value for key, value in fields.items())
    }
    absent = (set(ids or ()) | set(without or ())) - set(found)
    if absent or not found:
        raise pytest.UsageError(f"no such case: {kind} {fields or ''} {' '.join(sorted(absent))}")
    wanted = set(found if ids is None else ids) - set(without or ())
    return [case for name, case in found.items() if name in wanted]


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker ``cases``."""
    config.addinivalue_line(
        "markers",
        "cases(kind, ids=None, without=None, **fields): runs the test once for each of these cases",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test that is marked with ``cases`` once for each of them."""
    marker = metafunc.definition.get_closest_marker("cases")
    if marker is not None:
        chosen = _chosen(*marker.args, **marker.kwargs)
        metafunc.parametrize("case", chosen, ids=[case["id"] for case in chosen])


@pytest.fixture(scope="session")
def cases() -> Mapping[str, Case]:
    """Every case by its id."""
    return _all_cases()


@pytest.fixture
def case_file(tmp_path: Path) -> Callable[[Case], Path]:
    """Writes the input of a case of kind ``parse`` to a file, byte for byte, and returns its path."""

    def write(case: Case) -> Path:
        given = case["input"]
        if "base64" in given:
            content = base64.b64decode(given["base64"])
        else:
            pieces = given.get("pieces", [{"text": given.get("text"), "times": 1}])
            content = b"".join(piece["text"].encode("utf-8") * piece["times"] for piece in pieces)
        name: str = given.get("filename", f"{case['id']}.txt")
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def _puzzles(name: str) -> Grids:
    grids = from_lines((DATA / name).read_text(encoding="ascii").split())
    grids.setflags(write=False)
    return grids


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder ``tests/data``."""
    return DATA


@pytest.fixture(scope="session")
def minimal_puzzles() -> Grids:
    """1,000 random minimal puzzles, about 24 clues each; shape (1000, 81), read-only."""
    return _puzzles("random_minimal.txt")


@pytest.fixture(scope="session")
def thirty_clue_puzzles() -> Grids:
    """1,000 random puzzles with 30 clues each; shape (1000, 81), read-only."""
    return _puzzles("random_30clue.txt")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis server for all tests; one that stops it need not start it again."""
    with Redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: Redis) -> str:
    """URL, with the password, of a Redis server that holds nothing."""
    redis_server.start()
    redis_server.flush()
    return redis_server.url


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL]:
    """A PostgreSQL server for all tests; one that stops it need not start it again."""
    with PostgreSQL() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql_server: PostgreSQL) -> Iterator[str]:
    """URL, with the password, of a new PostgreSQL database that holds nothing."""
    postgresql_server.start()
    name = postgresql_server.new_database()
    yield postgresql_server.url(name)
    postgresql_server.start()
    postgresql_server.drop_database(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a new database that holds nothing, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'mill.db'}"
    url: str = request.getfixturevalue("postgresql_url")
    return url
