"""Puzzles to solve: sets that are made here, and sets from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sudokumill.grids.batch import Grids, from_lines
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions


def made(count: int) -> Mapping[str, Grids]:
    """Random puzzles of uniform finals: of 30 clues, and minimal ones; the same on every machine."""
    seeds = np.arange(count, dtype=np.uint64)
    finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals
    wishes = {"30 clues": NativeDiggerOptions.model_validate({"clues": 30}), "minimal": NativeDiggerOptions()}
    return {name: NativeDigger(wish).dig(finals, seeds).puzzles for name, wish in wishes.items()}


def read(folder: Path) -> Mapping[str, Grids]:
    """Each ``.txt`` file of a folder that holds one puzzle of 81 characters a line, by its name.

    Raises:
        OSError: the folder or a file cannot be read.
    """
    sets = {}
    for path in sorted(folder.iterdir()):
        if path.suffix != ".txt":
            continue
        lines = path.read_text(encoding="ascii").split()
        if lines and all(len(line) == 81 for line in lines):
            sets[path.stem] = from_lines(lines)
    return sets
