"""A server's process: starting it, knowing when it answers, and ending it, whatever happens to the tests."""

from __future__ import annotations

import ctypes
import os
import pwd
import random
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_READY_SECONDS: Final = 60.0
_END_SECONDS: Final = 60.0
_STEP_SECONDS: Final = 0.01
_LOG_LINES: Final = 20
_PORTS: Final = range(15_000, 32_000)
_PR_SET_PDEATHSIG: Final = 1


class ServerError(Exception):
    """A server did not do what the tests need; the message ends with the tail of its log."""


class Daemon:
    """A server's process, which ends at the latest with the process that started it.

    Args:
        name: of the server, for messages.
        log: the file that takes what it prints.
        user: whom it runs as; None for whoever runs the tests.
        last_signal: what it gets when the process that started it is gone.
    """

    def __init__(
        self, name: str, log: Path, user: pwd.struct_passwd | None = None, last_signal: int = signal.SIGKILL
    ) -> None:
        self.name = name
        self.log = log
        self.last_signal = last_signal
        self._as_user = {} if user is None else as_user(user)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The running process's id."""
        if self._process is None or self._process.poll() is not None:
            raise ServerError(f"{self.name} does not run")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(
        self, command: Sequence[str | Path], ready: Callable[[], bool], env: Mapping[str, str] | None = None
    ) -> None:
        """Starts it and waits until it answers.

        Args:
            command: what is run.
            ready: asks the server; True when it answered as it should.
            env: its environment.

        Raises:
            ServerError: it ended, or did not answer in time.
        """
        with self.log.open("ab") as log, warnings.catch_warnings():
            # newer Pythons warn of a fork beside threads, of which numpy has some that sleep
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.log.parent,
                env=env,
                # Ctrl-C is for the tests, which end their servers when they have done with them
                start_new_session=True,
                preexec_fn=_die_with_parent(self.last_signal),  # noqa: PLW1509 - it calls two C functions
                **self._as_user,
            )
        deadline = time.monotonic() + _READY_SECONDS
        while not ready():
            if self._process.poll() is not None:
                raise ServerError(f"{self.name} ended with exit code {self._process.returncode}{self.tail()}")
            if time.monotonic() > deadline:
                self.end(signal.SIGKILL)
                raise ServerError(f"{self.name} did not answer within {_READY_SECONDS:.0f} s{self.tail()}")
            time.sleep(_STEP_SECONDS)

    def end(self, by: int) -> int:
        """Sends it a signal and waits until it has ended; one that does not run is left alone.

        Returns:
            Its exit code; 0 for one that did not run.

        Raises:
            ServerError: it goes on; it was killed then.
        """
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(by)
        try:
            return self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise ServerError(f"{self.name} did not end by {signal.Signals(by).name}{self.tail()}") from None
        finally:
            self._process = None

    def tail(self) -> str:
        """The end of its log, to be put after a sentence."""
        lines = self.log.read_text(errors="replace").splitlines()[-_LOG_LINES:]
        return "; its log ends:\n    " + "\n    ".join(lines) if lines else "; its log is empty"


def _die_with_parent(by: int) -> Callable[[], None]:
    """What the child calls before it becomes the server; Linux forgets it if the user changes after that."""
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, by)
        if os.getppid() != parent:
            os._exit(1)
        # a shell lets what it runs in the background ignore Ctrl-C, and what that starts inherits it
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return ask


def as_user(user: pwd.struct_passwd) -> dict[str, Any]:
    """The arguments by which ``subprocess`` runs a command as somebody else."""
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def free_port() -> int:
    """A free TCP port of the loopback interface.

    Below those that the system gives to clients: one of these could otherwise take the port of a server that
    is down for a moment, even by connecting to itself.
    """
    draw = random.SystemRandom()
    while True:
        port = draw.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def end_with_children(pid: int) -> None:
    """Kills a process and all its children at once, as a power cut does, and waits for the children."""
    os.kill(pid, signal.SIGSTOP)  # so that it has no more of them
    children = [child for child, parent in _parents().items() if parent == pid]
    for each in (pid, *children):
        os.kill(each, signal.SIGKILL)
    deadline = time.monotonic() + _END_SECONDS
    while set(children) & set(_parents()):
        if time.monotonic() > deadline:
            raise ServerError(f"children of process {pid} do not end")
        time.sleep(_STEP_SECONDS)


def descendants(pid: int) -> list[int]:
    """The processes below one, those nearest to it first."""
    parents = _parents()
    found = [pid]
    for above in found:
        found += [child for child, parent in parents.items() if parent == above]
    return found[1:]


def _parents() -> dict[int, int]:
    """The parent of every process that has not ended."""
    found: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            # pid (name, which may hold anything) state parent ...
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(folder.name)] = int(parent)
    return found
