"""A database server that is stopped at once, in every moment of a chunk's end, or takes no more connections."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, LiteralString

import psycopg
import pytest

from servers.postgresql import PostgreSQL

pytestmark = pytest.mark.slow

ORDER = ("enqueue", "generate", "--count", 20)
PATIENT = ("generate", "--generator", "lab", "--option", "pause=0.004", "--chunk", 50)
SLOW = (*PATIENT, "--count", 600)


def test_the_database_is_killed_and_comes_back_while_chunks_are_made(new_fleet: Any) -> None:
    with PostgreSQL() as server, new_fleet(server.url(server.new_database())) as fleet:
        worker = fleet.worker(processes=2)
        main = worker.celery
        job = fleet.order(
            "generate", "--generator", "lab", "--option", "pause=0.004", "--count", 1_000, "--chunk", 50
        )
        fleet.until(lambda: fleet.progress(job).delivered >= 200, "a fifth of it")
        server.stop("immediate")
        worker.says("ERROR/sudokumill.reaper")
        # at the end of a chunk, or at the claim of the next one
        worker.says("ERROR/ForkPoolWorker")
        done = fleet.command(*ORDER, code=1)
        server.start()
        fleet.wait_for(job)
        fleet.check(job, 1_000)
        worker.says("database and broker can be used again")
        assert worker.celery == main
        assert server.password not in worker.log + done.stdout + done.stderr
        assert "Traceback" not in worker.log


def test_who_watches_a_job_waits_for_a_database_that_goes_away(new_fleet: Any) -> None:
    with PostgreSQL() as server, new_fleet(server.url(server.new_database())) as fleet:
        fleet.worker()
        job = fleet.order(*PATIENT, "--count", 3_000)
        watched = fleet.start("jobs", "watch", job)
        # its first connection is there, or it could not begin
        assert watched.stderr is not None
        assert "of 3,000" in watched.stderr.readline()
        server.stop("immediate")
        time.sleep(4)
        assert watched.poll() is None
        server.start()
        fleet.wait_for(job)
        said, errors = watched.communicate(timeout=60)
        assert watched.returncode == 0, errors
        assert "3,000" in said
        lines = [line for line in errors.splitlines() if line.startswith("sudokumill: ")]
        assert len(lines) == 2, errors
        assert lines[0].endswith("; waiting for it for up to 10 min")
        assert lines[1] == "sudokumill: the database is back"


# what makes a chunk's end stand still in some moment, how that is seen, and what lets it go on
_SLEEP: LiteralString = """
    CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
"""
MOMENTS: dict[str, tuple[LiteralString, LiteralString, LiteralString]] = {
    "in the middle of an insert": (
        _SLEEP + "CREATE TRIGGER linger AFTER INSERT ON final EXECUTE FUNCTION linger()",
        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%INSERT%'",
        "DROP TRIGGER linger ON final",
    ),
    "within COMMIT, before it counts": (
        _SLEEP + "CREATE CONSTRAINT TRIGGER linger AFTER UPDATE ON chunk DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW WHEN (NEW.state = 'done') EXECUTE FUNCTION linger()",
        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query = 'COMMIT'",
        "DROP TRIGGER linger ON chunk",
    ),
    # the rows are on the disk, and whoever stored them waits for a standby that does not come
    "within COMMIT, after it counts": (
        "ALTER SYSTEM SET synchronous_standby_names TO 'nobody'",
        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
        "ALTER SYSTEM RESET synchronous_standby_names",
    ),
}


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A server that may be stopped, and loses nothing of what it said was there."""
    with PostgreSQL(fsync=True) as made:
        yield made


def _do(url: str, *statements: LiteralString) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        # or this would wait for the standby, too
        connection.execute("SET synchronous_commit TO local")
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_database_is_stopped_at_once(new_fleet: Any, server: PostgreSQL, moment: str) -> None:
    stop, seen, go_on = MOMENTS[moment]
    url = server.url(server.new_database())
    with new_fleet(url) as fleet:
        worker = fleet.worker(processes=2)
        main = worker.celery
        job = fleet.order(*SLOW)
        fleet.until(lambda: fleet.progress(job).delivered >= 100, "some rows")
        _do(url, stop, "SELECT pg_reload_conf()")
        with psycopg.connect(url, autocommit=True) as connection:
            fleet.until(lambda: connection.execute(seen).fetchone(), f"a chunk {moment}")
        server.stop("immediate")
        worker.says("made again when the database is back")
        server.start()
        _do(url, go_on, "SELECT pg_reload_conf()")
        fleet.wait_for(job)
        fleet.check(job, 600)
        assert fleet.progress(job).tried == 600
        assert worker.celery == main
        assert server.password not in worker.log
        assert "Traceback" not in worker.log


@contextlib.contextmanager
def _all_connections(url: str) -> Iterator[Callable[[], None]]:
    """Somebody who takes every connection there is, those of others too."""
    with contextlib.ExitStack() as taken:
        first = taken.enter_context(psycopg.connect(url, autocommit=True))
        others: LiteralString = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE usename = current_user AND NOT pid = ANY(%s)"
        )
        mine = [first.info.backend_pid]

        def take() -> None:
            first.execute(others, (mine,))
            with contextlib.suppress(psycopg.OperationalError):
                while True:
                    more = taken.enter_context(psycopg.connect(url, autocommit=True))
                    mine.append(more.info.backend_pid)

        take()
        yield take


def test_a_database_that_takes_no_more_connections(new_fleet: Any) -> None:
    with PostgreSQL(max_connections=12, superuser_reserved_connections="0", max_wal_senders="0") as server:
        url = server.url(server.new_database())
        with new_fleet(url) as fleet:
            worker = fleet.worker(processes=2)
            job = fleet.order(*SLOW)
            fleet.until(lambda: fleet.progress(job).delivered >= 100, "some rows")
            before = fleet.progress(job).delivered
            fleet.database.dispose()
            with _all_connections(url) as take:

                def refused() -> bool:
                    take()
                    return "takes no more connections" in worker.log

                fleet.until(refused, "workers that are refused")
                done = fleet.command(*ORDER, code=1)
                assert "takes no more connections" in done.stderr
            fleet.wait_for(job)
            assert fleet.progress(job).delivered > before
            fleet.check(job, 600)
            assert [row.id for row in fleet.jobs()] == [job], "the order that was refused is not there"
            assert "Traceback" not in worker.log
