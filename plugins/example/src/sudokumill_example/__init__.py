"""An example of a third-party plugin for sudokumill."""

from __future__ import annotations
