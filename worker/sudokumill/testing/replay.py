"""Calls on rows of the sample, as commands: for other processes, and for a person who wants to see them."""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

from sudokumill.testing.subject import Subject


@dataclass(frozen=True)
class Replay:
    """One call on rows of the sample, as a command."""

    subject: Subject
    count: int
    hard: bool = False

    def arguments(self, rows: str = ":", reseed: int | None = None, limit: int = 2) -> list[str]:
        """The arguments of ``python -m sudokumill.testing``.

        Args:
            rows: a slice of the sample, ``5:6`` or ``::-1``.
            reseed: what the global random generators are seeded with first.
            limit: of a solver.
        """
        options = json.dumps(dict(self.subject.values), default=str)
        words = [self.subject.role.value, self.subject.where, self.subject.implementation.name]
        words += ["--rows", rows]
        words += ["--count", str(self.count)] if self.count else []
        words += ["--limit", str(limit)] if limit != 2 else []
        words += ["--options", options] if self.subject.values else []
        words += ["--hard"] if self.hard else []
        return words if reseed is None else [*words, "--reseed", str(reseed)]

    def command(self, rows: str = ":", reseed: int | None = None, limit: int = 2) -> str:
        """What a person types."""
        return shlex.join(["python", "-m", "sudokumill.testing", *self.arguments(rows, reseed, limit)])

    def start(self, hash_seed: str) -> subprocess.Popen[str]:
        """The whole sample in a process of its own, with this process's import path."""
        environment = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        }
        return subprocess.Popen(  # noqa: S603 - this interpreter, this module
            [sys.executable, "-m", "sudokumill.testing", *self.arguments()],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def as_slice(text: str) -> slice:
    """``5:6`` and ``::-1`` as slices."""
    return slice(*(int(part) if part else None for part in text.split(":")))


def reseed(seed: int) -> None:
    """Seeds the global random generators of Python and of numpy."""
    random.seed(seed)
    np.random.seed(seed)
