"""The same order gives the same rows, whoever makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sudokumill.grids.batch import from_lines, to_lines
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.followers import followers
from sudokumill.store.models import Grade
from sudokumill_native.options import SearchOptions
from sudokumill_native.solvers import NativeSolver


def _check_levels(exported: str, count: int) -> None:
    """So many distinct levels, each with one solution, and that is the one that is stored."""
    levels = [json.loads(line) for line in exported.splitlines()]
    assert len({level["clues"] for level in levels}) == len(levels) == count
    found = NativeSolver(SearchOptions()).solve(from_lines([level["clues"] for level in levels]), limit=2)
    assert (found.counts == 1).all()
    assert to_lines(found.solutions) == [level["solution"] for level in levels]


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_fleet_makes_what_one_process_makes(fleet: Any, count: int) -> None:
    for node in ("a", "b"):
        fleet.worker(node)
    job = fleet.order("levels", "--count", count, "--seed", 5)
    fleet.wait_for(job, seconds=240)
    fleet.check(job, count)
    assert len({row.worker for row in fleet.chunks(job)}) == 2
    alone = {"SUDOKUMILL_DATABASE_URL": f"sqlite:///{fleet.folder / 'alone.db'}", "SUDOKUMILL_BROKER_URL": None}
    fleet.command("run", "levels", "--count", count, "--seed", 5, "--processes", 1, env=alone)
    by_fleet = fleet.command("export", "--job", job, "--json").stdout
    by_one = fleet.command("export", "--job", 1, "--json", env=alone).stdout
    _check_levels(by_fleet, count)
    assert _without_origin(by_fleet) == _without_origin(by_one)
    lines = ("--format", "line")
    assert (
        fleet.command("export", "--job", job, *lines).stdout
        == fleet.command("export", "--job", 1, *lines, env=alone).stdout
    )


def _without_origin(exported: str) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in json.loads(line).items() if "chunk" not in name}
        for line in exported.splitlines()
    ]


@pytest.mark.parametrize("kind", ["generate", "dig"])
def test_every_kind_is_made(crowd: Any, kind: str) -> None:
    finals = crowd.order("generate", "--count", 300, "--seed", 8)
    crowd.wait_for(finals)
    job = finals if kind == "generate" else crowd.order("dig", "--from-job", finals, "--count", 300)
    crowd.wait_for(job)
    crowd.check(job, 300)


def test_a_file_is_solved_by_a_worker_that_cannot_read_it(fleet: Any, tmp_path: Path, data_dir: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    fleet.worker(folder=elsewhere)
    file = fleet.folder / "puzzles.txt"
    puzzles = (data_dir / "random_minimal.txt").read_text().split()[:500]
    file.write_text("\n".join(puzzles))
    job = fleet.order("solve", "--file", "puzzles.txt")
    # what the order read is in the database
    file.unlink()
    found = fleet.wait_for(job)
    assert (found.delivered, found.failed) == (500, 0)
    solved = from_lines(fleet.lines(job))
    expected = NativeSolver(SearchOptions()).solve(from_lines(puzzles), limit=2)
    assert to_lines(solved) == to_lines(expected.solutions)


def test_levels_of_a_difficulty_and_grades_of_what_is_stored(crowd: Any) -> None:
    asked = (
        "--count", 60, "--grader", "judge", "--rating", "3..6", "--technique", "x-wing", "--seed", 5,
        "--no-grade-rest",
    )  # fmt: skip
    job = crowd.order("levels", *asked, "--chunk", 20)
    found = crowd.wait_for(job)
    assert (found.delivered, found.missed > 0) == (60, True)
    again = crowd.order("levels", *asked)
    crowd.wait_for(again)
    assert crowd.lines(again) == crowd.lines(job)
    crowd.wait_for(crowd.order("levels", "--count", 200, "--seed", 6))
    # what stopped at the first job's ceiling, and what the last one made
    grades = crowd.order("grade", "--grader", "judge", "--chunk", 50)
    found = crowd.wait_for(grades)
    assert (found.delivered, found.failed) == (found.count, 0)
    assert found.count > 200
    assert {row.kind for row in crowd.chunks(grades)} == {"grade"}
    assert len(list(delivered_rows(crowd.database, found))) == found.count


def test_what_lies_above_a_ceiling_is_graded_by_the_fleet(crowd: Any) -> None:
    job = crowd.order(
        "levels", "--count", 60, "--grader", "judge", "--rating", "3..6", "--seed", 25, "--chunk", 20
    )
    crowd.wait_for(job)
    [rest] = followers(crowd.database, job)
    found = crowd.wait_for(rest.id)
    assert found.delivered == found.count > 0
    assert not [row for row in crowd.rows(Grade) if row.status == "above" and row.job_id in {job, rest.id}]
    for each in (job, rest.id):
        crowd.audit(each)


def test_a_run_beside_a_fleet_shares_its_own_job_with_the_workers(crowd: Any) -> None:
    slow = ("--generator", "lab", "--option", "generator.pause=0.002", "--chunk", 50)
    run = crowd.start("run", "generate", "--count", 1_000, "--seed", 3, *slow, "--processes", 1, "--json")
    said, errors = run.communicate(timeout=60)
    assert run.returncode == 0, errors
    job = json.loads(said)["job"]
    crowd.check(job, 1_000)
    makers = {(row.worker or "").split(":")[1] for row in crowd.chunks(job)}
    assert makers == {str(run.pid), str(crowd.crew[0].celery)}
    again = crowd.order("generate", "--count", 1_000, "--seed", 3, *slow[:2])
    crowd.wait_for(again)
    assert crowd.lines(again) == crowd.lines(job)


def test_a_fleet_on_one_machine_does_with_sqlite(new_fleet: Any, tmp_path: Path) -> None:
    with new_fleet(f"sqlite:///{tmp_path / 'mill.db'}") as fleet:
        fleet.worker(processes=2)
        job = fleet.order("levels", "--count", 500, "--chunk", 50)
        fleet.wait_for(job)
        fleet.check(job, 500)
        assert {row.attempt for row in fleet.chunks(job)} == {1}
