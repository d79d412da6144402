"""What a fleet costs: against ``run`` on the same database, from an order to its end, and with many small orders.

    python tests/benchmarks/fleet.py protocol [--count N] [--rounds N]
    python tests/benchmarks/fleet.py latency [--rounds N]
    python tests/benchmarks/fleet.py small [--orders N]

All on one PostgreSQL (fsync on) and one Redis, started for this, with one worker of two processes.

``protocol``  levels by ``enqueue`` and a waiting worker, and by ``run`` with two processes, interleaved, on new
              databases; the work alone, from the first claim to the end. Prints rows a second of each, and the
              fleet's share of the other (median over rounds).
``latency``   from typing ``enqueue levels --count 100`` on an idle fleet to its last row, and what of that lies
              before the order stands, before its first chunk is claimed, and after. Medians.
``small``     orders of 10 levels in a loop, by the functions that ``enqueue`` calls, while a job for a million
              levels runs. Prints the time of ordering one (median, 99th percentile, medians of the first and the
              last thousand), how long the slowest of them waited for its end after it was ordered, and what became
              of the large job meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the package of test servers

from servers.postgresql import PostgreSQL
from servers.redis import Redis
from sudokumill.jobs import JobKind, Part
from sudokumill.orders import Order, specify
from sudokumill.queue.dispatcher import dispatcher
from sudokumill.registry import load_registry
from sudokumill.settings import load_settings
from sudokumill.store import schema
from sudokumill.store.database import Database
from sudokumill.store.placing import place
from sudokumill.store.progress import progress

COMMAND = Path(sys.executable).with_name("sudokumill")
PROCESSES = 2


@dataclass
class Site:
    """A new database behind the broker."""

    server: PostgreSQL
    name: str
    environment: dict[str, str]

    def type(self, *words: str) -> None:
        """Runs a command to its end."""
        subprocess.run([COMMAND, *words], env=self.environment, stdout=subprocess.DEVNULL, check=True)

    def ask(self, query: Any) -> list[tuple[Any, ...]]:
        """Rows of a query."""
        return self.server.execute(query, self.name)

    @contextmanager
    def worker(self) -> Iterator[None]:
        """A worker that waits for orders."""
        worker = subprocess.Popen(
            [COMMAND, "worker", "--concurrency", str(PROCESSES), "--loglevel", "WARNING"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while not self.ask("SELECT 1 FROM worker"):
                time.sleep(0.05)
            yield
        finally:
            worker.terminate()
            worker.wait()

    def wait(self, job: int) -> None:
        """Waits until a job has ended, and asks so that it costs the workers next to nothing."""
        with psycopg.connect(self.server.url(self.name), autocommit=True) as connection:
            while not connection.execute(
                "SELECT 1 FROM job WHERE id = %s AND ended_at IS NOT NULL", (job,)
            ).fetchall():
                time.sleep(0.02)


@contextmanager
def site(server: PostgreSQL, redis: Redis) -> Iterator[Site]:
    """A new database with the newest schema; the broker is empty."""
    redis.flush()
    name = server.new_database()
    database = Database(server.url(name))
    schema.upgrade(database)
    database.dispose()
    environment = os.environ | {
        "SUDOKUMILL_DATABASE_URL": server.url(name),
        "SUDOKUMILL_BROKER_URL": redis.url,
        "SUDOKUMILL_PROCESSES": str(PROCESSES),
    }
    yield Site(server, name, environment)
    server.drop_database(name)


WORK = """
    SELECT count(*), max(ended_at) - min(claimed_at) FROM chunk WHERE job_id = 1 AND state = 'done'
"""


def protocol(server: PostgreSQL, redis: Redis, count: int, rounds: int) -> None:
    """The fleet's rows a second against those of ``run``."""
    order = ("levels", "--count", str(count), "--seed", "1")
    shares = []
    for number in range(1, rounds + 1):
        with site(server, redis) as alone:
            alone.environment.pop("SUDOKUMILL_BROKER_URL")
            alone.type("run", *order)
            run = count / alone.ask(WORK)[0][1]
        with site(server, redis) as shared, shared.worker():
            shared.type("enqueue", *order)
            shared.wait(1)
            chunks, seconds = shared.ask(WORK)[0]
            fleet = count / seconds
        shares.append(fleet / run)
        print(f"round {number}: run {run:,.0f}/s, fleet {fleet:,.0f}/s in {chunks} chunks, {shares[-1]:.3f}")
    print(f"fleet / run: {statistics.median(shares):.3f} (median of {rounds})")


TIMES = """
    SELECT extract(epoch FROM ordered_at), extract(epoch FROM job.ended_at), min(claimed_at)
    FROM job JOIN chunk ON chunk.job_id = job.id WHERE job.id = {} GROUP BY job.id
"""


def latency(server: PostgreSQL, redis: Redis, rounds: int) -> None:
    """From the order to the end of a small job."""
    parts: list[tuple[float, ...]] = []
    with site(server, redis) as shared, shared.worker():
        for job in range(1, rounds + 2):
            typed = time.time()
            shared.type("enqueue", "levels", "--count", "100")
            shared.wait(job)
            ordered, ended, claimed = (float(each) for each in shared.ask(TIMES.format(job))[0])
            if job > 1:  # the first one finds processes that have loaded nothing yet
                parts.append((ended - typed, ordered - typed, claimed - ordered, ended - claimed))
    names = (
        "from typing to the end",
        "  until it is ordered",
        "  until its first chunk is claimed",
        "  until its end",
    )
    for name, values in zip(names, zip(*parts, strict=True), strict=True):
        print(f"{name:34} {statistics.median(values) * 1000:6.0f} ms")


def small(server: PostgreSQL, redis: Redis, orders: int) -> None:
    """Many small orders beside a large one."""
    with site(server, redis) as shared, shared.worker():
        os.environ.update(shared.environment)
        settings = load_settings()
        registry = load_registry()
        database = Database(settings.database_url)
        broker = dispatcher(database, settings)
        names = {part: str(getattr(settings, part.value)) for part in Part}

        def order(kind: JobKind, count: int) -> int:
            spec = specify(Order(kind, count, names), registry)
            job = place(database, spec, processes=PROCESSES).id
            broker.dispatch((kind,))
            return job

        large = order(JobKind.LEVELS, 1_000_000)
        while not shared.ask("SELECT 1 FROM chunk WHERE state = 'running'"):
            time.sleep(0.01)
        before = progress(database, large).delivered
        seconds: list[float] = []
        began = time.perf_counter()
        for _ in range(orders):
            start = time.perf_counter()
            order(JobKind.LEVELS, 10)
            seconds.append(time.perf_counter() - start)
        ordered = time.perf_counter() - began
        while shared.ask("SELECT 1 FROM job WHERE count = 10 AND ended_at IS NULL LIMIT 1"):
            time.sleep(0.2)
        total = time.perf_counter() - began
        made = progress(database, large).delivered - before
        longest = shared.ask("SELECT max(extract(epoch FROM ended_at - ordered_at)) FROM job WHERE count = 10")[0][
            0
        ]
        shared.type("jobs", "cancel", str(large))
    first, last = (statistics.median(some) * 1000 for some in (seconds[:1_000], seconds[-1_000:]))
    seconds.sort()
    print(f"{orders:,} orders of 10 levels in {ordered:.1f} s, done after {total:.1f} s")
    print(
        f"one order: median {statistics.median(seconds) * 1000:.1f} ms, 99 % below "
        f"{seconds[int(orders * 0.99)] * 1000:.1f} ms; median of the first 1,000 {first:.1f} ms, of the last "
        f"{last:.1f} ms"
    )
    print(f"longest wait for the end of one: {float(longest):.1f} s; the large job made {made:,} levels meanwhile")


def main() -> None:
    """Runs one of them."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=["protocol", "latency", "small"])
    arguments.add_argument("--count", type=int, default=200_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--orders", type=int, default=10_000)
    given = arguments.parse_args()
    with PostgreSQL(fsync=True) as server, Redis(Path(tempfile.mkdtemp())) as redis:
        if given.what == "protocol":
            protocol(server, redis, given.count, given.rounds)
        elif given.what == "latency":
            latency(server, redis, max(given.rounds, 5))
        else:
            small(server, redis, given.orders)


if __name__ == "__main__":
    main()
