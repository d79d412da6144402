"""What a second local process adds on ``levels``.

    python tests/benchmarks/two_processes.py [--count N] [--rounds N]

Runs the same order with one and with two processes, in turn, and prints levels a second (of the job's own time,
without the start of Python) and the ratio (median over rounds). Needs two idle cores.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path


def levels_per_second(count: int, processes: int) -> float:
    """The rate of one run."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                Path(sys.executable).with_name("sudokumill"), "run", "levels", "--count", str(count),
                "--processes", str(processes), "--seed", "1", "--json",
            ],
            cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
    outcome = json.loads(done.stdout)
    began, ended = (datetime.fromisoformat(outcome[name]) for name in ("started_at", "ended_at"))
    return count / (ended - began).total_seconds()


def main() -> None:
    """Runs the rounds and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    ratios: list[float] = []
    for number in range(asked.rounds):
        one, two = levels_per_second(asked.count, 1), levels_per_second(asked.count, 2)
        ratios.append(two / one)
        print(f"round {number + 1}: one process {one:,.0f}/s, two {two:,.0f}/s, ratio {two / one:.2f}")
    print(f"two processes do {statistics.median(ratios):.2f} times the work of one (median)")


if __name__ == "__main__":
    main()
