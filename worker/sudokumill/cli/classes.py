"""``classes``: how many of the stored puzzles are essentially different; of a file, which lines are isomorphs."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sudokumill.cli.console import FORMAT_NAMES, GREATEST_ID, open_store, print_json, shown_id
from sudokumill.cli.strict import StrictCommand
from sudokumill.errors import BadOrderError

if TYPE_CHECKING:
    from sudokumill.contracts import Canonicaliser, SolveResult
    from sudokumill.grids.batch import Grids
    from sudokumill.settings import Settings
    from sudokumill.store.classes import Stored
    from sudokumill.store.database import Database

_AT_A_TIME = 1_000


@click.command(cls=StrictCommand)
@click.argument("file", required=False)
@click.option("--finals", is_flag=True, help="Count finals instead of puzzles.")
@click.option("--job", type=click.IntRange(0, GREATEST_ID), metavar="ID", help="Only what this job delivered.")
@click.option("--no-fill", is_flag=True, help="Count what is known; find nothing out.")
@click.option("--format", "text_format", type=click.Choice(FORMAT_NAMES), help="Of FILE.")
@click.option("--lenient", is_flag=True, help="Read ambiguous lines of FILE too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; of a file one object a grid.")
@click.pass_context
def classes(
    ctx: click.Context,
    file: str | None,
    finals: bool,
    job: int | None,
    no_fill: bool,
    text_format: str | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Counts classes: of puzzles that are turned, mirrored or relabelled into each other, all are of one.

    Classes that are not known yet are found out first, and stored as it goes on: it may be interrupted at any
    moment. With FILE (- is standard input), says which of its puzzles and finals are isomorphs of an earlier one;
    ends with 1 if one has not exactly one solution, or could not be read.

    \b
    Examples:
      sudokumill classes
      sudokumill classes --job 1
      sudokumill classes puzzles.txt
    """
    from sudokumill.settings import load_settings

    settings = load_settings()
    if file is not None:
        if finals or job is not None or no_fill:
            raise BadOrderError(
                reason="--finals, --job and --no-fill are of what is stored; leave FILE out, or them"
            )
        ctx.exit(_of_file(settings, file, text_format, lenient, as_json))
    if text_format is not None or lenient:
        raise BadOrderError(reason="--format and --lenient are of a FILE; name one")
    canonicaliser = None if no_fill else _canonicaliser(settings)
    database = open_store(settings)
    meant = _meant(database, finals, job)
    lost = 0 if canonicaliser is None else _fill(database, meant, canonicaliser)
    _tell(database, meant, as_json)
    ctx.exit(1 if lost else 0)


def _canonicaliser(settings: Settings) -> Canonicaliser:
    from sudokumill.errors import NoCanonicaliserError
    from sudokumill.registry import load_registry
    from sudokumill.registry.canonicaliser import find_canonicaliser

    found = find_canonicaliser(load_registry(settings.plugins, settings.plugin_dir))
    if found is None:
        raise NoCanonicaliserError(asked="finding out classes")
    return found


def _meant(database: Database, finals: bool, job: int | None) -> Stored:
    from sudokumill.store.classes import Stored, delivers
    from sudokumill.store.progress import progress

    if job is None:
        return Stored(finals)
    found = progress(database, job)
    what = delivers(found.kind)
    if what is None:
        raise BadOrderError(reason=f"--job {job}: a {found.kind.value} job delivers neither levels nor finals")
    if finals and not what:
        raise BadOrderError(reason=f"--job {job}: that job delivers levels; leave out --finals")
    return Stored(what, found)


def _fill(database: Database, meant: Stored, canonicaliser: Canonicaliser) -> int:
    """Finds out classes that are not known; returns how many could not be found."""
    from sudokumill.classing import class_ids
    from sudokumill.cli.bars import Bar
    from sudokumill.cli.console import err
    from sudokumill.grids.batch import from_lines
    from sudokumill.store.classes import count_classes, keep_classes, unclassed

    before = count_classes(database, meant)
    done = lost = 0
    with Bar("classes", before.rows - before.known) as bar:
        for rows in unclassed(database, meant):
            grids = from_lines([row.digits for row in rows])
            solutions = from_lines([row.solution for row in rows])
            found = class_ids(canonicaliser, grids, solutions)
            known = {row.id: class_id for row, class_id in zip(rows, found, strict=True) if class_id is not None}
            keep_classes(database, meant, known)
            done, lost = done + len(rows), lost + len(rows) - len(known)
            bar.show(done)
    if lost:
        err().print(f"the class of {lost:,} could not be found: the solver that should do it failed at them")
    return lost


def _tell(database: Database, meant: Stored, as_json: bool) -> None:
    from sudokumill.cli.console import out
    from sudokumill.cli.tables import plain_list
    from sudokumill.store.classes import count_classes

    found = count_classes(database, meant)
    what = "finals" if meant.finals else "puzzles"
    largest = None if found.largest is None else shown_id(found.largest)
    if as_json:
        counted: dict[str, Any] = {
            "of": what,
            "job": None if meant.job is None else meant.job.id,
            "rows": found.rows,
            "unknown": found.rows - found.known,
            "classes": found.classes,
            "largest": None if largest is None else {"class": largest, "rows": found.largest_rows},
        }
        print_json(counted)
        return
    table = plain_list()
    table.add_row(what, f"{found.rows:,}")
    table.add_row("classes", f"{found.classes:,}")
    if found.known < found.rows:
        table.add_row("not known", f"{found.rows - found.known:,}")
    if largest is not None:
        table.add_row("largest", f"{found.largest_rows:,} of class {largest}")
    out().print(table)


def _of_file(settings: Settings, file: str, text_format: str | None, lenient: bool, as_json: bool) -> int:
    from sudokumill.cli.chosen import chosen
    from sudokumill.cli.inputs import InputFile
    from sudokumill.grids.batch import to_lines
    from sudokumill.jobs import Part
    from sudokumill.solving import verified_solve

    canonicaliser = _canonicaliser(settings)
    solver = chosen(settings, Part.SOLVER, None)
    source = InputFile(file, text_format, lenient)
    first: dict[bytes, int] = {}
    grids = refused = 0
    for reading in source.readings(_AT_A_TIME, "classes"):
        solved = verified_solve(solver.built, reading.grids)
        faults = dict(solved.failed)
        found = _classes_of(canonicaliser, reading.grids, solved.result)
        puzzles = to_lines(reading.grids)
        for row, line in enumerate(reading.lines.tolist()):
            class_id = found[row]
            if isinstance(class_id, str):
                refused += 1
                source.say(line, f"{solver.name}: {faults[row]}" if row in faults else class_id)
                continue
            grids += 1
            earlier = first.setdefault(class_id, line)
            if as_json:
                before = None if earlier == line else earlier
                print_json(
                    {"line": line, "puzzle": puzzles[row], "class": shown_id(class_id), "isomorph_of": before}
                )
            elif earlier != line:
                click.echo(f"line {line}: isomorph of line {earlier}")
    if not as_json:
        click.echo(f"{grids:,} grids, {len(first):,} classes")
    return 1 if refused or source.faults else 0


def _classes_of(canonicaliser: Canonicaliser, grids: Grids, solved: SolveResult) -> list[bytes | str]:
    """The class of each grid, or why it has none."""
    from sudokumill.classing import class_ids
    from sudokumill.contracts import GradeStatus, SolveStatus
    from sudokumill.grading import REFUSALS

    said = {
        SolveStatus.SEVERAL: REFUSALS[GradeStatus.NOT_UNIQUE],
        SolveStatus.NO_SOLUTION: REFUSALS[GradeStatus.NO_SOLUTION],
        SolveStatus.CLASH: REFUSALS[GradeStatus.CLASH],
        SolveStatus.GAVE_UP: "its solver gave up, so its class is not known",
    }
    found: list[bytes | str] = [said.get(SolveStatus(code), "no class") for code in solved.status.tolist()]
    good = [row for row in range(len(grids)) if solved.status[row] == SolveStatus.UNIQUE]
    for row, class_id in zip(good, class_ids(canonicaliser, grids[good], solved.solutions[good]), strict=True):
        found[row] = class_id or "its class could not be found: the solver that should do it failed"
    return found
