"""The supervisor: starts Celery's worker, and starts it again when something ended it that nobody asked to.

A message that is not JSON, for one, ends the main process of a Celery 5.7 worker, and the message is gone then:
what comes after it is served by the next one.

    sudokumill worker              this process; SIGTERM and Ctrl-C are handed on, and it waits
      +- celery worker             takes messages
           +- process 1, 2, ...    make chunks
           +- reaper
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final

from billiard.util import set_pdeathsig  # type: ignore[attr-defined]

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
_STEADY_SECONDS: Final = 60.0
"""A worker that lived for so long did not end because of how it was started."""

_REFUSED: Final = 2
"""Exit code of a worker that cannot use its options or settings; it would not the next time either."""

_OF_CELERY: Final = ("BROKER_URL", "RESULT_BACKEND", "LOADER", "CONFIG_MODULE")
"""Variables that Celery's command takes for options, and besides any that begins with CELERY_: on a machine that
runs other workers too they are meant for these."""

_HANDED_ON: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def supervise(arguments: Sequence[str], say: Callable[[str], None]) -> int:
    """Keeps a worker running until it is told to end.

    Args:
        arguments: of ``celery worker``.
        say: told in one line when the worker ended by itself.

    Returns:
        The exit code of the worker that ended when it was told to, or that refused its options.
    """
    return _Supervisor(
        [sys.executable, "-m", "celery", "-A", "sudokumill.queue.app", "worker", *arguments], say
    ).run()


class _Supervisor:
    def __init__(self, command: list[str], say: Callable[[str], None]) -> None:
        self._command = command
        self._say = say
        self._told = False
        self._worker: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        for name in _HANDED_ON:
            # what was ignored before (nohup) stays so
            if signal.getsignal(name) is not signal.SIG_IGN:
                signal.signal(name, self._hand_on)
        pause = _FIRST_PAUSE
        while True:
            started = time.monotonic()
            code = self._run_once()
            if self._told or code in {0, _REFUSED}:
                # 0: somebody ended it through Celery's remote control
                return max(code, 0)
            if time.monotonic() - started > _STEADY_SECONDS:
                pause = _FIRST_PAUSE
            ended = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            self._say(f"the worker ended {ended}; it starts again in {pause:g} s")
            self._rest(pause)
            if self._told:
                return 0
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _run_once(self) -> int:
        self._worker = subprocess.Popen(  # noqa: S603 - our own command
            self._command,
            stdin=subprocess.DEVNULL,
            env=_environment(),
            # Ctrl-C in a terminal is for us, and handed on once
            start_new_session=True,
            # this process has no threads
            preexec_fn=_end_with(os.getpid()),  # noqa: PLW1509
        )
        if self._told:
            self._worker.terminate()
        code = self._worker.wait()
        self._worker = None
        return code

    def _rest(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._told and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))

    def _hand_on(self, number: int, _frame: FrameType | None) -> None:
        # the first time chunks in hand are finished, the second time what is made of them is kept; Celery would
        # take a second SIGTERM like the first, and SIGHUP for "start again"
        again = signal.SIGQUIT if self._told or number == signal.SIGQUIT else signal.SIGTERM
        self._told = True
        if self._worker is not None:
            self._worker.send_signal(again)


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _OF_CELERY and not name.startswith("CELERY_")
    }


def _end_with(parent: int) -> Callable[[], None]:
    """What the worker does before it begins, so that it ends at the latest with its supervisor."""

    def ask() -> None:
        set_pdeathsig(signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask
