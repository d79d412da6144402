from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.errors import NoGridsError
from sudokumill.formats import Reading, read_grids
from sudokumill.grids.batch import to_lines

Case = dict[str, Any]
CaseFile = Callable[[Case], Path]


def hold(case: Case, reading: Reading) -> None:
    """What a case promises of the strict (or the asked-for) reading."""
    expected = case["expect"]
    assert to_lines(reading.grids) == expected["grids"]
    if "lines" in expected:
        assert reading.lines.tolist() == expected["lines"]
    assert len(reading.faults) == len(expected["errors"]), reading.faults
    for fault, error in zip(reading.faults, expected["errors"], strict=True):
        low, high = error.get("line_in", [error["line"], error["line"]])
        assert low <= fault.line <= high
        assert all(word in fault.reason for word in error.get("error_mentions", [])), fault
        assert len(str(fault)) <= expected.get("max_message_chars", 300)


@pytest.mark.parametrize("named", [True, False], ids=["format named", "format guessed"])
@pytest.mark.cases("parse", format="line")
def test_lines_are_read_as_the_case_says(case: Case, case_file: CaseFile, named: bool) -> None:
    began = time.perf_counter()
    lenient = case["input"].get("options", {}).get("lenient", False)
    reading = read_grids(case_file(case), "line" if named else None, lenient)
    hold(case, reading)
    assert reading.format == "line"
    assert time.perf_counter() - began < case["expect"].get("max_seconds", 60)


@pytest.mark.parametrize("named", [True, False], ids=["format named", "format guessed"])
@pytest.mark.cases("parse", format="blocks")
def test_blocks_are_read_as_the_case_says(case: Case, case_file: CaseFile, named: bool) -> None:
    reading = read_grids(case_file(case), "blocks" if named else None)
    hold(case, reading)
    assert reading.format == "blocks"


@pytest.mark.cases("parse", format="sdm")
def test_the_lines_of_a_pack_are_lines(case: Case, case_file: CaseFile) -> None:
    hold(case, read_grids(case_file(case), "line"))


@pytest.mark.parametrize("name", ["C068", "C088"])
def test_lenient_reading_gives_what_strict_reading_refuses(
    name: str, cases: dict[str, Case], case_file: CaseFile
) -> None:
    reading = read_grids(case_file(cases[name]), lenient=True)
    assert to_lines(reading.grids) == cases[name]["expect"]["lenient_gives"]
    assert reading.faults == ()
    assert reading.lines.tolist() == [1]


# What a message must say beyond the words that the case lists.
@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        (
            "C062",
            [
                "line 2: 80 cells instead of 81",
                "line 4: 82 cells instead of 81",
                "line 5: not a digit or blank: A at column 31",
                "line 6: two different blank signs in one line; ask for lenient reading if both are meant",
                "line 7: full-width digit at column 21; only ASCII 1-9 count",
            ],
        ),
        ("C065", ["line 1: not UTF-8 text (byte 0xFF at the start looks like UTF-16)"]),
        ("C066", ["the file holds no puzzle"]),
        ("C067", ["line 1: 5000000 cells instead of 81", "line 3: NUL character at column 41"]),
        (
            "C068",
            [
                "line 1: 89 characters: the dot seems to part rows of nine digits here; ask for lenient reading",
            ],
        ),
        (
            "C087",
            [
                "line 8: 8 rows in this block instead of 9",
                "line 14: 10 numbers in this row instead of 9",
                "line 26: not a digit: x at column 1",
            ],
        ),
        (
            "C088",
            [
                "line 4: 3 rows in this block instead of 9; "
                "empty lines inside a grid are read only if lenient reading is asked for",
            ],
        ),
        ("C089", ["line 1: 729 characters: a candidate list, not 81 cells"]),
    ],
)
def test_the_reason_is_one_clear_line(
    name: str, reasons: list[str], cases: dict[str, Case], case_file: CaseFile
) -> None:
    assert [str(fault) for fault in read_grids(case_file(cases[name])).faults] == reasons


@pytest.mark.parametrize("name", ["C065", "C066", "C088", "C089"])
def test_a_file_without_a_grid_is_an_error_where_grids_are_required(
    name: str, cases: dict[str, Case], case_file: CaseFile
) -> None:
    path = case_file(cases[name])
    reading = read_grids(path)
    with pytest.raises(NoGridsError, match=path.name) as caught:
        reading.require_grids(path)
    assert str(reading.faults[0]) in str(caught.value)
    assert caught.value.exit_code == 1
