from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokumill.formats import read_grids
from sudokumill.grids.batch import from_lines, to_lines
from sudokumill.grids.clashes import are_finals

Mill = Callable[..., subprocess.CompletedProcess[str]]
Outcome = Callable[..., dict[str, Any]]
Exported = Callable[..., list[dict[str, Any]]]
Query = Callable[[str], list[tuple[Any, ...]]]
Refusal = Callable[..., str]


def rows_of(text: str) -> list[str]:
    """Lines of 81 digits; anything else fails."""
    lines = text.splitlines()
    assert all(len(line) == 81 and line.isdecimal() for line in lines), text
    return lines


# --- generate --------------------------------------------------------------------------------------------


def test_generate_stores_what_was_ordered(outcome: Outcome, exported: Exported, mill: Mill) -> None:
    made = outcome(
        "run", "generate", "--count", 50, "--seed", 7, "--generator", "random-row==1", "--option",
        "max_shuffles=100", "--option", "generator.max_starts=50", "--processes", 2, "--chunk", 7,
    )  # fmt: skip
    assert (made["kind"], made["state"], made["count"], made["seed"]) == ("generate", "done", 50, 7)
    assert (made["job"], made["delivered"], made["reason"], made["failures"]) == (1, 50, None, [])
    assert made["chunks"] == {"done": 8}
    assert made["parts"] == {
        "generator": {
            "name": "random-row", "version": "1", "options": {"max_shuffles": 100, "max_starts": 50},
        }
    }  # fmt: skip
    assert made["versions"] == [{"generator": "random-row==1"}]
    shuffles = made["reports"]["generator shuffles"]
    assert 9 <= shuffles["least"] <= shuffles["greatest"] <= 100
    finals = exported(1)
    assert [final["position"] for final in finals] == list(range(50))
    assert are_finals(from_lines([final["digits"] for final in finals])).all()
    assert len({final["id"] for final in finals}) == 50
    shown = mill("jobs", "show", 1).stdout
    for text in ("1 (generate)", "done", "50 of 50 finals", "generator random-row==1", "max_shuffles=100", "mean"):
        assert text in shown


def test_a_person_sees_a_summary_and_what_to_type_next(mill: Mill) -> None:
    said = mill("run", "levels", "--count", 5).stdout
    for text in ("delivered  5 of 5 levels", "digger native==1", "seed", "sudokumill export --job 1"):
        assert text in said
    see_one = next(line for line in said.splitlines() if line.startswith("see one:")).split(":", 1)[1]
    drawn = mill(*see_one.split()[1:]).stdout
    assert drawn.count("------+-------+------") == 2
    assert "job 1" in drawn


def test_rows_alone_on_standard_output(mill: Mill, remarks: Callable[[str], str], folder: Path) -> None:
    stored = mill("run", "generate", "--count", 5, "--seed", 3, "--output", "-")
    direct = mill("run", "generate", "--count", 5, "--seed", 3, "--output", "-", "--no-store", "--json")
    assert len(rows_of(stored.stdout)) == 5
    assert direct.stdout == stored.stdout
    assert "5 of 5 finals" in stored.stderr
    assert json.loads(remarks(direct.stderr))["delivered"] == 5
    with_json = mill("run", "generate", "--count", 5, "--seed", 3, "--output", "-", "--json")
    assert with_json.stdout == stored.stdout
    assert json.loads(remarks(with_json.stderr))["already"] == 5


def test_files_in_both_formats(mill: Mill, outcome: Outcome, folder: Path) -> None:
    order = ("run", "levels", "--count", 12, "--seed", 5)
    assert outcome(*order, "--output", "a.txt")["delivered"] == 12
    mill(*order, "--output", "b.lines", "--no-store", "--processes", 1)
    told = outcome(*order, "--output", "c.txt", "--format", "line", "--no-store", "--chunk", 5)
    assert (told["delivered"], told["seed"], told["kind"]) == (12, 5, "levels")
    assert told["versions"]["digger"] == "native==1"
    mill(*order, "--output", "d", "--format", "blocks", "--no-store")
    lines = rows_of((folder / "b.lines").read_text())
    assert len(lines) == 12
    assert (folder / "c.txt").read_bytes() == (folder / "b.lines").read_bytes()
    assert (folder / "d").read_bytes() == (folder / "a.txt").read_bytes()
    assert (folder / "a.txt").read_text().splitlines()[0] == " ".join(lines[0][:9])
    assert to_lines(read_grids(folder / "a.txt").grids) == lines


def test_without_a_store_there_is_no_database(mill: Mill, folder: Path) -> None:
    mill("run", "generate", "--count", 100, "--generator", "template-permutation", "--output", "finals.txt",
         "--no-store")  # fmt: skip
    assert [path.name for path in folder.iterdir()] == ["finals.txt"]
    assert are_finals(read_grids(folder / "finals.txt").grids).all()


def test_a_reader_that_has_seen_enough(folder: Path) -> None:
    for command in (
        "run generate --count 20000 --output - --no-store",
        "run generate --count 20000 --seed 1 --output -",
        "export --job 1",
        "export --job 1 --json",
    ):
        pipe = f"'{sys.executable}' -m sudokumill {command} | head -n 1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", pipe], cwd=folder, capture_output=True, text=True, check=False)
        assert done.stdout.count("\n") == 1
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
        assert "Errno" not in done.stderr
        assert done.returncode in {0, 1}, (command, done.stderr)


def test_an_order_with_a_key_is_made_once(outcome: Outcome, mill: Mill, query: Query, refusal: Refusal) -> None:
    keyed = ("run", "levels", "--key", "monday")
    order = (*keyed, "--count", 8)
    first = outcome(*order)
    again = mill(*order, "--json", "--processes", 1)
    assert json.loads(again.stdout) == first
    assert "'monday'" in again.stderr
    assert again.stderr == "key 'monday' is job 1, which is done\n"
    assert query("SELECT count(*) FROM job") == [(1,)]
    assert query("SELECT count(*) FROM puzzle") == [(8,)]
    for other, named in (
        (("--count", 9), "count"),
        (("--count", 8, "--seed", 1), "seed"),
        (("--count", 8, "--new"), "new"),
    ):
        message = refusal(2, *keyed, *other)
        assert "'monday'" in message
        assert "job 1" in message
        assert named in message
    assert query("SELECT count(*) FROM job") == [(1,)]


def test_a_key_finds_its_job_when_the_source_has_changed(
    outcome: Outcome, mill: Mill, query: Query, refusal: Refusal
) -> None:
    outcome("run", "generate", "--count", 20)
    order = ("run", "dig", "--count", 20, "--key", "night")
    first = outcome(*order)
    # by now no final is left undug
    again = mill(*order, "--json")
    assert json.loads(again.stdout) == first
    assert again.stderr == "key 'night' is job 2, which is done\n"
    assert "job 2" in refusal(2, "run", "dig", "--count", 10, "--key", "night")
    assert "another kind" in refusal(2, "run", "solve", "--key", "night")
    solved = outcome("run", "solve", "--key", "noon")
    outcome("run", "levels", "--count", 5)
    assert outcome("run", "solve", "--key", "noon") == solved
    assert query("SELECT count(*) FROM job") == [(4,)]


def test_a_key_of_a_job_that_did_not_end_well(mill: Mill, query: Query) -> None:
    order = ("run", "levels", "--count", 5, "--key", "dawn")
    mill(*order)
    for state, said in (
        ("cancelled", "key 'dawn' is job 1, which ended cancelled; use another key to order again\n"),
        ("incomplete", "key 'dawn' is job 1, which ended incomplete; use another key to order again\n"),
    ):
        query(f"UPDATE job SET state = '{state}'")
        assert mill(*order, code=1).stderr == said
    query("UPDATE job SET state = 'paused'")
    done = mill(*order, code=1)
    assert done.stderr == "key 'dawn' is job 1, which is paused\n"
    assert "go on with:  sudokumill jobs resume 1" in done.stdout


def test_what_an_earlier_job_stored(outcome: Outcome, exported: Exported) -> None:
    order = ("run", "generate", "--count", 20, "--seed", 11)
    outcome(*order)
    same = outcome(*order)
    assert (same["delivered"], same["already"], same["not_new"]) == (20, 20, 0)
    new = outcome(*order, "--new")
    assert (new["delivered"], new["already"], new["not_new"]) == (20, 0, 20)
    first, second, third = ({final["id"] for final in exported(job)} for job in (1, 2, 3))
    assert first == second
    assert not first & third


def test_budgets_end_a_job(mill: Mill, query: Query) -> None:
    order = ("run", "levels", "--digger", "holes", "--option", "clues=24", "--option", "minimal=true")
    tried = mill(*order, "--count", 1000, "--max-attempts", 60, "--json", code=1)
    told = json.loads(tried.stdout)
    assert told["state"] == "incomplete"
    assert "60 attempts" in told["reason"]
    assert told["tried"] == 60
    assert told["delivered"] + told["missed"] + told["repeated"] + told["failed"] == 60
    assert query("SELECT count(*) FROM puzzle WHERE on_target") == [(told["delivered"],)]
    slow = json.loads(mill(*order, "--count", 10**6, "--max-seconds", 1, "--json", code=1).stdout)
    assert slow["state"] == "incomplete"
    assert "1 s" in slow["reason"]


def test_an_enumerating_generator_may_be_emptied(refusal: Refusal, mill: Mill, folder: Path) -> None:
    order = ("run", "generate", "--generator", "template-permutation", "--option", "first_digit=5")
    message = refusal(2, *order, "--count", 2_903_041)
    assert "2,903,040" in message
    rows = rows_of(mill(*order, "--count", 300, "--output", "-", "--no-store").stdout)
    assert len(set(rows)) == 300
    assert {row[0] for row in rows} == {"5"}


# --- levels, dig, solve ----------------------------------------------------------------------------------


def test_levels_with_every_part_named(outcome: Outcome, exported: Exported, mill: Mill) -> None:
    made = outcome(
        "run", "levels", "--count", 10, "--seed", 2, "--generator", "matrix-transform", "--digger", "holes",
        "--solver", "exact-cover", "--checker", "native", "--option", "template=3", "--option", "clues_max=28",
        "--option", "symmetry=rot180", "--option", "solver.max_nodes=100000", "--processes", 1,
    )  # fmt: skip
    assert {part: about["name"] for part, about in made["parts"].items()} == {
        "generator": "matrix-transform", "digger": "holes", "solver": "exact-cover", "checker": "native",
    }  # fmt: skip
    assert made["parts"]["solver"]["options"] == {"max_nodes": 100000}
    levels = exported(1)
    assert len(levels) == 10
    for level in levels:
        clues, solution = from_lines([level["clues"], level["solution"]])
        assert level["clue_count"] == np.count_nonzero(clues) <= 28
        assert level["symmetry"] in {"rot180", "rot90", "full"}
        assert ((clues > 0) == (clues[::-1] > 0)).all()
        assert (clues[clues > 0] == solution[clues > 0]).all()
    checked = mill("check", "-", stdin="\n".join(level["clues"] for level in levels), code=0)
    assert checked.stdout.count("one solution") == 10


def test_dig_stored_finals(outcome: Outcome, exported: Exported, refusal: Refusal) -> None:
    outcome("run", "generate", "--count", 20)
    outcome("run", "generate", "--count", 10)
    finals = [[final["digits"] for final in exported(job)] for job in (1, 2)]
    from_second = outcome("run", "dig", "--from-job", 2, "--digger", "holes", "--option", "order=snake")
    assert (from_second["kind"], from_second["count"], from_second["delivered"]) == ("dig", 10, 10)
    assert "generator" not in from_second["parts"]
    assert [level["solution"] for level in exported(3)] == finals[1]
    oldest = outcome("run", "dig", "--count", 5)
    assert oldest["delivered"] == 5
    assert [level["solution"] for level in exported(4)] == finals[0][:5]
    rest = outcome("run", "dig")
    assert [level["solution"] for level in exported(rest["job"])] == finals[0][5:]
    assert "undug" in refusal(2, "run", "dig", "--count", 5)
    fresh = outcome("run", "dig", "--count", 5, "--generator", "las-vegas")
    assert fresh["delivered"] == 5
    assert not {level["solution"] for level in exported(fresh["job"])} & {*finals[0], *finals[1]}
    message = refusal(2, "run", "dig", "--from-job", 2, "--generator", "native")
    assert "--from-job" in message
    assert "--generator" in message
    assert "11" in refusal(2, "run", "dig", "--from-job", 2, "--count", 11)


def test_solve_a_file_and_the_stored_puzzles(outcome: Outcome, exported: Exported, folder: Path) -> None:
    one = "........2.2..5.8.1......3..7.4.9........8541...5.37...18....9....7..9...2...4..58"
    several = one.replace("5.37", "..37", 1)
    (folder / "puzzles.txt").write_text(f"{one}\n{several}\n{'.' * 81}\n{'1' + '.' * 7 + '1' + '.' * 72}\n")
    text = (folder / "puzzles.txt").read_text()
    told = outcome("run", "solve", "--file", "puzzles.txt", "--limit", 100, "--output", "solutions.lines")
    assert (told["kind"], told["state"], told["count"], told["delivered"]) == ("solve", "done", 4, 4)
    solved = exported(1)
    assert [row["solutions"] for row in solved] == [1, 26, 100, 0]
    assert [row["status"] for row in solved] == ["unique", "several", "several", "clash"]
    assert are_finals(from_lines([row["solution"] for row in solved[:3]])).all()
    assert solved[3]["solution"] is None
    assert [row["puzzle"] for row in solved] == text.replace(".", "0").split()
    assert [(row["position"], row["line"]) for row in solved] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    lines = rows_of((folder / "solutions.lines").read_text())
    assert lines == [*(row["solution"] for row in solved[:3]), "0" * 81]

    outcome("run", "levels", "--count", 6)
    stored = outcome("run", "solve", "--count", 4, "--solver", "exact-cover")
    assert (stored["count"], stored["delivered"]) == (4, 4)
    assert [row["solution"] for row in exported(3)] == [level["solution"] for level in exported(2)[:4]]
    assert outcome("run", "solve")["count"] == 6


def test_a_file_with_a_bad_line_ends_with_1(
    mill: Mill, exported: Exported, remarks: Callable[[str], str], folder: Path
) -> None:
    one = "........2.2..5.8.1......3..7.4.9........8541...5.37...18....9....7..9...2...4..58"
    (folder / "puzzles.txt").write_text(f"# two\n{one}\n{one[:80]}\n{one[::-1]}\n")
    done = mill("run", "solve", "--file", "puzzles.txt", code=1)
    assert "2 of 2 solutions" in done.stdout
    assert "see all:     sudokumill export --job 1" in done.stdout
    assert remarks(done.stderr) == "puzzles.txt: line 3: 80 cells instead of 81\n"
    assert [row["line"] for row in exported(1)] == [2, 4]


# --- show, export ----------------------------------------------------------------------------------------


def test_show_and_export(mill: Mill, refusal: Refusal, exported: Exported, outcome: Outcome, folder: Path) -> None:
    outcome("run", "levels", "--count", 4, "--seed", 6)
    outcome("run", "levels", "--count", 3, "--seed", 7)
    levels = [*exported(1), *exported(2)]
    wanted = levels[5]
    shown = mill("show", wanted["id"][:13], "--solution").stdout
    grids = [part for part in shown.split("\n\n") if part.count("\n") >= 10]
    digits = ["".join(sign for sign in grid if sign.isdecimal() or sign == ".") for grid in grids]
    assert digits == [wanted["clues"].replace("0", "."), wanted["solution"]]
    assert f"{wanted['clue_count']} clues" in shown
    assert wanted["id"] in shown
    assert json.loads(mill("show", "--json").stdout)["job_id"] == 2
    every = rows_of(mill("export").stdout)
    assert every == [level["clues"] for level in levels]
    assert rows_of(mill("export", "--limit", 2, "--solutions").stdout) == [
        level["solution"] for level in levels[:2]
    ]
    done = mill("export", "--job", 2, "--output", "two.txt")
    assert "3 written to two.txt" in done.stderr
    assert to_lines(read_grids(folder / "two.txt").grids) == every[4:]
    assert rows_of(mill("export", "--job", 1, "--limit", 3).stdout) == every[:3]
    for contradictory in (("--format", "line"), ("--solutions",)):
        message = refusal(2, "export", "--json", *contradictory)
        assert contradictory[0] in message
        assert "--json" in message


# --- the same seed ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_seed_gives_the_same_levels(mill: Mill, folder: Path) -> None:
    order = ("run", "levels", "--count", 60, "--seed", 20240229, "--digger", "holes", "--option", "level=4")
    results = []
    for processes, chunk in ((1, 7), (4, 7), (1, 1000), (4, 1000)):
        env = {"SUDOKUMILL_DATABASE_URL": f"sqlite:///{processes}-{chunk}.db", "PYTHONHASHSEED": str(chunk)}
        done = mill(*order, "--processes", processes, "--chunk", chunk, "--output", "-", env=env)
        results.append(rows_of(done.stdout))
    few = mill(*("20" if word == 60 else word for word in order), "--output", "-", "--no-store")
    assert len(set(results[0])) == 60
    assert results == [results[0]] * 4
    assert rows_of(few.stdout) == results[0][:20]


def test_two_orders_without_a_seed_differ(
    start: Callable[..., subprocess.Popen[str]], mill: Mill, cases: dict[str, Any]
) -> None:
    assert cases["C040"]["expect"]["common_puzzles"] == 0
    order = ("run", "levels", "--count", 20, "--output", "-", "--no-store", "--json")
    both = [start(*order) for _ in range(2)]
    printed = [process.communicate(timeout=60) for process in both]
    rows = [rows_of(out) for out, _ in printed]
    assert [len(set(each)) for each in rows] == [20, 20]
    assert not set(rows[0]) & set(rows[1])
    seeds = [json.loads(said)["seed"] for _, said in printed]
    again = [mill(*order, "--seed", seed).stdout for seed in seeds]
    assert again == [out for out, _ in printed]
