"""Fuzzes what Python sees of the engine: arrays of every kind, in every call, with every number.

``python tests/fuzz/fuzz_binding.py --seconds 600`` tries random bytes until the time is over; with ``--guided``
they are led by what they reach (``pip install atheris``). What the bytes say is done: either it is refused by one
of the errors that are documented, or the result keeps the contract. Anything else is printed with the bytes that
did it, and the exit code is another than 0; ``--again HEX`` runs these alone.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from sudokumill.contracts import DigStatus, GradeStatus, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import from_lines, to_lines
from sudokumill.grids.clashes import are_finals
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import (
    ExplainerOptions,
    NativeDiggerOptions,
    NativeGeneratorOptions,
    SearchOptions,
)
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

FINALS: Final = (
    NativeGenerator(NativeGeneratorOptions(uniformity=13)).generate(np.arange(8, dtype=np.uint64)).finals
)
FRAME: Final = "111111111110000011101000101100101001100010001100101001101000101110000011111111111"
DTYPES: Final = ("u1", "i1", "u2", ">u2", "i8", "u8", ">u8", "f4", "f8", "?", "c8", "S1", "U1", "O", "M8[s]", "V1")
NUMBERS: Final = (0, 1, 2, 3, 40, 2**31, 2**63 - 1, 2**63, 2**64, -1, -(2**63))
REFUSED: Final = (BatchShapeError, TypeError, ValueError, OverflowError, ValidationError)


class Bytes:
    """Numbers from bytes; zeros when these are used up."""

    def __init__(self, data: bytes) -> None:
        self._left = memoryview(data)

    def next(self) -> int:
        """The next byte."""
        if not self._left:
            return 0
        byte = self._left[0]
        self._left = self._left[1:]
        return byte

    def below(self, bound: int) -> int:
        """0 .. bound-1, the bound at most 256."""
        return self.next() % bound

    def flag(self, one_in: int = 2) -> bool:
        """True once in so many."""
        return self.below(one_in) == 1


def _read_only(array: NDArray[Any], _: Bytes) -> Any:
    array.flags.writeable = False
    return array


WAYS: Final[tuple[Callable[[NDArray[Any], Bytes], Any], ...]] = (
    lambda array, bytes_: array.astype(DTYPES[bytes_.below(len(DTYPES))]),
    lambda array, bytes_: array[:: 1 + bytes_.below(3)],
    lambda array, _: array[::-1],
    lambda array, _: np.asfortranarray(array),
    lambda array, bytes_: array[..., : bytes_.below(82)],
    lambda array, _: array.reshape((-1,) if array.ndim > 1 else (1, -1)),
    lambda array, _: np.repeat(array, 2, axis=-1)[..., ::2],
    lambda array, _: array.tolist(),
    lambda array, _: np.broadcast_to(array[:1], array.shape),
    lambda array, _: array[:0],
    lambda array, _: memoryview(array),  # type: ignore[arg-type] # numpy says so in newer Pythons only
    lambda array, _: None,
    _read_only,
)
"""Ways in which an array can be other than it should be; some of them do no harm."""


def _bent(array: NDArray[Any], bytes_: Bytes) -> Any:
    """An array as it is, or in one of these ways."""
    way = bytes_.below(2 * len(WAYS))
    return WAYS[way](array, bytes_) if way < len(WAYS) else array


def _grids(bytes_: Bytes) -> NDArray[np.uint8]:
    grids = np.resize(FINALS, (1 + bytes_.below(40), 81)).copy()
    for grid in grids[: bytes_.below(8)]:
        blanks = np.unpackbits(np.array([bytes_.next() for _ in range(11)], dtype=np.uint8))[:81]
        grid[blanks.astype(bool)] = 0
        for _ in range(bytes_.below(4)):
            grid[bytes_.below(81)] = bytes_.next()
    return grids


def _seeds(bytes_: Bytes, rows: int) -> NDArray[np.uint64]:
    return np.array([bytes_.next() << 56 | row for row in range(rows)], dtype=np.uint64)


def _number(bytes_: Bytes) -> int:
    return NUMBERS[bytes_.below(len(NUMBERS))] if bytes_.flag(8) else bytes_.next()


def _is_batch(grids: Any) -> bool:
    return (
        isinstance(grids, np.ndarray)
        and grids.dtype == np.uint8
        and grids.ndim == 2
        and grids.shape[1] == 81
        and grids.flags.c_contiguous
    )


def _solve(bytes_: Bytes) -> None:
    grids = _bent(_grids(bytes_), bytes_)
    limit = _number(bytes_)
    budget = 1 + bytes_.below(200) if bytes_.flag() or limit > 1_000 else None
    build = _kernel.builds[bytes_.below(len(_kernel.builds))]
    threads = bytes_.below(4)
    result = NativeSolver(SearchOptions(max_nodes=budget), build, threads).solve(grids, limit)
    assert _is_batch(grids), "another array than a batch was taken"
    assert limit >= 1, "a limit below one was taken"
    assert threads >= 1, "no threads were taken"
    assert result.counts.max(initial=0) <= limit
    found = result.counts > 0
    assert are_finals(result.solutions[found]).all()
    assert ((grids == 0) | (grids == result.solutions))[found].all()
    assert not result.solutions[~found].any()
    if budget is None:
        other = ExactCoverSolver(SearchOptions(max_nodes=5_000)).solve(grids, limit)
        known = other.status != SolveStatus.GAVE_UP
        np.testing.assert_array_equal(result.counts[known], other.counts[known])
        np.testing.assert_array_equal(result.status[known], other.status[known])


def _solve_in_kernel(bytes_: Bytes) -> None:
    grids = _bent(_grids(bytes_), bytes_)
    together = _number(bytes_)
    if bytes_.flag():
        _kernel.solve(grids, _number(bytes_), 1 + bytes_.next(), "portable", together, 1 + bytes_.below(3))
    else:
        _kernel.search_cover(grids, _number(bytes_), 1 + bytes_.next())
    assert _is_batch(np.asarray(grids)), "the kernel took another array than a batch"


def _generate(bytes_: Bytes) -> None:
    seeds = _bent(_seeds(bytes_, 1 + bytes_.below(8)), bytes_)
    uniformity = 11 + bytes_.below(3) if bytes_.flag() else min(_number(bytes_), 2**63)
    if uniformity > 14:
        seeds = np.zeros(0, dtype=np.uint64)  # each step takes twice the time
    finals = _kernel.make_finals(seeds, uniformity, _kernel.builds[0], bytes_.below(3))
    assert are_finals(finals).all()
    assert len(finals) == len(seeds)


def _dig(bytes_: Bytes) -> None:
    finals = np.resize(FINALS, (1 + bytes_.below(20), 81)).copy()
    if bytes_.flag(4):
        finals[bytes_.below(len(finals)), bytes_.below(81)] = bytes_.next()
    finals = _bent(finals, bytes_)
    seeds = _bent(_seeds(bytes_, len(finals)), bytes_)
    wishes: dict[str, object] = {}
    for name in ("clues", "clues_min", "clues_max"):
        if bytes_.flag(4):
            wishes[name] = bytes_.below(90)
    if bytes_.flag(4):
        wishes["symmetry"] = ("none", "rot180", "rot90", "horizontal", "diagonal", "full")[bytes_.below(6)]
    if bytes_.flag(4):
        wishes["minimal"] = True
    if bytes_.flag(4):
        wishes["order"] = ("random", "rows", "snake", "jump")[bytes_.below(4)]
    for name in ("row_min", "column_min"):
        if bytes_.flag(4):
            wishes[name] = bytes_.below(4)
    if bytes_.flag(8):
        wishes["empty_cells"] = f"r{1 + bytes_.below(9)}c{1 + bytes_.below(9)}"
    if bytes_.flag(8):
        wishes["pattern"] = FRAME
    options = NativeDiggerOptions.model_validate(wishes)
    result = NativeDigger(options, _kernel.builds[bytes_.below(len(_kernel.builds))]).dig(finals, seeds)
    assert _is_batch(finals), "another array than a batch was dug"
    good = result.status != DigStatus.NOT_A_FINAL
    np.testing.assert_array_equal(good, are_finals(finals))
    assert not result.puzzles[~good].any()
    left = result.puzzles.any(axis=1)
    if options.pattern is None:
        np.testing.assert_array_equal(left, good)
    assert (left | (result.status != DigStatus.DUG)).all()
    solved = ExactCoverSolver(SearchOptions()).solve(np.ascontiguousarray(result.puzzles[left]))
    assert (solved.counts == 1).all()
    np.testing.assert_array_equal(solved.solutions, finals[left])


def _dig_in_kernel(bytes_: Bytes) -> None:
    finals = np.resize(FINALS, (1 + bytes_.below(20), 81)).copy()
    seeds = _seeds(bytes_, len(finals) - bytes_.below(2))
    orbits = _bent(np.array([bytes_.below(90 if bytes_.flag(64) else 81) for _ in range(81)], np.uint8), bytes_)
    aims = [_number(bytes_) for _ in range(bytes_.below(4))]
    clue_range = (_number(bytes_), _number(bytes_))
    blank = _bent((np.array([bytes_.next() for _ in range(81)]) % 8 == 1).astype(np.uint8), bytes_)
    _, status = _kernel.dig(
        finals,
        seeds,
        orbits,
        aims,
        clue_range,
        bytes_.flag(),
        "portable",
        bytes_.below(3),
        shuffled=bytes_.flag(),
        row_min=bytes_.below(12) - 1 if bytes_.flag(4) else 0,
        column_min=bytes_.below(12) - 1 if bytes_.flag(4) else 0,
        blank=blank,
        pattern=bytes_.flag(4),
    )
    assert blank is None or (np.asarray(blank).shape == (81,) and np.asarray(blank).dtype == np.uint8)
    assert np.asarray(orbits).shape == (81,)
    assert np.asarray(orbits).dtype == np.uint8
    assert len(seeds) == len(finals) == len(status)


def _grade(bytes_: Bytes) -> None:
    grids = _bent(_grids(bytes_), bytes_)
    wishes: dict[str, object] = {"effort": 1 + 20 * bytes_.next()}
    if bytes_.flag():
        wishes["ceiling"] = bytes_.next() / 10
    options = ExplainerOptions.model_validate(wishes)
    grader = ExplainerGrader(options, _kernel.builds[bytes_.below(len(_kernel.builds))], bytes_.below(4))
    result = grader.grade(grids)
    assert _is_batch(grids), "another array than a batch was graded"
    solved = NativeSolver(SearchOptions()).solve(grids)
    puzzles = (solved.counts == 1) & (grids == 0).any(axis=1)
    rated = np.isin(result.status, (GradeStatus.GRADED, GradeStatus.GAVE_UP, GradeStatus.ABOVE))
    np.testing.assert_array_equal(rated, puzzles)
    np.testing.assert_array_equal(np.isnan(result.rating), ~puzzles)
    for row in np.flatnonzero(puzzles)[:2]:
        steps = grader.path(grids[row])
        assert len(steps) == result.steps[row]
        for step in steps:
            assert all(solved.solutions[row][cell] == digit for cell, digit in step.placements)
            assert all(solved.solutions[row][cell] != digit for cell, digit in step.eliminations)


def _grade_in_kernel(bytes_: Bytes) -> None:
    grids = _bent(_grids(bytes_), bytes_)
    effort = 1 + 20 * bytes_.next() if bytes_.flag() else min(_number(bytes_), 5_000)
    ceiling = _number(bytes_) if bytes_.flag() else None
    if bytes_.flag():
        grades = _kernel.grade(grids, effort, ceiling, "portable", bytes_.below(3))
        assert {len(column) for column in grades} == {len(grids)}
    else:
        grid = _bent(_grids(bytes_)[0], bytes_)
        _kernel.grade_path(grid, effort, ceiling, "portable")
        assert np.asarray(grid).shape == (81,)


def _canonical(bytes_: Bytes) -> None:
    grids = _bent(_grids(bytes_), bytes_)
    solutions = _bent(np.resize(FINALS, (len(grids), 81)), bytes_)
    forms = _kernel.canonical_forms(grids, solutions, bytes_.below(3))
    grids, solutions = np.asarray(grids), np.asarray(solutions)  # a memory view is taken too
    known = are_finals(solutions) & ((grids == 0) | (grids == solutions)).all(axis=1)
    np.testing.assert_array_equal((forms > 0).sum(axis=1), np.where(known, (grids > 0).sum(axis=1), 0))


def _lines(bytes_: Bytes) -> None:
    lines = to_lines(FINALS[: 1 + bytes_.below(8)])
    for _ in range(bytes_.below(4)):
        row, at, sign = bytes_.below(len(lines)), bytes_.below(82), chr(bytes_.next())
        lines[row] = lines[row][:at] + sign + lines[row][at + bytes_.below(3) :]
    sound = all(len(line) == 81 and set(line) <= set("0123456789.") for line in lines)
    try:
        grids = from_lines(lines)
    except ValueError:
        assert not sound, "sound lines were refused"
        raise
    assert sound, "lines that are none were taken"
    assert to_lines(grids) == [line.replace(".", "0") for line in lines]


CALLS: Final[tuple[Callable[[Bytes], None], ...]] = (
    _solve, _solve_in_kernel, _generate, _dig, _dig_in_kernel, _grade, _grade_in_kernel, _canonical, _lines,
)  # fmt: skip


def one_input(data: bytes) -> None:
    """Does what the bytes say.

    Raises:
        AssertionError: a promise was broken.
        Exception: of another kind than those that are documented.
    """
    bytes_ = Bytes(data)
    call = CALLS[bytes_.below(len(CALLS))]
    try:
        call(bytes_)
    except REFUSED:
        return


def _guided(seconds: float, seed: int) -> None:
    atheris = importlib.import_module("atheris")
    methods = (
        NativeSolver.solve,
        NativeDigger.dig,
        NativeGenerator.generate,
        ExactCoverSolver.solve,
        ExplainerGrader.grade,
        ExplainerGrader.path,
        from_lines,
    )
    for function in (*globals().values(), *WAYS, *methods):
        if isinstance(function, FunctionType):
            atheris.instrument_func(function)
    bounds = [f"-max_total_time={seconds:.0f}", f"-seed={seed}", "-max_len=1024", "-len_control=0"]
    atheris.Setup([sys.argv[0], *bounds], one_input)
    atheris.Fuzz()


def main() -> int:
    """Tries inputs until the time is over; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--runs", type=int, default=2**62, help="so many inputs at most")
    parser.add_argument("--seed", type=int, default=1, help="another seed tries other inputs (default 1)")
    parser.add_argument("--guided", action="store_true", help="led by what is reached; needs atheris")
    parser.add_argument("--again", metavar="HEX", help="run this input only")
    asked = parser.parse_args()
    if asked.again is not None:
        one_input(bytes.fromhex(asked.again))
        return 0
    if asked.guided:
        _guided(asked.seconds, asked.seed)
        return 0
    random = np.random.default_rng(asked.seed)
    end = time.monotonic() + asked.seconds
    runs = 0
    while runs < asked.runs and time.monotonic() < end:
        data = random.bytes(int(random.integers(1, 600)))
        try:
            one_input(data)
        except BaseException:
            print(f"the input, for --again: {data.hex()}", file=sys.stderr)
            raise
        runs += 1
    print(f"{runs:,} inputs, nothing found")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
