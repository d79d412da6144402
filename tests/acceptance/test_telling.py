"""What an order tells beforehand, on the way, and in the end."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from sudokumill.cli import bars, ordering
from sudokumill.cli.bars import Bar
from sudokumill.cli.estimate import Estimate

Fork = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Refusal = Callable[..., str]
Query = Callable[[str], list[tuple[Any, ...]]]

_REACHED = re.compile(r"job 1: levels: ([\d,]+) of 30(?: \(([\d,]+) tried\))?, [\d,.]+/s(, [\d,]+ s left)?")


@pytest.fixture
def chatty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is told at once and always; forks of this process inherit that."""
    monkeypatch.setattr(bars, "_QUIET_SECONDS", 0.0)
    monkeypatch.setattr(bars, "_LINE_SECONDS", 0.0)


# --- on the way ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("chatty")
def test_a_bar_tells_hits_from_tries(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar("job 1: levels", 30) as bar:
        bar.show(0, 0)
        bar.show(2, 900)
        bar.show(30, 9_000)
        bar.show(30, 30)
    lines = capsys.readouterr().err.splitlines()
    assert all(_REACHED.fullmatch(line) for line in lines), lines
    assert [line.partition(",")[0] for line in lines[:2]] == [
        "job 1: levels: 0 of 30",
        "job 1: levels: 2 of 30 (900 tried)",
    ]
    # nothing is left when all is there
    assert "left" in lines[1]
    assert "left" not in lines[2]
    assert "tried" not in lines[3]


@pytest.mark.usefixtures("chatty")
def test_progress_counts_hits(fork: Fork, lab: dict[str, str]) -> None:
    done = fork("run", "levels", "--count", 30, "--rating", "9.6..", "--seed", 1, "--processes", 1, env=lab)
    told = [found.groups() for line in done.stderr.splitlines() if (found := _REACHED.fullmatch(line))]
    assert told
    for hits, tried, _ in told:
        # of ten that are tried four would be many
        assert int(hits.replace(",", "")) <= 6 + int((tried or "0").replace(",", "")) * 0.4


def test_jobs_are_listed_with_what_was_tried(fork: Fork, outcome: Outcome, lab: dict[str, str]) -> None:
    made = outcome("run", "levels", "--count", 5, "--rating", "9.5..", "--seed", 1, env=lab)
    heading, row = fork("jobs", "list", env=lab).stdout.splitlines()
    assert heading.split()[:6] == ["job", "kind", "state", "delivered", "ordered", "tried"]
    assert row.split()[3:6] == ["5", "5", str(made["tried"])]
    assert made["tried"] > 20


# --- beforehand ------------------------------------------------------------------------------------------


def test_an_order_with_a_key_is_found_before_anything_is_tried(
    outcome: Outcome, refusal: Refusal, monkeypatch: pytest.MonkeyPatch, lab: dict[str, str]
) -> None:
    order = ("run", "levels", "--count", 5, "--rating", "3..6", "--key", "k")
    first = outcome(*order, env=lab)

    def never(*_: object, **__: object) -> NoReturn:
        raise AssertionError("it was aimed again")

    monkeypatch.setattr(ordering, "aimed", never)
    assert outcome(*order, env=lab)["job"] == first["job"]
    assert outcome("enqueue", *order[1:], env=lab)["existed"] is True
    assert "key 'k' belongs to job 1, which ordered something else" in refusal(
        2, "run", "levels", "--count", 6, "--rating", "3..6", "--key", "k", env=lab
    )
    assert "choose another" in refusal(2, "enqueue", "grade", "--key", "grade of job 1", env=lab)


@pytest.mark.parametrize(
    ("about", "said", "warning"),
    [
        (Estimate(1_000, 30.0, 0, 0.25, 0), "about 30 s on one core; 25.0% of what is tried is as ordered", None),
        (Estimate(1_000, 30.0, 4, None, 0), "about 30 s on 4 processes", None),
        (Estimate(0, 0.0, 1, None, 0), "no time: all of it was in stock", None),
        (Estimate(5, None, 1, None, 0), "nobody can tell yet: this was neither tried nor made before", None),
        (
            Estimate(10_000, 9e5, 1, 1 / 4_000, 0),
            "about 10 days on one core; one in 4,000 of what is tried is as ordered",
            "one in 4,000 is as ordered: about 40 million other levels will go to stock; --max-attempts",
        ),
        (
            Estimate(10_000, None, 1, 0.0, 256),
            "long, and nobody can tell yet how long: none of 256 levels in a trial was as ordered",
            "less than one in 256 is as ordered: more than 2.6 million other levels will go to stock; --max",
        ),
        (Estimate(0, 0.0, 1, 0.001, 0), "no time: all of it was in stock", None),
    ],
)
def test_what_is_said_of_an_order(about: Estimate, said: str, warning: str | None) -> None:
    assert str(about) == said
    if warning is None:
        assert about.warning() is None
    else:
        assert (about.warning() or "").startswith(warning)


def test_what_is_known_of_an_order_grows(fork: Fork, outcome: Outcome, folder: Path, lab: dict[str, str]) -> None:
    # nobody knows how many finals a pattern suits
    (folder / "many.txt").write_text(("10" * 41)[:81])
    pattern = ("levels", "--count", 4_000, "--pattern", "many.txt")
    assert outcome("enqueue", *pattern, env=lab)["about_seconds"] is None
    assert "it takes     nobody can tell yet" in fork("enqueue", *pattern, env=lab).stdout
    made = outcome("run", "levels", "--count", 40, "--pattern", "many.txt", "--seed", 2, env=lab)
    again = outcome("enqueue", *pattern, env=lab)
    assert again["share"] == pytest.approx((made["delivered"] + made["surplus"]) / made["tried"])
    assert again["about_seconds"] > 0
    # a trial of some hundred may have no hit where a job that dug the same way had many
    rare = ("levels", "--rating", "9.9", "--no-aim", "--option", "clues_max=26")
    outcome(
        "run", "levels", "--count", 4_000, "--grader", "judge", "--option", "clues_max=26", "--seed", 3, env=lab
    )
    known = outcome("enqueue", *rare, "--count", 1_000, env=lab)
    assert known["share"] == pytest.approx(1 / 90, rel=0.5)
    assert known["about_seconds"] > 0
    # what the stock has takes no time
    part = outcome("enqueue", *rare, "--count", 1_000, "--from-stock", env=lab)
    assert part["state"] == "waiting"
    assert part["about_seconds"] <= known["about_seconds"]


def test_an_order_that_hardly_ever_hits_says_so(fork: Fork, outcome: Outcome, lab: dict[str, str]) -> None:
    env = lab | {"SUDOKUMILL_GRADER": "counts"}
    order = ("--rating", "5.5", "--no-aim", "--grader", "counts", "--seed", 1)
    ordered = fork("enqueue", "levels", "--count", 1_000, *order, env=env).stdout
    assert "rare         less than one in 256 is as ordered: more than 260,000 other levels" in ordered
    done = fork("run", "levels", "--count", 10, *order, "--max-attempts", 1_500, code=1, env=env)
    assert "sudokumill: job 2: less than one in 256 is as ordered" in done.stderr
    assert "nothing was as ordered; all others are stock:  sudokumill stock" in done.stdout


# --- in the end ------------------------------------------------------------------------------------------


def test_what_is_graded_after_a_job_is_told(fork: Fork, outcome: Outcome, lab: dict[str, str]) -> None:
    made = outcome("run", "levels", "--count", 10, "--rating", "3..6", "--seed", 1, env=lab)
    [rest] = made["graded_after"]
    assert rest == {"job": 2, "state": "done", "delivered": rest["count"], "count": rest["count"]}
    shown = " ".join(fork("jobs", "show", 1, env=lab).stdout.split())
    assert f"graded after {rest['count']} of {rest['count']} by job 2, done" in shown
    assert "how much more" not in shown
    # where only bounds are left it is said how to know more
    left = fork("run", "levels", "--count", 10, "--rating", "3..6", "--seed", 2, "--no-grade-rest", env=lab).stdout
    assert "graded after" not in left
    assert "how much more:  sudokumill run grade --grader judge" in left


def test_a_file_is_there_before_the_rest_is_graded(
    fork: Fork, folder: Path, monkeypatch: pytest.MonkeyPatch, lab: dict[str, str]
) -> None:
    from sudokumill.cli import running

    def rest(*_: object) -> None:
        print("written by then:", len((folder / "x.lines").read_text().splitlines()))

    monkeypatch.setattr(running, "_grade_rest", rest)
    done = fork("run", "levels", "--count", 7, "--rating", "3..6", "--output", "x.lines", env=lab)
    assert done.stdout.startswith("written by then: 7\njob ")


def test_without_a_store_nothing_follows_and_nothing_is_kept(
    fork: Fork, folder: Path, lab: dict[str, str]
) -> None:
    done = fork(
        "run",
        "levels",
        "--count",
        5,
        "--rating",
        "3..6",
        "--seed",
        4,
        "--no-store",
        "--output",
        "x.lines",
        env=lab,
    )
    assert re.search(r"^\d+ more were off target, and kept nowhere$", done.stdout, re.M)
    assert "stored" not in done.stdout
    assert [path.name for path in folder.iterdir()] == ["x.lines"]


def test_of_what_left_no_puzzle_nothing_is_said_to_be_stored(fork: Fork, folder: Path) -> None:
    (folder / "many.txt").write_text(("10" * 41)[:81])
    done = fork("run", "levels", "--count", 20, "--pattern", "many.txt", "--seed", 1)
    assert re.search(r"off target +\d+ \(of none a puzzle is stored\)", done.stdout)


def test_a_job_that_waits_for_a_worker_says_so(fork: Fork, waiting_job: Callable[..., int]) -> None:
    job = waiting_job()
    alone = fork("jobs", "show", job).stdout
    assert alone.endswith(f"go on with:  sudokumill jobs resume {job}\n")
    env = {"SUDOKUMILL_BROKER_URL": "redis://localhost:1/0"}
    waits = fork("jobs", "show", job, env=env).stdout
    assert "a worker of the fleet takes it as soon as one can" in waits
    assert f"or make it on this machine:  sudokumill jobs resume {job} --processes 1" in waits
    fork("jobs", "pause", job)
    assert f"go on with:  sudokumill jobs resume {job}" in fork("jobs", "show", job, env=env).stdout


def test_a_job_of_a_newer_version_hides_no_level(outcome: Outcome, fork: Fork, query: Query) -> None:
    graded = ("--grader", "singles-and-pairs", "--rating", "1.5..1.7")
    outcome("run", "levels", "--count", 3, "--seed", 1, *graded)
    query("UPDATE job SET spec = json_set(spec, '$.newer', 1)")
    assert fork("show").stdout.splitlines()[-1].endswith(", job 1")
    assert "nothing that was dug has a grade of explainer" in fork("yields", "--grader", "explainer").stdout
    # its trial has no hit, and earlier jobs are asked what it will take
    rare = ("--rating", "9.9..9.9", "--max-attempts", 20)
    assert outcome("run", "levels", "--count", 1, "--seed", 2, *rare, code=1)["state"] == "incomplete"
