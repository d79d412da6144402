"""Essentially the same puzzles, as a person meets them: orders without isomorphs, counting, and files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokumill.grids.batch import Grids, to_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Streams

Fork = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Query = Callable[[str], list[tuple[Any, ...]]]
Refusal = Callable[..., str]

TWO_SOLUTIONS = "349618572782359...651742389273895...195476238864231957527164893918523764436987125"
EIGHT = ("run", "generate", "--generator", "matrix-transform")


def _counted(text: str) -> dict[str, str]:
    rows = (line.split(maxsplit=1) for line in text.splitlines())
    return {name: value.strip() for name, value in rows}


def test_an_order_without_isomorphs(fork: Fork, outcome: Outcome, query: Query) -> None:
    found = outcome(*EIGHT, "--distinct", "isomorph", "--count", 8, "--seed", 1)
    assert (found["state"], found["delivered"]) == ("done", 8)
    assert "it adds up" in fork("doctor", "--job", found["job"]).stdout
    short = outcome(*EIGHT, "--distinct", "isomorph", "--count", 9, "--seed", 2, "--max-attempts", 200, code=1)
    assert (short["state"], short["delivered"]) == ("incomplete", 8)
    assert "its budget of 200 attempts is used up (192 repeated)" in short["reason"]
    assert query("SELECT count(*), count(DISTINCT class_id) FROM final") == [(8 + found["repeated"] + 200, 8)]
    again = outcome(*EIGHT, "--distinct", "isomorph", "--new", "--count", 1, "--max-attempts", 20, code=1)
    assert (again["delivered"], again["not_new"]) == (0, 20)


def test_levels_have_a_class(outcome: Outcome, query: Query) -> None:
    assert outcome("run", "levels", "--count", 30, "--seed", 1)["state"] == "done"
    ((rows, classes),) = query("SELECT count(class), count(DISTINCT class) FROM level")
    assert rows == classes >= 30


def test_counting_finds_out_what_is_missing(fork: Fork, outcome: Outcome, query: Query) -> None:
    job = outcome("run", "levels", "--count", 20, "--seed", 1)["job"]
    finals = outcome(*EIGHT, "--count", 100, "--seed", 1)["job"]
    query("UPDATE puzzle SET class_id = NULL WHERE position >= 5")
    known = json.loads(fork("classes", "--no-fill", "--json").stdout)
    assert (known["of"], known["unknown"], known["classes"]) == ("puzzles", known["rows"] - 5, 5)
    found = _counted(fork("classes").stdout)
    assert found["puzzles"] == found["classes"] == str(known["rows"])
    assert found["largest"].startswith("1 of class ")
    assert query("SELECT count(*) FROM puzzle WHERE class_id IS NULL") == [(0,)]
    eight = json.loads(fork("classes", "--job", finals, "--json").stdout)
    assert (eight["of"], eight["job"], eight["rows"], eight["classes"]) == ("finals", finals, 100, 8)
    assert eight["largest"]["rows"] >= 13
    assert _counted(fork("classes", "--finals", "--no-fill").stdout)["not"].split() == [
        "known",
        str(known["rows"]),
    ]
    assert json.loads(fork("classes", "--job", job, "--json").stdout)["rows"] == 20


def test_which_lines_of_a_file_are_isomorphs(fork: Fork, folder: Path, minimal_puzzles: Grids) -> None:
    some = minimal_puzzles[:3]
    turned = draw(Streams(np.arange(3, dtype=np.uint64))).apply(some)
    lines = [*to_lines(some), TWO_SOLUTIONS, *to_lines(turned[:2]), "11" + 79 * "0"]
    (folder / "puzzles.lines").write_text("\n".join(lines) + "\n")
    done = fork("classes", "puzzles.lines", code=1)
    assert done.stdout.splitlines() == [
        "line 5: isomorph of line 1", "line 6: isomorph of line 2", "5 grids, 3 classes",
    ]  # fmt: skip
    assert done.stderr.splitlines() == [
        "puzzles.lines: line 4: not unique: it has two or more solutions",
        "puzzles.lines: line 7: clash: two equal givens in a row, column or box",
    ]
    (folder / "puzzles.lines").write_text("\n".join(to_lines(some)))
    rows = [json.loads(line) for line in fork("classes", "puzzles.lines", "--json").stdout.splitlines()]
    assert [row["isomorph_of"] for row in rows] == [None] * 3
    assert len({row["class"] for row in rows}) == 3


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("run generate --count 3 --distinct isomorph --output f.txt --no-store", "compares rows in the database"),
        ("run levels --count 3 --distinct some", "'some' is not one of"),
        ("classes f.txt --finals", "leave FILE out"),
        ("classes --lenient", "are of a FILE"),
    ],
)
def test_what_is_refused(refusal: Refusal, words: str, reason: str) -> None:
    assert reason in refusal(2, *words.split())


def test_where_nobody_finds_canonical_forms(refusal: Refusal, fork: Fork) -> None:
    env = {"SUDOKUMILL_PLUGINS": "classic"}
    order = ("run", "generate", "--generator", "random-row", "--count", 3)
    message = refusal(2, *order, "--distinct", "isomorph", env=env)
    assert "--distinct isomorph needs a solver that finds canonical forms" in message
    fork(*order, env=env)
    assert "finding out classes needs a solver" in refusal(2, "classes", "--finals", env=env)
    assert _counted(fork("classes", "--finals", "--no-fill", env=env).stdout)["classes"] == "0"


def test_a_job_of_another_kind_has_no_classes(refusal: Refusal, outcome: Outcome) -> None:
    outcome("run", "levels", "--count", 2)
    job = outcome("run", "solve")["job"]
    assert "delivers neither levels nor finals" in refusal(2, "classes", "--job", job)
    assert "leave out --finals" in refusal(2, "classes", "--job", 1, "--finals")
