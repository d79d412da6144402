"""Who holds a lease: a process of a machine, so that one that has gone is noticed before its lease runs out."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Final

_LONGEST_HOST: Final = 100
_GONE: Final = "gone"
_HIDDEN: Final = "hidden"
"""A process that is there, of which /proc shows nothing: another user's, where the system hides these."""


def owner_name() -> str:
    """This process: ``host/boot/namespace:pid:start``.

    A process id means something only on one machine, since one boot, and within one namespace of process ids
    (two containers of one host may share its name); and ids are used again, so the start time belongs to it.
    """
    pid = os.getpid()
    return f"{machine_name()}:{pid}:{_started(pid)}"


def is_gone(owner: str | None) -> bool:
    """Whether a lease's holder was a process of this machine and is not there any more."""
    machine, _, process = (owner or "").partition(":")
    pid, _, started = process.partition(":")
    if machine != machine_name() or not pid.isdigit():
        return False
    return _started(int(pid)) not in {started, _HIDDEN}


def machine_name() -> str:
    """This machine, since this boot, and this namespace of process ids: the beginning of its processes' names."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        # without /proc nobody can be looked up: each process is its own machine, and leases run out
        boot, namespace = "unknown", str(os.getpid())
    return f"{socket.gethostname()[:_LONGEST_HOST].replace(':', '-')}/{boot}/{namespace}"


def _started(pid: int) -> str:
    """Start time of a process in clock ticks since boot, as far as it can be seen."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return _HIDDEN if _exists(pid) else _GONE
    # the name in parentheses may hold spaces; field 22 is the 20th after it
    state, *fields = stat.rpartition(")")[2].split()
    return _GONE if state == "Z" else fields[18]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
