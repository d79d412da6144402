"""Limits of a process that makes chunks. The kernel holds them, so native code cannot pass them by."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def limit_memory(size: int) -> None:
    """Lets this process have so many bytes of data; an allocation beyond that fails, in Python as a MemoryError.

    Data is what it writes to and shares with nobody: address space that libraries only reserve does not count.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Ends this process by SIGALRM if it does not leave the block in time.

    By the signal's own action and not by a handler: Python runs handlers between two of its instructions, and
    native code never comes to these.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
