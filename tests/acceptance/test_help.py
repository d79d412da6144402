from __future__ import annotations

import re
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from sudokumill import __version__
from sudokumill.cli import sudokumill_command
from sudokumill.cli.console import FORMAT_NAMES
from sudokumill.cli.plugins import ROLE_NAMES
from sudokumill.contracts import Role
from sudokumill.formats import FORMATS

Mill = Callable[..., subprocess.CompletedProcess[str]]

PUZZLES = """\
........2.2..5.8.1......3..7.4.9........8541...5.37...18....9....7..9...2...4..58
000007160006200030800010400500030800000001000007560040100040000075300000600000509
"""


HEART = """\
.###.###.
#########
#########
#########
#########
.#######.
..#####..
.#.###.#.
.##.#.##.
"""


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))


COMMANDS = list(commands(sudokumill_command))


def examples(help_text: str) -> list[list[str]]:
    """The commands below "Example:" or "Examples:", as words, without the first."""
    below = re.split(r"^ *Examples?:\n", help_text, flags=re.MULTILINE)[1]
    block = re.split(r"\n\s*\n", below)[0]
    joined = re.sub(r"\\\n\s+", "", block)
    found = [shlex.split(line) for line in joined.splitlines()]
    assert found
    assert all(words[0] == "sudokumill" for words in found)
    return [words[1:] for words in found]


def small(words: list[str]) -> list[str]:
    """The same order for five."""
    return ["5" if before == "--count" else word for before, word in zip(["", *words], words, strict=False)]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_examples(path: tuple[str, ...], mill: Mill) -> None:
    done = mill(*path, "--help")
    assert done.stdout.startswith("Usage: sudokumill")
    assert not done.stderr
    for words in examples(done.stdout):
        assert not path or words[0] == path[0]


def test_the_commands_are_those_that_are_promised() -> None:
    assert {path[0] for path in COMMANDS if path} == {
        "run", "enqueue", "worker", "jobs", "show", "export", "check", "solve", "grade", "bands", "yields",
        "stock", "classes", "plugins", "db", "doctor",
    }  # fmt: skip
    assert {path[1] for path in COMMANDS if len(path) == 2 and path[0] == "jobs"} == {
        "list", "show", "watch", "workers", "pause", "resume", "cancel", "retry",
    }  # fmt: skip


@pytest.mark.parametrize("path", [(), ("run", "levels"), ("jobs", "list"), ("plugins", "show"), ("doctor",)])
def test_help_comes_quickly(
    path: tuple[str, ...], mill: Mill, work_of: Callable[[Callable[[], object]], float]
) -> None:
    mill(*path, "--help")  # compiles
    seconds = [work_of(lambda: mill(*path, "--help")) for _ in range(5)]
    assert statistics.median(seconds) < 0.3


def test_no_summary_in_a_list_of_commands_is_cut_off(fork: Mill) -> None:
    for path in COMMANDS:
        text = fork(*path, "--help", env={"COLUMNS": "80"}).stdout
        if "Commands:\n" in text:
            assert "..." not in text.split("Commands:\n")[1]


def test_help_names_every_format_and_role() -> None:
    assert list(FORMAT_NAMES) == list(FORMATS)
    assert list(ROLE_NAMES) == [role.value for role in Role]


def test_the_console_script_is_the_same_command(folder: Path) -> None:
    script = Path(sys.executable).with_name("sudokumill")
    done = subprocess.run([script, "--version"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == f"sudokumill {__version__}\n"


# --- the examples, in the order in which a reader of the help meets them ---------------------------------


@pytest.fixture
def follow(fork: Mill) -> Callable[..., list[subprocess.CompletedProcess[str]]]:
    """Types the examples of a command's help, one after the other; words may be exchanged."""

    def type_all(*path: str, exchange: dict[str, str] | None = None) -> list[subprocess.CompletedProcess[str]]:
        return [
            fork(*[(exchange or {}).get(word, word) for word in small(words)])
            for words in examples(fork(*path, "--help").stdout)
        ]

    return type_all


Follow = Callable[..., list[subprocess.CompletedProcess[str]]]


@pytest.mark.slow
def test_examples_of_orders(follow: Follow, mill: Mill, folder: Path) -> None:
    (folder / "puzzles.txt").write_text(PUZZLES)
    (folder / "heart.txt").write_text(HEART)
    follow()
    assert len((folder / "finals.txt").read_text().split()) == 5 * 81
    assert len((folder / "levels.txt").read_text().split()) == 5 * 81
    for kind in ("generate", "levels", "dig", "solve"):
        follow("run", kind)
    level = mill("export", "--json", "--limit", 1).stdout.split('"')[3]
    follow("show", exchange={"1f0c5a2e": level[:8]})
    (folder / "levels.txt").unlink()
    # the shell's part of "export --job 1 > levels.lines"
    shown = follow("export", exchange={">": "--output"})
    assert len((folder / "levels.lines").read_text().split()) == 5
    assert len((folder / "levels.txt").read_text().split()) == 5 * 81
    assert shown[-1].stdout.count("\n") == 10
    follow("run")
    for path in (
        ("run", "grade"),
        ("bands",),
        ("bands", "list"),
        ("bands", "set"),
        ("bands", "remove"),
        ("bands", "use"),
        ("yields",),
        ("classes",),
    ):
        follow(*path)


def test_examples_about_files_and_what_is_here(follow: Follow, mill: Mill, folder: Path) -> None:
    (folder / "puzzles.txt").write_text(PUZZLES)
    for path in (("check",), ("solve",), ("grade",), ("plugins",), ("plugins", "list"), ("plugins", "show")):
        follow(*path)
    for path in (("db",), ("db", "upgrade")):
        follow(*path)
    mill("run", "generate", "--count", 2)
    follow("doctor")
    # SQLite keeps files of its own beside a database until the last process has closed it
    assert {path.name.split("-")[0] for path in folder.iterdir()} == {"puzzles.txt", "sudokumill.db"}


@pytest.mark.slow
def test_examples_of_steering(
    follow: Follow, mill: Mill, waiting_job: Callable[..., int], one_file_plugin: Callable[..., dict[str, str]]
) -> None:
    assert [waiting_job() for _ in range(3)] == [1, 2, 3]
    for path in (("list",), ("show",), ("pause",), ("resume",), ("watch",), ()):
        if path == ():
            # the page of the group is another reader's
            follow("jobs", exchange={"3": "2"})
        else:
            follow("jobs", *path)
    assert waiting_job() == 4
    follow("jobs", "cancel", exchange={"3": "4"})

    env = one_file_plugin("moody", MOODY)
    (Path(env["SUDOKUMILL_PLUGIN_DIR"]) / "broken").touch()
    mill("run", "generate", "--count", 5, "--generator", "moody", env=env, code=1)
    (Path(env["SUDOKUMILL_PLUGIN_DIR"]) / "broken").unlink()
    [words] = examples(mill("jobs", "retry", "--help").stdout)
    mill(*[word.replace("3", "5") for word in words], env=env)


MOODY = """
    class Moody(Sound):
        def generate(self, seeds):
            if Path(__file__).with_name("broken").exists():
                raise RuntimeError("the coffee has run out")
            return super().generate(seeds)

    @hookimpl
    def sudokumill_register_generators():
        yield generator("moody", Moody)
"""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("job list", "did you mean jobs"), ("Doctor", "did you mean doctor"), ("xyzzy", "known: bands, ")],
)
def test_a_command_that_is_mistyped(mill: Mill, typed: str, meant: str) -> None:
    done = mill(*typed.split(), code=2)
    assert f"No such command '{typed.split(maxsplit=1)[0]}'; {meant}" in done.stderr
