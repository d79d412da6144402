"""What a job came to: as a table for people, as an object for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console

from sudokumill.cli.tables import plain_list, plain_table
from sudokumill.jobs import Distinct, JobKind, Part
from sudokumill.rows import Failure, ReportSum
from sudokumill.store.database import Database
from sudokumill.store.models import JobState
from sudokumill.store.reading import Progress, failures, reports, versions
from sudokumill.store.yields import OR_MORE, shown_shares, yield_of

_ITEMS = {
    JobKind.GENERATE: "finals",
    JobKind.LEVELS: "levels",
    JobKind.DIG: "levels",
    JobKind.SOLVE: "solutions",
    JobKind.GRADE: "grades",
}


def items_of(kind: JobKind) -> str:
    """What a job of this kind delivers, in the plural."""
    return _ITEMS[kind]


def is_left(found: Progress) -> bool:
    """Whether a job was running when its processes were killed."""
    return found.state is JobState.RUNNING and not found.at_work


def shown_state(found: Progress) -> str:
    """A job's state with its reason; of one that was left, what to type."""
    if is_left(found):
        return f"running, but no process is at work: sudokumill jobs resume {found.id}"
    return found.state.value + (f": {found.reason}" if found.reason else "")


def print_job(console: Console, database: Database, found: Progress) -> None:
    """A table of a job's outcome, or of how far it is."""
    table = plain_list()
    table.add_row("job", f"{found.id} ({found.kind.value})")
    table.add_row("state", shown_state(found))
    table.add_row("delivered", f"{found.delivered:,} of {found.count:,} {items_of(found.kind)}")
    for name, number, remark in (
        ("  stored before", found.already, ""),
        ("tried", found.tried if found.tried != found.delivered else 0, ""),
        ("  off target", found.missed, " (stored as stock, where a puzzle was left)"),
        ("  repeated", found.repeated, ""),
        ("  not new", found.not_new, ""),
        ("  failed", found.failed, ""),
        ("  surplus", found.surplus, " (stored as stock)"),
    ):
        if number:
            table.add_row(name, f"{number:,}{remark}")
    if found.stock:
        table.add_row("from stock", f"{found.stock:,}")
    spec = found.spec
    for name, text in (
        ("asked for", "" if spec.difficulty is None else str(spec.difficulty)),
        ("distinct", "" if spec.distinct is Distinct.EXACT else spec.distinct.value),
        ("aimed by", ", ".join(f"digger.{option}={value}" for option, value in spec.aim.items())),
    ):
        if text:
            table.add_row(name, text)
    shares = yield_of(database, found)
    if shares:
        table.add_row("came out", shown_shares(shares))
        if any(name.endswith(OR_MORE) for name, _ in shares):
            table.add_row(
                "", f"how much more:  sudokumill run grade --grader {found.spec.parts[Part.GRADER].name}"
            )
    for parts in versions(database, found.id):
        table.add_row("made with", ", ".join(f"{part} {name}" for part, name in parts.items()))
    options = [
        f"{part.value}.{name}={value}"
        for part, choice in found.spec.parts.items()
        for name, value in choice.options.items()
    ]
    if options:
        table.add_row("options", ", ".join(options))
    table.add_row("seed", str(found.seed))
    if found.priority:
        table.add_row("priority", str(found.priority))
    if found.key:
        table.add_row("key", found.key)
    _add_reports(table.add_row, reports(database, found.id))
    if found.state.ended and found.worked > 0:
        rate = found.delivered / max(found.worked, 0.001)
        table.add_row("time", f"{found.worked:.1f} s, {rate:,.0f} a second")
    console.print(table)
    print_failures(console, failures(database, found.id))


def _add_reports(add_row: Callable[[str, str], None], sums: Mapping[str, ReportSum]) -> None:
    for name, one in sums.items():
        add_row(name, f"mean {one.total / one.weight:.4g}, least {one.least:.4g}, greatest {one.greatest:.4g}")


def print_failures(console: Console, rows: Sequence[Failure]) -> None:
    """Item errors by reason, with the first position of each."""
    if rows:
        table = plain_table(">failed", ">first at", "implementation", "reason")
        for one in rows:
            table.add_row(f"{one.times:,}", f"{one.first:,}", one.owner, one.reason)
        console.print()
        console.print(table)


def job_row(found: Progress) -> dict[str, Any]:
    """What a job's row and its chunks' rows say, for a program."""
    return {
        "job": found.id,
        "kind": found.kind.value,
        "state": found.state.value,
        "at_work": found.at_work,
        "reason": found.reason,
        "key": found.key,
        "count": found.count,
        "seed": found.seed,
        "priority": found.priority,
        **{
            name: getattr(found, name)
            for name in (
                "delivered", "already", "stock", "tried", "missed", "repeated", "not_new", "failed", "surplus",
            )
        },
        "chunks": {state.value: number for state, number in found.chunks.items()},
        "parts": {
            part.value: {"name": choice.name, "version": choice.version, "options": choice.options}
            for part, choice in found.spec.parts.items()
        },
        "distinct": found.spec.distinct.value,
        "difficulty": found.spec.difficulty and found.spec.difficulty.model_dump(),
        "aim": found.spec.aim,
        "ordered_at": found.ordered_at.isoformat(),
        "started_at": found.started_at and found.started_at.isoformat(),
        "ended_at": found.ended_at and found.ended_at.isoformat(),
    }  # fmt: skip


def job_object(database: Database, found: Progress) -> dict[str, Any]:
    """The same with what has to be gathered: versions, reports, failures."""
    return {
        **job_row(found),
        "versions": versions(database, found.id),
        "reports": {
            name: {"mean": one.total / one.weight, "least": one.least, "greatest": one.greatest}
            for name, one in reports(database, found.id).items()
        },
        "failures": failure_objects(failures(database, found.id)),
        "came_out": dict(yield_of(database, found)),
    }


def failure_objects(rows: Sequence[Failure]) -> list[dict[str, Any]]:
    """Item errors by reason, for a program."""
    return [
        {"implementation": one.owner, "reason": one.reason, "times": one.times, "first": one.first} for one in rows
    ]


def exit_code(found: Progress) -> int:
    """0 for a job that delivered all, 1 for any other."""
    return 0 if found.state is JobState.DONE else 1
