"""A million finals into SQLite by one command, against a bare bulk load of the same rows.

    python tests/benchmarks/finals_to_sqlite.py [--count N] [--rounds N]

The bare loader gets rows that were made beforehand, and only inserts them: same table, same key and index, same
pragmas, sorted batches of the same size, one process, no checks. So it is the floor for anything that stores
these rows. Each round runs both, one after the other, on files that are new. Prints the time of each, the ratio
(median over rounds), and the memory of all processes of the command together at its highest.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from sudokumill.grids.batch import digests, to_lines
from sudokumill.registry import load_registry

BATCH = 50_000

TABLES = """
CREATE TABLE final (
    id BLOB NOT NULL, digits VARCHAR(81) NOT NULL, job_id BIGINT NOT NULL, chunk_id BIGINT NOT NULL,
    position BIGINT NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX ix_final_job_id_position ON final (job_id, position);
"""

Row = tuple[bytes, str, int, int, int]


def made_rows(count: int) -> list[Row]:
    """The rows that the command will store, in its order."""
    generator = load_registry().generator("template-permutation")
    rows: list[Row] = []
    for start in range(0, count, BATCH):
        finals = generator.generate(np.arange(start, min(start + BATCH, count), dtype=np.uint64)).finals
        lines = to_lines(finals)
        origins = range(start, start + len(lines))
        batch = [
            (key, line, 1, start // BATCH + 1, position)
            for key, line, position in zip(digests(lines), lines, origins, strict=True)
        ]
        batch.sort()
        rows += batch
    return rows


def bare_load(path: Path, rows: list[Row]) -> float:
    """Seconds of inserting the rows."""
    began = time.perf_counter()
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -65536"):
        connection.execute(f"PRAGMA {pragma}")
    connection.executescript(TABLES)
    for start in range(0, len(rows), BATCH):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO final VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING", rows[start : start + BATCH]
        )
        connection.execute("COMMIT")
    connection.close()
    return time.perf_counter() - began


def resident(group: int) -> int:
    """Bytes of memory that the processes of a process group have for themselves, and shared ones once each."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getpgid(int(entry.name)) == group:
                    rollup = (entry / "smaps_rollup").read_text()
                    total += next(
                        int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")
                    )
            except (OSError, StopIteration):
                continue
    return total


def run_command(folder: Path, count: int) -> tuple[float, int]:
    """Seconds of the whole command, and the highest memory of its processes in bytes."""
    highest = 0
    ended = threading.Event()
    began = time.perf_counter()
    process = subprocess.Popen(
        [
            Path(sys.executable).with_name("sudokumill"), "run", "generate", "--count", str(count),
            "--generator", "template-permutation",
        ],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip

    def look() -> None:
        nonlocal highest
        while not ended.wait(0.25):
            highest = max(highest, resident(process.pid))

    looker = threading.Thread(target=look)
    looker.start()
    code = process.wait()
    seconds = time.perf_counter() - began
    ended.set()
    looker.join()
    if code:
        raise SystemExit(f"the command ended with {code}")
    return seconds, highest


def main() -> None:
    """Runs the rounds and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    rows = made_rows(asked.count)
    ratios: list[float] = []
    for number in range(asked.rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            floor = bare_load(folder / "bare.db", rows)
            seconds, memory = run_command(folder, asked.count)
        ratios.append(seconds / floor)
        print(
            f"round {number + 1}: bare loader {floor:.2f} s, command {seconds:.2f} s, "
            f"ratio {seconds / floor:.2f}, memory {memory / 1e6:.0f} MB"
        )
    print(f"{asked.count:,} finals into SQLite: {statistics.median(ratios):.2f} times the bare loader (median)")


if __name__ == "__main__":
    main()
