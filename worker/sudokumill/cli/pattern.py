"""Reading the file that ``--pattern`` names: the clue cells that each puzzle is to have."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from sudokumill.errors import FileMissingError, FileUnreadableError

_STANDARD_INPUT: Final = "-"
_MOST: Final = 10_000
"""Bytes that are read; 81 characters need no more."""


def read_pattern(path: str) -> str:
    """What the file holds, without white space. What is wrong with it as a pattern is for the option to say.

    Args:
        path: where it is; ``-`` is standard input.

    Raises:
        FileUnreadableError: it cannot be read, or is no text.
    """
    name = "standard input" if path == _STANDARD_INPUT else path
    try:
        if path == _STANDARD_INPUT:
            content = sys.stdin.buffer.read(_MOST)
        else:
            with Path(path).open("rb") as stream:
                content = stream.read(_MOST)
        return "".join(content.decode("utf-8-sig").split())
    except UnicodeDecodeError as error:
        raise FileUnreadableError(path=name, reason="it is no text in UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        kind = FileMissingError if isinstance(error, FileNotFoundError) else FileUnreadableError
        raise kind(path=name, reason=reason or str(error)) from error
