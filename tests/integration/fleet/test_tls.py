"""Encrypted connections to both servers: certificates are checked, and a fleet works as without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from servers.certificates import make_certificate
from servers.postgresql import PostgreSQL
from servers.redis import Redis

pytestmark = pytest.mark.slow

ORDER = ("enqueue", "generate", "--count", 20)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis server that takes only encrypted connections."""
    if not Redis.has_tls():
        pytest.skip("this build of Redis has no TLS")
    with Redis(tmp_path_factory.mktemp("redis-tls"), tls=True) as server:
        yield server


@pytest.fixture(scope="module")
def database() -> Iterator[PostgreSQL]:
    """A PostgreSQL server that takes only encrypted connections."""
    if not PostgreSQL.has_tls():
        pytest.skip("this build of PostgreSQL has no TLS")
    with PostgreSQL(tls=True) as server:
        yield server


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that neither server has."""
    return make_certificate(tmp_path_factory.mktemp("stranger")).file


@pytest.fixture
def tls_fleet(new_fleet: Any, broker: Redis, database: PostgreSQL) -> Iterator[Any]:
    """A fleet of which all connections are encrypted."""
    name = database.new_database()
    made: AbstractContextManager[Any] = new_fleet(
        database_url=database.url(name), SUDOKUMILL_BROKER_URL=broker.url, SUDOKUMILL_REAPER_SECONDS="15"
    )
    with made as fleet:
        yield fleet
    database.drop_database(name)


def test_a_fleet_over_encrypted_connections(tls_fleet: Any) -> None:
    worker = tls_fleet.worker()
    job = tls_fleet.order("levels", "--count", 20)
    tls_fleet.wait_for(job)
    tls_fleet.check(job, 20)
    with tls_fleet.database.read() as connection:
        encrypted = connection.execute(
            text(
                "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = current_database()"
            )
        ).scalars()
        assert {*encrypted} == {True}
    # woken through the broker: its reaper looks only every 15 s
    assert "received" in worker.log
    about = tls_fleet.outcome("doctor")
    assert about["problems"] == []
    assert about["broker"]["url"].startswith("rediss://:***@127.0.0.1:")


def doctor(fleet: Any, code: int, **variables: str) -> list[str]:
    found: list[str] = fleet.outcome("doctor", env=variables, code=code)["problems"]
    return found


def test_the_certificate_of_the_broker_is_checked(tls_fleet: Any, broker: Redis, stranger: Path) -> None:
    plain = broker.url.partition("?")[0]
    for url in (
        f"{plain}?ssl_ca_certs={stranger}",
        plain,  # what the system trusts, and that is not ours
        broker.url.replace("127.0.0.1", "localhost"),  # the certificate is another host's
    ):
        refused = {"SUDOKUMILL_BROKER_URL": url}
        done = tls_fleet.command("worker", env=refused, code=1)
        [line] = done.stderr.splitlines()
        assert line.startswith("sudokumill: the broker rediss://:***@")
        assert "the encrypted connection was not made (" in line
        assert "certificate verify failed" in line
        assert line.endswith(
            "mend ssl_ca_certs in SUDOKUMILL_BROKER_URL, or write redis:// if the server has no TLS"
        )
        assert broker.password not in line
        [warning, _] = tls_fleet.command(*ORDER, env=refused).stderr.splitlines()
        assert "the encrypted connection was not made (" in warning
        [problem, *jobs] = doctor(tls_fleet, 1, **refused)
        assert all("no worker takes generate jobs now" in job for job in jobs)
        assert "the encrypted connection was not made (" in problem


def test_a_certificate_need_not_be_checked(tls_fleet: Any, broker: Redis) -> None:
    url = f"{broker.url.partition('?')[0]}?ssl_cert_reqs=none"
    assert doctor(tls_fleet, 0, SUDOKUMILL_BROKER_URL=url) == []
    tls_fleet.env["SUDOKUMILL_BROKER_URL"] = url
    tls_fleet.worker()
    job = tls_fleet.order(*ORDER[1:])
    tls_fleet.wait_for(job)


def test_a_broker_that_wants_encryption_and_gets_none(tls_fleet: Any, broker: Redis) -> None:
    url = broker.url.partition("?")[0].replace("rediss://", "redis://")
    [problem] = doctor(tls_fleet, 1, SUDOKUMILL_BROKER_URL=url)
    assert "Redis if it wants encryption (rediss://)" in problem


def test_a_broker_without_encryption(tls_fleet: Any, redis_server: Redis) -> None:
    redis_server.start()
    url = redis_server.url.replace("redis://", "rediss://") + "?ssl_cert_reqs=none"
    [problem] = doctor(tls_fleet, 1, SUDOKUMILL_BROKER_URL=url)
    assert "no Redis answered there within 3 s; mend scheme, host and port" in problem


def test_the_certificate_of_the_database_is_checked(tls_fleet: Any, database: PostgreSQL, stranger: Path) -> None:
    for old, new in ((str(database.certificate), str(stranger)), ("127.0.0.1", "localhost")):
        refused = {"SUDOKUMILL_DATABASE_URL": tls_fleet.database_url.replace(old, new)}
        for command in (("worker",), ORDER):
            [line] = tls_fleet.command(*command, env=refused, code=1).stderr.splitlines()
            assert line.startswith("sudokumill: the database postgresql://mill:***@")
            assert "the encrypted connection was not made (" in line
            assert database.password not in line
