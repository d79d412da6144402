"""The examples of the READMEs are typed and give what stands there.

A fenced block ``console`` holds commands, each behind ``$ ``, and below each what it prints. A command that ends
in a backslash goes on in the next line. A line ``...`` stands for any lines. What differs from run to run (times,
rates, ids, and drawn seeds and grids once something was made without ``--seed``) is masked on both sides, and
progress is left out. Commands that install or test are left to CI. A fenced block with a name behind its language
is a file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ("README.md", "worker/README.md", "plugins/README.md")

_BLOCK: Final = re.compile(r"^```(\w+)(?: +(\S+))?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INSTALLS: Final = re.compile(
    r"^\s*(?:\S*pip3? |pytest|python[\d.]* -m (?:pip|venv|pytest)|git clone|cd |source |\. )|&& *pytest"
)
_PROGRESS: Final = re.compile(r"^.*: [\d,]+ of [\d,]+( \([\d,]+ tried\))?, [\d,.]+/s.*$")

# in order: the first that fits a piece of text masks it
_MASKS: Final = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d[.\d+:]*)?"), "<when>"),
    (re.compile(r"\b[\d,]+(?:\.\d+)?(?= s\b| ms\b| a second|/s\b)"), "<number>"),
)
_SEED: Final = (re.compile(r"\b(seed\"?:? +)\d+"), r"\1<seed>")
_DRAWN: Final = (
    (re.compile(r"\b[\d.]{81}(?!\d)|(?<![\d.])[\d.]{81}(?!\d)"), "<grid>"),
    (re.compile(r"^(?:[1-9.] [1-9.] [1-9.] \| ){2}[1-9.] [1-9.] [1-9.]$"), "<row>"),
    (re.compile(r"^\d \d \d \d \d \d \d \d \d$"), "<row>"),
    (re.compile(r"^\d+ clues\b.*$"), "<description>"),
    (re.compile(r"mean [\d.e+]+, least [\d.e+]+, greatest [\d.e+]+"), "<report>"),
)


@dataclass(frozen=True)
class Example:
    """A command and the lines that are said to come out."""

    line: int
    command: str
    output: tuple[str, ...]

    @property
    def installs(self) -> bool:
        return _INSTALLS.search(self.command) is not None


def examples(page: str) -> list[Example]:
    """The commands of a page in order."""
    found: list[Example] = []
    for block in _BLOCK.finditer(page):
        if block[1] != "console":
            continue
        line = page.count("\n", 0, block.start(3)) + 1
        commands: list[tuple[int, str, list[str]]] = []
        for number, text in enumerate(block[3].splitlines(), line):
            if commands and commands[-1][1].endswith("\\") and not commands[-1][2]:
                at, before, _ = commands.pop()
                commands.append((at, before + "\n" + text.removeprefix("> "), []))
            elif text.startswith("$ "):
                commands.append((number, text[2:], []))
            else:
                assert commands, f"line {number}: output before any command"
                commands[-1][2].append(text)
        found += [Example(number, command, tuple(output)) for number, command, output in commands]
    return found


def named_files(page: str) -> dict[str, str]:
    """Fenced blocks that say which file they are: the name stands behind the language."""
    return {block[2]: block[3] for block in _BLOCK.finditer(page) if block[2] is not None}


def masked(lines: list[str], seeded: bool) -> list[str]:
    """Lines that can be compared: without what differs from run to run, and without spaces that align."""
    kept: list[str] = []
    for line in lines:
        if _PROGRESS.match(line):
            continue
        text = re.sub(r"\s+", " ", line).rstrip()
        for pattern, name in (*_MASKS, *(() if seeded else (_SEED, *_DRAWN))):
            text = pattern.sub(name, text)
        kept.append(text)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def fits(expected: list[str], real: list[str]) -> bool:
    """Whether the lines are these; an expected ``...`` stands for any number of lines."""
    if not expected:
        return not real
    if expected[0] == "...":
        return any(fits(expected[1:], real[start:]) for start in range(len(real) + 1))
    return bool(real) and expected[0] == real[0] and fits(expected[1:], real[1:])


def check_page(page: str, folder: Path) -> int:
    """Types the commands of a page in a folder; returns how many were typed."""
    # processes of tests have a width of their own
    unwanted = ("SUDOKUMILL_", "COLUMNS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    for name, content in named_files(page).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    typed = [example for example in examples(page) if not example.installs]
    drawn = False
    for example in typed:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", example.command],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        # once something was made without a seed, whatever is shown later may come from it
        drawn = drawn or (" run " in f" {example.command} " and "--seed" not in example.command)
        expected, real = masked(list(example.output), not drawn), masked(done.stdout.splitlines(), not drawn)
        assert fits(expected, real), (
            f"line {example.line}: $ {example.command}\nexpected:\n"
            + "\n".join(expected)
            + "\nreal:\n"
            + "\n".join(real)
        )
    return len(typed)


# --- the pages -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_comes_out(name: str, tmp_path: Path) -> None:
    path = ROOT / name
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    typed = check_page(page, tmp_path)
    assert typed or name != "README.md", "the first page has no example"


# --- the machinery ---------------------------------------------------------------------------------------

PAGE = """\
# A page

```console
$ pip install .
anything
$ sudokumill run generate --count 2 --seed 3 --output - --no-store
486725931132496578975138642863947125719652483524813769691384257357261894248579316
517362498364189257892574163926731584785946321431258976248615739679423815153897642
2 finals written to standard output (generator native==2, seed 3)
```

```text grids/one.txt
8........
```

```python
print("no example")
```

```console
$ cat grids/one.txt && \\
>   echo there
8........
there
$ sudokumill run levels --count 3
job        1 (levels)
...
delivered  3 of 3 levels
...
seed       1
time       99.9 s, 7 a second

see one:     sudokumill show
see all:     sudokumill export --job 1
$ sudokumill show
1 . . | . . . | . . .
. . . | . . . | . . .
. . . | . . . | . . .
------+-------+------
. . . | . . . | . . .
. . . | . . . | . . .
. . . | . . . | . . .
------+-------+------
. . . | . . . | . . .
. . . | . . . | . . .
. . . | . . . | . . .

17 clues, symmetry none, minimal, 1 search nodes
id 00000000-0000-0000-0000-000000000000, job 1
```
"""


def test_a_right_page_passes(tmp_path: Path) -> None:
    assert [example.line for example in examples(PAGE)] == [4, 6, 21, 25, 35]
    assert check_page(PAGE, tmp_path) == 4


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("486725931", "486725913", 6),
        ("there\n$", "somewhere\n$", 21),
        ("delivered  3 of 3", "delivered  4 of 4", 25),
        ("job        1 (levels)\n...", "job        1 (levels)", 25),
        ("see all:     sudokumill export --job 1\n", "", 25),
    ],
)
def test_a_wrong_page_fails(right: str, wrong: str, line: int, tmp_path: Path) -> None:
    assert right in PAGE
    # only the block in question, so that the others need not be typed again
    blocks = PAGE.replace(right, wrong, 1).split("```console")
    page = blocks[0] + "```console" + blocks[1 if line < 20 else 2]
    with pytest.raises(AssertionError, match=r"line \d+: \$ "):
        check_page(page + "\n```text grids/one.txt\n8........\n```\n", tmp_path)


def test_what_is_masked() -> None:
    pairs = [
        ("time   1.2 s, 846 a second", "time   12.0 s, 9,846 a second"),
        ("levels: 500 of 1,000, 490/s, 1 s left", None),
        ("id a8578b93-cc42-c2b4-87c8-bd272af1f3c1, job 1", "id 00578b93-cc42-c2b4-87c8-bd272af1f3c1, job 1"),
        ("  1  levels  done  2026-11-30 01:46", "  1  levels   done  2020-01-01 23:59   "),
    ]
    for one, other in pairs:
        assert masked([one], True) == ([] if other is None else masked([other], True))
    grid = "486725931132496578975138642863947125719652483524813769691384257357261894248579316"
    for one, other in (
        (grid, "." * 81),
        ("seed       7", "seed   8"),
        ("3 . . | . . . | . . .", "1 2 3 | 4 5 6 | 7 8 9"),
    ):
        assert masked([one], False) == masked([other], False)
        assert masked([one], True) != masked([other], True)
    assert masked(["10 of 10 levels"], False) != masked(["11 of 11 levels"], False)
    assert masked(["job 1"], False) != masked(["job 2"], False)


@pytest.mark.parametrize(
    ("command", "installs"),
    [
        ("pip install .", True),
        ("pip install . && sudokumill run levels --count 1000", True),
        ("pip install '.[test]' && pytest", True),
        ("git clone URL && cd sudokumill", True),
        ("python3 -m venv venv && . venv/bin/activate", True),
        ("sudokumill run levels --count 1000", False),
        ("echo pip install", False),
    ],
)
def test_what_is_left_to_ci(command: str, installs: bool) -> None:
    assert Example(1, command, ()).installs == installs
