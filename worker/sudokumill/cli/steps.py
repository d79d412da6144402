"""The way to a puzzle's solution, drawn in the terminal, and as objects for programs.

A step that only places a digit is a line. One that rules candidates out is a line and a drawing of the candidates
that were there before it:

    step 12  3.2  x-wing 5 at R1C2 R1C7 R8C2 R8C7; rules out 5 at R3C2

        9    *15   4   |  2    18   7   | *5     ...      * the cells of the pattern
        6    3     28  |  ...                              - a cell that loses a candidate
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokumill.cli.chains import chain_objects, drawn_chains
from sudokumill.contracts import Step
from sudokumill.grids.batch import CELLS, cell_name
from sudokumill.grids.candidates import Candidates


class _Board(Candidates):
    """The candidates of each cell, as they stand on the way."""

    def take(self, step: Step) -> None:
        for cell, digit in step.eliminations:
            self.rule_out(cell, digit)
        for cell, digit in step.placements:
            self.place(cell, digit)

    def drawn(self, step: Step) -> str:
        losing = {cell for cell, _ in step.eliminations}
        texts = [
            ("*" if cell in step.cells else "-" if cell in losing else " ")
            + (str(self.digits[cell]) if self.digits[cell] else "".join(map(str, sorted(self.of[cell]))))
            for cell in range(CELLS)
        ]
        widths = [max(len(texts[row * 9 + column]) for row in range(9)) for column in range(9)]
        lines: list[str] = []
        for row in range(9):
            cells = [texts[row * 9 + column].ljust(widths[column]) for column in range(9)]
            parts = [" ".join(cells[box : box + 3]) for box in (0, 3, 6)]
            if row in {3, 6}:
                lines.append("-+-".join("-" * len(part) for part in parts))
            lines.append(" | ".join(parts).rstrip())
        return "\n".join(f"    {line}" for line in lines)


def drawn_path(puzzle: NDArray[np.uint8], path: Sequence[Step]) -> str:
    """All steps, each with a drawing if it rules candidates out.

    Args:
        puzzle: shape (81,).
        path: from its clues to its solution.
    """
    board = _Board(puzzle)
    lines: list[str] = []
    for number, step in enumerate(path, 1):
        lines.append(f"step {number:>2}  {step.rating:.1f}  {_said(step)}")
        if step.chains:
            lines += ["", drawn_chains(step)]
        if step.eliminations:
            lines += ["", board.drawn(step)]
        if step.chains or step.eliminations:
            lines.append("")
        board.take(step)
    if any(step.eliminations for step in path):
        lines.append("* cells of the pattern, - cells that lose a candidate")
    return "\n".join(lines)


def path_objects(path: Sequence[Step]) -> list[dict[str, Any]]:
    """The steps for a program; cells are numbered 0 to 80, row by row. The ``since`` of a chain's link are places
    of earlier links in it, from 0."""
    return [
        {
            "technique": step.technique,
            "rating": step.rating,
            "cells": list(step.cells),
            "digits": list(step.digits),
            "placements": [list(one) for one in step.placements],
            "eliminations": [list(one) for one in step.eliminations],
            "chains": chain_objects(step),
        }
        for step in path
    ]


def _said(step: Step) -> str:
    words = [step.technique]
    digits, cells = ",".join(map(str, step.digits)), " ".join(map(cell_name, step.cells))
    # of a single, what is placed says it all
    alone = len(step.placements) == 1 and step.cells == (step.placements[0][0],)
    if cells and not alone:
        words.append(f"{digits} at {cells}" if digits else f"at {cells}")
    said = " ".join(words)
    if step.placements:
        said += ": " + ", ".join(f"{cell_name(cell)} = {digit}" for cell, digit in step.placements)
    if step.eliminations:
        said += "; rules out " + ", ".join(_by_digit(step.eliminations))
    return said


def _by_digit(eliminations: Sequence[tuple[int, int]]) -> list[str]:
    cells: dict[int, list[str]] = {}
    for cell, digit in sorted(eliminations, key=lambda one: (one[1], one[0])):
        cells.setdefault(digit, []).append(cell_name(cell))
    return [f"{digit} at {' '.join(names)}" for digit, names in cells.items()]
