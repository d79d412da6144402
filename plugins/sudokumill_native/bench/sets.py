"""Puzzles to solve: sets that are made here, and sets from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sudokumill.grids.batch import Grids, from_lines
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions


class UnreadableSetsError(Exception):
    """A folder without puzzles, or none at all."""


def made(count: int) -> Mapping[str, Grids]:
    """Random puzzles of uniform finals: of 30 clues, and minimal ones; the same on every machine."""
    seeds = np.arange(count, dtype=np.uint64)
    finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals
    wishes = {"30 clues": NativeDiggerOptions.model_validate({"clues": 30}), "minimal": NativeDiggerOptions()}
    return {name: NativeDigger(wish).dig(finals, seeds).puzzles for name, wish in wishes.items()}


def read(folder: Path) -> Mapping[str, Grids]:
    """Each ``.txt`` file of a folder that holds one puzzle of 81 characters a line, by its name.

    Raises:
        UnreadableSetsError: the folder or a file cannot be read, or no file holds puzzles.
    """
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix == ".txt"]
        texts = {path.stem: path.read_text(encoding="ascii", errors="replace").split() for path in paths}
    except OSError as error:
        raise UnreadableSetsError(f"cannot read {error.filename or folder}: {error.strerror or error}") from None
    sets = {name: grids for name, lines in texts.items() if (grids := _grids(lines)) is not None}
    if not sets:
        raise UnreadableSetsError(f"{folder} has no .txt file with one puzzle of 81 characters a line")
    return sets


def _grids(lines: list[str]) -> Grids | None:
    """The puzzles; None of what is something else, as a list of other things or an empty file."""
    try:
        return from_lines(lines) if lines else None
    except ValueError:
        return None
