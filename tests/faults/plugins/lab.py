"""A one-file plugin that does wrong what it is told to: a generator, a digger and a solver.

Option ``faults`` says what goes wrong where: ``raise@3,5 shape/10`` raises for rows 3 and 5, and gives a wrong
shape for every tenth row. A row's number is, for the generator, its position; for the digger, the number of its
final; for the solver, the first blank cell of its puzzle. Some faults spoil a whole call, some only their row.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sudokumill.contracts import (
    DiggerDescriptor,
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    GeneratorDescriptor,
    Options,
    Report,
    SolverDescriptor,
    SolveResult,
    SolveStatus,
)
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.hookspecs import hookimpl
from sudokumill.streams import Seeds, Streams, position_seeds
from sudokumill_native.options import SearchOptions
from sudokumill_native.solvers import NativeSolver

FINAL = from_lines(["826495173759213864134786925978562341312974658645138792467851239291347586583629417"])
TWO_SOLUTIONS = from_lines(["349618572782359...651742389273895...195476238864231957527164893918523764436987125"])[
    0
]
KNOWN = 5_000
"""Finals that the digger recognizes."""
UNKNOWN = -2
"""Number of any other; it is not one of "every tenth" and the like."""

Mask = NDArray[np.bool_]


class FaultOptions(Options):
    faults: str = Field("", description="what goes wrong, and where")
    when: str = Field("", description="path of a file; the faults are there while it is")


class GeneratorOptions(FaultOptions):
    size: int = Field(10_000_000, ge=1, description="positions that there are")
    repeat: int = Field(1, ge=1, description="positions in a row with the same final")
    distinct: int = Field(10_000_000, ge=1, description="finals that there are; then they come again")
    pause: float = Field(0.0, ge=0, le=1, description="seconds that each row takes")
    letters: str | None = Field(None, min_length=2, description="not used")
    variable: str = Field("", description="environment variable without which it cannot be built")


class Unspeakable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("no words")


def final_number(number: NDArray[np.int64]) -> Grids:
    """Final ``number``: an image of one final; shape (n, 81)."""
    return draw(Streams(position_seeds(77, number))).apply(np.repeat(FINAL, len(number), axis=0))


@cache
def known_finals() -> dict[bytes, int]:
    return {grid.tobytes(): number for number, grid in enumerate(final_number(np.arange(KNOWN)))}


def rows_of(options: FaultOptions, numbers: NDArray[np.int64]) -> dict[str, Mask]:
    """Where each fault is."""
    if options.when and not Path(options.when).exists():
        return {}
    masks: dict[str, Mask] = {}
    for word in options.faults.split():
        if "@" in word:
            name, _, listed = word.partition("@")
            masks[name] = np.isin(numbers, [int(each) for each in listed.split(",")])
        else:
            name, _, step = word.partition("/")
            masks[name] = numbers % int(step) == int(step) - 1
    return masks


def raise_fault() -> NoReturn:
    raise ZeroDivisionError("the plugin\nfailed")


def raise_unspeakable() -> NoReturn:
    raise Unspeakable


def leave() -> NoReturn:
    sys.exit(3)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> NoReturn:
    """Stands still in native code that keeps the interpreter's lock, so that no Python runs any more."""
    while True:
        ctypes.PyDLL(None).pause()


def eat() -> NoReturn:
    """Takes memory as native code does that never looks whether it got any."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    while True:
        libc.memset(libc.malloc(32 << 20), 1, 32 << 20)


def hog() -> None:
    """Asks for more memory than a limited process has, and raises when it gets none."""
    bytearray(8 << 30)


_LEAKED: list[bytearray] = []


def leak() -> None:
    """Keeps 60 MB for ever."""
    _LEAKED.append(bytearray(60_000_000))


def crash() -> None:
    ctypes.string_at(0)


CALL_FAULTS: dict[str, Callable[[], object]] = {
    "raise": raise_fault,
    "unspeakable": raise_unspeakable,
    "exit": leave,
    "kill": die,
    "hang": hang,
    "eat": eat,
    "crash": crash,
    "hog": hog,
    "leak": leak,
}


def fail(masks: dict[str, Mask]) -> None:
    for name, act in CALL_FAULTS.items():
        if name in masks and masks[name].any():
            act()


def spoil(result: Any, grids: str, masks: dict[str, Mask]) -> Any:
    """What breaks the contract for a whole call."""
    here = {name for name, mask in masks.items() if mask.any()}
    array = getattr(result, grids)
    spoiled = {
        "shape": lambda: array[:, :80],
        "rows": lambda: np.concatenate([array, array[:1]]),
        "dtype": lambda: array.astype(np.int64),
        "list": array.tolist,
        "fortran": lambda: np.asfortranarray(array),
        "flat": array.ravel,
    }
    for name, make in spoiled.items():
        if name in here:
            return replace(result, **{grids: make()})
    rows = len(array)
    if "result" in here:
        return (array, result.status)
    if "status" in here:
        return replace(result, status=np.full(rows, 9, np.uint8))
    if "infinite" in here:
        return replace(result, reports={"tries": Report(np.full(rows, np.nan))})
    if "weight" in here:
        return replace(result, reports={"tries": Report(np.ones(rows), -np.ones(rows))})
    return result


class LabGenerator:
    def __init__(self, options: GeneratorOptions) -> None:
        if options.variable and options.variable not in os.environ:
            raise RuntimeError(f"{options.variable} is not set")
        self.options = options

    def generate(self, seeds: Seeds) -> GenerateResult:
        positions = seeds.astype(np.int64)
        masks = rows_of(self.options, positions)
        fail(masks)
        if self.options.pause:
            time.sleep(self.options.pause * len(positions))
        finals = final_number(positions // self.options.repeat % self.options.distinct)
        status = np.zeros(len(positions), dtype=np.uint8)
        none = np.zeros(len(positions), dtype=np.bool_)
        invalid = masks.get("invalid", none)
        finals[invalid, 0] = finals[invalid, 1]
        status[masks.get("gave_up", none)] = GenerateStatus.GAVE_UP
        if masks.get("mutate", none).any():
            seeds += np.uint64(1)
        reports = {"position": Report(positions.astype(np.float64))}
        result: GenerateResult = spoil(GenerateResult(finals, status, reports), "finals", masks)
        return result


class LabDigger:
    """Takes the clue of one cell, which the row's seed draws: a puzzle of 80 clues."""

    def __init__(self, options: FaultOptions) -> None:
        self.options = options

    def dig(self, finals: Grids, seeds: Seeds) -> DigResult:
        known = known_finals()
        numbers = np.array([known.get(grid.tobytes(), UNKNOWN) for grid in finals], dtype=np.int64)
        masks = rows_of(self.options, numbers)
        fail(masks)
        none = np.zeros(len(finals), dtype=np.bool_)
        puzzles = finals if masks.get("inplace", none).any() else finals.copy()
        puzzles[np.arange(len(finals)), (seeds % np.uint64(81)).astype(np.int64)] = 0
        puzzles[masks.get("two", none)] = TWO_SOLUTIONS
        for row in np.flatnonzero(masks.get("several", none)):
            puzzles[row] = np.where(finals[row] < 3, 0, finals[row])
        foreign = np.flatnonzero(masks.get("foreign", none))
        puzzles[foreign] = finals[foreign] % 9 + 1
        status = np.zeros(len(finals), dtype=np.uint8)
        for name, value in (
            ("gave_up", DigStatus.GAVE_UP),
            ("refused", DigStatus.NOT_A_FINAL),
            ("missed", DigStatus.MISSED),
            ("barren", DigStatus.MISSED),
        ):
            status[masks.get(name, none)] = value
        puzzles[masks.get("barren", none) | masks.get("blank", none)] = 0
        result: DigResult = spoil(DigResult(puzzles, status), "puzzles", masks)
        return result


class LabSolver:
    """The native solver, with faults."""

    def __init__(self, options: FaultOptions) -> None:
        self.options = options
        self.native = NativeSolver(SearchOptions())

    def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
        masks = rows_of(self.options, np.argmin(puzzles, axis=1).astype(np.int64))
        fail(masks)
        result = self.native.solve(np.ascontiguousarray(puzzles), limit)
        counts, solutions, status = result.counts.copy(), result.solutions.copy(), result.status.copy()
        none = np.zeros(len(puzzles), dtype=np.bool_)
        wrong = masks.get("wrong", none)
        solutions[wrong] = np.where(solutions[wrong] > 0, solutions[wrong] % 9 + 1, 0)
        for name, count, value in (
            ("unique", 1, SolveStatus.UNIQUE),
            ("several", 2, SolveStatus.SEVERAL),
            ("none", 0, SolveStatus.NO_SOLUTION),
            ("gave_up", 0, SolveStatus.GAVE_UP),
            ("miscount", 7, SolveStatus.UNIQUE),
        ):
            counts[masks.get(name, none)] = count
            status[masks.get(name, none)] = value
        solutions[masks.get("gave_up", none)] = 0
        solved = replace(result, counts=counts, solutions=solutions, status=status)
        spoiled: SolveResult = spoil(solved, "solutions", masks)
        return spoiled


@hookimpl
def sudokumill_register_generators() -> Iterable[GeneratorDescriptor]:
    yield GeneratorDescriptor(
        name="lab",
        version="1.0",
        summary="makes image after image of one final",
        factory=LabGenerator,
        options=GeneratorOptions,
        rate=1_000,
        size=lambda options: options.size,
    )


@hookimpl
def sudokumill_register_diggers() -> Iterable[DiggerDescriptor]:
    yield DiggerDescriptor(
        name="lab",
        version="1.0",
        summary="takes one clue",
        factory=LabDigger,
        options=FaultOptions,
        rate=1_000,
    )


@hookimpl
def sudokumill_register_solvers() -> Iterable[SolverDescriptor]:
    yield SolverDescriptor(
        name="lab",
        version="1.0",
        summary="the native solver, with faults",
        factory=LabSolver,
        options=FaultOptions,
        rate=1_000,
    )
