from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Mill = Callable[..., subprocess.CompletedProcess[str]]
Case = dict[str, Any]
Refusal = Callable[..., str]
WorkOf = Callable[[Callable[[], object]], float]

START_SECONDS = 1.0
"""Work of starting the command: measured 0.6 s."""


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def check_against(found: dict[str, Any], expect: dict[str, Any], limit: int) -> None:
    """A line of ``check --json`` against what a case expects."""
    assert found["givens"] == expect["givens"]
    assert found["clashes"] == expect["clashes"]
    if expect["solutions"] == "2+":
        assert found["verdict"] == "several solutions"
        count = expect.get("exact_count_when_asked", limit)
        assert found["solutions"] == min(count, limit)
        assert found["exact"] == (count < limit)
    else:
        assert (found["solutions"], found["exact"]) == (expect["solutions"], True)
        wanted = {1: "final" if expect["givens"] == 81 else "puzzle", 0: "no solution"}
        assert found["verdict"] == ("clash" if expect["clashes"] else wanted[expect["solutions"]])
    assert found["solution"] == expect.get("solution")
    assert found["minimal"] == expect.get("minimal")
    assert found["removable"] == expect.get("removable", [])


def test_every_check_case_in_one_file(mill: Mill, cases: Mapping[str, Case], folder: Path) -> None:
    chosen = [case for case in cases.values() if case["kind"] == "check"]
    assert len(chosen) == 18
    (folder / "grids.txt").write_text("".join(case["input"]["grid"] + "\n" for case in chosen))
    found = objects(mill("check", "grids.txt", "--json", "--limit", 1000, code=1).stdout)
    assert [one["line"] for one in found] == list(range(1, 19))
    for one, case in zip(found, chosen, strict=True):
        check_against(one, case["expect"], 1000)


@pytest.mark.cases("check", ids=["C013", "C014", "C015"])
def test_counting_ends_at_its_limit(case: Case, mill: Mill, work_of: WorkOf, folder: Path) -> None:
    (folder / "grid.txt").write_text(case["input"]["grid"])
    printed = []

    def check() -> None:
        printed.append(mill("check", "grid.txt", "--json", "--limit", 1_000_000, code=1).stdout)

    assert work_of(check) < case["expect"]["max_seconds"] + START_SECONDS
    [found] = objects(printed[0])
    check_against(found, {**case["expect"], "exact_count_when_asked": 1_000_000}, 1_000_000)


def test_check_speaks_plainly(mill: Mill, cases: Mapping[str, Case]) -> None:
    grids = [cases[name]["input"]["grid"] for name in ("C005", "C004", "C008", "C007", "C011", "C016", "C014")]
    lines = mill("check", "-", "--limit", 100, stdin="\n".join(grids), code=1).stdout.splitlines()
    assert lines == [
        "line 1: puzzle: 25 clues, one solution, minimal",
        "line 2: not a puzzle: 24 clues, 26 solutions",
        "line 3: clash: row 1 has digit 9 at r1c2, r1c3; column 2 has digit 9 at r1c2, r5c2; "
        "box 1 has digit 9 at r1c2, r1c3",
        "line 4: not a puzzle: 24 clues, no solution, although no two of them clash",
        "line 5: final: complete and valid",
        "line 6: puzzle: 33 clues, one solution, 21 clues could each be left out",
        "line 7: not a puzzle: 0 clues, 100 or more solutions",
    ]
    mill("check", "-", stdin="\n".join([grids[0], grids[4], grids[5]]))


def test_a_bad_line_does_not_stop_the_others(mill: Mill, cases: Mapping[str, Case], folder: Path) -> None:
    good = cases["C005"]["input"]["grid"]
    (folder / "grids.txt").write_text(f"{good[:80]}\n{good}\n{good[:30]}k{good[31:]}\n")
    for command in ("check", "solve"):
        done = mill(command, "grids.txt", code=1)
        assert len(done.stdout.splitlines()) == 1
        short, letter = done.stderr.splitlines()
        assert short == "grids.txt: line 1: 80 cells instead of 81"
        assert letter.startswith("grids.txt: line 3: ")
        assert letter.endswith("at column 31")
    [found] = objects(mill("check", "grids.txt", "--json", code=1).stdout)
    assert found["line"] == 2


# --- solve -----------------------------------------------------------------------------------------------


def test_limits(mill: Mill, cases: Mapping[str, Case]) -> None:
    case = cases["C019"]
    for limit, run in zip(case["input"]["limits"], case["expect"]["runs"], strict=True):
        [found] = objects(
            mill("solve", "-", "--json", "--limit", limit, stdin=case["input"]["grid"], code=1).stdout
        )
        assert (limit, found["solutions"], found["limit_reached"]) == (
            run["limit"], run["count"], run["limit_reached"],
        )  # fmt: skip
    said = mill("solve", "-", "--limit", 26, stdin=case["input"]["grid"], code=1).stdout
    assert "26 or more solutions" in said
    said = mill("solve", "-", "--limit", 27, stdin=case["input"]["grid"], code=1).stdout
    assert "26 solutions" in said


@pytest.mark.parametrize("solver", ["native", "exact-cover"])
def test_a_bad_row_does_not_shift_the_others(solver: str, mill: Mill, cases: Mapping[str, Case]) -> None:
    case = cases["C020"]
    grids = "\n".join(case["input"]["grids"])
    found = objects(mill("solve", "-", "--json", "--solver", solver, stdin=grids, code=1).stdout)
    assert len(found) == 7
    for one, row in zip(found, case["expect"]["rows"], strict=True):
        assert one["solutions"] == row["count"]
        assert one["status"] == row["status"]
        if "solution" in row:
            assert one["solution"] == row["solution"]
    text = mill("solve", "-", "--solver", solver, stdin=grids, code=1).stdout.splitlines()
    assert len(text) == 7
    assert [line.split()[0] for line in text if len(line) == 81] == [
        row["solution"] for row in case["expect"]["rows"] if row["count"] == 1
    ]
    assert text[1] == "# line 2: clash"
    # what it prints can be read again
    assert len(mill("check", "-", stdin="\n".join(text)).stdout.splitlines()) == 5


@pytest.mark.parametrize("solver", ["native", "exact-cover", "dfs", "random-blank"])
def test_giving_up_is_a_result(solver: str, mill: Mill, cases: Mapping[str, Case], work_of: WorkOf) -> None:
    given = cases["C021"]["input"]
    order = ("--solver", solver, "--option", f"max_nodes={given['max_nodes']}", "--limit", given["limit"])
    printed = []

    def solve() -> None:
        printed.append(mill("solve", "-", *order, "--json", stdin=given["grid"], code=1).stdout)

    assert work_of(solve) < cases["C021"]["expect"]["max_seconds"] + START_SECONDS
    [found] = objects(printed[0])
    assert found["status"] == "gave up"
    assert found["limit_reached"] is False
    assert found["nodes"] <= 1000


def test_giving_up_in_words(mill: Mill, cases: Mapping[str, Case]) -> None:
    grid = cases["C021"]["input"]["grid"]
    order = ("--option", "max_nodes=1000", "--limit", 10**9)
    lines = mill("solve", "-", *order, stdin=grid, code=1).stdout.splitlines()
    assert len(lines) == 1
    assert "gave up" in lines[0]
    # a lower bound may be named, but never as the number of solutions
    assert " solutions" not in lines[0] or "or more solutions" in lines[0]


def test_a_small_board_is_refused(refusal: Refusal, mill: Mill, cases: Mapping[str, Case], folder: Path) -> None:
    grid = cases["C022"]["input"]["grid"]
    (folder / "small.txt").write_text(grid + "\n")
    for command in ("check", "solve"):
        message = refusal(1, command, "small.txt")
        assert "line 1: 16 cells instead of 81" in message
        assert "small.txt" in message


def test_blocks_are_read(mill: Mill, cases: Mapping[str, Case], folder: Path) -> None:
    grid = cases["C005"]["input"]["grid"].replace(".", "0")
    block = "".join(" ".join(grid[row * 9 : row * 9 + 9]) + "\n" for row in range(9))
    (folder / "grids.txt").write_text(f"{block}\n{block}")
    assert mill("check", "grids.txt").stdout.splitlines() == [
        "line 1: puzzle: 25 clues, one solution, minimal",
        "line 11: puzzle: 25 clues, one solution, minimal",
    ]
    solved = cases["C005"]["expect"]["solution"]
    assert mill("solve", "grids.txt").stdout.split() == [solved, solved]
    assert mill("solve", "grids.txt", "--output-format", "blocks").stdout.split() == list(solved) * 2
    several = f"{block}\n{block.replace('5', '0', 1)}"
    text = mill("solve", "-", "--output-format", "blocks", "--limit", 100, stdin=several, code=1).stdout
    assert "# line 11: several, " in text
    assert mill("check", "-", stdin=text).stdout.count("final") == 2


# --- solvers that break their word -----------------------------------------------------------------------

CROOKED = """
class Raises:
    def __init__(self, options):
        pass

    def solve(self, puzzles, limit=2):
        raise ZeroDivisionError("out of coffee")

class Lies(Raises):
    def solve(self, puzzles, limit=2):
        rows = len(puzzles)
        return SolveResult(
            np.ones(rows, dtype=np.int64), np.ones((rows, 81), dtype=np.uint8), np.zeros(rows, dtype=np.int64),
            np.zeros(rows, dtype=np.uint8),
        )

@hookimpl
def sudokumill_register_solvers():
    yield solver("raises", Raises)
    yield solver("lies", Lies)
"""


@pytest.mark.parametrize(
    ("name", "reason"), [("raises", "raised ZeroDivisionError: out of coffee"), ("lies", "its solution is none")]
)
@pytest.mark.parametrize("command", ["check", "solve", "check --json", "solve --json"])
def test_a_solver_that_breaks_its_word(
    command: str, name: str, reason: str, mill: Mill, one_file_plugin: Callable[[str, str], dict[str, str]],
    cases: Mapping[str, Case],
) -> None:  # fmt: skip
    env = one_file_plugin("crooked", CROOKED)
    grids = "\n".join(cases[each]["input"]["grid"] for each in ("C005", "C016"))
    done = mill(*command.split(), "-", "--solver", name, stdin=grids, env=env, code=1)
    assert not done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    for number, line in enumerate(lines, 1):
        assert line.startswith(f"standard input: line {number}: solver {name} of plugin crooked (")
        assert f": {reason}" in line


# --- long files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "solve"])
def test_output_begins_before_the_file_ends(
    command: str, start: Callable[..., subprocess.Popen[str]], cases: Mapping[str, Case], folder: Path
) -> None:
    grid = cases["C005"]["input"]["grid"] + "\n"
    os.mkfifo(folder / "pipe")
    running = start(command, "pipe", "--json")
    assert running.stdout is not None
    assert running.stderr is not None
    with (folder / "pipe").open("w") as pipe:
        # a little more than the megabyte that is read at once
        text = grid[:80] + "\n" + grid * 1_000
        pipe.write(text + ("# " + "-" * 77 + "\n") * ((1_080_000 - len(text)) // 80))
        pipe.flush()
        assert json.loads(running.stdout.readline())["line"] == 2
        assert running.stderr.readline() == "pipe: line 1: 80 cells instead of 81\n"
    running.kill()


PEAK = """
import sys
from pathlib import Path
from sudokumill.cli import _run
sys.argv = ["sudokumill", "solve", "grids.txt"]
sys.stdout = open("/dev/null", "w")
_run()
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


def test_memory_does_not_grow_with_the_file(cases: Mapping[str, Case], folder: Path) -> None:
    peaks = []
    for rows in (40_000, 160_000):
        (folder / "grids.txt").write_text((cases["C011"]["input"]["grid"] + "\n") * rows)
        words = [sys.executable, "-c", PEAK]
        done = subprocess.run(words, cwd=folder, stderr=subprocess.PIPE, text=True, check=True)
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] < peaks[0] + 5_000, "kB; the longer file has 10 MB more, and its solutions as many"


def test_faults_before_the_first_grid_are_held_back_and_then_said(
    mill: Mill, cases: Mapping[str, Case], folder: Path
) -> None:
    grid = cases["C005"]["input"]["grid"] + "\n"
    (folder / "grids.txt").write_text("1234\n" * 25 + grid + "12345\n" * 25)
    said = mill("check", "grids.txt", code=1).stderr.splitlines()
    assert len(said) == 25 + 25
    (folder / "grids.txt").write_text("1234\n" * 100)
    [line] = mill("check", "grids.txt", code=1).stderr.splitlines()
    assert line.endswith("line 1: 4 cells instead of 81 (and 99 more)")


# --- options ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (("x",), ("NAME=VALUE",)),
        (("max_nodes=1", "max_nodes=2"), ("max_nodes", "twice")),
        (("max_node=1",), ("solver native", "did you mean max_nodes?")),
        (("digger.max_nodes=1",), ("this job has no 'digger'",)),
        (("max_nodes=0",), ("max_nodes", "0")),
    ],
)
def test_options_are_refused_as_in_orders(
    options: tuple[str, ...], texts: tuple[str, ...], refusal: Refusal
) -> None:
    message = refusal(2, "solve", "-", *[word for option in options for word in ("--option", option)])
    assert all(text in message for text in texts), message


def test_an_option_may_name_its_part(mill: Mill, cases: Mapping[str, Case]) -> None:
    grid = cases["C021"]["input"]["grid"]
    done = mill("solve", "-", "--option", "solver.max_nodes=5", "--limit", 10**6, "--json", stdin=grid, code=1)
    assert json.loads(done.stdout)["status"] == "gave up"


def test_format_is_that_of_the_input(mill: Mill, cases: Mapping[str, Case]) -> None:
    grid = cases["C005"]["input"]["grid"]
    solved = mill("solve", "-", "--format", "line", "--output-format", "blocks", stdin=grid).stdout
    assert solved.split() == list(cases["C005"]["expect"]["solution"])
    assert mill("solve", "-", "--format", "blocks", stdin=solved).stdout.strip() == "".join(solved.split())
