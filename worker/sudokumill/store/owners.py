"""Who holds a lease: a process of a machine, so that one that has gone is noticed before its lease runs out."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Final

_LONGEST_HOST: Final = 100


def owner_name() -> str:
    """This process: ``host/boot/namespace:pid:start``.

    A process id means something only on one machine, since one boot, and within one namespace of process ids
    (two containers of one host may share its name); and ids are used again, so the start time belongs to it.
    """
    pid = os.getpid()
    return f"{_machine()}:{pid}:{_started(pid)}"


def is_here(owner: str) -> bool:
    """Whether a name is that of a process of this machine, one that has gone included."""
    return owner.partition(":")[0] == _machine()


def is_gone(owner: str | None) -> bool:
    """Whether a lease's holder was a process of this machine and is not there any more."""
    machine, _, process = (owner or "").partition(":")
    pid, _, started = process.partition(":")
    if machine != _machine() or not pid.isdigit():
        return False
    return _started(int(pid)) != started


def _machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        # without /proc nobody can be looked up: each process is its own machine, and leases run out
        boot, namespace = "unknown", str(os.getpid())
    return f"{socket.gethostname()[:_LONGEST_HOST].replace(':', '-')}/{boot}/{namespace}"


def _started(pid: int) -> str:
    """Start time of a process in clock ticks since boot; ``gone`` when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "gone"
    # the name in parentheses may hold spaces; field 22 is the 20th after it
    state, *fields = stat.rpartition(")")[2].split()
    return "gone" if state == "Z" else fields[18]
