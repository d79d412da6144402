"""sudokumill: a factory for Sudoku levels."""

from __future__ import annotations

__version__ = "0.1.0"
