"""Files that are written whole or not at all, whatever stands under their name.

    what FILE is       what happens
    nothing, a file    a draft in the same folder takes its name at the end, in one step
    a link             the same, in the folder that it leads to: the link stays a link
    - , pipe, device   written through, in order

A run that fails or is ended leaves what was there before, and no draft. Two runs that write the same file do not
meet: each has a draft of its own, and the last one to end wins.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final

from sudokumill.errors import FileUnwritableError

STANDARD_OUTPUT: Final = "-"
"""What a person writes for it in place of a path."""

_COPY_BYTES: Final = 8 << 20


class Sink:
    """Takes bytes in order; its errors name the file.

    Args:
        file: what they go to.
        name: as a person knows it.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def write(self, data: bytes) -> None:
        """Writes all of it.

        Raises:
            FileUnwritableError: that failed.
            BrokenPipeError: whoever read it has seen enough.
        """
        with writing(self._name):
            self._file.write(data)


@contextmanager
def opened(path: str | Path) -> Iterator[Sink]:
    """A file to write in order. An error of the body is the body's own, and is passed on as it is.

    Raises:
        FileUnwritableError: it cannot be written; what was there before is there still.
        BrokenPipeError: whoever read it has seen enough.
    """
    name = shown(path)
    if str(path) == STANDARD_OUTPUT:
        yield Sink(sys.stdout.buffer, name)
        with writing(name):
            sys.stdout.buffer.flush()
    elif _is_special(path):
        with _open(Path(path), name) as sink:
            yield sink
    else:
        with drafted(path) as draft, _open(draft, name) as sink:
            yield sink


@contextmanager
def drafted(path: str | Path) -> Iterator[Path]:
    """An empty file that becomes ``path`` when the body ends well: for writing out of order, or in many processes.

    Where ``path`` is standard output, a pipe or a device, the draft is copied to it at the end.

    Raises:
        FileUnwritableError: it cannot be written; what was there before is there still.
        BrokenPipeError: whoever read it has seen enough.
    """
    name = shown(path)
    through = str(path) == STANDARD_OUTPUT or _is_special(path)
    with _ending_by_signal():
        draft = _new_draft(None if through else path, name)
        try:
            yield draft
            with writing(name):
                if through:
                    _copy(draft, path, name)
                else:
                    _publish(draft, Path(os.path.realpath(path)))
        finally:
            with suppress(OSError):
                draft.unlink()


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turns the system's errors into one that names the file; a reader that has gone is no error of ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileUnwritableError(path=name, reason=error.strerror or str(error)) from error


def shown(path: str | Path) -> str:
    """A path as a message names it."""
    return "standard output" if str(path) == STANDARD_OUTPUT else str(path)


def _is_special(path: str | Path) -> bool:
    """Whether something stands there that is no regular file: a pipe, a device.

    Raises:
        FileUnwritableError: a folder, or a path that leads nowhere.
    """
    with writing(shown(path)):
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return False
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        if not os.access(path, os.W_OK):
            # its folder would let us replace it, but whoever took the right to write away meant something by it
            raise PermissionError("it is there already, and may not be written")
        return not stat.S_ISREG(mode)


@contextmanager
def _open(path: Path, name: str) -> Iterator[Sink]:
    with writing(name):
        file = path.open("wb")
    try:
        yield Sink(file, name)
        with writing(name):
            file.close()
    finally:
        # after an error: what its buffer still holds cannot be written either, and that is no second error
        with suppress(OSError):
            file.close()


def _new_draft(path: str | Path | None, name: str) -> Path:
    """An empty file of our own: beside what ``path`` leads to, or among the system's temporary files."""
    with writing(name):
        folder = None if path is None else Path(os.path.realpath(path)).parent
        file, draft = tempfile.mkstemp(prefix=".sudokumill-", suffix=".part", dir=folder)
        os.close(file)
        return Path(draft)


def _publish(draft: Path, target: Path) -> None:
    """Gives a draft its name, with the rights of what it replaces, or of any new file."""
    with draft.open("rb") as file:
        # without this, a power cut may leave the name with nothing behind it
        os.fsync(file.fileno())
    try:
        rights = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        rights = 0o666 & ~_umask()
    draft.chmod(rights)
    draft.replace(target)


def _umask() -> int:
    """What the system takes away from the rights of new files; it only tells when it is set."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _copy(draft: Path, path: str | Path, name: str) -> None:
    with draft.open("rb") as source:
        if str(path) == STANDARD_OUTPUT:
            shutil.copyfileobj(source, sys.stdout.buffer, _COPY_BYTES)
            sys.stdout.buffer.flush()
            return
        with _open(Path(path), name) as target:
            while data := source.read(_COPY_BYTES):
                target.write(data)


@contextmanager
def _ending_by_signal() -> Iterator[None]:
    """Lets SIGTERM end the body as Ctrl-C does, so that no draft stays behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
