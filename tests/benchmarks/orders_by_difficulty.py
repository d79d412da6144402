"""What keeps two processes from their work on orders by difficulty.

    python tests/benchmarks/orders_by_difficulty.py [--bands hard,easy,diabolical] [--count N] [--rounds N]
                                                    [--store sqlite|postgresql]

Runs ``run levels --band BAND --count N --processes 2`` on a new database, and looks at the working period alone,
from the first claim of a chunk to the end of the last one. Of the time of both cores in it:

``busy``      CPU time, user and system, of all processes of the run, and of the server, where there is one.
``waiting``   time in which a process that makes chunks had nothing to do: it waited for the database, the disk,
              or a chunk. Not the time in which it was ready and another program had its core: on a machine that
              is not idle ``busy`` says nothing of the run, and this does.
``line``      making, checking and grading rows.
``store``     the rest of the chunks' time: packing rows, and writing them. On SQLite also the end of the
              transaction before, in which the chunk was claimed.
``between``   from a chunk's end to the next claim: looking after the job, waiting; and at the end with nothing
              more to claim.

Medians over rounds. The order is aimed as always; that is before the first claim.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the package of test servers

from servers.postgresql import PostgreSQL

COMMAND = Path(sys.executable).with_name("sudokumill")
PROCESSES = 2

PERIOD = "SELECT min(claimed_at), max(ended_at), sum(ended_at - claimed_at), sum(seconds) FROM chunk"


@dataclass(frozen=True)
class Look:
    """What processes had used by some time."""

    at: float
    cpu: float
    """Seconds on a core, of all."""
    live: float
    """Seconds on a core or ready for one, of those that make chunks."""


@dataclass(frozen=True)
class Shares:
    """Of the time of both cores."""

    levels: float
    """A second."""
    busy: float
    waiting: float
    line: float
    store: float
    between: float


def _children(process: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())


def _used(process: int) -> tuple[float, float]:
    """Seconds on a core, and ready for one without having it, of all threads."""
    cpu, delay = 0, 0
    for task in Path(f"/proc/{process}/task").iterdir():
        on_core, ready, _ = (task / "schedstat").read_text().split()
        cpu, delay = cpu + int(on_core), delay + int(ready)
    return cpu / 1e9, delay / 1e9


class _Watch:
    """Adds up what the processes of a run use, and those of a server; what has ended keeps what it had.

    Args:
        run: the process that was started; its children make chunks.
        server: whose children serve; None: there is none.
    """

    def __init__(self, run: int, server: int | None) -> None:
        self._roots = [run] if server is None else [run, server]
        self._run = run
        self._all: dict[int, float] = {}
        self._makers: dict[int, float] = {}
        self.looks: list[Look] = []

    def look(self) -> None:
        """Takes down what they have used by now."""
        makers = set(_children(self._run))
        for process in {*self._roots, *makers, *(each for root in self._roots for each in _children(root))}:
            with contextlib.suppress(OSError):
                cpu, delay = _used(process)
                self._all[process] = cpu
                if process in makers:
                    self._makers[process] = cpu + delay
        self.looks.append(Look(time.time(), sum(self._all.values()), sum(self._makers.values())))

    def between(self, start: float, end: float) -> tuple[float, float]:
        """CPU seconds of all, and seconds in which those that make chunks had something to do, in a period."""
        inside = [look for look in self.looks if start <= look.at <= end]
        first, last = inside[0], inside[-1]
        share = (end - start) / (last.at - first.at)
        return (last.cpu - first.cpu) * share, (last.live - first.live) * share


def run(band: str, count: int, seed: int, server: PostgreSQL | None) -> Shares:
    """One order."""
    with tempfile.TemporaryDirectory() as folder:
        name = "" if server is None else server.new_database()
        url = f"sqlite:///{folder}/mill.db" if server is None else server.url(name)
        environment = os.environ | {"SUDOKUMILL_DATABASE_URL": url}
        environment.pop("SUDOKUMILL_BROKER_URL", None)
        words = ["run", "levels", "--band", band, "--count", str(count), "--seed", str(seed)]
        with subprocess.Popen(
            [COMMAND, *words, "--processes", str(PROCESSES), "--json"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        ) as order:  # fmt: skip
            watch = _Watch(order.pid, None if server is None else server.pid)
            while order.poll() is None:
                watch.look()
                time.sleep(0.02)
            assert order.stdout is not None
            delivered = json.loads(order.stdout.read())["delivered"]
        if server is None:
            with contextlib.closing(sqlite3.connect(f"{folder}/mill.db")) as connection:
                found = connection.execute(PERIOD).fetchone()
        else:
            with psycopg.connect(server.url(name)) as connection:
                found = connection.execute(PERIOD).fetchone()
            server.drop_database(name)
    start, end, held, line = map(float, found)
    cores = PROCESSES * (end - start)
    cpu, live = watch.between(start, end)
    return Shares(
        levels=delivered / (end - start),
        busy=cpu / cores,
        waiting=1 - live / cores,
        line=line / cores,
        store=(held - line) / cores,
        between=1 - held / cores,
    )


def main() -> None:
    """Runs the rounds and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bands", default="hard,easy,diabolical")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    asked = parser.parse_args()
    bands = asked.bands.split(",")
    found: dict[str, list[Shares]] = {band: [] for band in bands}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(PostgreSQL()) if asked.store == "postgresql" else None
        for number in range(asked.rounds):
            for band in bands:
                found[band].append(run(band, asked.count, number + 1, server))
    print(f"{asked.count:,} levels, {PROCESSES} processes, {asked.store}, median of {asked.rounds}")
    print(f"{'band':<12}{'levels/s':>9}{'busy':>8}{'waiting':>9}{'line':>8}{'store':>8}{'between':>9}")
    for band, rounds in found.items():
        levels, *shares = (
            statistics.median(getattr(one, name) for one in rounds) for name in Shares.__dataclass_fields__
        )
        busy, waiting, line, store, between = shares
        print(f"{band:<12}{levels:>9,.0f}{busy:>8.1%}{waiting:>9.1%}{line:>8.1%}{store:>8.1%}{between:>9.1%}")


if __name__ == "__main__":
    main()
