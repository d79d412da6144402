from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.contracts import DigResult, GenerateResult, Report, SolveResult
from sudokumill.grids.batch import CELLS
from sudokumill.isolation import (
    add_up,
    describe_failure,
    isolate,
    take_dug,
    take_generated,
    take_solved,
)

Values = list[int]


def _take(values: Values, bad: set[int]) -> Callable[[slice], Values]:
    def call(rows: slice) -> Values:
        if bad & set(range(*rows.indices(len(values)))):
            raise ValueError("bad row")
        return values[rows]

    return call


def _right_length(result: Sequence[Any], rows: int) -> Sequence[Any]:
    assert len(result) == rows
    return list(result)


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, set[int]]:
    count = draw(st.integers(0, 80))
    return count, draw(st.sets(st.integers(0, count - 1))) if count else set()


@given(batches())
def test_exactly_the_rows_at_fault_fail(batch: tuple[int, set[int]]) -> None:
    count, bad = batch
    values = list(range(100, 100 + count))
    pieces = isolate(_take(values, bad), _right_length, count)
    assert sorted(row for row, _ in pieces.failed) == sorted(bad)
    assert all(reason.startswith("raised ValueError: bad row (") for _, reason in pieces.failed)
    good = [
        (row, value)
        for where, result in pieces.good
        for row, value in zip(range(count)[where], result, strict=True)
    ]
    assert good == [(row, values[row]) for row in range(count) if row not in bad]


@given(batches())
def test_a_broken_contract_is_isolated_too(batch: tuple[int, set[int]]) -> None:
    count, bad = batch

    def call(rows: slice) -> Values:
        result = list(range(count))[rows]
        return result[:-1] if bad & set(result) else result

    pieces = isolate(call, _right_length, count)
    assert {row for row, _ in pieces.failed} == bad


def test_few_faults_cost_few_calls() -> None:
    calls = 0

    def call(rows: slice) -> Values:
        nonlocal calls
        calls += 1
        return _take(list(range(4096)), {1234})(rows)

    isolate(call, _right_length, 4096)
    assert calls == 1 + 2 * 12  # a way down, with the good half beside it at each step


def test_a_plugin_that_leaves_is_a_fault_of_its_rows() -> None:
    def call(rows: slice) -> Values:
        if rows.start <= 2 < rows.stop:
            raise SystemExit(3)
        return list(range(10))[rows]

    ((row, reason),) = isolate(call, _right_length, 10).failed
    assert row == 2
    assert reason.startswith("raised SystemExit: 3 (test_isolation.py:")


def test_ctrl_c_is_no_fault() -> None:
    def call(rows: slice) -> Values:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        isolate(call, _right_length, 10)


# --- words -------------------------------------------------------------------------------------------------


class Unspeakable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("a\n  b"), "raised ValueError: a b"),
        (ValueError(), "raised ValueError"),
        (KeyError("x"), "raised KeyError: 'x'"),
        (Unspeakable(), "raised Unspeakable: its message cannot be shown"),
        (ValueError("caf\udce9.dat \x1b[2J \x00"), r"raised ValueError: caf\udce9.dat \x1b[2J \x00"),
    ],
)
def test_a_failure_is_one_line(error: Exception, words: str) -> None:
    assert describe_failure(error) == words


def test_a_long_failure_is_cut() -> None:
    text = describe_failure(ValueError("x" * 10_000))
    assert len(text) == 300
    assert text.endswith("...")


def test_memory_that_a_plugin_uses_again_is_not_what_is_kept() -> None:
    buffer = np.zeros((2, CELLS), dtype=np.uint8)

    def call(rows: slice) -> GenerateResult:
        if rows.stop - rows.start > 2:
            raise ValueError("only two at a time")
        buffer[:] = np.arange(rows.start, rows.start + 2, dtype=np.uint8)[:, None]
        return GenerateResult(buffer, np.zeros(2, dtype=np.uint8))

    pieces = isolate(call, take_generated, 8)
    assert [result.finals[:, 0].tolist() for _, result in pieces.good] == [[0, 1], [2, 3], [4, 5], [6, 7]]


# --- contracts ---------------------------------------------------------------------------------------------


GRIDS = np.zeros((4, CELLS), dtype=np.uint8)
NUMBERS = np.zeros(4, dtype=np.int64)
STATUS = np.zeros(4, dtype=np.uint8)
ONES = np.ones(4)

PARTS_OF_GENERATED = {"finals": GRIDS, "status": STATUS}
PARTS_OF_DUG = {"puzzles": GRIDS, "status": STATUS}
PARTS_OF_SOLVED = {"counts": NUMBERS, "solutions": GRIDS, "nodes": NUMBERS, "status": STATUS}


def test_what_keeps_the_contract_passes() -> None:
    take_generated(GenerateResult(GRIDS, STATUS, {"tries": Report(ONES, 2 * ONES)}), 4)
    take_dug(DigResult(GRIDS, STATUS), 4)
    take_solved(SolveResult(NUMBERS, GRIDS, NUMBERS, STATUS), 4)
    empty = np.zeros((0, CELLS), dtype=np.uint8)
    take_generated(GenerateResult(empty, STATUS[:0]), 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"finals": GRIDS[:, :80]}, "wrong shape: finals has 80 cells instead of 81"),
        ({"finals": GRIDS[:3]}, "wrong shape: finals has 3 rows for 4"),
        ({"finals": GRIDS.ravel()}, "wrong shape: finals has 1 dimensions instead of 81"),
        ({"finals": GRIDS.astype(np.int64)}, "wrong dtype: finals is int64, not uint8"),
        ({"finals": GRIDS.tolist()}, "wrong type: finals is a list, not an array"),
        ({"status": STATUS.astype(np.int64)}, "wrong dtype: status is int64, not uint8"),
        ({"status": STATUS[:2]}, "wrong shape: status has 2 rows for 4"),
        ({"status": STATUS + np.uint8(2)}, "unknown status 2"),
        ({"status": None}, "wrong type: status is a NoneType, not an array"),
        ({"reports": {"tries": Report(ONES[:1])}}, "wrong shape: report 'tries' has 1 rows for 4"),
        ({"reports": {"tries": Report(ONES.astype(np.float32))}}, "wrong dtype: report 'tries' is float32"),
        (
            {"reports": {"tries": Report(ONES * np.nan)}},
            "report 'tries' has figures that are no",
        ),
        (
            {"reports": {"tries": Report(ONES, ONES * np.inf)}},
            "report 'tries' has figures that are no",
        ),
        ({"reports": {"tries": Report(ONES, ONES - 2)}}, "report 'tries' has a weight below zero"),
    ],
)
def test_what_a_generator_may_not_return(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message):
        take_generated(GenerateResult(**{**PARTS_OF_GENERATED, **changes}), 4)


@pytest.mark.parametrize("result", [None, GRIDS, (GRIDS, STATUS), DigResult(GRIDS, STATUS)])
def test_a_result_of_another_kind(result: Any) -> None:
    with pytest.raises(Exception, match="instead of a GenerateResult"):
        take_generated(result, 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"puzzles": GRIDS[:, :80]}, "wrong shape: puzzles has 80 cells instead of 81"),
        ({"status": STATUS + np.uint8(4)}, "unknown status 4"),
    ],
)
def test_what_a_digger_may_not_return(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message):
        take_dug(DigResult(**{**PARTS_OF_DUG, **changes}), 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"solutions": GRIDS[:, :80]}, "wrong shape: solutions has 80 cells instead of 81"),
        ({"counts": NUMBERS.astype(np.int32)}, "wrong dtype: counts is int32, not int64"),
        ({"nodes": NUMBERS[:1]}, "wrong shape: nodes has 1 rows for 4"),
        ({"counts": GRIDS}, "wrong shape: counts has 2 dimensions instead of 1"),
        ({"status": STATUS + np.uint8(6)}, "unknown status 6"),
    ],
)
def test_what_a_solver_may_not_return(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message):
        take_solved(SolveResult(**{**PARTS_OF_SOLVED, **changes}), 4)


# --- reports -----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 9)), min_size=2, max_size=20), st.data())
def test_reports_add_up_to_the_same_in_any_parts(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    totals = np.array([total for total, _ in rows], dtype=np.float64)
    weights = np.array([weight for _, weight in rows], dtype=np.float64)
    cut = data.draw(st.integers(1, len(rows) - 1))
    whole = add_up({"tries": Report(totals, weights)})["tries"]
    first = add_up({"tries": Report(totals[:cut], weights[:cut])})["tries"]
    second = add_up({"tries": Report(totals[cut:], weights[cut:])})["tries"]
    assert first.plus(second) == whole
    assert whole.least <= whole.total / whole.weight + 1e-9
    assert whole.total / whole.weight <= whole.greatest + 1e-9


def test_a_report_without_weights_is_a_mean_over_rows() -> None:
    one = add_up({"shuffles": Report(np.array([10.0, 20.0, 60.0]))})["shuffles"]
    assert (one.total / one.weight, one.least, one.greatest) == (30.0, 10.0, 60.0)


def test_a_report_of_no_rows_is_none() -> None:
    assert add_up({"shuffles": Report(np.zeros(0))}) == {}


def test_rows_of_no_weight_have_no_figure() -> None:
    one = add_up({"tries": Report(np.array([10.0, 0.0, 30.0]), np.array([2.0, 0.0, 3.0]))})["tries"]
    assert (one.total, one.weight, one.least, one.greatest) == (40.0, 5.0, 5.0, 10.0)
    assert add_up({"tries": Report(np.zeros(3), np.zeros(3))}) == {}
