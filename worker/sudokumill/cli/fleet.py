"""The workers of a fleet: as a table for people, as objects for programs, and where their versions differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from sudokumill.cli.tables import plain_table
from sudokumill.store.workers import WorkerRow


def print_workers(console: Console, rows: Sequence[WorkerRow]) -> None:
    """A table of the workers, and a line for each difference between them."""
    if not rows:
        console.print("no worker was here in the last day; start one: sudokumill worker")
        return
    table = plain_table("worker", "state", "queues", ">processes", ">chunk", ">chunks", ">rows", ">heartbeat")
    for one in rows:
        queues = ", ".join(kind.value for kind in one.crew.kinds)
        table.add_row(
            one.crew.node,
            state_of(one),
            queues if one.crew.job is None else f"(job {one.crew.job})",
            str(one.crew.processes),
            ", ".join(str(chunk) for chunk in one.chunks_in_hand) or "-",
            f"{one.chunks_done:,}",
            f"{one.rows_done:,}",
            ago(one.silent),
        )
    console.print(table)
    for line in differences(rows):
        console.print(line, soft_wrap=True)


def ago(seconds: float) -> str:
    """A time that has passed, in its largest unit."""
    for unit, length in (("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def state_of(one: WorkerRow) -> str:
    """``alive``, ``ending`` (it finishes its chunks), ``ended``, or ``gone`` (it did not say so)."""
    if one.alive:
        return "alive"
    if one.left:
        return "ending" if one.chunks_in_hand else "ended"
    return "gone"


def differences(rows: Sequence[WorkerRow]) -> list[str]:
    """What live workers have in different versions: one line each, which names the workers."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in rows:
        if not one.alive:
            continue
        for name, version in one.crew.versions.items():
            found.setdefault(name, {}).setdefault(version, []).append(one.crew.node)
        for each in one.crew.implementations:
            name, _, version = each.partition("==")
            found.setdefault(name, {}).setdefault(version, []).append(one.crew.node)
    return [
        f"versions differ: {name} is "
        + ", ".join(
            f"{version} on {' and '.join(sorted(set(nodes)))}" for version, nodes in sorted(versions.items())
        )
        for name, versions in sorted(found.items())
        if len(versions) > 1
    ]


def worker_object(one: WorkerRow) -> dict[str, Any]:
    """A worker for a program."""
    return {
        "worker": one.crew.node,
        "name": one.crew.name,
        "state": state_of(one),
        "job": one.crew.job,
        "queues": [kind.value for kind in one.crew.kinds],
        "processes": one.crew.processes,
        "heartbeat": round(one.silent, 3),
        "chunks_in_hand": list(one.chunks_in_hand),
        "chunks": one.chunks_done,
        "rows": one.rows_done,
        "implementations": list(one.crew.implementations),
        "versions": one.crew.versions,
    }
