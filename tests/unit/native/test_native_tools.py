"""The commands of the engine: the bench and the soak."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokumill.contracts import GradeResult, SolveResult, Step
from sudokumill.grids.batch import Grids, to_lines
from sudokumill_native import _kernel, soak
from sudokumill_native.grader import ExplainerGrader
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
    shares = [line.count("%") for line in lines if "in Python" in line]
    assert shares == [len(_kernel.builds)] * 4


def test_the_readme_quotes_the_table(tmp_path: Path, minimal_puzzles: Grids) -> None:
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    found = re.search(r"\$ (python -m sudokumill_native\.bench .*)\n((?:.+\n)+?)```", text)
    assert found is not None
    quoted = found[2].splitlines()
    for name in dict.fromkeys(re.findall(r"^solve (\w+)  ", found[2], re.MULTILINE)):
        if name != "minimal":
            (tmp_path / f"{name}.txt").write_text(to_lines(minimal_puzzles[:1])[0], encoding="ascii")
    ran = run(*QUICK, "--build", "portable", "--data", str(tmp_path))
    printed = ran.stdout.splitlines()

    def tasks(lines: list[str], *, graded: bool) -> list[str]:
        names = [re.split(r" {2,}", line)[0] for line in lines]
        return [name for name in names if name.startswith("grade ") is graded]

    assert re.fullmatch(r"\S.*, one core; thousand rows a second", quoted[0])
    assert quoted[0].partition(",")[2] == printed[0].partition(",")[2]
    assert quoted[1].split() == ["avx512", "avx2", "portable", "peer"]
    assert tasks(quoted[2:], graded=False) == tasks(printed[2:], graded=False)
    # of so few puzzles none may have a high rating; then there is no line of such
    assert tasks(printed[2:], graded=True)
    assert set(tasks(printed[2:], graded=True)) <= set(tasks(quoted[2:], graded=True))


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


@pytest.mark.parametrize("words", [("--count", "0"), ("--rounds", "0"), ("--data", "/nonexistent")])
def test_an_order_that_the_bench_cannot_meet_is_said(words: tuple[str, ...]) -> None:
    ran = run(*QUICK, *words)
    assert ran.returncode == 2
    assert words[1] in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_task_that_is_none_is_said_with_those_that_are() -> None:
    for more in ((), ("--json",)):
        ran = run(*QUICK, "--only", "zzz", *more)
        assert (ran.returncode, ran.stdout) == (2, "")
        (said,) = ran.stderr.splitlines()
        assert said.startswith(
            "sudokumill_native.bench: no task has 'zzz' in its name; there are: solve 30 clues; "
        )
        assert "grade minimal, all" in said


def test_a_folder_without_puzzles_is_said(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("not a puzzle", encoding="ascii")
    (tmp_path / "letters.txt").write_text("\u00e4" * 81, encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    for folder, said in (
        (tmp_path, f"{tmp_path} has no .txt file with one puzzle of 81 characters a line"),
        (tmp_path / "none", f"cannot read {tmp_path / 'none'}: No such file or directory"),
        (tmp_path / "empty.txt", f"cannot read {tmp_path / 'empty.txt'}: Not a directory"),
    ):
        ran = run(*QUICK, "--data", str(folder))
        assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"sudokumill_native.bench: {said}\n")


def test_a_table_that_is_not_there_is_said() -> None:
    ran = run("sudokumill_native.agreement", "no.csv")
    assert (ran.returncode, ran.stderr) == (
        2, "sudokumill_native.agreement: cannot read no.csv: No such file or directory\n",
    )  # fmt: skip


def test_a_round_of_the_soak_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "ROWS", 60)
    rows, found = soak.one_round(0, 5)
    of_pattern = rows - 60 * (1 + 3 * (len(soak.WISHES) - 1))
    assert 60 < of_pattern < 180  # some of these leave nothing to be solved
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


def test_the_soak_tells_what_is_graded_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(ExplainerGrader):
        def grade(self, puzzles: Grids) -> GradeResult:
            result = super().grade(puzzles)
            result.extras["ep"][puzzles[:, 0] > 0] = 9.9
            return result

        def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
            return super().path(puzzle)[:-1]

    monkeypatch.setattr(soak, "ROWS", 20)
    monkeypatch.setattr(soak, "ExplainerGrader", Wrong)
    _, found = soak.one_round(0, 5)
    told = {what for what, _ in found}
    assert f"ep of an isomorph by {_kernel.builds[0]}" in told
    assert "the end of a path" in told
