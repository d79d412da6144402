"""Orders that are only weighed, and bands without gaps."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Fork = Callable[..., subprocess.CompletedProcess[str]]


def test_nothing_is_ordered_and_no_database_is_made(fork: Fork, folder: Path) -> None:
    order = ("levels", "--count", 3_000_000, "--band", "extreme", "--seed", 1, "--max-attempts", 1000)
    for verb in ("run", "enqueue"):
        told = fork(verb, *order, "--dry-run").stdout
        assert "asked for  band extreme, rating 7.6 or more" in told
        assert "--max-attempts 1,000 ends it before" in " ".join(told.split())
        assert "other levels" in told
        assert told.endswith("nothing was ordered; without --dry-run it is\n")
    told = json.loads(fork("run", "levels", "--count", 7, "--dry-run", "--json").stdout)
    assert (told["job"], told["count"], told["dry_run"]) == (None, 7, True)
    assert list(folder.iterdir()) == []


def test_a_dry_run_knows_stock_and_keys(fork: Fork, outcome: Callable[..., dict[str, Any]]) -> None:
    asked = ("levels", "--count", 5, "--band", "hard", "--seed", 1, "--key", "once")
    done = outcome("run", *asked)
    told = json.loads(fork("run", *asked, "--dry-run", "--json").stdout)
    assert told["existing_job"] == done["job"]
    stock = fork("run", "levels", "--count", 2, "--band", "easy", "--from-stock", "--dry-run").stdout
    assert "from stock  2\n" in stock
    assert "all of it was in stock" in stock
    assert len(fork("jobs", "list").stdout.splitlines()) == 3
    shown = fork("export", "--json", "--limit", 1).stdout
    assert {"on_target", "class"} <= json.loads(shown).keys()


def test_bands_that_touch_leave_no_gap(fork: Fork) -> None:
    name = "singles-and-pairs"
    done = fork("bands", "set", "low=1..2", "high=2..", "--grader", name)
    assert done.stdout == f"grader {name}: low (1.0..1.999999), high (2.0 or more)\n"
    assert "no band" not in done.stderr
    gap = fork("bands", "set", "low=1..1.5", "--grader", name).stderr
    assert "ratings between 1.5 and 2.0 are in no band" in gap
    assert "low=1.0..2.0" in gap
    assert "no level has a grade of it yet" in fork("bands", "use", name).stderr
