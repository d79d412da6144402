"""Orders by difficulty as a person types them, their yields, and the stock.

The grader is one of the tests' own, so that nothing here hangs on how hard a puzzle is found to be. Levels of
every band, at the end, are of the grader that orders have by default.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Fork = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Exported = Callable[..., list[dict[str, Any]]]
Query = Callable[[str], list[tuple[Any, ...]]]
Refusal = Callable[..., str]

BANDS = ("gentle", "easy", "medium", "hard", "expert", "master", "diabolical", "extreme")


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
