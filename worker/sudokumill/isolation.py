"""Calls into plugins: the contract is checked, and a fault costs only the rows that it belongs to.

An implementation that raises, or returns what the contract forbids, is called again on halves of its batch until
the rows at fault stand alone. Rows are independent of their batch, so the other rows come out as they would have:

    8 rows   x . . . . . . .          a call that failed: x is the row at fault
    4 + 4    x . . . | . . . .        the right half is good
    2 + 2    x . | . .
    1 + 1    x | .                    one row fails alone: its error is its own
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import (
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    GradeResult,
    GradeStatus,
    Report,
    SolveResult,
    SolveStatus,
)
from sudokumill.errors import OutOfMemoryError
from sudokumill.grids.batch import CELLS
from sudokumill.registry.faults import fault_text
from sudokumill.registry.registration import CODE, LONGEST_CODE
from sudokumill.rows import ReportSum

R = TypeVar("R")
S = TypeVar("S", bound=np.generic)

_LONGEST_REASON: Final = 300
_GREATEST_FIGURE: Final = 1e100
_LEAST_WEIGHT: Final = 1e-100
_LONGEST_NAME: Final = 60
_MOST_REPORTS: Final = 20
_GREATEST_COUNT: Final = 10**9
_GREATEST_EXTRA: Final = 1e6
_CODES: Final = 1_000
"""Codes that are remembered: a grader has some dozens."""


class _BrokenContract(Exception):  # noqa: N818 - never leaves this module
    """A result that the contract forbids."""


@dataclass(frozen=True)
class Pieces(Generic[R]):
    """What came of a batch: results of the good ranges, in order, and reasons of single rows."""

    good: tuple[tuple[slice, R], ...]
    failed: tuple[tuple[int, str], ...]


def isolate(call: Callable[[slice], R], take: Callable[[R, int], R], count: int) -> Pieces[R]:
    """Calls ``call`` on all rows, or on ever smaller ranges around those that fail.

    Args:
        call: the implementation's method, on a range of the batch.
        take: gets the result and the number of rows; raises where the contract forbids it, else copies it.
        count: rows of the batch.

    Raises:
        OutOfMemoryError: a row alone wants more memory than there is.
    """
    good: list[tuple[slice, R]] = []
    failed: list[tuple[int, str]] = []
    ranges = [(0, count)] if count else []
    while ranges:
        low, high = ranges.pop()
        try:
            result = take(call(slice(low, high)), high - low)
        except BaseException as error:
            # SystemExit among them; and KeyboardInterrupt where signals are only noted: no person sent that one
            if isinstance(error, KeyboardInterrupt) and ctrl_c_raises():
                raise
            if high - low == 1 and isinstance(error, MemoryError):
                # not the row's fault for certain: the process may be full of what other rows left behind
                raise OutOfMemoryError() from None
            if high - low == 1:
                failed.append((low, describe_failure(error)))
            else:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]
        else:
            good.append((slice(low, high), result))
    return Pieces(tuple(good), tuple(failed))


def ctrl_c_raises() -> bool:
    """Whether a person's Ctrl-C raises here: elsewhere nobody but a plugin raises ``KeyboardInterrupt``."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def describe_failure(error: BaseException) -> str:
    """One line about what a plugin raised or broke, short enough for a row, fit for any database and terminal."""
    text = str(error) if isinstance(error, _BrokenContract) else f"raised {fault_text(error)}"
    text = "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 3] + "..."


def take_generated(result: GenerateResult, rows: int) -> GenerateResult:
    """A copy of what ``Generator.generate`` returned; raises where its contract is broken.

    A copy, here and below, because a plugin may use its memory again: what was verified must be what is stored.
    """
    _check_type(result, GenerateResult)
    return GenerateResult(
        _taken("finals", result.finals, np.uint8, (rows, CELLS)),
        _taken_status(result.status, rows, len(GenerateStatus)),
        _taken_reports(result.reports, rows),
    )


def take_dug(result: DigResult, rows: int) -> DigResult:
    """A copy of what ``Digger.dig`` returned; raises where its contract is broken."""
    _check_type(result, DigResult)
    return DigResult(
        _taken("puzzles", result.puzzles, np.uint8, (rows, CELLS)),
        _taken_status(result.status, rows, len(DigStatus)),
        _taken_reports(result.reports, rows),
    )


def take_solved(result: SolveResult, rows: int) -> SolveResult:
    """A copy of what ``Solver.solve`` returned; raises where its contract is broken."""
    _check_type(result, SolveResult)
    return SolveResult(
        _taken("counts", result.counts, np.int64, (rows,)),
        _taken("solutions", result.solutions, np.uint8, (rows, CELLS)),
        _taken("nodes", result.nodes, np.int64, (rows,)),
        _taken_status(result.status, rows, len(SolveStatus)),
        _taken_reports(result.reports, rows),
    )


def take_answers(answers: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    """A copy of what ``MinimalityTester.minimal`` returned; raises where its contract is broken."""
    return _taken("answers", answers, np.bool_, (rows,))


def take_graded(result: GradeResult, rows: int) -> GradeResult:
    """A copy of what ``Grader.grade`` returned; raises where its contract is broken."""
    _check_type(result, GradeResult)
    extras: object = result.extras
    if not isinstance(extras, Mapping) or not all(isinstance(name, str) for name in extras):
        raise _BrokenContract("wrong type: extras is no mapping of names")
    return GradeResult(
        rating=_taken("rating", result.rating, np.float64, (rows,)),
        hardest=[_code(code) for code in _listed("hardest", result.hardest, rows)],
        techniques=[_counts(used) for used in _listed("techniques", result.techniques, rows)],
        steps=_taken("steps", result.steps, np.int64, (rows,)),
        status=_taken_status(result.status, rows, len(GradeStatus)),
        extras={name: _figures(f"extra {name!r}", figures, rows) for name, figures in result.extras.items()},
    )


def take_extras(given: Mapping[str, object], declared: Sequence[str]) -> None:
    """Raises where a grader's extras are not those that it declares."""
    if set(given) != set(declared):
        raise _BrokenContract(
            f"its extras are {', '.join(sorted(given)) or 'none'}, and it declares {', '.join(declared) or 'none'}"
        )


def _figures(name: str, array: object, rows: int) -> NDArray[np.float64]:
    """Figures of a grade, NaN where there is none."""
    taken = _taken(name, array, np.float64, (rows,))
    if (np.abs(taken) > _GREATEST_EXTRA).any():  # NaN is not
        raise _BrokenContract(f"{name} has figures that are no numbers up to a million")
    return taken


def _listed(name: str, given: object, rows: int) -> list[Any]:
    if not isinstance(given, list) or len(given) != rows:
        raise _BrokenContract(f"wrong type: {name} is no list of {rows}")
    return given


def _code(given: object) -> str | None:
    if given is not None and not (isinstance(given, str) and _is_code(given)):
        raise _BrokenContract(f"hardest is {str(given)[:80]!r}, which is no code of a technique")
    return given


@lru_cache(maxsize=_CODES)
def _is_code(text: str) -> bool:
    return len(text) <= LONGEST_CODE and CODE.fullmatch(text) is not None


def _counts(given: object) -> dict[str, int]:
    # every dug puzzle brings half a dozen: where all is as it should be this must not take long
    if not isinstance(given, Mapping):
        raise _BrokenContract(f"wrong type: techniques has a {type(given).__name__}, not a mapping")
    counts: dict[str, int] = {}
    for code, times in given.items():
        if not (isinstance(code, str) and _is_code(code)):
            raise _BrokenContract(f"techniques has {str(code)[:80]!r}, which is no code of a technique")
        # numpy's whole numbers too, but neither 1.5 nor "3" nor True
        if (type(times) is not int and not isinstance(times, np.integer)) or not 0 < times < _GREATEST_COUNT:
            raise _BrokenContract(f"techniques has a count that is no number above 0, {str(times)[:20]!r}")
        counts[code] = int(times)
    return counts


def add_up(reports: Mapping[str, Report]) -> dict[str, ReportSum]:
    """Each report of one result, added up over the rows that have a figure; none where no row has one."""
    sums: dict[str, ReportSum] = {}
    for name, report in reports.items():
        weight = np.ones_like(report.total) if report.weight is None else report.weight
        known = weight > 0
        if known.any():
            total, weight = report.total[known], weight[known]
            each = total / weight
            sums[name] = ReportSum(float(total.sum()), float(weight.sum()), float(each.min()), float(each.max()))
    return sums


def _check_type(result: object, wanted: type) -> None:
    if not isinstance(result, wanted):
        raise _BrokenContract(f"returned a {type(result).__name__} instead of a {wanted.__name__}")


def _taken(name: str, array: object, dtype: type[S], shape: tuple[int, ...]) -> NDArray[S]:
    """A C-contiguous copy of an array of this dtype and shape."""
    if not isinstance(array, np.ndarray):
        raise _BrokenContract(f"wrong type: {name} is a {type(array).__name__}, not an array")
    if array.shape[1:] != shape[1:] or array.ndim != len(shape):
        cells = f"{array.shape[1]} cells" if array.ndim == len(shape) == 2 else f"{array.ndim} dimensions"
        raise _BrokenContract(f"wrong shape: {name} has {cells} instead of {_shape_words(shape)}")
    if array.shape[0] != shape[0]:
        raise _BrokenContract(f"wrong shape: {name} has {array.shape[0]} rows for {shape[0]}")
    if array.dtype != dtype:
        raise _BrokenContract(f"wrong dtype: {name} is {array.dtype}, not {np.dtype(dtype)}")
    return np.array(array, dtype=dtype, order="C")


def _shape_words(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}" if len(shape) == 2 else f"{len(shape)}"


def _taken_status(status: object, rows: int, kinds: int) -> NDArray[np.uint8]:
    taken = _taken("status", status, np.uint8, (rows,))
    if rows and int(taken.max()) >= kinds:
        raise _BrokenContract(f"unknown status {int(taken.max())}")
    return taken


def _taken_reports(reports: object, rows: int) -> dict[str, Report]:
    if not isinstance(reports, Mapping):
        raise _BrokenContract(f"wrong type: reports is a {type(reports).__name__}, not a mapping")
    taken: dict[str, Report] = {}
    for name, report in reports.items():
        if not isinstance(report, Report) or not isinstance(name, str) or not name.isprintable():
            raise _BrokenContract(f"report {name!r} is not a name with a Report")
        if len(name) > _LONGEST_NAME or len(reports) > _MOST_REPORTS:
            raise _BrokenContract(f"over {_MOST_REPORTS} reports, or a name of over {_LONGEST_NAME} characters")
        total = _finite(f"report {name!r}", report.total, rows)
        weight = None if report.weight is None else _finite(f"report {name!r}", report.weight, rows)
        if weight is not None and ((weight < 0) | ((weight > 0) & (weight < _LEAST_WEIGHT))).any():
            raise _BrokenContract(f"report {name!r} has a weight below zero, or next to it")
        taken[name] = Report(total, weight)
    return taken


def _finite(name: str, array: object, rows: int) -> NDArray[np.float64]:
    taken = _taken(name, array, np.float64, (rows,))
    # the sum over a job's rows must be a number too
    if not (np.abs(taken) <= _GREATEST_FIGURE).all():
        raise _BrokenContract(f"{name} has figures that are no numbers below 1e100")
    return taken
