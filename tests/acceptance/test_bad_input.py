from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sudokumill.cli.inputs import InputFile
from sudokumill.cli.ordering import read_whole
from sudokumill.errors import BadOrderError

Mill = Callable[..., subprocess.CompletedProcess[str]]
Refusal = Callable[..., str]
Outcome = Callable[..., dict[str, Any]]
Query = Callable[[str], list[tuple[Any, ...]]]
Plugin = Callable[[str, str], dict[str, str]]

GRID = "........2.2..5.8.1......3..7.4.9........8541...5.37...18....9....7..9...2...4..58"

# --- files -----------------------------------------------------------------------------------------------

# name of the file: (content, or None where nothing is written; texts of the message)
FILES: dict[str, tuple[bytes | None, tuple[str, ...]]] = {
    "missing.txt": (None, ("No such file",)),
    "empty.txt": (b"", ("holds no puzzle",)),
    "remarks.txt": (b"# nothing\n\n", ("holds no puzzle",)),
    "short.txt": (f"# remark\n{GRID[:80]}\n".encode(), ("line 2", "80 cells instead of 81")),
    "letter.txt": (f"{GRID[:40]}k{GRID[41:]}\n".encode(), ("line 1", "k", "column 41")),
    "binary.bin": (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 20, ("line 1",)),
    "compressed.gz": (b"\x1f\x8b\x08\x00" + bytes(range(255, 0, -1)) * 8, ("line 1",)),
    "utf16.txt": (GRID.encode("utf-16"), ("line 1", "UTF-16")),
}


def test_a_file_without_end_is_not_read_to_its_end(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    # as head does, the reader leaves, and whoever writes is told so
    with subprocess.Popen(["sh", "-c", f"yes {GRID} > {pipe}"], stderr=subprocess.DEVNULL) as endless:
        with pytest.raises(BadOrderError, match="it has more than 2,000 grids; split it, and order each part"):
            read_whole(InputFile(str(pipe), None, lenient=False), most=2_000)
        assert endless.wait(30) != 0


@pytest.mark.parametrize("name", FILES)
def test_files_that_hold_no_grid(name: str, refusal: Refusal, folder: Path) -> None:
    content, texts = FILES[name]
    if content is not None:
        (folder / name).write_bytes(content)
    message = refusal(1 if content is not None else 2, "check", name)
    assert name in message
    assert all(text in message for text in texts), message


@pytest.mark.parametrize(
    "command", ["check", "solve", "grade", "classes", "run solve --file", "run grade --file", "run dig --pattern"]
)
def test_a_file_that_is_not_there_is_no_order(command: str, refusal: Refusal) -> None:
    assert "cannot read nowhere.txt: No such file" in refusal(2, *command.split(), "nowhere.txt")


@pytest.mark.parametrize("command", ["check", "solve", "run solve --file"])
def test_a_folder_in_place_of_a_file(command: str, refusal: Refusal, folder: Path) -> None:
    (folder / "grids").mkdir()
    message = refusal(1, *command.split(), "grids")
    assert "grids" in message
    assert "directory" in message
    assert [path.name for path in folder.iterdir()] == ["grids"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(refusal: Refusal, folder: Path) -> None:
    (folder / "grids.txt").write_text(GRID)
    (folder / "grids.txt").chmod(0)
    assert "Permission denied" in refusal(1, "check", "grids.txt")


# --- where rows are written ------------------------------------------------------------------------------


def test_output_that_cannot_be_written(refusal: Refusal, mill: Mill, waiting_job: Any, query: Query) -> None:
    order = ("run", "levels", "--count", 5, "--seed", 1)
    for more in (("--no-store",), ()):
        message = refusal(1, *order, "--output", "/dev/full", *more)
        assert "/dev/full" in message
        assert "No space left" in message
    # what was made is kept
    assert query("SELECT count(*) FROM puzzle") == [(5,)]
    assert "/dev/full" in refusal(1, "export", "--job", 1, "--output", "/dev/full")
    assert "nowhere/a.txt" in refusal(1, "export", "--output", "nowhere/a.txt")
    assert len(mill("export").stdout.split()) == 5


@pytest.mark.parametrize(
    "command", ["--help", "plugins list", "run generate --count 2 --output -", "check -", "solve - --json"]
)
def test_a_full_device_behind_standard_output(command: str, mill: Mill) -> None:
    with open("/dev/full", "w") as full:
        done = mill(*command.split(), code=1, stdout=full, stdin=GRID)
    message = done.stderr.splitlines()[-1]
    assert message.startswith("sudokumill: ")
    assert "standard output" in message
    assert "No space left" in message


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Callable[[int], None]]:
    """The folder becomes a disk of 3 MB; the function gives it another size."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to make a small disk")
    yield lambda size: _resize(folder, size)
    subprocess.run(["umount", str(folder)], check=True)


def _resize(folder: Path, megabytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(folder)], check=True)


def test_a_full_disk(small_disk: Callable[[int], None], refusal: Refusal, outcome: Outcome, folder: Path) -> None:
    order = ("run", "generate", "--count", 20_000)
    written = ("run", "generate", "--count", 60_000, "--no-store", "--output", "finals.txt")
    assert "No space left" in refusal(1, *written)
    assert list(folder.iterdir()) == []
    message = refusal(1, *order)
    assert "the disk is full" in message
    assert "sudokumill jobs resume 1" in message
    small_disk(100)
    told = outcome("jobs", "resume", 1)
    assert (told["state"], told["delivered"], told["failed"]) == ("done", 20_000, 0)


# --- databases -------------------------------------------------------------------------------------------


def url(path: str) -> dict[str, str]:
    return {"SUDOKUMILL_DATABASE_URL": f"sqlite:///{path}"}


COMMANDS = ("run generate --count 1", "show")


def test_a_file_that_is_no_database(refusal: Refusal, folder: Path) -> None:
    content = b"All work and no play makes Jack a dull boy.\n" * 100
    (folder / "novel.txt").write_bytes(content)
    for command in (*COMMANDS, "db upgrade"):
        message = refusal(1, *command.split(), env=url("novel.txt"))
        assert "novel.txt" in message
        assert "SUDOKUMILL_DATABASE_URL" in message
    assert (folder / "novel.txt").read_bytes() == content
    assert [path.name for path in folder.iterdir()] == ["novel.txt"]


def test_a_database_of_something_else(refusal: Refusal, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "bank.db")) as bank, bank:
        bank.execute("CREATE TABLE account (owner TEXT)")
    for command in (*COMMANDS, "db upgrade"):
        message = refusal(1, *command.split(), env=url("bank.db"))
        assert "bank.db" in message
        assert "account" in message
    with closing(sqlite3.connect(folder / "bank.db")) as bank:
        assert bank.execute("SELECT name FROM sqlite_master").fetchall() == [("account",)]


def test_a_database_of_a_newer_schema(refusal: Refusal, mill: Mill, fork: Mill, query: Query) -> None:
    mill("run", "levels", "--count", 3)
    query("UPDATE alembic_version SET version_num = '9999'")
    for command in (*COMMANDS, "jobs list", "db upgrade"):
        message = refusal(1, *command.split())
        assert "9999" in message
        assert "update sudokumill" in message
    assert "9999" in fork("doctor", code=1).stdout
    query("UPDATE alembic_version SET version_num = '0004'")
    assert len(mill("export").stdout.split()) == 3


def test_a_database_in_a_folder_that_does_not_exist(refusal: Refusal, folder: Path) -> None:
    message = refusal(1, "run", "generate", "--count", 1, env=url("nowhere/mill.db"))
    assert "nowhere/mill.db" in message
    assert "folder" in message
    (folder / "home").mkdir()
    assert "home" in refusal(1, "run", "generate", "--count", 1, env=url("home"))


@pytest.mark.parametrize(
    ("address", "code", "named"),
    [
        ("mysql://u:secret@h/db", 2, "postgresql"),
        ("mongodb://u:secret@h/db", 2, "postgresql"),
        ("u:secret@h", 2, "not a URL"),
        ("sqlite://", 2, "must be a file"),
        ("postgresql://u:secret@nowhere.invalid/db", 1, "nowhere.invalid"),
        ("postgresql://u:secret@127.0.0.1:1/db", 1, "127.0.0.1"),
    ],
)
def test_databases_that_cannot_be_reached(
    address: str, code: int, named: str, refusal: Refusal, fork: Mill, folder: Path
) -> None:
    env = {"SUDOKUMILL_DATABASE_URL": address}
    message = refusal(code, "run", "generate", "--count", 1, env=env)
    assert named in message
    assert "secret" not in message
    diagnosis = fork("doctor", code=1, env=env)
    assert named in diagnosis.stdout
    assert "secret" not in diagnosis.stdout + diagnosis.stderr
    assert list(folder.iterdir()) == []


# --- settings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "texts"),
    [
        ("SUDOKUMILL_PROCESSES", "0", ("1",)),
        ("SUDOKUMILL_CHUNK_SECONDS", "soon", ("number",)),
        ("SUDOKUMILL_PLUGINS", "classik", ("classik", "did you mean classic?")),
        ("SUDOKUMILL_PLUGINS", "none", ("native", "left out")),
        ("SUDOKUMILL_PLUGIN_DIR", "nowhere", ("nowhere",)),
        ("SUDOKUMILL_DIGGER", "hole", ("did you mean holes?",)),
    ],
)
def test_settings_that_cannot_be_used(
    name: str, value: str, texts: tuple[str, ...], refusal: Refusal, fork: Mill, folder: Path
) -> None:
    env = {name: value}
    message = refusal(2, "run", "levels", "--count", 1, env=env)
    assert all(text in message for text in texts), message
    assert list(folder.iterdir()) == []
    diagnosis = fork("doctor", code=1, env=env).stdout
    [wrong, *_] = [line for line in diagnosis.splitlines() if line.startswith("wrong: ")]
    assert all(text in wrong for text in texts), wrong


# --- plugins that break their word -----------------------------------------------------------------------

GENERATORS = {
    "raises": ("raise RuntimeError('the coffee has run out')", "the coffee has run out"),
    "shape": ("return made(finals_of(seeds)[:, :80])", "shape"),
    "dtype": ("return made(finals_of(seeds).astype(np.int64))", "int64"),
    "invalid": ("finals = finals_of(seeds); finals[:, 0] = finals[:, 1]; return made(finals)", "invalid final"),
}


@pytest.mark.parametrize("fault", GENERATORS)
def test_a_generator_that_breaks_its_word(
    fault: str, one_file_plugin: Plugin, outcome: Outcome, refusal: Refusal, query: Query, folder: Path
) -> None:
    body, reason = GENERATORS[fault]
    env = one_file_plugin(
        "faulty",
        f"""
        class Faulty:
            def __init__(self, options):
                pass

            def generate(self, seeds):
                {body}

        @hookimpl
        def sudokumill_register_generators():
            yield generator("faulty", Faulty)
            yield generator("sound")
        """,
    )
    order = ("run", "generate", "--count", 5, "--generator")
    told = outcome(*order, "faulty", env=env, code=1)
    assert told["state"] == "failed"
    assert told["delivered"] == 0
    for text in ("faulty==1.0", reason):
        assert text in told["reason"]
        assert text in str(told["failures"])
    assert query("SELECT count(*) FROM final") == [(0,)]
    assert outcome(*order, "sound", env=env)["delivered"] == 5
    if fault in {"raises", "invalid"}:
        message = refusal(1, *order, "faulty", "--no-store", "--output", "finals.txt", env=env)
        assert "faulty==1.0" in message
        assert reason in message
        assert not list(folder.glob("finals*"))


def test_a_generator_that_now_and_then_breaks_its_word(
    one_file_plugin: Plugin, outcome: Outcome, query: Query
) -> None:
    env = one_file_plugin(
        "moody",
        """
        class Moody(Sound):
            def generate(self, seeds):
                finals = finals_of(seeds)
                finals[seeds % 3 == 0, 80] = 0
                return made(finals)

        @hookimpl
        def sudokumill_register_generators():
            yield generator("moody", Moody)
        """,
    )
    told = outcome("run", "generate", "--count", 60, "--seed", 4, "--generator", "moody", env=env)
    assert (told["state"], told["delivered"]) == ("done", 60)
    assert told["failed"] > 5
    assert [(failure["reason"], failure["times"]) for failure in told["failures"]] == [
        ("invalid final", told["failed"])
    ]
    assert query("SELECT count(*) FROM final WHERE digits LIKE '%0%'") == [(0,)]


DIGGERS = {
    "two solutions": "puzzles[:] = 0",
    "subset": "puzzles[:, 0] = puzzles[:, 0] % 9 + 1",
    "shape": "puzzles = puzzles[:, :80]",
}


@pytest.mark.parametrize("fault", DIGGERS)
def test_a_digger_that_breaks_its_word(
    fault: str, one_file_plugin: Plugin, outcome: Outcome, query: Query
) -> None:
    env = one_file_plugin(
        "faulty",
        f"""
        class Faulty:
            def __init__(self, options):
                pass

            def dig(self, finals, seeds):
                puzzles = finals.copy()
                {DIGGERS[fault]}
                return DigResult(puzzles, np.zeros(len(finals), dtype=np.uint8))

        @hookimpl
        def sudokumill_register_diggers():
            yield digger("faulty", Faulty)
        """,
    )
    outcome("run", "generate", "--count", 3)
    told = outcome("run", "dig", "--digger", "faulty", env=env, code=1)
    assert told["state"] == "failed"
    assert "faulty==1.0" in told["reason"]
    wanted = {"two solutions": "2 solutions", "subset": "not a subset", "shape": "shape"}[fault]
    assert wanted in told["reason"]
    assert query("SELECT (SELECT count(*) FROM puzzle), (SELECT count(*) FROM final)") == [(0, 3)]
    # the finals can still be dug by another
    assert outcome("run", "dig")["delivered"] == 3


def test_a_digger_whose_lies_are_counted(
    one_file_plugin: Plugin, outcome: Outcome, query: Query, cases: Mapping[str, Any]
) -> None:
    assert "every tenth final" in cases["C107"]["input"]["scenario"]
    env = one_file_plugin(
        "liar",
        """
        TWO = from_lines(["349618572782359...651742389273895...195476238864231957527164893918523764436987125"])

        class Liar:
            def __init__(self, options):
                pass

            def dig(self, finals, seeds):
                puzzles = finals.copy()
                if len(finals) == 1 and seeds[0] % 12 == 2:
                    puzzles = puzzles[:, :80]
                elif (seeds % 12 == 2).any():
                    raise ValueError("only rows one by one today")
                puzzles[seeds % 12 == 0] = TWO
                other = seeds % 12 == 1
                puzzles[other, 0] = puzzles[other, 0] % 9 + 1
                return DigResult(puzzles, np.zeros(len(finals), dtype=np.uint8))

        @hookimpl
        def sudokumill_register_diggers():
            yield digger("liar", Liar)
        """,
    )
    told = outcome("run", "levels", "--count", 60, "--seed", 3, "--digger", "liar", env=env)
    assert told["delivered"] == 60
    reasons = {failure["reason"]: failure["times"] for failure in told["failures"]}
    assert sum(reasons.values()) == told["failed"]
    assert len(reasons) == 2, reasons
    assert "not a subset of its final" in reasons
    assert any("shape" in reason for reason in reasons)
    assert query("SELECT count(*) FROM puzzle WHERE clue_count != 81") == [(0,)]
