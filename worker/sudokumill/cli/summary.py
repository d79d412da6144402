"""What a job came to: as a table for people, as an object for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rich.console import Console

from sudokumill.cli.tables import plain_list, plain_table
from sudokumill.jobs import Distinct, JobKind, JobSpec, Part, Source
from sudokumill.rows import Failure, ReportSum
from sudokumill.store.database import Database
from sudokumill.store.followers import followers, is_left_above
from sudokumill.store.models import JobState
from sudokumill.store.progress import Progress
from sudokumill.store.reading import failures, first_lines, off_target, reports, versions
from sudokumill.store.yields import OR_MORE, shown_shares, yield_of

RARE: Final = 0.01
"""Share of what is tried below which it is worth a word that all the rest goes to stock."""

_FEW_TRIED: Final = 1_000
"""By which that is not known yet."""

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
    tried = made_of(found)
    for name, number, remark in (
        ("  from stock", found.stock, "" if tried or not found.state.ended else " (nothing had to be made)"),
        ("  stored before", found.already - found.stock, ""),
        ("tried", tried if tried != found.delivered else 0, ""),
        ("  off target", found.missed, _kept(database, found)),
        ("  repeated", found.repeated, ""),
        ("  not new", found.not_new, ""),
        ("  failed", found.failed, ""),
        ("  surplus", found.surplus, f" (stored as stock{_since(found.dropped_hits)})"),
    ):
        if number:
            table.add_row(name, f"{number:,}{remark}")
    if _is_rare(found):
        table.add_row("", _rare(found))
    spec = found.spec
    for name, text in (
        ("asked for", "" if spec.difficulty is None else str(spec.difficulty)),
        ("distinct", "" if spec.distinct is Distinct.EXACT else spec.distinct.value),
        ("aimed by", shown_aim(spec) if tried or not found.state.ended else ""),
    ):
        if text:
            table.add_row(name, text)
    shares = yield_of(database, found)
    if shares:
        table.add_row("came out", shown_shares(shares))
    bounds = any(name.endswith(OR_MORE) for name, _ in shares) and is_left_above(database, found.id)
    _add_rest(table.add_row, found, followers(database, found.id), bounds)
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
        table.add_row("time", f"{found.worked:.1f} s, {rate:,.{0 if rate >= 10 or not rate else 2}f} a second")
    console.print(table)
    rows = failures(database, found.id)
    lines = first_lines(database, found.id, rows) if found.spec.source is Source.FILE else None
    print_failures(console, rows, lines)


def shown_aim(spec: JobSpec) -> str:
    """What an order by difficulty was aimed by; empty where nothing was tried."""
    tried = spec.tried_aims
    return ", ".join(spec.aimed_by) or ("nothing: as ordered is best" if tried else "")


def _add_rest(
    add_row: Callable[[str, str], None],
    found: Progress,
    rest: Sequence[Progress],
    bounds: bool,
) -> None:
    """The jobs that grade what a ceiling left, and what is left to be graded after them."""
    for one in rest:
        waits = one.state is JobState.WAITING and not one.at_work
        more = f"; go on with:  sudokumill jobs resume {one.id}" if waits else ""
        add_row("graded after", f"{one.delivered:,} of {one.count:,} by job {one.id}, {shown_state(one)}{more}")
    if bounds and all(one.state.ended for one in rest):
        add_row("", f"how much more:  sudokumill run grade --grader {found.spec.parts[Part.GRADER].name}")


def _kept(database: Database, found: Progress) -> str:
    """How many of those off target are there."""
    number = (off_target(database, found.id) if found.missed else 0) + found.dropped
    if not number:
        return " (of none a puzzle is stored)"
    many = "all" if number >= found.missed else f"{number:,}"
    return f" ({many} stored under what they are{_since(found.dropped)})"


def _since(dropped: int) -> str:
    """How many of those are not there any more."""
    return f", {dropped:,} of them dropped since" if dropped else ""


def made_of(found: Progress) -> int:
    """Positions that a job tried itself: what came from stock is none of them."""
    return found.tried - found.stock


def _is_rare(found: Progress) -> bool:
    tried, hits = made_of(found), found.hits
    return found.spec.difficulty is not None and tried >= _FEW_TRIED and hits <= tried * RARE


def _rare(found: Progress) -> str:
    """One line on what hardly ever comes, and where all the rest is."""
    tried, hits = made_of(found), found.hits
    share = f"one in {tried / hits:,.0f} was as ordered" if hits else "nothing was as ordered"
    return f"{share}; all others are stock:  sudokumill stock"


def _add_reports(add_row: Callable[[str, str], None], sums: Mapping[str, ReportSum]) -> None:
    for name, one in sums.items():
        add_row(name, f"mean {one.total / one.weight:.4g}, least {one.least:.4g}, greatest {one.greatest:.4g}")


def print_failures(console: Console, rows: Sequence[Failure], lines: Mapping[int, int] | None = None) -> None:
    """Item errors by reason, with the first position of each, or the line of its grid in a file."""
    if rows:
        where = "position" if lines is None else "line"
        table = plain_table(">failed", f">first at {where}", "implementation", "reason")
        for one in rows:
            first = one.first if lines is None else lines.get(one.first, one.first)
            table.add_row(f"{one.times:,}", f"{first:,}", one.owner, one.reason)
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
                "delivered", "already", "stock", "missed", "repeated", "not_new", "failed", "surplus",
            )
        },
        "tried": made_of(found),
        "dropped": found.dropped + found.dropped_hits,
        "chunks": {state.value: number for state, number in found.chunks.items()},
        "parts": {
            part.value: {"name": choice.name, "version": choice.version, "options": choice.options}
            for part, choice in found.spec.parts.items()
        },
        "distinct": found.spec.distinct.value,
        "difficulty": found.spec.difficulty and found.spec.difficulty.model_dump(),
        "aim": found.spec.aim,
        "digger_ordered": found.spec.digger_ordered and found.spec.digger_ordered.name,
        "ordered_at": found.ordered_at.isoformat(),
        "started_at": found.started_at and found.started_at.isoformat(),
        "ended_at": found.ended_at and found.ended_at.isoformat(),
    }  # fmt: skip


def job_object(database: Database, found: Progress) -> dict[str, Any]:
    """The same with what has to be gathered: versions, reports, failures."""
    rows = failures(database, found.id)
    lines = first_lines(database, found.id, rows) if found.spec.source is Source.FILE else None
    return {
        **job_row(found),
        "versions": versions(database, found.id),
        "reports": {
            name: {"mean": one.total / one.weight, "least": one.least, "greatest": one.greatest}
            for name, one in reports(database, found.id).items()
        },
        "failures": failure_objects(rows, lines),
        "came_out": dict(yield_of(database, found)),
        "graded_after": [
            {"job": one.id, "state": one.state.value, "delivered": one.delivered, "count": one.count}
            for one in followers(database, found.id)
        ],
    }


def failure_objects(rows: Sequence[Failure], lines: Mapping[int, int] | None = None) -> list[dict[str, Any]]:
    """Item errors by reason, for a program."""
    return [
        {
            "implementation": one.owner, "reason": one.reason, "times": one.times, "first": one.first,
            **({} if lines is None else {"first_line": lines.get(one.first)}),
        }
        for one in rows
    ]  # fmt: skip


def exit_code(found: Progress) -> int:
    """0 for a job that delivered all, 1 for any other."""
    return 0 if found.state is JobState.DONE else 1
