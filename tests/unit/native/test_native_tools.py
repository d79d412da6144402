"""The commands of the engine: the bench and the soak."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import Grids, to_lines
from sudokumill_native import _kernel, soak
from sudokumill_native.solvers import ExactCoverSolver


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)


QUICK = ("sudokumill_native.bench", "--count", "64", "--rounds", "1", "--seconds", "0")


def test_the_bench_prints_a_table() -> None:
    ran = run(*QUICK)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[1].split() == list(_kernel.builds)
    assert any(line.startswith("solve minimal, one a call ") for line in lines)
    assert any(line.startswith("dig to minimal, finals given ") for line in lines)


def test_the_bench_prints_json_of_other_sets(tmp_path: Path, minimal_puzzles: Grids) -> None:
    (tmp_path / "mine.txt").write_text("\n".join(to_lines(minimal_puzzles[:40])), encoding="ascii")
    ran = run(*QUICK, "--json", "--data", str(tmp_path), "--build", "portable")
    told = json.loads(ran.stdout)
    assert told["builds"] == ["portable"]
    tasks = {task["task"]: task for task in told["tasks"]}
    assert tasks["solve mine"]["rows"] == 40
    assert all(rate > 0 for task in tasks.values() for rate in task["rates"].values())


def test_the_bench_of_some_tasks() -> None:
    ran = run(*QUICK, "--only", "grade")
    assert (ran.returncode, ran.stderr) == (0, "")
    names = [line[:34].strip() for line in ran.stdout.splitlines()[2:]]
    assert names[:2] == ["grade minimal, all", "grade minimal, 1.0 to 3.4"]


def test_a_peer_that_is_none_is_said(tmp_path: Path) -> None:
    ran = run(*QUICK, "--peer", str(tmp_path / "none.so"))
    assert ran.returncode == 2
    assert "none.so" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_round_of_the_soak_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "ROWS", 60)
    rows, found = soak.one_round(0, 5)
    assert rows == 60 * 13
    assert found == []


def test_the_soak_tells_what_does_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(ExactCoverSolver):
        def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
            result = super().solve(puzzles, limit)
            result.counts[3] += 1
            return result

    monkeypatch.setattr(soak, "ROWS", 60)
    monkeypatch.setattr(soak, "ExactCoverSolver", Wrong)
    _, found = soak.one_round(0, 5)
    assert "counts of exact-cover" in {what for what, _ in found}
    assert all(len(grid) == 81 for _, grid in found)
    assert np.unique([grid for _, grid in found]).size > 3
