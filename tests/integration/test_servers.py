from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis

from servers.postgresql import PostgreSQL
from servers.processes import Daemon, ServerError
from servers.redis import Redis


def test_redis_keeps_what_was_written(redis_server: Redis, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.keys() == []
        client.set("one", 1)
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    redis_server.stop()
    redis_server.start()
    with redis.Redis.from_url(redis_url) as client:
        assert client.get("one") == b"1"


def test_each_test_gets_an_empty_redis(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.keys() == []


def test_a_killed_redis_starts_again(redis_server: Redis, redis_url: str) -> None:
    redis_server.kill()
    with redis.Redis.from_url(redis_url) as client, pytest.raises(redis.ConnectionError):
        client.ping()
    redis_server.start()
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()


def test_redis_wants_the_password(redis_server: Redis, redis_url: str) -> None:
    with (
        redis.Redis.from_url(redis_url.replace(redis_server.password, "wrong")) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def _count(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM one").fetchone()
    assert row is not None
    return int(row[0])


def _write(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE one AS SELECT 1")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_postgresql_keeps_what_was_committed(
    postgresql_server: PostgreSQL, postgresql_url: str, mode: str
) -> None:
    _write(postgresql_url)
    postgresql_server.stop(mode)
    postgresql_server.start()
    assert _count(postgresql_url) == 1


def test_a_killed_postgresql_starts_again(postgresql_server: PostgreSQL, postgresql_url: str) -> None:
    _write(postgresql_url)
    with psycopg.connect(postgresql_url) as connection:
        connection.execute("SELECT 1")
        postgresql_server.kill()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    postgresql_server.start()
    assert _count(postgresql_url) == 1


def test_postgresql_wants_the_password(postgresql_server: PostgreSQL) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgresql_server.url(password="wrong"))  # noqa: S106


def test_databases_are_copies(postgresql_server: PostgreSQL, postgresql_url: str) -> None:
    _write(postgresql_url)
    copy = postgresql_server.new_database(postgresql_url.rpartition("/")[2])
    assert _count(postgresql_server.url(copy)) == 1
    postgresql_server.drop_database(copy)


def test_settings_of_a_server_of_its_own() -> None:
    with PostgreSQL(fsync=True, max_connections=7, deadlock_timeout="2s") as server:
        shown = [server.execute(f"SHOW {name}")[0][0] for name in ("fsync", "max_connections", "deadlock_timeout")]
    assert shown == ["on", "7", "2s"]
    assert not server.folder.exists()


def test_encrypted_connections() -> None:
    if not PostgreSQL.has_tls():
        pytest.skip("this build of PostgreSQL has no TLS")
    with PostgreSQL(tls=True) as server:
        assert server.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [(True,)]
        with pytest.raises(psycopg.OperationalError, match="no encryption"):
            psycopg.connect(server.url().partition("?")[0] + "?sslmode=disable")


def test_encrypted_connections_to_redis(tmp_path: Path) -> None:
    if not Redis.has_tls():
        pytest.skip("this build of Redis has no TLS")
    with Redis(tmp_path, tls=True) as server, redis.Redis.from_url(server.url) as client:
        assert client.ping()
        client.set("one", 1)


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"exit code 1; its log ends:\n(.*\n)*.*FATAL.*deadlock_timeout"):
        PostgreSQL(deadlock_timeout="soon").__enter__()
    broken = Redis(tmp_path)
    (tmp_path / "redis.conf").write_text("colour blue\n")
    with pytest.raises(ServerError, match=r"exit code 1; its log ends:\n(.*\n)*.*colour blue"):
        broken.start()
    silent = Daemon("sleep", tmp_path / "log")
    with pytest.raises(ServerError, match="sleep ended with exit code 0; its log is empty"):
        silent.start(["true"], lambda: False)


_STARTS_BOTH = """
import sys, tempfile
from pathlib import Path
from servers.postgresql import PostgreSQL
from servers.redis import Redis
redis, postgresql = Redis(Path(sys.argv[1])), PostgreSQL()
redis.start()
postgresql.start()
print(redis.pid, postgresql.pid, postgresql.folder, flush=True)
sys.stdin.read()
"""


def _ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_no_server_outlives_tests_that_were_killed(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", _STARTS_BOTH, str(tmp_path)]
    with subprocess.Popen(command, env=env, stdin=-1, stdout=-1, text=True) as tests:
        assert tests.stdout is not None
        *pids, folder = tests.stdout.readline().split()
        tests.kill()
        tests.communicate()
    deadline = time.monotonic() + 30
    while not all(_ended(int(pid)) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert Path(folder).name.startswith("sudokumill-postgresql-")
    shutil.rmtree(folder)
