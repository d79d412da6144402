"""``doctor --worker``: when a worker of this machine counts as healthy, and when not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from sudokumill.jobs import Choice, JobKind, JobSpec, Part
from sudokumill.store import leases, schema, steering, workers
from sudokumill.store.database import Database, Now
from sudokumill.store.health import health_everywhere, health_here
from sudokumill.store.leases import Holder
from sudokumill.store.models import Chunk, Job, Worker
from sudokumill.store.owners import owner_name
from sudokumill.store.placing import place
from sudokumill.store.workers import Crew

PATIENCE = 180.0
LONG_AGO = 1_000.0
KINDS = (JobKind.GENERATE, JobKind.LEVELS)

Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'mill.db'}")
    schema.upgrade(made)
    yield made
    made.dispose()


@pytest.fixture
def here(database: Database) -> str:
    """A worker, which is this process; it started long ago, beats, and did nothing yet."""
    return beating(database, owner_name())


def beating(database: Database, name: str, **more: Any) -> str:
    crew = Crew(name, "w1@here", KINDS, 2, ("generator fake==1",), {}, **more)
    workers.beat(database, crew, patience=45)
    with database.write() as connection:
        connection.execute(update(Worker).where(Worker.name == name).values(started_at=Now() - LONG_AGO))
    return name


def ordered(
    database: Database, ago: float = LONG_AGO, kind: JobKind = JobKind.GENERATE, made_by: str = "fake"
) -> int:
    parts = {Part.GENERATOR: Choice(name=made_by, version="1")}
    job = place(database, JobSpec(kind=kind, count=5, seed=1, parts=parts, rate=1_000.0)).id
    then = datetime.now(UTC) - timedelta(seconds=ago)
    with database.write() as connection:
        connection.execute(update(Job).where(Job.id == job).values(ordered_at=then))
    return job


def stuck(database: Database) -> list[int]:
    """Jobs for which the workers here let chunks wait."""
    return [job for each in health_here(database, PATIENCE) for job in each.waiting]


def test_a_worker_with_nothing_to_do_is_healthy(database: Database, here: str) -> None:
    [found] = health_here(database, PATIENCE)
    assert found.worker.crew.name == here
    assert found.worker.alive
    assert found.idle == pytest.approx(LONG_AGO, abs=5)
    assert not found.waiting


@pytest.mark.usefixtures("here")
def test_a_chunk_that_waits_beside_an_idle_worker_speaks_against_it(database: Database) -> None:
    job = ordered(database)
    assert stuck(database) == [job]
    steering.pause(database, job)
    assert stuck(database) == []


@pytest.mark.usefixtures("here")
def test_a_job_that_was_just_ordered_does_not(database: Database) -> None:
    ordered(database, ago=PATIENCE / 2)
    assert stuck(database) == []


@pytest.mark.usefixtures("here")
def test_a_job_of_a_newer_version_does_not(database: Database) -> None:
    ordered(database)
    with database.write() as connection:
        spec = connection.execute(select(Job.spec)).scalar_one()
        connection.execute(update(Job).values(spec={**spec, "new_field": 1}))
    assert stuck(database) == []
    other = ordered(database)
    assert stuck(database) == [other]


@pytest.mark.usefixtures("here")
def test_chunks_for_others_do_not(database: Database) -> None:
    ordered(database, made_by="unheard-of")
    ordered(database, kind=JobKind.DIG)
    assert stuck(database) == []


def test_a_worker_that_took_up_a_chunk_of_late_is_healthy(database: Database, here: str) -> None:
    job = ordered(database)
    held = leases.claim(database, Holder("elsewhere:1:1", here, 60.0), job=job)
    assert held is not None
    other = ordered(database)
    assert stuck(database) == []
    with database.write() as connection:
        connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(claimed_at=Now() - PATIENCE - 20))
    assert stuck(database) == [other]
    [found] = health_here(database, PATIENCE)
    assert found.idle == pytest.approx(PATIENCE + 20, abs=5)


def test_only_workers_whose_process_is_here_are_looked_at(database: Database, here: str) -> None:
    machine, pid, _ = here.split(":")
    beating(database, f"{machine}:{pid}:1")  # another process had this number before
    beating(database, f"another-host/boot/1:{pid}:1")
    beating(database, f"{here}0")
    left = beating(database, here)
    assert [each.worker.crew.name for each in health_here(database, PATIENCE)] == [here]
    workers.leave(database, left)
    assert health_here(database, PATIENCE) == []


def test_a_run_on_one_machine_is_no_worker_of_the_fleet(database: Database) -> None:
    beating(database, owner_name(), job=ordered(database))
    assert health_here(database, PATIENCE) == []


@pytest.fixture
def check(database: Database, tmp_path: Path) -> Check:
    """Runs ``doctor --worker``, or another command; returns its exit code and what it printed."""

    def run(*command: str, **settings: str) -> tuple[int, str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SUDOKUMILL_")}
        done = subprocess.run(
            [sys.executable, "-m", "sudokumill", *(command or ("doctor", "--worker"))],
            env={**kept, "SUDOKUMILL_DATABASE_URL": str(database.url), **settings},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_the_command_says_in_one_line_why(database: Database, check: Check) -> None:
    assert check() == (1, "unhealthy: no worker runs on this machine\n", "")
    here = beating(database, owner_name())
    code, said, error = check()
    assert (code, error) == (0, "")
    assert re.fullmatch(r"healthy: w1@here beat \d+ s ago, 0 chunks in hand, 0 done\n", said)
    job = ordered(database)
    code, said, _ = check()
    assert code == 1
    assert re.match(
        rf"unhealthy: w1@here has neither taken up nor ended a chunk for 10\d\d s, but chunks of job {job} wait",
        said,
    )
    with database.write() as connection:
        silent = {"beaten_at": Now() - 50, "live_until": Now() - 5}
        connection.execute(update(Worker).where(Worker.name == here).values(**silent))
    code, said, _ = check()
    assert code == 1
    assert re.match(r"unhealthy: w1@here has not beaten for \d\d s", said)


def test_without_a_database_it_is_an_error_in_one_line(check: Check, database: Database, tmp_path: Path) -> None:
    database.dispose()
    for file in tmp_path.glob("mill.db*"):
        file.unlink()
    code, said, error = check()
    assert (code, said) == (1, "")
    assert error.startswith("sudokumill: there is no database at ")
    assert error.count("\n") == 1


@pytest.mark.usefixtures("here")
def test_the_doctor_finds_an_old_job_that_waits_behind_many_new_ones(database: Database, check: Check) -> None:
    waits = [ordered(database, made_by="unheard-of"), ordered(database, kind=JobKind.DIG)]
    for _ in range(30):
        ordered(database)
    # that nobody sends messages there is another line of it
    _, said, _ = check("doctor", SUDOKUMILL_BROKER_URL="redis://127.0.0.1:1/0")
    lines = [line for line in said.splitlines() if "waits:" in line]
    assert lines == [
        f"wrong: job {waits[0]} waits: no live worker has generator unheard-of; start one that has",
        f"wrong: job {waits[1]} waits: no worker takes dig jobs now; start one: sudokumill worker",
    ]


SILENCE = 45.0


def test_workers_of_other_machines_are_looked_at_where_that_tells_something(database: Database) -> None:
    """A chunk that was claimed long after the last heartbeat was claimed by a worker whose reaper hangs."""
    hangs, gone = (beating(database, f"{name}/boot/1:7:1") for name in ("hangs", "gone"))
    for worker in (hangs, gone):
        assert leases.claim(database, Holder(worker, worker, 600.0), job=ordered(database)) is not None
    with database.write() as connection:
        silent = {"beaten_at": Now() - 300, "live_until": Now() - 255}
        connection.execute(update(Worker).values(**silent))
        connection.execute(update(Chunk).where(Chunk.worker == gone).values(claimed_at=Now() - 290))
    assert [each.worker.crew.name for each in health_everywhere(database, PATIENCE, SILENCE)] == [hangs]
    idle = beating(database, "idle/boot/1:7:1")
    waits = ordered(database)
    found = {each.worker.crew.name: each for each in health_everywhere(database, PATIENCE, SILENCE)}
    assert found.keys() == {hangs, idle}
    assert (found[hangs].waiting, found[idle].waiting) == ((), (waits,))
    assert not found[hangs].worker.alive
    workers.leave(database, hangs)
    workers.leave(database, idle)
    assert health_everywhere(database, PATIENCE, SILENCE) == []


def test_the_doctor_says_what_is_wrong_with_the_workers_of_the_fleet(database: Database, check: Check) -> None:
    assert check("doctor")[1].endswith("nothing is wrong\n")
    here, away = beating(database, owner_name()), beating(database, "away/boot/1:7:1")
    assert check("doctor")[0] == 0
    job = ordered(database)
    code, said, _ = check("doctor")
    assert code == 1
    wrong = [line for line in said.splitlines() if line.startswith("wrong: ")]
    assert len(wrong) == 2
    for line in wrong:
        assert re.match(
            rf"wrong: worker w1@here has neither taken up nor ended a chunk for 10\d\d s, but chunks of job {job}",
            line,
        )
    workers.leave(database, away)
    steering.pause(database, job)
    with database.write() as connection:
        silent = {"beaten_at": Now() - 50, "live_until": Now() - 5}
        connection.execute(update(Worker).where(Worker.name == here).values(**silent))
    code, said, _ = check("doctor")
    assert code == 1
    assert re.search(r"^wrong: worker w1@here has not beaten for \d\d s", said, re.MULTILINE)


def test_jobs_of_a_newer_version_do_not_keep_others_from_being_listed(database: Database, check: Check) -> None:
    old, new = ordered(database), ordered(database)
    with database.write() as connection:
        connection.execute(update(Job).where(Job.id == new).values(kind="weave"))
    code, said, error = check("jobs", "list", "--json")
    assert (code, [job["job"] for job in json.loads(said)]) == (0, [old])
    assert error == (
        f"sudokumill: job {new} was ordered by a newer sudokumill, which this one cannot read; update sudokumill\n"
    )
