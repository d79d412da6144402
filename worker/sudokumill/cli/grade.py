"""``grade``: how hard the puzzles of a file are, at once and without a database."""

# what costs time is imported when the command is called, so that --help stays quick
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Final

import click

from sudokumill.cli.console import FORMAT_NAMES, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokumill.cli.grader import ChosenGrader
    from sudokumill.rows import Grades
    from sudokumill.store.bands import BandRange

_AT_A_TIME = 1_000


@click.command()
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
    first step; the band is that of the database here, or of a new one. What has not exactly one solution is named
    with its line and the reason, and the rest is graded; the command then ends with 1. FILE may be - for standard
    input.

    \b
    Examples:
      sudokumill grade puzzles.txt
      sudokumill grade puzzles.txt --path
      sudokumill grade puzzles.txt --json
    """
    from sudokumill.cli.grader import chosen_grader
    from sudokumill.cli.inputs import InputFile
    from sudokumill.cli.ordering import known_bands
    from sudokumill.cli.steps import drawn_path, path_objects
    from sudokumill.contracts import GradeStatus
    from sudokumill.grading import REFUSALS, verified_grade
    from sudokumill.grids.batch import to_lines
    from sudokumill.settings import load_settings

    settings = load_settings()
    chosen = chosen_grader(settings, grader, options)
    bands = known_bands(settings).get(chosen.grader_name, [])
    explainer = chosen.explainer() if with_path else None
    source = InputFile(file, text_format, lenient)
    refused, headed = 0, False
    for reading in source.readings(_AT_A_TIME, "grade"):
        graded = verified_grade(chosen.grader, reading.grids)
        faults = dict(graded.failed)
        puzzles = to_lines(reading.grids)
        for row, line in enumerate(reading.lines.tolist()):
            refusal = REFUSALS.get(GradeStatus(int(graded.grades.status[row])))
            reason = f"{chosen.name}: {faults[row]}" if row in faults else refusal
            refused += reason is not None
            one = _Graded(line, puzzles[row], reason, row in faults, graded.grades, row, bands)
            if as_json:
                path = None if explainer is None or reason else path_objects(explainer.path(reading.grids[row]))
                print_json(one.as_object(chosen) | ({} if explainer is None else {"path": path or []}))
            elif reason is not None:
                source.say(line, reason)
            else:
                if explainer is not None or not headed:
                    click.echo(_heading(bands))
                    headed = True
                click.echo(one.as_row())
                if explainer is not None:
                    click.echo(f"\n{drawn_path(reading.grids[row], explainer.path(reading.grids[row]))}\n")
    ctx.exit(1 if refused or source.faults else 0)


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

    @property
    def band(self) -> str | None:
        """The band that its rating lies in; none for one that is only a bound."""
        if self.grades.status[self.row] != 0:
            return None
        rating = self.grades.rating[self.row]
        return next((one.name for one in self.bands if one.low <= rating <= one.high), None)

    def as_object(self, chosen: ChosenGrader) -> dict[str, Any]:
        from sudokumill.contracts import GradeStatus

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
            "er": _figure(grades.er[row]),
            "ep": _figure(grades.ep[row]),
            "ed": _figure(grades.ed[row]),
            "hardest": grades.hardest[row],
            "techniques": dict(grades.techniques[row]),
            "steps": int(grades.steps[row]) if self.reason is None else None,
            "rating_sum": _figure(grades.rating_sum[row]),
            "bottleneck": _figure(grades.bottleneck[row]),
            "grader": chosen.grader_name,
            "grader_version": chosen.version,
        }

    def as_row(self) -> str:
        """For people. What is only known to be so much or more has a + behind it."""
        from sudokumill.contracts import GradeStatus

        grades, row = self.grades, self.row
        more = "" if grades.status[row] == GradeStatus.GRADED else "+"
        er = _shown(grades.er[row]) or _shown(grades.rating[row])
        figures = [er + more, _shown(grades.ep[row]), _shown(grades.ed[row])]
        band = f"{self.band or '':{_width(self.bands)}}  " if self.bands else ""
        why = _WHY_MORE.get(int(grades.status[row]), "")
        return (
            f"{self.line:>6}  {81 - self.puzzle.count('0'):>5}  {'  '.join(f'{one:>4}' for one in figures)}  "
            f"{band}{grades.steps[row]:>5}  {grades.hardest[row] or ''}{why}"
        )


_WHY_MORE: Final = {5: " (given up)", 6: " (above the ceiling)"}
"""By ``GradeStatus``."""


def _figure(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _shown(value: float) -> str:
    return "" if isnan(value) else f"{value:.1f}"
