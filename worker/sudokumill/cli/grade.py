"""``grade``: how hard the puzzles of a file are, at once and without a database."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from sudokumill.cli.console import FORMAT_NAMES, print_json
from sudokumill.cli.strict import StrictCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokumill.cli.chosen import Chosen
    from sudokumill.contracts import Grader, GraderDescriptor, Solver, Step
    from sudokumill.formats import Reading
    from sudokumill.grading import Graded, Promises
    from sudokumill.grids.batch import Grids
    from sudokumill.rows import Grades
    from sudokumill.store.bands import BandRange

    PathOf = Callable[[Grids, Grades, int], tuple[Step, ...]]

_AT_A_TIME = 1_000


@click.command(cls=StrictCommand)
@click.argument("file")
@click.option("--grader", metavar="NAME", help="Grader, NAME or NAME==VERSION.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the grader. May be repeated."
)
@click.option("--path", "with_path", is_flag=True, help="Show each step of the way to the solution.")
@click.option(
    "--format", "text_format", type=click.Choice(FORMAT_NAMES), help="Of FILE; by default the most probable."
)
@click.option("--lenient", is_flag=True, help="Read ambiguous lines too.")
@click.option("--json", "as_json", is_flag=True, help="One object a grid.")
@click.pass_context
def grade(
    ctx: click.Context,
    file: str,
    grader: str | None,
    options: tuple[str, ...],
    with_path: bool,
    text_format: str | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Says of each puzzle in FILE how hard it is for a person, and which techniques it takes.

    ER is the highest rating of a step, EP the highest up to the first digit that is placed, ED the rating of the
    first step. A + says "at least": grading stopped before the end. The band is that of the database here, or of a
    new one. What has not exactly one solution is named with its line and the reason, and the rest is graded; the
    command then ends with 1. FILE may be - for standard input.

    With --path each step is checked before it is shown; one that is wrong is named instead, and the command ends
    with 1.

    \b
    Examples:
      sudokumill grade puzzles.txt
      sudokumill grade puzzles.txt --path
      sudokumill grade puzzles.txt --json
    """
    from sudokumill.cli.chosen import chosen
    from sudokumill.cli.inputs import InputFile
    from sudokumill.cli.ordering import known_bands
    from sudokumill.cli.steps import drawn_path, path_objects
    from sudokumill.grading import verified_grade
    from sudokumill.jobs import Part
    from sudokumill.settings import load_settings

    settings = load_settings()
    tool = chosen(settings, Part.GRADER, grader, options)
    bands = known_bands(settings).get(tool.found.name, [])
    path_of = _paths(tool, chosen(settings, Part.CHECKER, None)) if with_path else None
    source = InputFile(file, text_format, lenient)
    refused, headed = 0, False
    for reading in source.readings(_AT_A_TIME, "grade"):
        graded = verified_grade(tool.built, reading.grids, _promises(tool))
        for one in _rows(tool, path_of, reading, graded, bands):
            refused += bool(one.faults)
            if as_json:
                shown = {"path": path_objects(one.path), "path_reason": one.path_fault} if with_path else {}
                print_json(one.as_object(tool) | shown)
                continue
            if one.reason is None:
                if with_path or not headed:
                    click.echo(_heading(bands))
                    headed = True
                click.echo(one.as_row())
                if one.path:
                    click.echo(f"\n{drawn_path(reading.grids[one.row], one.path)}\n")
            for said in one.faults:
                source.say(one.line, said)
    ctx.exit(1 if refused or source.faults else 0)


def _rows(
    tool: Chosen[Grader], path_of: PathOf | None, reading: Reading, graded: Graded, bands: Sequence[BandRange]
) -> Iterator[_Graded]:
    """What came of each grid, with its path where that is wanted and there is one."""
    from sudokumill.contracts import GradeStatus
    from sudokumill.errors import WrongPathError
    from sudokumill.grading import REFUSALS
    from sudokumill.grids.batch import to_lines

    failed = dict(graded.failed)
    puzzles = to_lines(reading.grids)
    for row, line in enumerate(reading.lines.tolist()):
        refusal = REFUSALS.get(GradeStatus(int(graded.grades.status[row])))
        reason = f"{tool.name}: {failed[row]}" if row in failed else refusal
        path: tuple[Step, ...] = ()
        path_fault = None
        if path_of is not None and reason is None:
            try:
                path = path_of(reading.grids, graded.grades, row)
            except WrongPathError as error:
                path_fault = f"{tool.name}: {error}"
        yield _Graded(line, puzzles[row], reason, row in failed, graded.grades, row, bands, path, path_fault)


def _promises(tool: Chosen[Grader]) -> Promises:
    from sudokumill.grading import Promises

    return Promises.of(_declared(tool), tool.options)


def _declared(tool: Chosen[Grader]) -> GraderDescriptor:
    descriptor: GraderDescriptor = tool.found.descriptor  # type: ignore[assignment] # it is a grader's
    return descriptor


def _paths(tool: Chosen[Grader], checker: Chosen[Solver]) -> PathOf:
    """What shows the path of one row, or raises what is wrong with it."""
    from sudokumill.contracts import GradeStatus, SolveStatus
    from sudokumill.errors import WrongPathError
    from sudokumill.path_checking import verified_path
    from sudokumill.solving import verified_solve

    explainer, codes = tool.explainer(), _declared(tool).codes

    def path_of(puzzles: Grids, grades: Grades, row: int) -> tuple[Step, ...]:
        found = verified_solve(checker.built, puzzles[row : row + 1]).result
        if found.status[0] == SolveStatus.GAVE_UP:
            raise WrongPathError(fault=f"its path cannot be checked, for {checker.name} gave up on the solution")
        if found.status[0] != SolveStatus.UNIQUE:
            raise WrongPathError(fault=f"it grades what has not exactly one solution, as {checker.name} finds")
        return verified_path(
            explainer,
            puzzles[row],
            found.solutions[0],
            counted=grades.techniques[row],
            codes=codes,
            whole=grades.status[row] == GradeStatus.GRADED,
        )

    return path_of


def _heading(bands: Sequence[BandRange]) -> str:
    band = f"{'band':{_width(bands)}}  " if bands else ""
    return f"{'line':>6}  {'clues':>5}  {'ER':>4}  {'EP':>4}  {'ED':>4}  {band}{'steps':>5}  hardest technique"


def _width(bands: Sequence[BandRange]) -> int:
    """Of the column of bands; a grader that has none has no such column."""
    return max(len(one.name) for one in bands)


@dataclass(frozen=True)
class _Graded:
    """What came of one grid."""

    line: int
    puzzle: str
    reason: str | None
    """Why it has no grade."""
    failed: bool
    """The grader is at fault."""
    grades: Grades
    row: int
    bands: Sequence[BandRange]
    """Of the grader."""
    path: tuple[Step, ...]
    path_fault: str | None
    """Why it has no path."""

    @property
    def faults(self) -> list[str]:
        """What is wrong with it."""
        return [said for said in (self.reason, self.path_fault) if said is not None]

    @property
    def band(self) -> str | None:
        """The band that its rating lies in; none for one that is only a bound."""
        from sudokumill.contracts import GradeStatus

        if self.grades.status[self.row] != GradeStatus.GRADED:
            return None
        rating = self.grades.rating[self.row]
        return next((one.name for one in self.bands if one.low <= rating <= one.high), None)

    def as_object(self, tool: Chosen[Grader]) -> dict[str, Any]:
        from sudokumill.contracts import GradeStatus
        from sudokumill.grading import AT_LEAST

        grades, row = self.grades, self.row
        rating = _figure(grades.rating[row])
        status = GradeStatus(int(grades.status[row]))
        ended = status is GradeStatus.GRADED
        return {
            "line": self.line,
            "puzzle": self.puzzle,
            "status": "failed" if self.failed else status.name.lower().replace("_", " "),
            "reason": self.reason,
            "band": self.band,
            "rating": rating if ended else None,
            "rating_at_least": None if ended else rating,
            "at_least": status in AT_LEAST,
            "er": _figure(grades.er[row]),
            "ep": _figure(grades.ep[row]),
            "ed": _figure(grades.ed[row]),
            "hardest": grades.hardest[row],
            "techniques": dict(grades.techniques[row]),
            "steps": int(grades.steps[row]) if self.reason is None else None,
            "rating_sum": _figure(grades.rating_sum[row]),
            "bottleneck": None if isnan(grades.bottleneck[row]) else int(grades.bottleneck[row]),
            "grader": tool.found.name,
            "grader_version": tool.found.descriptor.version,
        }

    def as_row(self) -> str:
        """For people. What is only known to be so much or more has a + behind it."""
        from sudokumill.contracts import GradeStatus
        from sudokumill.grading import AT_LEAST

        grades, row = self.grades, self.row
        er = grades.rating[row] if isnan(grades.er[row]) else grades.er[row]
        ratings = ["" if isnan(one) else f"{one:.1f}" for one in (er, grades.ep[row], grades.ed[row])]
        more = "+" if grades.status[row] in AT_LEAST else " "
        figures = [f"{one + more if one else '':>5}" for one in ratings]
        why = {GradeStatus.GAVE_UP: " (given up)", GradeStatus.ABOVE: " (above the ceiling)"}.get(
            GradeStatus(int(grades.status[row])), ""
        )
        band = f"{self.band or '':{_width(self.bands)}}  " if self.bands else ""
        return (
            f"{self.line:>6}  {81 - self.puzzle.count('0'):>5}  {' '.join(figures)} "
            f"{band}{grades.steps[row]:>5}{more} {grades.hardest[row] or ''}{why}"
        )


def _figure(value: float) -> float | None:
    return None if isnan(value) else float(value)
