"""``python -m sudokumill`` is the command ``sudokumill``."""

from __future__ import annotations

from sudokumill.cli import main

if __name__ == "__main__":
    main()
