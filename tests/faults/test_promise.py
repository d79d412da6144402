"""What the README says of the promise and of the faults: its words, and that each test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
README = TESTS.parent / "worker" / "README.md"

PROMISE = (
    "A job that was accepted ends by itself with exactly what it ordered, or with an account of what it could not "
    "do; no result is stored twice or without its checks; no worker, Redis or database failure needs a person's "
    "hand, as long as the database's disk survives."
)


def _section() -> str:
    _, rest = README.read_text(encoding="utf-8").split("## The promise\n", 1)
    return rest.split("\n## ", 1)[0]


def _rows(after: str) -> list[list[str]]:
    """The rows of the first table after some words."""
    lines = _section().split(after, 1)[1].splitlines()
    table = [line for line in lines if line.startswith("|")]
    first = lines.index(table[0])
    end = next((place for place in range(first, len(lines)) if not lines[place].startswith("|")), len(lines))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first + 2 : end]]


def _check_tests(cell: str, folder: Path) -> None:
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", cell)
    assert named, cell
    for file, test in named:
        source = (folder / file).read_text(encoding="utf-8")
        assert not test or f"def {test}(" in source, f"{file} has no {test}"


def test_the_promise_stands_there_word_by_word() -> None:
    quoted = " ".join(line[2:] for line in _section().splitlines() if line.startswith("> "))
    assert quoted == PROMISE


def test_each_part_of_it_has_a_test() -> None:
    rows = _rows(">")
    assert len(rows) == 9
    for words, _, tests in rows:
        if words != "as long as the database's disk survives":
            _check_tests(tests, TESTS)
    parts = [
        "ends by itself",
        "exactly what it ordered",
        "an account",
        "stored twice",
        "its checks",
        "disk survives",
    ]
    assert all(any(part in words for words, *_ in rows) for part in parts)


def test_each_fault_has_a_test() -> None:
    rows = _rows("The faults, each with")
    assert [row[0] for row in rows] == [str(number) for number in range(1, 16)]
    for row in rows:
        _check_tests(row[3], TESTS / "faults")


def test_each_alarm_of_the_runbook_is_said_somewhere() -> None:
    """Who looks for a line of a log at night finds it in the runbook in the same words."""
    _, rest = README.read_text(encoding="utf-8").split("### When something is wrong\n", 1)
    lines = [line for line in rest.split("\n## ", 1)[0].splitlines() if line.startswith("|")]
    # parts of a string that stand on two lines are one
    source = "".join(
        re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8"))
        for file in sorted((README.parent / "sudokumill").rglob("*.py"))
    )
    said = [line.strip("|").split("|")[0].strip() for line in lines[2:]]
    assert len(said) > 15
    for alarm in said:
        # what stands there for a name or a number is not in the source
        words = re.sub(
            r"^(`doctor[^`]*`(, workers)?|log|item error|job failed|job incomplete|an order says): ", "", alarm
        )
        parts = [part.strip(" :;`") for part in re.split(r"\.\.\.|\b[NJ]\b|: | / |; ", words)]
        assert any(len(part) > 5 for part in parts), alarm
        missing = [part for part in parts if len(part) > 13 and part not in source]
        assert not missing, f"{alarm}: nobody says {missing}"
