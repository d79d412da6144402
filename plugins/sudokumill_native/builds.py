"""Which build of the batch engine does the work: the fastest that this machine can run, or one by name."""

from __future__ import annotations

import os
from typing import Final

from sudokumill.errors import BadSettingError
from sudokumill_native import _kernel

SETTING: Final = "SUDOKUMILL_NATIVE_BUILD"
"""The environment variable that names a build. Every build gives the same results."""


def chosen_build() -> str:
    """The build that the environment names, else the fastest.

    Raises:
        BadSettingError: it names one that this machine cannot run.
    """
    name = os.environ.get(SETTING) or _kernel.builds[0]
    if name not in _kernel.builds:
        raise BadSettingError(
            name=SETTING, reason=f"this machine cannot run {name!r}; it can run {', '.join(_kernel.builds)}"
        )
    return name


def describe_build() -> str:
    """The build that does the work, and which others could: ``avx512 (others that run here: avx2, portable)``.

    Raises:
        BadSettingError: the environment names one that this machine cannot run.
    """
    chosen = chosen_build()
    others = [build for build in _kernel.builds if build != chosen]
    return f"{chosen} (others that run here: {', '.join(others)})" if others else f"{chosen} (no other runs here)"
