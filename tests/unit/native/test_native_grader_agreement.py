"""Agreement of grader ``explainer`` with the classic program, and the command that measures it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from sudokumill_native import agreement
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import ExplainerOptions


@pytest.fixture(scope="module")
def rated(data_dir: Path) -> agreement.Table:
    return agreement.read_table(data_dir / "rated_generated.csv")


@pytest.fixture(scope="module")
def rows(rated: agreement.Table) -> dict[tuple[float, float], agreement.Agreement]:
    result = ExplainerGrader(ExplainerOptions()).grade(rated.puzzles)
    found, _ = agreement.compare(rated, result)
    return {(row.low, row.high): row for row in found}


def test_agreement_to_7_5(rows: dict[tuple[float, float], agreement.Agreement]) -> None:
    row = rows[1.0, 7.5]
    assert row.puzzles > 1_000
    assert row.er >= 0.995 * row.puzzles


def test_agreement_from_7_6(rows: dict[tuple[float, float], agreement.Agreement]) -> None:
    row = rows[7.6, 20.0]
    assert row.er >= 0.85 * row.puzzles
    assert row.er_within_3 >= 0.97 * row.puzzles


def test_agreement_of_ep_and_ed(rows: dict[tuple[float, float], agreement.Agreement]) -> None:
    row = rows[1.0, 20.0]
    assert min(row.ep, row.ed) >= 0.99 * row.puzzles


def test_agreement_of_the_hardest_technique(rows: dict[tuple[float, float], agreement.Agreement]) -> None:
    row = rows[1.0, 5.0]
    assert row.hardest is not None
    assert row.hardest >= 0.98 * row.puzzles


def write(path: Path, columns: list[str], *lines: list[str]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *lines])
    return str(path)


COLUMNS = ["puzzle", "se_er", "se_ep", "se_ed", "se_hardest"]
EASY = ["....4.8.3.6...8..29.86.5..1235.........7..2.........96..2......8.12..7...9.......", "3.2", "1.2", "1.2"]


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [EASY[0], "4.2", "1.2", "1.2", "XY-Wing"]
    file = write(tmp_path / "a.csv", COLUMNS, [*EASY, "X-Wing"], wrong)
    assert agreement.main([file, "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["3.0", "to", "4.4", "2", "50.00", "50.00", "100.00", "100.00", "50.00"]
    assert lines[-4].split() == [*agreement.Kind.PATH.split(), "1", "1", "0", "1.0"]
    assert lines[-2] == "    there 4.2/1.2/1.2 xy-wing, here 3.2/1.2/1.2 x-wing"
    assert lines[-1].split()[1:] == ["4.2/1.2/1.2", "xy-wing", "here", "3.2/1.2/1.2", "x-wing"]


def test_what_is_equal_has_no_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert agreement.main([write(tmp_path / "a.csv", COLUMNS, [*EASY, "X-Wing"])]) == 0
    assert "by kind" not in capsys.readouterr().out


def test_kinds_of_the_rated_puzzles(rated: agreement.Table) -> None:
    result = ExplainerGrader(ExplainerOptions()).grade(rated.puzzles)
    found = {one.kind: one for one in agreement.differences(rated, result)}
    _, differing = agreement.compare(rated, result)
    assert sum(one.puzzles for kind, one in found.items() if kind != agreement.Kind.NAME) == differing.sum()
    assert found[agreement.Kind.NAME].most == 0
    assert all(one.lower + one.higher <= one.puzzles for one in found.values())


def test_what_is_given_up_is_a_kind(rated: agreement.Table) -> None:
    hard = rated.ratings["se_er"] >= 7.6
    assert rated.hardest is not None
    some = agreement.Table(
        puzzles=rated.puzzles[hard],
        ratings={name: values[hard] for name, values in rated.ratings.items()},
        hardest=None,
    )
    result = ExplainerGrader(ExplainerOptions(effort=1)).grade(some.puzzles)
    (one,) = agreement.differences(some, result)
    assert (one.kind, one.puzzles) == (agreement.Kind.NOT_GRADED, hard.sum())


@pytest.mark.parametrize(
    ("theirs", "ours", "rating", "kind"),
    [
        ("xy-cycle", "forcing-chain", 7.2, agreement.Kind.PATH),
        (None, "nishio", 7.7, agreement.Kind.NISHIO),
        ("unique-loop-1", "naked-quad", 5.0, agreement.Kind.LOOPS),
        ("dynamic-cell-forcing-chains", "region-forcing-chains", 8.8, agreement.Kind.REGIONS),
        ("dynamic-cell-forcing-chains", "dynamic-region-forcing-chains", 8.8, agreement.Kind.DYNAMIC),
        ("nishio", None, 7.7, agreement.Kind.NOT_GRADED),
    ],
)
def test_kinds_by_technique(theirs: str | None, ours: str | None, rating: float, kind: agreement.Kind) -> None:
    assert agreement.kind_of(theirs, ours, rating) == kind


def test_json_of_two_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [write(tmp_path / name, COLUMNS[:4], EASY) for name in ("a.csv", "b.csv")]
    assert agreement.main([*files, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0] == {
        "low": 3.0,
        "high": 4.4,
        "puzzles": 2,
        "er": 2,
        "er_within_3": 2,
        "ep": 2,
        "ed": 2,
        "hardest": None,
    }


@pytest.mark.parametrize(
    ("columns", "line", "said"),
    [
        (COLUMNS[:3], EASY[:3], "no column se_ed"),
        (COLUMNS[:4], [EASY[0][:80], *EASY[1:]], "line 2"),
        (COLUMNS[:4], [EASY[0], "hard", "1.2", "1.2"], "line 2"),
        (COLUMNS[:4], [EASY[0], "3.2"], "line 2"),
    ],
)
def test_tables_that_are_none(
    columns: list[str], line: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert agreement.main([write(tmp_path / "a.csv", columns, line)]) == 2
    assert said in capsys.readouterr().err


def test_a_table_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert agreement.main([str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "rating", "code"),
    [
        ("Hidden Single", 1.2, "hidden-single-box"),
        ("Direct Hidden Pair", 2.0, "direct-hidden-pair"),
        ("X-Wing", 3.2, "x-wing"),
        ("Unique Rectangle type 3", 4.5, "unique-rectangle-3"),
        ("Unique Loop 10 type 2", 5.0, "unique-loop-2"),
        ("BUG type 1", 5.6, "bug-1"),
        ("Turbot Fish", 6.6, "forcing-x-chain"),
        ("Bidirectional Cycle", 7.0, "xy-cycle"),
        ("Nishio Forcing Chains", 7.6, "nishio"),
        ("dynamic-cell-forcing-chains", 8.8, "dynamic-cell-forcing-chains"),
    ],
)
def test_names_of_the_classic_program(name: str, rating: float, code: str) -> None:
    assert agreement.code_of(name, rating) == code
