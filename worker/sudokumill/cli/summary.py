"""What a job came to: as a table for people, as an object for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from sudokumill.cli.console import plain_table
from sudokumill.jobs import JobKind
from sudokumill.rows import ReportSum
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.reading import Progress, failures, reports, versions

_ITEMS = {
    JobKind.GENERATE: "finals",
    JobKind.LEVELS: "levels",
    JobKind.DIG: "levels",
    JobKind.SOLVE: "solutions",
}


def items_of(kind: JobKind) -> str:
    """What a job of this kind delivers, in the plural."""
    return _ITEMS[kind]


def print_job(console: Console, database: Database, found: Progress) -> None:
    """A table of a job's outcome, or of how far it is."""
    table = plain_table("", "")
    table.show_header = False
    table.add_row("job", f"{found.id} ({found.kind.value})")
    table.add_row("state", found.state.value + (f": {found.reason}" if found.reason else ""))
    table.add_row("delivered", f"{found.delivered:,} of {found.count:,} {items_of(found.kind)}")
    for name, number in (
        ("  stored before", found.already),
        ("tried", found.tried if found.tried != found.delivered else 0),
        ("  off target", found.missed),
        ("  repeated", found.repeated),
        ("  not new", found.not_new),
        ("  failed", found.failed),
        ("surplus (stock)", found.surplus),
    ):
        if number:
            table.add_row(name, f"{number:,}")
    used = versions(database, found.id)
    for parts in used:
        table.add_row("made with", ", ".join(f"{part} {name}" for part, name in parts.items()))
    options = [
        f"{part.value}.{name}={value}"
        for part, choice in found.spec.parts.items()
        for name, value in choice.options.items()
    ]
    if options:
        table.add_row("options", ", ".join(options))
    table.add_row("seed", str(found.seed))
    if found.key:
        table.add_row("key", found.key)
    _add_reports(table.add_row, reports(database, found.id))
    if found.started_at and found.ended_at:
        passed = (found.ended_at - found.started_at).total_seconds()
        table.add_row("time", f"{passed:.1f} s, {found.delivered / max(passed, 0.001):,.0f} a second")
    console.print(table)
    print_failures(console, failures(database, found.id))


def _add_reports(add_row: Any, sums: Mapping[str, ReportSum]) -> None:
    for name, one in sums.items():
        add_row(name, f"mean {one.total / one.weight:.4g}, least {one.least:.4g}, greatest {one.greatest:.4g}")


def print_failures(console: Console, rows: Sequence[tuple[str, str, int]]) -> None:
    """Item errors by reason."""
    if rows:
        table = plain_table(">failed", "implementation", "reason")
        for owner, reason, times in rows:
            table.add_row(f"{times:,}", owner, reason)
        console.print()
        console.print(table)


def job_object(database: Database, found: Progress) -> dict[str, Any]:
    """The same for a program."""
    return {
        "job": found.id,
        "kind": found.kind.value,
        "state": found.state.value,
        "reason": found.reason,
        "key": found.key,
        "count": found.count,
        "seed": found.seed,
        **{
            name: getattr(found, name)
            for name in (
                "delivered", "already", "tried", "missed", "repeated", "not_new", "failed", "surplus",
            )
        },
        "chunks": {state.value: number for state, number in found.chunks.items()},
        "parts": {
            part.value: {"name": choice.name, "version": choice.version, "options": choice.options}
            for part, choice in found.spec.parts.items()
        },
        "versions": versions(database, found.id),
        "reports": {
            name: {"mean": one.total / one.weight, "least": one.least, "greatest": one.greatest}
            for name, one in reports(database, found.id).items()
        },
        "failures": [
            {"implementation": owner, "reason": reason, "times": times}
            for owner, reason, times in failures(database, found.id)
        ],
        "ordered_at": found.ordered_at.isoformat(),
        "started_at": found.started_at and found.started_at.isoformat(),
        "ended_at": found.ended_at and found.ended_at.isoformat(),
    }  # fmt: skip


def exit_code(found: Progress) -> int:
    """0 for a job that delivered all, 1 for any other."""
    return 0 if found.state is JobState.DONE else 1
