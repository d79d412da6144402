"""Which database a worker and an order use where SUDOKUMILL_DATABASE_URL is not set, or empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.fleet import Fleet
from sudokumill.jobs import JobKind
from sudokumill.queue.broker import Broker
from sudokumill.settings import Settings
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.publishing import DueChunk

UNSET = {"SUDOKUMILL_DATABASE_URL": None}


@pytest.mark.parametrize("value", ["", "  "])
@pytest.mark.parametrize(
    "command", ["worker", "enqueue levels --count 5", "run levels --count 5", "jobs list", "doctor --worker"]
)
def test_an_empty_url_is_refused(fleet: Fleet, command: str, value: str) -> None:
    done = fleet.command(*command.split(), code=2, env={"SUDOKUMILL_DATABASE_URL": value})
    assert done.stdout == ""
    assert done.stderr.startswith(
        "sudokumill: SUDOKUMILL_DATABASE_URL is empty; unset it for sqlite:///sudokumill.db, or write the URL"
    )
    assert done.stderr.count("\n") == 1
    assert list(fleet.folder.iterdir()) == []


def test_the_doctor_says_that_it_is_empty(fleet: Fleet) -> None:
    done = fleet.command("doctor", code=1, env={"SUDOKUMILL_DATABASE_URL": ""})
    assert "wrong: SUDOKUMILL_DATABASE_URL is empty; unset it" in done.stdout


def test_a_worker_makes_no_database_where_none_was_named(fleet: Fleet) -> None:
    done = fleet.command("worker", code=1, env=UNSET)
    assert done.stderr == (
        "sudokumill: SUDOKUMILL_DATABASE_URL is not set, and there is no sudokumill.db here, so this worker has "
        "no database; set the variable to the one that orders go to\n"
    )
    assert list(fleet.folder.iterdir()) == []


def test_a_worker_says_that_it_uses_the_default_one(fleet: Fleet) -> None:
    database = Database(f"sqlite:///{fleet.folder / 'sudokumill.db'}")
    schema.upgrade(database)
    database.dispose()
    worker = fleet.start("worker", "--concurrency", 1, env=UNSET)
    assert worker.stderr is not None
    assert worker.stderr.readline() == (
        "sudokumill: SUDOKUMILL_DATABASE_URL is not set, so this worker uses sqlite:///sudokumill.db\n"
    )
    worker.terminate()
    worker.communicate(timeout=60)


def test_a_database_that_is_not_there(fleet: Fleet, tmp_path: Path) -> None:
    unset = fleet.command("jobs", "list", code=1, env=UNSET)
    assert "there is no database at sudokumill.db yet; order something first" in unset.stderr
    assert "(SUDOKUMILL_DATABASE_URL is not set; is the database elsewhere?)" in unset.stderr
    elsewhere = {"SUDOKUMILL_DATABASE_URL": f"sqlite:///{tmp_path / 'mill.db'}"}
    named = fleet.command("jobs", "list", code=1, env=elsewhere)
    assert "there is no database at " in named.stderr
    assert "is not set" not in named.stderr


def test_an_order_says_that_its_database_was_not_named(fleet: Fleet) -> None:
    warnings = fleet.outcome("enqueue", "generate", "--count", 5, env=UNSET)["warnings"]
    assert any(
        "waits: SUDOKUMILL_DATABASE_URL is not set, so it is in a file of this machine" in one for one in warnings
    )


def test_who_drops_a_chunk_of_another_database_says_which_it_uses(fleet: Fleet) -> None:
    worker = fleet.worker()
    settings = Settings(broker_url=fleet.broker_url)
    Broker(settings, "0123abcd").publish([DueChunk(41, JobKind.GENERATE)])
    worker.says("dropped chunk 41 of database 0123abcd: this worker's is ")
    [line] = [line for line in worker.log.splitlines() if "dropped chunk" in line]
    assert fleet.database.name in line
    assert "mend SUDOKUMILL_DATABASE_URL; else two databases share this broker" in line
