"""Calls into plugins: the contract is checked, and a fault costs only the rows that it belongs to.

An implementation that raises, or returns what the contract forbids, is called again on halves of its batch until
the rows at fault stand alone. Rows are independent of their batch, so the other rows come out as they would have:

    8 rows   x . . . . . . .          a call that failed: x is the row at fault
    4 + 4    x . . . | . . . .        the right half is good
    2 + 2    x . | . .
    1 + 1    x | .                    one row fails alone: its error is its own
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np

from sudokumill.contracts import (
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    Report,
    SolveResult,
    SolveStatus,
)
from sudokumill.grids.batch import CELLS
from sudokumill.registry.faults import fault_text
from sudokumill.rows import ReportSum

R = TypeVar("R")

_LONGEST_REASON: Final = 300


class _BrokenContract(Exception):  # noqa: N818 - never leaves this module
    """A result that the contract forbids."""


@dataclass(frozen=True)
class Pieces(Generic[R]):
    """What came of a batch: results of the good ranges, in order, and reasons of single rows."""

    good: tuple[tuple[slice, R], ...]
    failed: tuple[tuple[int, str], ...]


def isolate(call: Callable[[slice], R], check: Callable[[R, int], None], count: int) -> Pieces[R]:
    """Calls ``call`` on all rows, or on ever smaller ranges around those that fail.

    Args:
        call: the implementation's method, on a range of the batch.
        check: raises for a result that the contract forbids; gets the result and the number of rows.
        count: rows of the batch.
    """
    good: list[tuple[slice, R]] = []
    failed: list[tuple[int, str]] = []
    ranges = [(0, count)] if count else []
    while ranges:
        low, high = ranges.pop()
        try:
            result = call(slice(low, high))
            check(result, high - low)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # SystemExit among them: a plugin that calls sys.exit() must not end the host
            if high - low == 1:
                failed.append((low, describe_failure(error)))
            else:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]
        else:
            good.append((slice(low, high), result))
    return Pieces(tuple(good), tuple(failed))


def describe_failure(error: BaseException) -> str:
    """One line about what a plugin raised or broke, short enough for a row."""
    # without the place: a row keeps what went wrong, and rows that failed alike are counted together
    text = str(error) if isinstance(error, _BrokenContract) else f"raised {fault_text(error, place=False)}"
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 3] + "..."


def check_generated(result: GenerateResult, rows: int) -> None:
    """Raises where the contract of ``Generator.generate`` is broken."""
    _check_type(result, GenerateResult)
    _check_array("finals", result.finals, np.uint8, (rows, CELLS))
    _check_status(result.status, rows, len(GenerateStatus))
    _check_reports(result.reports, rows)


def check_dug(result: DigResult, rows: int) -> None:
    """Raises where the contract of ``Digger.dig`` is broken."""
    _check_type(result, DigResult)
    _check_array("puzzles", result.puzzles, np.uint8, (rows, CELLS))
    _check_status(result.status, rows, len(DigStatus))
    _check_reports(result.reports, rows)


def check_solved(result: SolveResult, rows: int) -> None:
    """Raises where the contract of ``Solver.solve`` is broken."""
    _check_type(result, SolveResult)
    _check_array("counts", result.counts, np.int64, (rows,))
    _check_array("solutions", result.solutions, np.uint8, (rows, CELLS))
    _check_array("nodes", result.nodes, np.int64, (rows,))
    _check_status(result.status, rows, len(SolveStatus))
    _check_reports(result.reports, rows)


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


def _check_array(name: str, array: object, dtype: type, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray):
        raise _BrokenContract(f"wrong type: {name} is a {type(array).__name__}, not an array")
    if array.shape[1:] != shape[1:] or array.ndim != len(shape):
        cells = f"{array.shape[1]} cells" if array.ndim == len(shape) == 2 else f"{array.ndim} dimensions"
        raise _BrokenContract(f"wrong shape: {name} has {cells} instead of {_shape_words(shape)}")
    if array.shape[0] != shape[0]:
        raise _BrokenContract(f"wrong shape: {name} has {array.shape[0]} rows for {shape[0]}")
    if array.dtype != dtype:
        raise _BrokenContract(f"wrong dtype: {name} is {array.dtype}, not {np.dtype(dtype)}")


def _shape_words(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}" if len(shape) == 2 else f"{len(shape)}"


def _check_status(status: object, rows: int, kinds: int) -> None:
    _check_array("status", status, np.uint8, (rows,))
    assert isinstance(status, np.ndarray)  # noqa: S101 - for the type checker
    if rows and int(status.max()) >= kinds:
        raise _BrokenContract(f"unknown status {int(status.max())}")


def _check_reports(reports: Mapping[str, Report], rows: int) -> None:
    for name, report in reports.items():
        for array in (report.total, report.weight):
            if array is not None:
                _check_array(f"report {name!r}", array, np.float64, (rows,))
                if not np.isfinite(array).all():
                    raise _BrokenContract(f"report {name!r} is not finite")
        if report.weight is not None and (report.weight < 0).any():
            raise _BrokenContract(f"report {name!r} has a weight below zero")
