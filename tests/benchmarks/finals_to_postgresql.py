"""A million finals into PostgreSQL by two workers, against a bare bulk load of the same rows.

    python tests/benchmarks/finals_to_postgresql.py [--by fleet|run] [--count N] [--rounds N]

The bare loader gets rows that were made beforehand, laid out for COPY: two processes with a connection each send
sorted batches, of the size of a chunk, by binary COPY into a temporary table and merge them into the same table
with the same key and index by the same statement; no checks. So it is the floor for anything that stores these
rows. ``fleet`` is two workers of one process each, who wait for orders, with a broker; the time is from the
moment when the order stands in the database to its end there. ``run`` is the whole command with two processes on
this machine.

Each round runs both, one after the other, on new databases of one server: fsync on, settings as they come, a
checkpoint before each. Prints the time of each, and the ratio (median over rounds).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the package of test servers

from servers.postgresql import PostgreSQL
from servers.redis import Redis
from sudokumill.grids.batch import digests, to_lines
from sudokumill.registry import load_registry
from sudokumill.store import schema
from sudokumill.store.database import Database

BATCH = 50_000
WORKERS = 2
COMMAND = Path(sys.executable).with_name("sudokumill")

COLUMNS = "id, digits, job_id, chunk_id, position"
ROW = np.dtype(
    [
        ("fields", ">i2"), ("id_bytes", ">i4"), ("id", "V16"), ("digits_bytes", ">i4"), ("digits", "V81"),
        ("job_bytes", ">i4"), ("job", ">i8"), ("chunk_bytes", ">i4"), ("chunk", ">i8"),
        ("position_bytes", ">i4"), ("position", ">i8"),
    ]
)  # fmt: skip

TABLE = """
CREATE TABLE final (
    id uuid NOT NULL, digits varchar(81) NOT NULL, job_id bigint NOT NULL, chunk_id bigint NOT NULL,
    position bigint NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX ix_final_job_id_position ON final (job_id, position);
"""


def made_batches(count: int) -> list[bytes]:
    """The rows that the workers will store, laid out for COPY."""
    generator = load_registry().generator("template-permutation")
    batches: list[bytes] = []
    for start in range(0, count, BATCH):
        stop = min(start + BATCH, count)
        lines = to_lines(generator.generate(np.arange(start, stop, dtype=np.uint64)).finals)
        rows = np.array(
            [
                (5, 16, key, 81, line.encode(), 8, 1, 8, start // BATCH + 1, 8, position)
                for key, line, position in sorted(zip(digests(lines), lines, range(start, stop), strict=True))
            ],
            dtype=ROW,
        )
        batches.append(b"PGCOPY\n\xff\r\n\0" + bytes(8) + rows.tobytes() + b"\xff\xff")
    return batches


def load(url: str, batches: list[bytes]) -> None:
    """One connection's share of the bare load."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TEMPORARY TABLE coming (LIKE final) ON COMMIT DELETE ROWS")
        connection.commit()
        for batch in batches:
            with connection.cursor().copy(f"COPY coming ({COLUMNS}) FROM STDIN (FORMAT binary)") as copy:
                copy.write(batch)
            connection.execute(
                f"INSERT INTO final ({COLUMNS}) SELECT {COLUMNS} FROM coming ON CONFLICT (id) DO NOTHING"
            )
            connection.commit()


def bare_load(server: PostgreSQL, batches: list[bytes]) -> float:
    """Seconds of the bare load by two connections."""
    name = server.new_database()
    with psycopg.connect(server.url(name)) as connection:
        connection.execute(TABLE)
    server.execute("CHECKPOINT")
    fork = multiprocessing.get_context("fork")
    shares = [batches[number::WORKERS] for number in range(WORKERS)]
    loaders = [fork.Process(target=load, args=(server.url(name), share)) for share in shares]
    began = time.perf_counter()
    for loader in loaders:
        loader.start()
    for loader in loaders:
        loader.join()
    seconds = time.perf_counter() - began
    if any(loader.exitcode for loader in loaders):
        raise SystemExit("a bare loader failed")
    server.drop_database(name)
    return seconds


def order(how: str, count: int, environment: dict[str, str]) -> None:
    """Gives the order; ``run`` comes back when it is done."""
    subprocess.run(
        [COMMAND, how, "generate", "--count", str(count), "--generator", "template-permutation"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip


@contextmanager
def fleet(server: PostgreSQL, name: str, environment: dict[str, str]) -> Iterator[None]:
    """Two workers of one process, that wait for orders."""
    workers = [
        subprocess.Popen(
            [COMMAND, "worker", "--concurrency", "1", "--loglevel", "WARNING", "--hostname", f"w{number}@%h"],
            env=environment, stdout=subprocess.DEVNULL,
        )
        for number in range(WORKERS)
    ]  # fmt: skip
    try:
        while server.execute("SELECT count(*) FROM worker", name)[0][0] < WORKERS:
            if any(worker.poll() is not None for worker in workers):
                raise SystemExit("a worker ended")
            time.sleep(0.1)
        yield
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()


def by_workers(server: PostgreSQL, redis: Redis, by: str, count: int) -> float:
    """Seconds from the order to its end."""
    name = server.new_database()
    database = Database(server.url(name))
    schema.upgrade(database)
    database.dispose()
    server.execute("CHECKPOINT")
    environment = os.environ | {"SUDOKUMILL_DATABASE_URL": server.url(name), "SUDOKUMILL_PROCESSES": str(WORKERS)}
    if by == "run":
        began = time.perf_counter()
        order("run", count, environment)
        seconds = time.perf_counter() - began
    else:
        redis.flush()
        environment["SUDOKUMILL_BROKER_URL"] = redis.url
        with (
            fleet(server, name, environment),
            psycopg.connect(server.url(name), autocommit=True) as connection,
        ):
            order("enqueue", count, environment)
            while connection.execute("SELECT ended_at IS NULL FROM job").fetchall() != [(False,)]:
                time.sleep(0.02)
            times = "SELECT extract(epoch FROM ended_at - ordered_at)::double precision FROM job"
            seconds = server.execute(times, name)[0][0]
    stored = server.execute("SELECT (SELECT count(*) FROM final), delivered, state FROM job", name)
    if stored != [(count, count, "done")]:
        raise SystemExit(f"stored, delivered, state: {stored}")
    server.drop_database(name)
    return seconds


def main() -> None:
    """Runs the rounds and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--by", choices=("fleet", "run"), default="fleet")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    batches = made_batches(asked.count)
    ratios: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        PostgreSQL(fsync=True) as server,
        Redis(Path(folder)) as redis,
    ):
        for number in range(asked.rounds):
            floor = bare_load(server, batches)
            seconds = by_workers(server, redis, asked.by, asked.count)
            ratios.append(seconds / floor)
            print(
                f"round {number + 1}: bare loader {floor:.2f} s, {asked.by} {seconds:.2f} s, "
                f"ratio {seconds / floor:.2f}",
                flush=True,
            )
    print(
        f"{asked.count:,} finals into PostgreSQL: {statistics.median(ratios):.2f} times the bare loader (median)"
    )


if __name__ == "__main__":
    main()
