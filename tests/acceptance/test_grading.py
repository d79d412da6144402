"""Grading as a person types it: files, stored levels, bands, and orders by difficulty.

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

TWO_SOLUTIONS = "349618572782359...651742389273895...195476238864231957527164893918523764436987125"
NO_SOLUTION = "051080200800070040200000008008003000400000000530408002000000160000060000720004800"
CLASH = ".99..5.1.85.4....2432......1...69.83.9.....6.62.71...9......1945....4.37.4.3..6.."
FINAL = "196528437243971658875463219719256384568394721324817596452689173937145862681732945"


@pytest.fixture
def lab() -> dict[str, str]:
    folder = Path(__file__).parents[1] / "faults" / "plugins"
    return {"SUDOKUMILL_PLUGIN_DIR": str(folder), "SUDOKUMILL_GRADER": "judge"}


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


# --- grade FILE ------------------------------------------------------------------------------------------


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


# --- bands -----------------------------------------------------------------------------------------------


def test_bands_are_listed_changed_and_removed(
    fork: Fork, outcome: Outcome, refusal: Refusal, lab: dict[str, str]
) -> None:
    before = fork("bands", "--json", env=lab)
    assert "there is no database at sudokumill.db yet: these are the bands of a new one" in before.stderr
    assert [one["band"] for one in json.loads(before.stdout)] == [*BANDS]
    assert fork("bands", env=lab).stdout.splitlines()[-1].split() == ["explainer", "extreme", "7.6", "-"]
    fork("bands", "set", "low=1..4.9", "high=5..", "--grader", "judge", env=lab)
    listed = json.loads(fork("bands", "list", "--json", env=lab).stdout)
    assert [(one["band"], one["from"], one["to"]) for one in listed if one["grader"] == "judge"] == [
        ("low", 1.0, 4.9), ("high", 5.0, None),
    ]  # fmt: skip
    assert [one["band"] for one in listed if one["grader"] == "explainer"] == [
        "gentle", "easy", "medium", "hard", "expert", "master", "diabolical", "extreme",
    ]  # fmt: skip
    for arguments, reason in (
        (
            ("set", "mid=4.5..5.5", "--grader", "judge"),
            "band 'mid' cannot be set: 4.5..5.5 overlaps with low (1.0..4.9)",
        ),
        (("set", "mid", "--grader", "judge"), "write NAME=FROM..TO, for example hard=2.9..4.4"),
        (("set", "mid=a..b", "--grader", "judge"), "band 'mid' cannot be set: 'a..b' is no range of ratings"),
        (("set", "mid=30..40", "--grader", "judge"), "the ratings of grader judge go from 1 to 9.9"),
        (("set", "mid=1..2", "--grader", "nobody"), "no grader is named 'nobody'"),
        (("remove", "hard", "--grader", "judge"), "grader judge has no band 'hard'; grader explainer has one"),
        (("remove", "hart", "--grader", "explainer"), "has no band 'hart'; did you mean hard"),
        (("use", "nobody"), "no grader is named 'nobody'"),
    ):
        assert reason in refusal(2, "bands", *arguments, env=lab), arguments
    fork("bands", "set", "low=1..5.4", "high=5.5..", "--grader", "judge", env=lab)
    fork("bands", "remove", "high", "--grader", "judge", env=lab)
    assert "high" not in fork("bands", env=lab).stdout


# --- grades of what is stored ----------------------------------------------------------------------------


def test_what_is_stored_is_graded_once(
    fork: Fork, outcome: Outcome, exported: Exported, query: Query, lab: dict[str, str]
) -> None:
    outcome("run", "levels", "--count", 30, "--seed", 1, env=lab)
    fork("bands", "set", "low=1..4.9", "high=5..", "--grader", "judge", env=lab)
    fork("bands", "use", "judge", env=lab)
    assert query("SELECT count(*) FROM level WHERE rating IS NULL") == [(30,)]
    made = outcome("run", "grade", env=lab)
    assert (made["kind"], made["state"], made["delivered"]) == ("grade", "done", 30)
    assert query("SELECT count(*) FROM level WHERE rating IS NULL OR band IS NULL OR steps IS NULL") == [(0,)]
    rows = exported(2, env=lab)
    assert [row["position"] for row in rows] == list(range(30))
    assert {row["band"] for row in rows} == {"low", "high"}
    levels = exported(1, env=lab)
    assert [one["rating"] for one in levels] == [row["rating"] for row in rows]
    assert levels[0]["grader_version"] == "1"
    again = fork("run", "grade", env=lab)
    assert (
        again.stderr == "sudokumill: every stored puzzle has a grade by judge==1 already; there is nothing to do\n"
    )
    shown = fork("show", levels[0]["id"], env=lab).stdout
    assert f"rating {levels[0]['rating']:.1f} ({levels[0]['band']})" in shown
    counted = json.loads(fork("bands", "list", "--json", env=lab).stdout)
    assert json.loads(fork("bands", "--json", env=lab).stdout) == counted
    assert sum(one["levels"] for one in counted) == 30


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


def test_grades_wait_in_a_queue_of_their_own(
    fork: Fork, outcome: Outcome, query: Query, lab: dict[str, str]
) -> None:
    outcome("run", "levels", "--count", 5, env=lab)
    ordered = outcome("enqueue", "grade", env=lab)
    assert (ordered["kind"], ordered["state"], ordered["count"]) == ("grade", "waiting", 5)
    assert query("SELECT DISTINCT kind FROM chunk WHERE state = 'waiting'") == [("grade",)]


# --- orders by difficulty --------------------------------------------------------------------------------


def test_levels_of_a_rating(outcome: Outcome, exported: Exported, query: Query, lab: dict[str, str]) -> None:
    made = outcome(
        "run", "levels", "--count", 12, "--rating", "4.2..5.0", "--technique", "x-wing", "--seed", 5,
        "--option", "clues_max=27", "--option", "symmetry=rot180", "--no-grade-rest", env=lab,
    )  # fmt: skip
    assert (made["state"], made["delivered"], made["graded_after"]) == ("done", 12, [])
    assert made["difficulty"] == {
        "rating_from": 4.2, "rating_to": 5.0, "band": None, "techniques": ["x-wing"], "without": [],
    }  # fmt: skip
    rows = exported(1, env=lab)
    assert all(4.2 <= row["rating"] <= 5.0 and "x-wing" in row["techniques"] for row in rows)
    assert all(row["clue_count"] <= 27 and row["symmetry"] in {"rot180", "rot90", "full"} for row in rows)
    # what missed is there under what it is
    [(stock, below, bounds)] = query(
        "SELECT count(*), count(CASE WHEN grade.status = 'graded' THEN 1 END), "
        "count(CASE WHEN grade.status = 'above' AND grade.at_least > 5.0 THEN 1 END) "
        "FROM puzzle JOIN grade ON grade.puzzle_id = puzzle.id WHERE NOT puzzle.on_target"
    )
    assert stock == made["missed"] > 0
    assert below > 0
    assert bounds > 0


def test_levels_of_a_band_are_those_of_the_moment_of_the_order(
    fork: Fork, outcome: Outcome, exported: Exported, lab: dict[str, str]
) -> None:
    fork("bands", "set", "low=1..4.9", "high=5..", "--grader", "judge", env=lab)
    made = outcome(
        "run", "levels", "--count", 10, "--band", "high", "--no-technique", "nishio", "--seed", 5, env=lab
    )
    assert made["difficulty"]["band"] == "high"
    fork("bands", "use", "judge", env=lab)
    fork("bands", "set", "low=1..9.0", "high=9.1..", "--grader", "judge", env=lab)
    rows = exported(1, env=lab)
    assert all(5.0 <= row["rating"] < 7.5 and row["band"] == "low" for row in rows)
    assert set(made["came_out"]) == {"low", "high"}


def test_the_same_order_gives_the_same_levels(
    outcome: Outcome, exported: Exported, folder: Path, lab: dict[str, str]
) -> None:
    order = ("run", "levels", "--count", 15, "--rating", "2..4", "--seed", 9)
    found = []
    for processes, chunk in ((1, 500), (2, 11), (3, 4)):
        outcome(*order, "--processes", processes, "--chunk", chunk, env=lab)
        found.append([(row["position"], row["clues"], row["rating"]) for row in exported(1, env=lab)])
        for path in folder.glob("sudokumill.db*"):
            path.unlink()
    assert found[0] == found[1] == found[2]


def test_an_order_that_ends_short_says_what_came_out(fork: Fork, outcome: Outcome, lab: dict[str, str]) -> None:
    fork("bands", "set", "low=1..4.9", "high=5..9.7", "top=9.8..", "--grader", "judge", env=lab)
    made = outcome(
        "run", "levels", "--count", 50, "--band", "top", "--max-attempts", 200, "--seed", 3, code=1, env=lab
    )
    assert made["state"] == "incomplete"
    assert made["tried"] == 200
    assert 0 < made["delivered"] == made["came_out"]["top"] < 20
    assert "its budget of 200 attempts is used up" in made["reason"]
    assert "came out: low " in made["reason"]
    shown = " ".join(fork("jobs", "show", 1, env=lab).stdout.split())
    assert "asked for band top, rating 9.8 or more" in shown
    assert "came out low" in shown


def test_an_order_is_aimed_and_says_about_how_long_it_takes(
    fork: Fork, outcome: Outcome, exported: Exported, lab: dict[str, str]
) -> None:
    env = lab | {"SUDOKUMILL_GRADER": "counts"}
    ordered = outcome("enqueue", "levels", "--count", 5000, "--rating", "2.9..3.1", env=env)
    assert 0 < ordered["about_seconds"] < 1_000
    assert ordered["share"] > 0.5
    said = fork("enqueue", "levels", "--count", 5000, "--rating", "2.9..3.1", "--no-aim", env=env).stdout
    assert re.search(
        r"^it takes +(about \d+(\.\d)? (s|min|h) on one core; \d\.\d%|long, and nobody can tell yet how long)",
        said,
        re.M,
    )
    made = outcome("run", "levels", "--count", 20, "--rating", "2.9..3.1", "--seed", 1, env=env)
    assert (made["aim"], made["digger_ordered"]) == ({"added": 5}, None)
    assert made["tried"] < 60
    assert "aimed by digger.added=5" in " ".join(fork("jobs", "show", 3, env=env).stdout.split())
    # the same key is the same order, and what was chosen is no part of it
    key = ("run", "levels", "--count", 20, "--rating", "2.9..3.1", "--key", "k", "--seed", 1)
    assert outcome(*key, env=env)["job"] == outcome(*key, env=env)["job"]


def test_yields_are_shown_by_digger_and_band(
    fork: Fork, outcome: Outcome, refusal: Refusal, lab: dict[str, str]
) -> None:
    fork("bands", "set", "low=1..4.9", "high=5..9", "top=9.1..", "--grader", "judge", env=lab)
    fork("bands", "use", "judge", env=lab)
    assert "nothing that was dug has a grade of judge and a band" in fork("yields", env=lab).stdout
    outcome("run", "levels", "--count", 40, "--grader", "judge", env=lab)
    outcome("run", "levels", "--count", 30, "--option", "clues_max=30", env=lab)
    outcome("run", "grade", env=lab)
    # of a job that stopped at a ceiling, what lies above it is not known
    outcome(
        "run", "levels", "--count", 10, "--rating", "..4.9", "--option", "clues=26", "--no-aim", "--no-grade-rest",
        env=lab,
    )  # fmt: skip
    rows = json.loads(fork("yields", "--json", env=lab).stdout)
    assert [(row["options"], row["grader"], row["band"]) for row in rows] == [
        *(("", "judge==1", band) for band in ("low", "high", "top")), ("clues=26", "judge==1 ceiling=4.9", "low"),
        *(("clues_max=30", None, band) for band in ("low", "high", "top")),
    ]  # fmt: skip
    assert [row["tried"] for row in rows if not row["options"]] == [40, 40, 40]
    assert sum(row["levels"] for row in rows if not row["options"]) == 40
    assert all(row["share"] == row["levels"] / row["tried"] for row in rows)
    assert all(row["seconds_a_level"] is None or row["seconds_a_level"] > 0 for row in rows)
    shown = fork("yields", env=lab).stdout.splitlines()
    assert shown[0].split() == [
        "digger", "options", "graded", "by", "band", "levels", "tried", "share", "ms", "a", "level",
    ]  # fmt: skip
    assert len(shown) == 8
    assert "no grader is named 'juge'; did you mean judge?" in refusal(2, "yields", "--grader", "juge", env=lab)
    # once it was graded, the bands above the ceiling are known too
    outcome("run", "grade", env=lab)
    rows = json.loads(fork("yields", "--json", env=lab).stdout)
    assert [row["band"] for row in rows if row["options"] == "clues=26"] == ["low", "high", "top"]


def test_yields_count_what_left_no_puzzle(fork: Fork, outcome: Outcome, folder: Path, lab: dict[str, str]) -> None:
    fork("bands", "set", "any=1..", "--grader", "judge", env=lab)
    fork("bands", "use", "judge", env=lab)
    (folder / "many.txt").write_text(("10" * 41)[:81])
    made = outcome(
        "run", "levels", "--count", 400, "--pattern", "many.txt", "--grader", "judge", "--seed", 1,
        "--max-attempts", 400, code=1, env=lab,
    )  # fmt: skip
    assert made["delivered"] + made["missed"] == made["tried"] == 400
    [row] = json.loads(fork("yields", "--json", env=lab).stdout)
    assert (row["levels"], row["tried"]) == (made["delivered"], 400)
    # the same positions once more are no further tries
    outcome(
        "run", "levels", "--count", 400, "--pattern", "many.txt", "--grader", "judge", "--seed", 1,
        "--max-attempts", 300, code=1, env=lab,
    )  # fmt: skip
    assert json.loads(fork("yields", "--json", env=lab).stdout)[0]["tried"] == 400


def test_stock_first(outcome: Outcome, exported: Exported, lab: dict[str, str]) -> None:
    outcome("run", "levels", "--count", 5, "--rating", "9.5..", "--seed", 1, env=lab)
    stock = outcome("run", "levels", "--count", 20, "--rating", "3..6", "--from-stock", env=lab)
    assert (stock["state"], stock["stock"], stock["tried"]) == ("done", 20, 0)
    rows = exported(2, env=lab)
    assert all(3 <= row["rating"] <= 6 and row["job_id"] == 1 and row["position"] < 0 for row in rows)
    more = outcome("run", "levels", "--count", 20, "--rating", "3..6", "--from-stock", env=lab)
    both = {row["id"] for row in rows} & {row["id"] for row in exported(3, env=lab)}
    assert more["state"] == "done"
    assert not both


def test_what_is_shown_and_said_after_an_order_from_stock(
    fork: Fork, outcome: Outcome, exported: Exported, lab: dict[str, str]
) -> None:
    outcome("run", "levels", "--count", 5, "--rating", "9.5..", "--seed", 1, env=lab)
    said = fork("run", "levels", "--count", 20, "--rating", "3..6", "--from-stock", env=lab).stdout
    assert "from stock 20 (nothing had to be made)" in " ".join(said.split())
    assert "tried" not in said
    assert "aimed" not in said
    first = exported(2, env=lab)[0]
    shown = fork("show", env=lab).stdout
    assert shown.endswith(f"id {first['id']}, job 2, made by job 1\n")
    # one that delivers nothing changes nothing
    outcome("run", "levels", "--count", 5, "--rating", "9.9", "--seed", 1, "--max-attempts", 3, code=1, env=lab)
    assert fork("show", env=lab).stdout == shown
    outcome("run", "levels", "--count", 2, "--seed", 77, env=lab)
    assert fork("show", env=lab).stdout.endswith(", job 4\n")
    enqueued = fork("enqueue", "levels", "--count", 3, "--rating", "3..6", "--from-stock", env=lab).stdout
    assert "it is done   all of it was in stock" in enqueued


def test_stock_is_shown_and_dropped(
    fork: Fork, outcome: Outcome, exported: Exported, refusal: Refusal, query: Query, lab: dict[str, str]
) -> None:
    assert "there is no database" in refusal(1, "stock", env=lab)
    fork("bands", "set", "low=1..4.9", "high=5..", "--grader", "judge", env=lab)
    fork("bands", "use", "judge", env=lab)
    assert "nothing is in stock" in fork("stock", env=lab).stdout
    made = outcome("run", "levels", "--count", 5, "--rating", "9.5..", "--seed", 1, env=lab)
    listed = outcome("stock", env=lab)
    assert listed["levels"] == made["missed"] + made["surplus"]
    assert [(one["band"], one["oldest_job"], one["newest_job"]) for one in listed["stock"]] == [
        ("low", 1, 1), ("high", 1, 1),
    ]  # fmt: skip
    heading, low, *_ = fork("stock", env=lab).stdout.splitlines()
    assert heading.split() == ["band", "levels", "oldest", "job", "newest", "job"]
    number = listed["stock"][0]["levels"]
    assert low.split() == ["low", str(number), "1", "1"]
    for arguments, reason in (
        (("--band", "lo"), "grader judge has no band 'lo'; did you mean low"),
        (("--band", "low", "--rating", "3"), "--band, --rating and --ungraded exclude each other"),
        (("--rating", "hard"), "'hard' is no range of ratings"),
        (("--job", 9), "there is no job 9"),
        (("--grader", "juge"), "no grader is named 'juge'; did you mean judge?"),
    ):
        assert reason in refusal(2, "stock", "drop", *arguments, env=lab), arguments
    for words in (
        ("stock", "--json", "drop"),
        ("stock", "--grader", "judge", "drop"),
        ("bands", "--json", "list"),
    ):
        assert f"write them behind it: sudokumill {words[0]} {words[-1]}" in refusal(2, *words, env=lab)
    asked = fork("stock", "drop", "--band", "low", "--above", 3, env=lab).stdout
    assert asked.startswith(
        f"{number - 3} levels of the stock are meant (low {number - 3}); nothing was dropped yet"
    )
    assert outcome("stock", env=lab) == listed
    gone = fork("stock", "drop", "--band", "low", "--above", 3, "--yes", env=lab).stdout
    assert gone.startswith(f"{number - 3} levels of the stock were dropped, and {number - 3} finals with them\n")
    assert "the file does not shrink" in gone
    assert outcome("stock", env=lab)["levels"] == listed["levels"] - number + 3
    assert outcome("stock", "drop", "--yes", env=lab)["levels"] == listed["levels"] - number + 3
    assert len(exported(1, env=lab)) == 5
    assert query("SELECT (SELECT count(*) FROM level), (SELECT count(*) FROM final)") == [(5, 5)]
    assert "it adds up" in fork("doctor", "--job", 1, env=lab).stdout
    assert fork("stock", "drop", env=lab).stdout == "0 levels of the stock are meant\n"


def test_an_order_that_stock_fills_is_done_without_a_worker(outcome: Outcome, lab: dict[str, str]) -> None:
    outcome("run", "levels", "--count", 5, "--rating", "9.5..", "--seed", 1, env=lab)
    ordered = outcome("enqueue", "levels", "--count", 3, "--rating", "3..6", "--from-stock", env=lab)
    assert ordered["state"] == "done"


def test_dug_levels_are_graded_too(outcome: Outcome, exported: Exported, lab: dict[str, str]) -> None:
    outcome("run", "generate", "--count", 40, env=lab)
    made = outcome("run", "dig", "--count", 5, "--rating", "..5", env=lab)
    assert made["state"] == "done"
    assert all(row["rating"] <= 5 for row in exported(2, env=lab))


def test_rows_of_a_difficulty_without_a_store(fork: Fork, folder: Path, lab: dict[str, str]) -> None:
    fork(
        "run", "levels", "--count", 8, "--rating", "3..6", "--seed", 4, "--no-store", "--output", "puzzles.lines",
        env=lab,
    )  # fmt: skip
    rows = fork("grade", "puzzles.lines", "--json", env=lab).stdout.splitlines()
    assert len(rows) == 8
    assert all(3 <= json.loads(row)["rating"] <= 6 for row in rows)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        (("--clues", "26..30", "--symmetry", "rot180"), {"clues_min": 26, "clues_max": 30, "symmetry": "rot180"}),
        (("--clues", "..26"), {"clues_max": 26}),
        (("--clues", "28.."), {"clues_min": 28}),
        (("--clues", "27", "--option", "symmetry=none"), {"clues": 27, "symmetry": "none"}),
        (("--minimal",), {"minimal": True}),
    ],
)
def test_what_the_clue_cells_are_to_be(
    outcome: Outcome, exported: Exported, form: tuple[str, ...], options: dict[str, Any]
) -> None:
    made = outcome("run", "levels", "--count", 5, "--seed", 3, *form)
    assert made["parts"]["digger"]["options"] == options
    for row in exported(1):
        assert options.get("clues_min", 17) <= row["clue_count"] <= options.get("clues_max", 81)
        assert options.get("clues", row["clue_count"]) == row["clue_count"]
        assert row["minimal"] or "minimal" not in options


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--clues", "26..27", "--symmetry", "rot90"), "symmetry=rot90 excludes 26 to 27 clues"),
        (("--clues", "16..20"), "16: no classic puzzle has fewer than 17 clues"),
        (("--clues", "45", "--minimal"), "no minimal puzzle of more than 40 clues is known"),
        (("--clues", "30..25"), "the smallest clue count, 30, is above the largest, 25"),
        (("--clues", "few"), "--clues 'few': write FROM..TO, for example 24..30, or one number"),
        (("--clues", "24...30"), "--clues '24...30': write FROM..TO"),
        (("--clues", "26", "--option", "clues=27"), "--option clues is given twice"),
        (("--symmetry", "rot45"), "rot45 is not one of none, rot180"),
        (("--rating", "5.0..4.2"), "5.0..4.2: from 5.0 is above to 4.2"),
        (("--rating", "hard"), "'hard' is no range of ratings; write FROM..TO, for example 4.2..5.0"),
        (("--rating", "10..11"), "rating 10.0..11.0: the ratings of grader judge go from 1 to 9.9"),
        (("--rating", "9..11"), "rating 9.0..11.0: the ratings of grader judge go from 1 to 9.9"),
        (("--band", "hard"), "grader judge has no band 'hard'; grader explainer has one; name it with --grader"),
        (("--band", "hart", "--grader", "explainer"), "has no band 'hart'; did you mean hard"),
        (("--rating", "3..4", "--band", "hard"), "--band stands for a range of ratings; leave out --rating"),
        (("--technique", "x-wings"), "grader judge knows no technique 'x-wings'; did you mean x-wing?"),
        (("--no-technique", "x-wings"), "grader judge knows no technique 'x-wings'; did you mean x-wing?"),
        (("--technique", "x-wing", "--rating", "..3"), "technique x-wing is rated 3.2 or more by grader judge"),
        (("--rating", "8..", "--option", "clues_min=55"), "no puzzle with more than 50 clues is known"),
        (("--from-stock", "--new"), "--from-stock delivers what is stored, and --new does not"),
        (("--from-stock", "--digger", "holes", "--option", "level=5"), "--from-stock cannot tell"),
        (("--from-stock", "--no-store", "--output", "x"), "--from-stock takes levels from the database"),
        (("--rating", "3..4", "--grader", "nobody"), "no grader is named 'nobody'"),
    ],
)  # fmt: skip
def test_orders_that_are_refused_leave_nothing_behind(
    refusal: Refusal, folder: Path, lab: dict[str, str], arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refusal(2, "run", "levels", "--count", 5, *arguments, env=lab)
    assert list(folder.iterdir()) == []


# --- the grader that orders have by default ----------------------------------------------------------------

BANDS = ("gentle", "easy", "medium", "hard", "expert", "master", "diabolical", "extreme")


@pytest.mark.slow
@pytest.mark.parametrize("band", BANDS)
def test_levels_of_every_band(outcome: Outcome, exported: Exported, query: Query, band: str) -> None:
    made = outcome("run", "levels", "--count", 40, "--band", band, "--seed", 2)
    assert (made["state"], made["delivered"]) == ("done", 40)
    assert {row["band"] for row in exported(1)} == {band}
    # what missed is there under its own band
    missed = query("SELECT band FROM level WHERE NOT on_target")
    assert len(missed) == made["missed"]
    assert all(other not in {band, None} for (other,) in missed)
    assert query("SELECT count(*) FROM level WHERE band IS NULL") == [(0,)]
