"""An order as it was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sudokumill.cli.pattern import read_pattern
from sudokumill.difficulty import Difficulty
from sudokumill.errors import BadOrderError
from sudokumill.jobs import Distinct, JobKind, Part, Source
from sudokumill.orders import Order
from sudokumill.output import STANDARD_OUTPUT
from sudokumill.settings import Settings

if TYPE_CHECKING:
    from sudokumill.cli.inputs import InputFile


@dataclass(frozen=True)
class Wishes:
    """What is to become of a job's rows and of its outcome."""

    output: str | None = None
    text_format: str | None = None
    as_json: bool = False

    @property
    def rows_on_stdout(self) -> bool:
        """Whether rows go to standard output; then they stand there alone."""
        return self.output == STANDARD_OUTPUT


@dataclass(frozen=True)
class Request:
    """An order as it was typed: the fields are the options of ``run`` and ``enqueue``."""

    kind: JobKind
    source: Source = Source.FRESH
    source_job: int | None = None
    file: InputFile | None = None
    count: int | None = None
    generator: str | None = None
    digger: str | None = None
    solver: str | None = None
    checker: str | None = None
    grader: str | None = None
    rating: str | None = None
    band: str | None = None
    techniques: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    no_aim: bool = False
    from_stock: bool = False
    no_grade_rest: bool = False
    options: tuple[str, ...] = ()
    seed: int | None = None
    limit: int = 2
    new: bool = False
    distinct: str = Distinct.EXACT.value
    max_attempts: int | None = None
    max_seconds: float | None = None
    chunk_rows: int | None = None
    key: str | None = None
    priority: int = 0
    processes: int | None = None
    dry_run: bool = False
    no_store: bool = False
    wishes: Wishes = field(default_factory=Wishes)

    def order(self, settings: Settings, inputs: int | None, difficulty: Difficulty | None = None) -> Order:
        """The order, with what the settings say where nothing was typed.

        Args:
            settings: implementations of orders that name none.
            inputs: how many grids the source has; None for fresh ones.
            difficulty: what is asked of the grade, with the band's range.
        """
        typed = {
            Part.GENERATOR: self.generator,
            Part.DIGGER: self.digger,
            Part.SOLVER: self.solver,
            Part.CHECKER: self.checker,
            Part.GRADER: self.grader,
        }
        return Order(
            kind=self.kind,
            count=self.count,
            names={part: name or getattr(settings, part.value) for part, name in typed.items()},
            options=self.options,
            seed=self.seed,
            source=self.source,
            source_job=self.source_job,
            inputs=inputs,
            limit=self.limit,
            new=self.new,
            distinct=Distinct(self.distinct),
            max_attempts=self.max_attempts,
            max_seconds=self.max_seconds,
            chunk_rows=self.chunk_rows,
            graded=self.grader is not None,
            difficulty=difficulty,
            from_stock=self.from_stock,
            grade_rest=not self.no_grade_rest,
        )


def request_of(kind: JobKind, given: Mapping[str, Any]) -> Request:
    """Makes the request of what click has read; the names of its parameters are those of the fields, but a few.

    Raises:
        BadOrderError: the options contradict each other.
        FileUnreadableError: the pattern's file cannot be read.
    """
    fields = dict(given)
    wishes = {name: fields.pop(name) for name in ("output", "text_format", "as_json") if name in fields}
    if kind in {JobKind.LEVELS, JobKind.DIG}:
        form = _form(fields.pop("clues"), fields.pop("symmetry"), fields.pop("minimal"))
        fields["options"] = (*fields["options"], *form)
    source, source_job, file = Source.FRESH, fields.pop("from_job", None), None
    if kind is JobKind.DIG and fields["generator"] is None:
        source = Source.UNDUG if source_job is None else Source.JOB
    elif source_job is not None:
        raise BadOrderError(
            reason="--from-job takes stored finals and --generator makes fresh ones; leave one of them out"
        )
    if kind in {JobKind.SOLVE, JobKind.GRADE}:
        path, lenient = fields.pop("path"), fields.pop("lenient")
        file = None if path is None else _file(path, lenient)
        source = Source.PUZZLES if file is None else Source.FILE
    pattern = fields.pop("pattern", None)
    if pattern is not None:
        # of the digger, and of no other part: one that has no patterns says so
        fields["options"] = (*fields["options"], f"{Part.DIGGER.value}.pattern={read_pattern(pattern)}")
    request = Request(
        kind=kind, source=source, source_job=source_job, file=file, wishes=Wishes(**wishes), **fields
    )
    _check(request)
    return request


def _form(clues: str | None, symmetry: str | None, minimal: bool) -> list[str]:
    """What is asked of the clue cells, as options of the digger, which checks them against each other.

    Raises:
        BadOrderError: that is no range of clues.
    """
    form: list[str] = []
    if clues is not None:
        found = _CLUES.fullmatch(clues.strip())
        if (
            found is None
            or not (found["low"] or found["high"])
            or (found["low"] and found["high"] and not found["dots"])
        ):
            raise BadOrderError(reason=f"--clues {clues!r}: write FROM..TO, for example 24..30, or one number")
        if not found["dots"]:
            form.append(f"digger.clues={found['low']}")
        form += [f"digger.clues_min={found['low']}"] if found["dots"] and found["low"] else []
        form += [f"digger.clues_max={found['high']}"] if found["dots"] and found["high"] else []
    if symmetry is not None:
        form.append(f"digger.symmetry={symmetry}")
    if minimal:
        form.append("digger.minimal=true")
    return form


_CLUES: Final = re.compile(r"(?P<low>\d{1,2})?(?P<dots>\.\.)?(?P<high>\d{1,2})?")


def _file(path: str, lenient: bool) -> InputFile:
    from sudokumill.cli.inputs import InputFile  # noqa: PLC0415 - most orders have none, and formats load slowly

    return InputFile(path, None, lenient)


def _check(request: Request) -> None:
    """Refuses wishes that contradict each other, before anything is loaded."""
    if request.no_store and request.wishes.output is None:
        raise BadOrderError(reason="--no-store keeps nothing; say where to with --output FILE")
    if request.no_store and request.key is not None:
        raise BadOrderError(reason="--key is kept in the database; leave it out, or --no-store")
    if request.no_store and request.new:
        raise BadOrderError(reason="--new compares with the database; leave it out, or --no-store")
    if request.no_store and request.distinct != Distinct.EXACT:
        raise BadOrderError(
            reason=f"--distinct {request.distinct} compares rows in the database; leave it out, or --no-store"
        )
    if request.no_store and request.max_seconds is not None:
        raise BadOrderError(reason="--max-seconds needs the database, which keeps what was made until then")
    if request.no_store and request.from_stock:
        raise BadOrderError(reason="--from-stock takes levels from the database; leave it out, or --no-store")
    if request.rating is not None and request.band is not None:
        raise BadOrderError(reason="--band stands for a range of ratings; leave out --rating, or --band")
    if request.source is Source.FRESH and request.count is None:
        raise BadOrderError(reason="say how many with --count N")
    check_output(request.wishes.output)


def check_output(output: str | None) -> None:
    """Refuses a FILE that cannot be written at the end, before the work begins.

    Raises:
        BadOrderError: a folder, or a file in a folder that is not there.
    """
    if output is not None and output != STANDARD_OUTPUT:
        path = Path(output)
        if path.is_dir():
            raise BadOrderError(reason=f"--output {output}: that is a folder; name a file")
        if not path.absolute().parent.is_dir():
            raise BadOrderError(reason=f"--output {output}: there is no folder {path.absolute().parent}")
