"""Bands, and grades of what is stored, as a person types it.

The grader is one of the tests' own, so that nothing here hangs on how hard a puzzle is found to be.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

Fork = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Exported = Callable[..., list[dict[str, Any]]]
Query = Callable[[str], list[tuple[Any, ...]]]
Refusal = Callable[..., str]

BANDS = ("gentle", "easy", "medium", "hard", "expert", "master", "diabolical", "extreme")


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


def test_grades_wait_in_a_queue_of_their_own(
    fork: Fork, outcome: Outcome, query: Query, lab: dict[str, str]
) -> None:
    outcome("run", "levels", "--count", 5, env=lab)
    ordered = outcome("enqueue", "grade", env=lab)
    assert (ordered["kind"], ordered["state"], ordered["count"]) == ("grade", "waiting", 5)
    assert query("SELECT DISTINCT kind FROM chunk WHERE state = 'waiting'") == [("grade",)]
