from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sudokumill.errors import FileUnwritableError
from sudokumill.output import drafted, opened

Writer = Callable[[Path], AbstractContextManager[Callable[[bytes], object]]]


@contextmanager
def in_order(path: Path) -> Iterator[Callable[[bytes], object]]:
    with opened(path) as sink:
        yield sink.write


@contextmanager
def out_of_order(path: Path) -> Iterator[Callable[[bytes], object]]:
    with drafted(path) as draft, draft.open("r+b", buffering=0) as file:
        yield file.write


BOTH = pytest.mark.parametrize("write", [in_order, out_of_order])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "out"
    path.mkdir()
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@BOTH
def test_the_name_is_taken_at_the_end(write: Writer, folder: Path) -> None:
    path = folder / "a.txt"
    path.write_text("old")
    with write(path) as put:
        put(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(folder) == ["a.txt"]


@BOTH
def test_a_failure_leaves_what_was_there(write: Writer, folder: Path) -> None:
    path = folder / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with write(path) as put:
            put(b"half")
            raise KeyError("of the body")

    with pytest.raises(KeyError, match="of the body"):
        fail()
    assert path.read_text() == "old"
    assert names(folder) == ["a.txt"]


@BOTH
def test_a_neighbour_called_part_is_left_alone(write: Writer, folder: Path) -> None:
    (folder / "a.txt.part").write_text("mine")
    with write(folder / "a.txt") as put:
        put(b"new")
    assert (folder / "a.txt.part").read_text() == "mine"


@BOTH
def test_two_that_write_the_same_file_do_not_meet(write: Writer, folder: Path) -> None:
    with write(folder / "a.txt") as first:
        first(b"one")
        with write(folder / "a.txt") as second:
            second(b"second")
        first(b", one")
    assert (folder / "a.txt").read_text() == "one, one"
    assert names(folder) == ["a.txt"]


@BOTH
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(write: Writer, folder: Path, tmp_path: Path, there: bool) -> None:
    target = tmp_path / "elsewhere.txt"
    if there:
        target.write_text("old")
    (folder / "a.txt").symlink_to(target)
    with write(folder / "a.txt") as put:
        put(b"new")
    assert (folder / "a.txt").is_symlink()
    assert target.read_text() == "new"
    assert names(folder) == ["a.txt"]


@BOTH
def test_links_in_a_circle(write: Writer, folder: Path) -> None:
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")

    def begin() -> None:
        with write(folder / "a"):
            raise AssertionError("it began")

    with pytest.raises(FileUnwritableError, match="symbolic links"):
        begin()
    assert names(folder) == ["a", "b"]


@BOTH
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_rights_of_a_new_file(write: Writer, folder: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with write(folder / "a.txt") as put:
            put(b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == 0o666 & ~mask


@BOTH
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_rights_of_a_file_that_is_replaced(write: Writer, folder: Path, mode: int) -> None:
    path = folder / "a.txt"
    path.touch()
    path.chmod(mode)
    with write(path) as put:
        put(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@BOTH
def test_a_pipe_stays_a_pipe(write: Writer, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with write(pipe) as put:
        put(b"one, ")
        put(b"two")
    reader.join(30)
    assert read == ["one, two"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(folder) == ["pipe"]


@BOTH
def test_a_full_device(write: Writer) -> None:
    def fill() -> None:
        with write(Path("/dev/full")) as put:
            put(b"new")

    with pytest.raises(FileUnwritableError, match="cannot write /dev/full: No space left on device"):
        fill()


@BOTH
def test_errors_of_the_body_are_its_own(write: Writer, folder: Path) -> None:
    def fail() -> None:
        with write(folder / "a.txt"):
            raise OSError(errno.EAGAIN, "no process can be made")

    with pytest.raises(OSError, match="no process"):
        fail()
    assert names(folder) == []


@BOTH
def test_a_folder_is_refused_before_anything_is_made(write: Writer, folder: Path) -> None:
    def begin() -> None:
        with write(folder):
            raise AssertionError("it began")

    with pytest.raises(FileUnwritableError, match="Is a directory"):
        begin()


CODE = """
import os, signal, sys, time
from pathlib import Path
from sudokumill.output import drafted, opened
kind, path = sys.argv[1:]
if kind == "stdout":
    with opened("-") as sink:
        sink.write(b"new")
else:
    with drafted(Path(path)):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(30)
"""


def test_a_signal_leaves_no_draft(folder: Path) -> None:
    words = [sys.executable, "-c", CODE, "signal", str(folder / "a.txt")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "KeyboardInterrupt" in done.stderr
    assert names(folder) == []


def test_standard_output_is_called_by_its_name() -> None:
    with open("/dev/full", "wb") as full:
        words = [sys.executable, "-c", CODE, "stdout", "-"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert "FileUnwritableError: cannot write standard output: No space left on device" in done.stderr
