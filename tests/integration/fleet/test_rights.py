"""A database that takes orders and not the rows: a right that is missing, or a disk that is full."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from servers.postgresql import PostgreSQL

CLERK = "clerk_of_the_fleet"


@pytest.fixture(scope="module")
def clerk(postgresql_server: PostgreSQL) -> str:
    """A user whose password is their name, and who has no right yet."""
    postgresql_server.execute(f"CREATE ROLE {CLERK} LOGIN PASSWORD '{CLERK}'")
    return CLERK


@pytest.fixture
def office(
    new_fleet: Callable[..., Any], postgresql_server: PostgreSQL, clerk: str
) -> Iterator[tuple[Any, Callable[[str], None]]]:
    """A fleet whose workers are the clerk, and what changes the clerk's rights."""
    with new_fleet() as fleet:
        name = fleet.database_url.rpartition("/")[2]
        url = postgresql_server.url(name, user=clerk, password=clerk)
        fleet.env["SUDOKUMILL_DATABASE_URL"] = url

        def execute(statement: Any) -> None:
            postgresql_server.execute(statement, name)

        execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {clerk}")
        execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {clerk}")
        yield fleet, execute
        execute(f"DROP OWNED BY {clerk}")


@pytest.mark.parametrize("right", ["TEMPORARY", "INSERT"])
def test_a_worker_that_could_store_nothing_is_refused(office: Any, right: str) -> None:
    fleet, execute = office
    name = fleet.database_url.rpartition("/")[2]
    execute(
        f"REVOKE {right} ON "
        + (f"DATABASE {name} FROM PUBLIC" if right == "TEMPORARY" else f"puzzle FROM {CLERK}")
    )
    refused = fleet.command("worker", code=1)
    [line] = refused.stderr.splitlines()
    assert f"user {CLERK} lacks a right (permission denied" in line
    assert ("temporary tables" if right == "TEMPORARY" else "table puzzle") in line


@pytest.mark.slow
def test_rows_that_cannot_be_stored_are_not_made_again_and_again(office: Any) -> None:
    fleet, execute = office
    worker = fleet.worker(processes=2)
    execute(f"REVOKE INSERT ON final FROM {CLERK}")
    job = fleet.order("generate", "--count", 20, "--chunk", 5)
    worker.says("permission denied for table final")
    time.sleep(5)
    # two processes, after 0, 0.5, 1.5, 3.5, 7.5 s
    assert worker.log.count("permission denied for table final") <= 10
    execute(f"GRANT INSERT ON final TO {CLERK}")
    fleet.wait_for(job)
    fleet.check(job, 20)
    assert {(row.state, row.attempt) for row in fleet.chunks(job)} == {("done", 1)}


@pytest.mark.slow
def test_a_worker_that_waits_for_a_right_ends_when_it_is_told_to(office: Any) -> None:
    fleet, execute = office
    worker = fleet.worker()
    execute(f"REVOKE INSERT ON final FROM {CLERK}")
    fleet.order("generate", "--count", 5)
    worker.says("permission denied for table final", times=4)
    began = time.monotonic()
    assert worker.end() == 0
    assert time.monotonic() - began < 30
