"""Files that are graded, as a person types it: ``grade FILE``, and into the store.

The grader is one of the tests' own, so that nothing here hangs on how hard a puzzle is found to be.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.grids.batch import Grids, to_lines

Fork = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Exported = Callable[..., list[dict[str, Any]]]
Query = Callable[[str], list[tuple[Any, ...]]]
Refusal = Callable[..., str]

BANDS = ("gentle", "easy", "medium", "hard", "expert", "master", "diabolical", "extreme")

TWO_SOLUTIONS = "349618572782359...651742389273895...195476238864231957527164893918523764436987125"
NO_SOLUTION = "051080200800070040200000008008003000400000000530408002000000160000060000720004800"
CLASH = ".99..5.1.85.4....2432......1...69.83.9.....6.62.71...9......1945....4.37.4.3..6.."
FINAL = "196528437243971658875463219719256384568394721324817596452689173937145862681732945"


@pytest.fixture
def puzzles(folder: Path, minimal_puzzles: Grids) -> Path:
    """Three puzzles, four grids that are none, a line that cannot be read, and one more puzzle."""
    lines = to_lines(minimal_puzzles[:4])
    path = folder / "puzzles.lines"
    path.write_text("\n".join([*lines[:3], TWO_SOLUTIONS, NO_SOLUTION, CLASH, FINAL, "junk", lines[3], ""]))
    return path


REFUSED = {4: "not unique", 5: "no solution", 6: "clash", 7: "already complete", 8: "not a digit or blank"}


def _said(stderr: str) -> dict[int, str]:
    """Reasons by line, of what was said of a file."""
    found = {}
    for line in stderr.splitlines():
        if line.startswith("puzzles.lines: line "):
            number, _, reason = line.removeprefix("puzzles.lines: line ").partition(": ")
            found[int(number)] = reason
    return found


def test_a_file_is_graded_and_what_is_no_puzzle_is_named(fork: Fork, puzzles: Path, lab: dict[str, str]) -> None:
    done = fork("grade", puzzles.name, code=1, env=lab)
    heading, *rows = done.stdout.splitlines()
    assert heading.split() == ["line", "clues", "ER", "EP", "ED", "steps", "hardest", "technique"]
    assert [row.split()[:5] for row in rows] == [
        ["1", "24", "3.2", "1.2", "1.0"],
        ["2", "24", "2.8", "1.2", "1.0"],
        ["3", "23", "7.4", "1.2", "1.0"],
        ["9", "23", rows[3].split()[2], "1.2", "1.0"],
    ]
    assert rows[0].split()[5:] == ["58", "x-wing"]
    said = _said(done.stderr)
    assert said.keys() == REFUSED.keys()
    assert all(said[line].startswith(reason) for line, reason in REFUSED.items()), said
    assert not (puzzles.parent / "sudokumill.db").exists()


def test_each_grid_is_an_object(fork: Fork, puzzles: Path, lab: dict[str, str], minimal_puzzles: Grids) -> None:
    done = fork("grade", puzzles.name, "--json", code=1, env=lab)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["line"] for one in objects] == [1, 2, 3, 4, 5, 6, 7, 9]
    assert objects[0] == {
        "line": 1, "puzzle": to_lines(minimal_puzzles[:1])[0], "status": "graded", "reason": None,
        "band": None, "rating": 3.2, "rating_at_least": None, "at_least": False, "er": 3.2, "ep": 1.2, "ed": 1.0,
        "hardest": "x-wing",
        "techniques": {"naked-single": 57, "x-wing": 1}, "steps": 58, "rating_sum": 61.2, "bottleneck": 2,
        "grader": "judge", "grader_version": "1",
    }  # fmt: skip
    refused = objects[3:7]
    assert [one["status"] for one in refused] == ["not unique", "no solution", "clash", "complete"]
    assert all(one["reason"] for one in refused)
    assert all(one[name] is None for one in refused for name in ("rating", "er", "hardest", "steps"))
    # each is told once: as an object, and what is no grid at all in words
    assert _said(done.stderr).keys() == {8}


def test_the_band_of_each_puzzle_is_shown(fork: Fork, puzzles: Path, lab: dict[str, str]) -> None:
    default = fork("grade", puzzles.name, "--grader", "explainer", code=1, env=lab).stdout.splitlines()
    assert default[0].split()[5] == "band"
    assert all(row.split()[5] in BANDS for row in default[1:])
    fork("bands", "set", "low=1..4.9", "high=5..", "--grader", "judge", env=lab)
    rows = fork("grade", puzzles.name, "--option", "ceiling=5.5", code=1, env=lab).stdout.splitlines()
    assert [row.split()[5] for row in rows[1:3]] == ["low", "low"]
    objects = [
        json.loads(row) for row in fork("grade", puzzles.name, "--json", code=1, env=lab).stdout.splitlines()
    ]
    assert [one["band"] for one in objects[:4]] == ["low", "low", "high", None]


def test_a_file_of_puzzles_alone_ends_well(fork: Fork, folder: Path, lab: dict[str, str], data_dir: Path) -> None:
    done = fork("grade", data_dir / "random_minimal.txt", env=lab)
    assert len(done.stdout.splitlines()) == 1_001
    assert not done.stderr


def test_each_step_is_drawn(fork: Fork, puzzles: Path, lab: dict[str, str]) -> None:
    done = fork("grade", puzzles.name, "--path", code=1, env=lab)
    lines = done.stdout.splitlines()
    assert "step  1  3.2  x-wing 9 at r1c1 r1c2 r2c1 r2c2; rules out 9 at r1c1" in lines
    assert "step  2  1.0  naked-single: r1c1 = 8" in lines
    drawn = lines[lines.index("step  1  3.2  x-wing 9 at r1c1 r1c2 r2c1 r2c2; rules out 9 at r1c1") + 2 :][:11]
    assert sum("-+-" in line for line in drawn) == 2
    assert drawn[0].split()[0] == "*2389"
    assert "* cells of the pattern, - cells that lose a candidate" in lines
    of_one = json.loads(fork("grade", puzzles.name, "--path", "--json", code=1, env=lab).stdout.splitlines()[0])
    assert len(of_one["path"]) == of_one["steps"]
    assert of_one["path"][0] == {
        "technique": "x-wing", "rating": 3.2, "cells": [0, 1, 9, 10], "digits": [9], "placements": [],
        "eliminations": [[0, 9]], "chains": [],
    }  # fmt: skip


def test_a_chain_is_drawn_link_by_link(fork: Fork, folder: Path) -> None:
    (folder / "chain.lines").write_text(
        "940057002005016007000008030679000000480000056000000479050700000300680700100490028\n"
    )
    lines = fork("grade", "chain.lines", "--path").stdout.splitlines()
    at = lines.index("step 25  6.7  forcing-x-chain 2 at r4c5 r4c7 r5c3 r5c7 r6c6 r8c3 r8c6; rules out 2 at r4c7")
    assert lines[at + 1 : at + 11] == [
        "",
        "    if r4c7 is 2:",
        "       2  r4c5 is not 2  by 1, in the same row",
        "       3  r6c6 is 2      by 2, the only place left in its box",
        "       4  r8c6 is not 2  by 3, in the same column",
        "       5  r8c3 is 2      by 4, the only place left in its row",
        "       6  r5c3 is not 2  by 5, in the same column",
        "       7  r5c7 is 2      by 6, the only place left in its row",
        "       8  r4c7 is not 2  by 7, in the same box",
        "    1 and 8 contradict each other, so r4c7 is not 2",
    ]
    step = json.loads(fork("grade", "chain.lines", "--path", "--json").stdout)["path"][24]
    (chain,) = step["chains"]
    assert chain[:3] == [
        {"cell": 33, "digit": 2, "on": True, "why": "assumed", "since": []},
        {"cell": 31, "digit": 2, "on": False, "why": "row", "since": [0]},
        {"cell": 50, "digit": 2, "on": True, "why": "box", "since": [1]},
    ]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("path raise", "its path raised ZeroDivisionError: no way (judge.py:"),
        ("path none", "its path is a NoneType, not a tuple of Step"),
        ("path cell", "step 1 of its path (x-wing): its cells have 99, which is no int from 0 to 80"),
        ("path loss", "step 1 of its path (x-wing): it rules "),
        ("path short", "its path has "),
    ],
)
def test_a_path_that_is_wrong_is_named_and_the_rest_is_graded(
    fork: Fork, folder: Path, lab: dict[str, str], minimal_puzzles: Grids, fault: str, reason: str
) -> None:
    (folder / "some.lines").write_text("\n".join(to_lines(minimal_puzzles[:40])) + "\n")
    done = fork("grade", "some.lines", "--path", "--option", f"fault={fault}", code=1, env=lab)
    said = done.stderr.splitlines()
    assert said
    assert all(f"grader judge of plugin judge ({lab['SUDOKUMILL_PLUGIN_DIR']}" in line for line in said), said
    assert all(reason in line for line in said), said
    assert done.stdout.count("hardest technique") == 40
    again = fork("grade", "some.lines", "--path", "--json", "--option", f"fault={fault}", code=1, env=lab)
    rows = [json.loads(line) for line in again.stdout.splitlines()]
    bad = [row for row in rows if row["path_reason"] is not None]
    assert [f"some.lines: line {row['line']}: {row['path_reason']}" for row in bad] == said
    assert all(row["path"] == [] and 5.0 <= row["rating"] < 5.5 for row in bad)
    assert all(len(row["path"]) == row["steps"] for row in rows if row not in bad)


def test_a_grader_that_keeps_no_promise_is_named(fork: Fork, folder: Path, lab: dict[str, str]) -> None:
    text = "940057002005016007000008030679000000480000056000000479050700000300680700100490028\n"
    (folder / "one.lines").write_text(text * 2)
    (folder / "plugins").mkdir()
    plugin = """
import numpy as np
from sudokumill.contracts import *
from sudokumill.hookspecs import hookimpl

class Vague:
    def __init__(self, options):
        pass
    def grade(self, puzzles):
        rows = len(puzzles)
        return GradeResult(np.full(rows, 42.0), ["fish"] * rows, [{"fish": 1}] * rows, np.full(rows, 1),
                           np.zeros(rows, dtype=np.uint8))

@hookimpl
def sudokumill_register_graders():
    yield GraderDescriptor(name="vague", version="1", summary="s", factory=Vague, rate=9,
                           techniques=(Technique("guess", 1.0),), scale=(1.0, 9.0))
"""
    (folder / "plugins" / "vague.py").write_text(plugin)
    env = {"SUDOKUMILL_PLUGIN_DIR": str(folder / "plugins")}
    done = fork("grade", "one.lines", "--grader", "vague", code=1, env=env)
    assert done.stdout == ""
    said = [line.split(": ", 2)[2] for line in done.stderr.splitlines()]
    assert len(said) == 2
    assert set(said) == {
        f"grader vague of plugin vague ({folder}/plugins/vague.py): it uses technique fish, "
        "which it does not declare"
    }


def test_what_is_only_a_bound_is_shown_as_one(fork: Fork, puzzles: Path, lab: dict[str, str]) -> None:
    done = fork("grade", puzzles.name, "--option", "ceiling=3", code=1, env=lab)
    rows = done.stdout.splitlines()[1:]
    assert rows[0].split()[2:6] == ["3.1+", "1.2+", "1.0+", rows[0].split()[5]]
    assert rows[0].split()[5].endswith("+")
    assert rows[0].endswith("(above the ceiling)")
    assert rows[1].split()[2] == "2.8"
    one = json.loads(
        fork("grade", puzzles.name, "--option", "ceiling=3", "--json", code=1, env=lab).stdout.split("\n")[0]
    )
    assert (one["status"], one["rating"], one["rating_at_least"], one["at_least"]) == ("above", None, 3.1, True)


def test_a_grader_that_fails_is_named_with_the_line(
    fork: Fork, folder: Path, lab: dict[str, str], data_dir: Path
) -> None:
    done = fork("grade", data_dir / "random_minimal.txt", "--option", "fault=raise", code=1, env=lab)
    failed = done.stderr.splitlines()
    assert 20 < len(failed) < 200
    assert "grader judge of plugin judge" in failed[0]
    assert "raised ZeroDivisionError: the grader failed (judge.py:" in failed[0]
    assert len(done.stdout.splitlines()) + len(failed) == 1_001


def test_graders_that_cannot_be(refusal: Refusal, puzzles: Path, lab: dict[str, str]) -> None:
    assert "no grader is named 'juge'; did you mean judge?" in refusal(
        2, "grade", puzzles.name, "--grader", "juge", env=lab
    )
    assert "has no option 'ceilin'" in refusal(2, "grade", puzzles.name, "--option", "ceilin=3", env=lab)
    assert "cannot read nothing.txt" in refusal(2, "grade", "nothing.txt", env=lab)


def test_an_exported_bound_says_so(outcome: Outcome, exported: Exported, lab: dict[str, str]) -> None:
    outcome("run", "levels", "--count", 30, "--seed", 1, env=lab)
    outcome("run", "grade", "--option", "ceiling=5", env=lab)
    for rows in (exported(1, env=lab), exported(2, env=lab)):
        for row in rows:
            assert row["at_least"] is (row["rating_at_least"] is not None), row
    assert {row["at_least"] for row in rows} == {True, False}
    assert all(row["rating"] is None for row in rows if row["at_least"])


def test_a_file_is_graded_into_the_store(
    fork: Fork, exported: Exported, puzzles: Path, query: Query, lab: dict[str, str]
) -> None:
    done = fork("run", "grade", "--file", puzzles.name, code=1, env=lab)
    assert "4 of 8 grids have no grade" in " ".join(done.stdout.split())
    said = _said(done.stderr)
    assert said.keys() == REFUSED.keys()
    assert all(said[line].startswith(reason) for line, reason in REFUSED.items())
    # the summary counts in lines too
    table = done.stdout.partition("first at line")[2]
    assert sorted(re.findall(r"^ +1 +(\d+) ", table, re.M)) == ["4", "5", "6", "7"]
    assert [row["line"] for row in exported(1, env=lab)] == [1, 2, 3, 9]
    assert query("SELECT count(*) FROM grade") == [(4,)]
    assert query("SELECT count(*) FROM level") == [(0,)]
