"""What keeps two processes from their work on orders by difficulty.

    python tests/benchmarks/orders_by_difficulty.py [--bands hard,easy,diabolical] [--count N] [--rounds N]
                                                    [--store sqlite|postgresql]

Runs ``run levels --band BAND --count N --processes 2`` on a new database, and looks at the working period alone, from
the first claim of a chunk to the end of the last one. Of the time of both cores in it:

``busy``      CPU time, user and system, of all processes of the run, and of the server, where there is one.
``ready``     the same, with the time that they were ready to run and another program had their core. On an idle
              machine it is that of ``busy``; on any other only this says how little the run itself waits.
``line``      making, checking and grading rows.
``store``     the rest of the chunks' time: packing rows, looking after the job, the transaction that keeps them.
``between``   from a chunk's end to the next claim, and at the end with nothing more to claim.

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
TICK = 1 / os.sysconf("SC_CLK_TCK")

PERIOD = "SELECT min(claimed_at), max(ended_at), sum(ended_at - claimed_at), sum(seconds) FROM chunk"


@dataclass(frozen=True)
class Look:
    """What processes had used by some time."""

    at: float
    cpu: float
    delay: float
    """Seconds that they were ready to run and had no core."""


@dataclass(frozen=True)
class Shares:
    """Of the time of both cores."""

    levels: float
    """A second."""
    busy: float
    ready: float
    line: float
    store: float
    between: float


def _tree(root: int) -> Iterator[int]:
    """A process and all below it."""
    yield root
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


class _Watch:
    """Adds up what the processes below some others use; those that have ended keep what they had."""

    def __init__(self, roots: list[int]) -> None:
        self._roots = roots
        self._used: dict[int, tuple[float, float]] = {}
        self.looks: list[Look] = []

    def look(self) -> None:
        for root in self._roots:
            for process in _tree(root):
                with contextlib.suppress(OSError):
                    cpu, delay = 0.0, 0.0
                    for task in Path(f"/proc/{process}/task").iterdir():
                        on_core, waiting, _ = (task / "schedstat").read_text().split()
                        cpu, delay = cpu + int(on_core) / 1e9, delay + int(waiting) / 1e9
                    self._used[process] = (cpu, delay)
        self.looks.append(
            Look(time.time(), sum(cpu for cpu, _ in self._used.values()), sum(d for _, d in self._used.values()))
        )

    def between(self, start: float, end: float) -> tuple[float, float]:
        """CPU seconds, and seconds without a core, in a period."""
        inside = [look for look in self.looks if start <= look.at <= end]
        first, last = inside[0], inside[-1]
        share = (end - start) / (last.at - first.at)
        return (last.cpu - first.cpu) * share, (last.delay - first.delay) * share


def run(band: str, count: int, seed: int, server: PostgreSQL | None) -> Shares:
    """One order."""
    with tempfile.TemporaryDirectory() as folder:
        name = None if server is None else server.new_database()
        url = f"sqlite:///{folder}/mill.db" if server is None else server.url(name)
        environment = os.environ | {"SUDOKUMILL_DATABASE_URL": url}
        environment.pop("SUDOKUMILL_BROKER_URL", None)
        words = ["run", "levels", "--band", band, "--count", str(count), "--seed", str(seed)]
        with subprocess.Popen(
            [COMMAND, *words, "--processes", str(PROCESSES), "--json"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        ) as order:  # fmt: skip
            watch = _Watch([order.pid, *([] if server is None else [server.pid])])
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
    cpu, delay = watch.between(start, end)
    return Shares(
        levels=delivered / (end - start),
        busy=cpu / cores,
        ready=(cpu + delay) / cores,
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
    print(f"{'band':<12}{'levels/s':>9}{'busy':>8}{'ready':>8}{'line':>8}{'store':>8}{'between':>9}")
    for band, rounds in found.items():
        levels, *shares = (
            statistics.median(getattr(one, name) for one in rounds) for name in Shares.__dataclass_fields__
        )
        print(f"{band:<12}{levels:>9,.0f}" + "".join(f"{share:>8.1%}" for share in shares))


if __name__ == "__main__":
    main()
