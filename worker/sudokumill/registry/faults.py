"""What foreign code raised, in one line.

Plugins may raise anything, ``SystemExit`` among it. Every call into one is guarded by::

    except KeyboardInterrupt:
        raise
    except BaseException as error:
        ... fault_text(error)
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_LONGEST: Final = 300


def fault_text(error: BaseException) -> str:
    """Type, message and place of an exception: ``ZeroDivisionError: division by zero (mine.py:12)``.

    The place is that of the innermost Python file; the import system's own frames are not counted. A syntax
    error says its place itself.
    """
    name = type(error).__name__
    message = _message(error)
    text = f"{name}: {message}" if message else name
    if isinstance(error, SyntaxError):
        return text
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    return f"{text} ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else text


def _message(error: BaseException) -> str:
    try:
        message = " ".join(str(error).split())
    except Exception:
        return "its message cannot be shown"
    return message if len(message) <= _LONGEST else message[: _LONGEST - 3] + "..."
