from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Mill = Callable[..., subprocess.CompletedProcess[str]]
Refusal = Callable[..., str]
Query = Callable[[str], list[tuple[Any, ...]]]
WorkOf = Callable[[Callable[[], object]], float]
Case = dict[str, Any]


@pytest.mark.cases("generate", ids=["C028", "C029", "C030", "C032", "C033", "C034", "C035", "C036", "C037"])
def test_impossible_wishes_are_refused_at_once(
    case: Case, refusal: Refusal, mill: Mill, work_of: WorkOf, folder: Path
) -> None:
    given = case["input"]
    wishes = {name: value for name, value in given.items() if name not in {"count", "seed"}}
    options = [
        f"--option={name}={value[0] if isinstance(value, list) else value}" for name, value in wishes.items()
    ]
    messages = []
    order = ("run", "levels", "--count", given["count"], "--seed", given["seed"], *options)
    assert work_of(lambda: messages.append(refusal(2, *order, by=mill))) < 1.5
    assert all(text in messages[0] for text in case["expect"]["error_mentions"]), messages[0]
    assert list(folder.iterdir()) == []


def test_an_odd_count_with_a_half_turn_takes_the_centre(mill: Mill) -> None:
    order = ("--option", "symmetry=rot180", "--option", "clues=27", "--count", 2, "--output", "-", "--no-store")
    rows = mill("run", "levels", *order).stdout.split()
    assert [row[40] != "0" for row in rows] == [True, True]
    assert [81 - row.count("0") for row in rows] == [27, 27]


# what is ordered: texts that the message has
REFUSED: dict[str, tuple[str, ...]] = {
    "run levels": ("--count",),
    "run levels --count 0": ("--count 0", "one or more"),
    "run levels --count -1": ("--count -1", "one or more"),
    "run levels --count 100000000000000000000": ("100,000,000,000,000,000,000", "10,000,000,000"),
    "run levels --count many": ("--count", "many"),
    "run levels --count 1 --generator las-vega": ("las-vega", "did you mean las-vegas?"),
    "run levels --count 1 --digger hole": ("hole", "did you mean holes?"),
    "run levels --count 1 --solver xyz": ("solver", "xyz", "known:", "exact-cover"),
    "run levels --count 1 --digger holes==7": ("holes", "7", "1"),
    "run levels --count 1 --option clues_maxx=30": (
        "clues_maxx",
        "did you mean clues_max",
        "this order (generator native, digger native, solver native, checker exact-cover) has no option",
    ),
    "run levels --count 1 --option clues_max=many": ("clues_max", "many"),
    "run levels --count 1 --option clues_max=": ("clues_max",),
    "run levels --count 1 --option clues_max": ("clues_max", "NAME=VALUE"),
    "run levels --count 1 --option symmetry=mirror": ("symmetry", "mirror", "rot180"),
    "run levels --count 1 --option clues=30 --option clues_min=20": ("clues", "clues_min"),
    "run levels --count 1 --option clues=30 --option clues=31": ("clues", "twice"),
    "run levels --count 1 --option max_nodes=9": ("option 'max_nodes' belongs", "solver.max_nodes=9"),
    "run levels --count 1 --option grader.level=2": ("grader", "digger"),
    "run levels --count 1 --option empty_cells=r0c1": ("empty_cells", "'r0c1' is no cell"),
    "run levels --count 1 --option row_min=4 --option clues=30": ("row_min=4", "36"),
    "run levels --count 1 --option order=spiral": ("order", "spiral", "snake"),
    "run levels --count 1 --pattern nowhere.txt": ("cannot read nowhere.txt", "No such file"),
    "run levels --count 1 --clues 81": ("81", "nothing would be left to solve"),
    "run levels --count 1 --clues 80..81": ("81", "nothing would be left to solve"),
    "run levels --count 1 --band easy --band hard": ("--band is given twice",),
    "enqueue levels --count 1 --count 2": ("--count is given twice",),
    "export --job 1 --job 2": ("--job is given twice",),
    "stock --grader a --grader b": ("--grader is given twice",),
    "run levels --count 1,000": ("--count '1,000'", "type 1000"),
    "run levels --count 1e3": ("--count '1e3'", "type 1000"),
    "run levels --count 1 --rating=-1..3": ("'-1..3'", "from 1 to"),
    "levels --count 3": ("did you mean: sudokumill run levels",),
    "export --output x.csv": ("x.csv", ".jsonl with --json"),
    "export --output x.json": ("x.json", "add --json"),
    "export --json --output x.txt": ("x.txt", ".jsonl"),
    "plugins show native": ("generator and digger and solver", "plugins show generator native"),
    "plugins show nothing": ("nothing is named 'nothing'",),
    "run levels --count 1 --pattern .": ("cannot read .", "directory"),
    "run generate --count 1 --pattern p.txt": ("--pattern",),
    "run levels --count 1 --digger holes --option level=6": ("level", "6", "5"),
    "run levels --count 1 --digger holes --option level=5 --option clues_max=30": ("level=5", "clues_max=30"),
    "run levels --count 1 --digger holes --option level=1 --option order=rows": ("level=1", "order"),
    "run levels --count 1 --checker native": ("native", "--checker"),
    "run levels --count 1 --seed -1": ("--seed -1",),
    "run levels --count 1 --chunk 0": ("--chunk 0",),
    "run levels --count 1 --max-attempts 0": ("--max-attempts 0",),
    "run levels --count 1 --max-seconds nan": ("--max-seconds",),
    "run levels --count 1 --processes 0": ("--processes", "0"),
    "run levels --count 1 --no-store": ("--no-store", "--output"),
    "run levels --count 1 --no-store --output a --key b": ("--key", "--no-store"),
    "run levels --count 1 --no-store --output a --new": ("--new", "--no-store"),
    "run levels --count 1 --no-store --output a --max-seconds 1": ("--max-seconds",),
    "run levels --count 1 --output nowhere/a": ("nowhere", "folder"),
    "run levels --count 1 --output .": ("--output .", "folder"),
    "run levels --count 1 --format csv": ("csv", "blocks"),
    "run generate --count 1 --option n=29 --generator las-vegas": ("n", "29", "28"),
    "run generate --count 1 --digger holes": ("--digger",),
    "run dig --from-job 1 --generator native": ("--from-job", "--generator"),
    "run solve --limit 0": ("--limit 0",),
    "run levls": ("levls", "levels"),
    "frobnicate": ("frobnicate",),
    "jobs show abc": ("abc",),
    "export --limit 0": ("--limit", "0"),
    "check p.txt --limit 1": ("--limit", "1"),
    "export --json --format line": ("--json", "--format"),
    "solve p.txt --output-format csv": ("--output-format", "csv"),
    "plugins show digger hole": ("hole", "did you mean holes?"),
    "plugins show dogger holes": ("dogger", "digger"),
}


UNREADABLE = "cannot read ."
"""What an order that names a file ends with 1 for, and not with 2."""


@pytest.mark.parametrize("order", REFUSED)
def test_wrong_use_is_said_in_one_line(order: str, refusal: Refusal, folder: Path) -> None:
    message = refusal(1 if REFUSED[order][0] == UNREADABLE else 2, *order.split())
    for text in REFUSED[order]:
        assert text in message
    assert list(folder.iterdir()) == []


def test_a_refused_order_leaves_no_row_behind(
    refusal: Refusal, waiting_job: Callable[..., int], query: Query
) -> None:
    waiting_job()
    counted = "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM chunk)"
    before = query(counted)
    refusal(2, "run", "generate", "--count", 5, "--generator", "las-vega")
    refusal(2, "run", "levels", "--count", 5, "--option", "clues_max=x")
    refusal(2, "run", "dig", "--count", 5)
    refusal(2, "run", "dig", "--from-job", 77)
    refusal(2, "run", "dig", "--from-job", 1)
    refusal(2, "run", "solve")
    assert query(counted) == before


@pytest.mark.parametrize("command", ["jobs list", "jobs resume 1", "show", "export", "run dig --count 5"])
def test_nothing_was_ordered_yet(command: str, refusal: Refusal, folder: Path) -> None:
    message = refusal(1, *command.split())
    assert message.startswith("sudokumill: there is no database at sudokumill.db yet; ")
    assert "sudokumill run levels" in message
    assert list(folder.iterdir()) == []


# --- patterns of clue cells -------------------------------------------------------------------------------

FRAME = "111111111110000011101000101100101001100010001100101001101000101110000011111111111"


def test_a_pattern_comes_from_a_file(mill: Mill, folder: Path, query: Query) -> None:
    lines = [FRAME[start : start + 9] for start in range(0, 81, 9)]
    (folder / "frame.txt").write_text("\n".join(lines).replace("0", ".").replace("1", "#") + "\n")
    done = mill("run", "levels", "--count", 5, "--seed", 1, "--pattern", "frame.txt", "--json")
    told = json.loads(done.stdout)
    assert told["parts"]["digger"]["options"] == {"pattern": FRAME}
    assert told["delivered"] == 5
    assert told["tried"] == 5 + told["missed"] + told["surplus"]
    assert told["missed"] > 0
    assert told["failed"] == 0
    rows = query("SELECT clues, symmetry, clue_count FROM level")
    # what missed left nothing behind
    assert len(rows) == 5 + told["surplus"]
    assert {("".join("1" if cell != "0" else "0" for cell in row[0]), *row[1:]) for row in rows} == {
        (FRAME, "full", 45)
    }
    again = mill("run", "levels", "--count", 5, "--seed", 1, "--pattern", "-", "--output", "-", "--no-store",
                 "--json", stdin=FRAME)  # fmt: skip
    assert again.stdout.splitlines() == mill("export", "--job", 1).stdout.splitlines()
    assert json.loads(again.stderr.splitlines()[-1])["missed"] > 0


def test_a_pattern_digs_stored_finals_too(mill: Mill, folder: Path, query: Query) -> None:
    mill("run", "generate", "--count", 100, "--seed", 1)
    (folder / "frame.txt").write_text(FRAME)
    done = mill("run", "dig", "--from-job", 1, "--pattern", "frame.txt", "--json", code=None)
    told = json.loads(done.stdout)
    assert told["tried"] == 100
    assert 0 < told["delivered"] < 100
    assert told["delivered"] + told["missed"] == 100
    assert "its source has no more than 100 grids" in told["reason"]
    assert query("SELECT count(*) FROM puzzle") == [(told["delivered"],)]


def test_a_digger_without_patterns_says_so(refusal: Refusal, folder: Path) -> None:
    (folder / "frame.txt").write_text(FRAME)
    message = refusal(2, "run", "levels", "--count", 1, "--digger", "holes", "--pattern", "frame.txt")
    assert "digger holes has no option 'pattern'" in message
    message = refusal(2, "run", "levels", "--count", 1, "--pattern", "frame.txt", "--option", f"pattern={FRAME}")
    assert "pattern is given twice" in message
    (folder / "frame.txt").write_bytes(b"\xff" * 81)
    assert "no text in UTF-8" in refusal(1, "run", "levels", "--count", 1, "--pattern", "frame.txt")
    (folder / "frame.txt").write_text(FRAME[:-1])
    message = refusal(2, "run", "levels", "--count", 1, "--pattern", "frame.txt")
    assert "option pattern: 80 characters; a pattern has 81 cells" in message


@pytest.mark.cases("generate", ids=["C031"])
def test_a_pattern_that_few_finals_suit_is_not_called_impossible(case: Case, mill: Mill, query: Query) -> None:
    given = case["input"]
    wishes = (
        "--option",
        f"pattern={given['pattern']}",
        "--max-attempts",
        5_000,
        "--max-seconds",
        given["max_seconds"],
    )
    order = ("run", "levels", "--count", given["count"], "--seed", given["seed"], *wishes, "--json")
    told = json.loads(mill(*order, code=None).stdout)
    assert told["parts"]["digger"]["options"] == {"pattern": given["pattern"]}
    if told["delivered"]:
        [(clues, symmetry)] = query("SELECT clues, symmetry FROM puzzle")
        assert "".join("1" if cell != "0" else "0" for cell in clues) == given["pattern"]
        assert symmetry == "antidiagonal"
    else:
        assert told["state"] == "incomplete"
        assert "budget" in told["reason"]
        assert 0 < told["tried"] == told["missed"] <= 5_000
        assert f"{told['missed']:,} off target" in told["reason"]
        assert query("SELECT count(*) FROM puzzle") == [(0,)]


# --- orders that cannot be met ---------------------------------------------------------------------------


def test_a_rare_wish_ends_with_its_reason(mill: Mill, cases: Mapping[str, Case], query: Query) -> None:
    assert cases["C027"]["input"]["options"]["clues"] == 17
    order = ("--count", 1, "--option", "clues=17", "--max-attempts", 50, "--max-seconds", 2)
    done = mill("run", "levels", *order, code=None)
    if done.returncode == 0:
        assert query("SELECT clue_count FROM puzzle WHERE on_target") == [(17,)]
    else:
        assert done.returncode == 1
        assert "incomplete" in done.stdout
        assert "0 of 1" in done.stdout
        assert "used up" in done.stdout
        assert query("SELECT count(*) FROM puzzle WHERE on_target") == [(0,)]
    mill("export", "--job", 1, "--json", code=0)


@pytest.mark.parametrize(
    ("case", "budget"),
    [("C042", {"attempts": 1000, "seconds": 3.0}), ("C094", {"attempts": 2000, "seconds": 5.0})],
)
def test_a_search_for_what_hardly_exists_ends(
    case: str, budget: dict[str, float], outcome: Callable[..., dict[str, Any]], cases: Mapping[str, Case],
    work_of: WorkOf, query: Query,
) -> None:  # fmt: skip
    assert str(budget["attempts"]) in str(cases[case]["input"]).replace(",", "")
    order = (
        "run", "levels", "--count", 10, "--seed", 1, "--option", "clues=17", "--option", "symmetry=rot180",
        "--option", "minimal=true", "--max-attempts", budget["attempts"], "--max-seconds", budget["seconds"],
    )  # fmt: skip
    told: list[dict[str, Any]] = []
    assert work_of(lambda: told.append(outcome(*order, "--processes", 1, code=1))) < budget["seconds"] + 2
    [found] = told
    assert found["state"] == "incomplete"
    assert found["delivered"] < 10
    assert "budget" in found["reason"]
    assert 0 < found["tried"] <= budget["attempts"]
    assert found["delivered"] + found["missed"] + found["repeated"] + found["failed"] == found["tried"]
    assert found["missed"] > 0
    assert f"{found['missed']:,} off target" in found["reason"]
    assert query("SELECT count(*) FROM puzzle WHERE on_target") == [(found["delivered"],)]


@pytest.mark.cases("generate", ids=["C041"])
def test_every_level_is_sound(
    case: Case, outcome: Callable[..., dict[str, Any]], mill: Mill, query: Query
) -> None:
    told = outcome("run", "levels", "--count", case["input"]["count"], "--seed", case["input"]["seed"])
    assert told["delivered"] == case["expect"]["delivered"] == 1000
    assert query("SELECT count(*), count(DISTINCT clues), count(DISTINCT final_id) FROM puzzle") == [
        (1000 + told["surplus"],) * 3
    ]
    lines = mill("export", "--job", 1).stdout
    assert len(set(lines.split())) == 1000
    verdicts = mill("solve", "-", "--solver", "exact-cover", stdin=lines).stdout.splitlines()
    assert len(verdicts) == 1000
