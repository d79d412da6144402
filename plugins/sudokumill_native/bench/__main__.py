"""Prints how fast each build of the engine is on this machine."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from sudokumill_native import _kernel
from sudokumill_native.bench import sets, tasks

_WIDTH: Final = 36
"""Of the tasks' names in the table."""


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sudokumill_native.bench",
        description="Rows a second of CPU time on one core, by each build of the engine that runs here. "
        "Everybody does each task once a round; the figure is the median of the rounds. Beside it stands how many "
        "times it is the peer's, or which share of the kernel's alone.",
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="also solve the .txt files there, 81 characters a line"
    )
    parser.add_argument("--peer", metavar="LIBRARY", help="measure a shared library beside, called as tdoku is")
    parser.add_argument(
        "--build", action="append", choices=_kernel.builds, help="only this build; may be repeated"
    )
    parser.add_argument(
        "--count", type=_positive, default=4_096, metavar="N", help="puzzles that are made (default 4096)"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only tasks with this in their names, for example grade"
    )
    parser.add_argument("--rounds", type=_positive, default=5, metavar="N", help="default 5")
    parser.add_argument(
        "--seconds", type=float, default=0.05, help="what each takes a round, at least (default 0.05)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args()


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    fields = (line.partition(":") for line in described.splitlines())
    return next((value.strip() for name, _, value in fields if name.strip() == "model name"), platform.machine())


def _tasks(asked: argparse.Namespace, builds: list[str]) -> Iterator[tasks.Task]:
    peer = None if asked.peer is None else _kernel.Peer(asked.peer)
    puzzles = dict(sets.made(asked.count))
    if asked.data is not None:
        puzzles |= sets.read(asked.data)
    for name, grids in puzzles.items():
        yield from tasks.solving(name, grids, builds, peer)
    made = {name: puzzles[name] for name in sets.made(1)}
    for name, grids in made.items():
        yield from tasks.through_python(name, grids, builds)
    yield from tasks.making(asked.count, builds, peer)
    yield from tasks.canonicalising(made, builds)
    yield from tasks.grading(made["minimal"], builds)


def _row(measured: tasks.Measured, columns: list[str]) -> str:
    cells = [f"{measured.task:{_WIDTH}}"]
    for who in columns:
        rate = measured.rates.get(who)
        cells.append(f"{rate / 1_000:10,.1f}" if rate is not None else f"{'':10}")
        cells.append(_compared(measured, who))
    return " ".join(cells).rstrip()


def _compared(measured: tasks.Measured, who: str) -> str:
    """With its own kernel alone, as a share, or with the peer."""
    if who in measured.shares:
        return f"{measured.shares[who]:6.0%} "
    if who in measured.ratios:
        return f"{measured.ratios[who]:6.1f}x"
    return f"{'':7}"


def main() -> int:
    """Measures and prints; the exit code."""
    asked = _arguments()
    builds = asked.build or list(_kernel.builds)
    columns = [*builds, *([] if asked.peer is None else [tasks.PEER])]
    try:
        known = list(_tasks(asked, builds))
    except (sets.UnreadableSetsError, OSError, RuntimeError, ValueError) as error:
        print(f"sudokumill_native.bench: {error}", file=sys.stderr)
        return 2
    todo = [task for task in known if asked.only in task.name]
    if not todo:
        names = "; ".join(task.name for task in known)
        print(
            f"sudokumill_native.bench: no task has {asked.only!r} in its name; there are: {names}", file=sys.stderr
        )
        return 2
    if not asked.json:
        print(f"{_processor()}, one core; thousand rows a second")
        print(f"{'':{_WIDTH}} " + " ".join(f"{who:>10} {'':7}" for who in columns).rstrip())
    tasks.settle_memory()
    measured = []
    for task in todo:
        measured.append(tasks.measure(task, asked.rounds, asked.seconds))
        if not asked.json:
            print(_row(measured[-1], columns), flush=True)
    if asked.json:
        described = {"processor": _processor(), "builds": builds, "tasks": [asdict(one) for one in measured]}
        print(json.dumps(described, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
