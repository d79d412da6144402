"""What the kit feeds to implementations: fixed, so that a row of a sample has the same name in every process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Seeds, Streams, position_seeds

FINAL: Final = "826495173759213864134786925978562341312974658645138792467851239291347586583629417"

MANY: Final = 10**9
"""Stands for a number of solutions that nobody counts to."""

CLASH: Final = -1
"""Stands for the count of a grid whose givens contradict each other."""


@dataclass(frozen=True)
class Known:
    """A grid whose number of solutions is known."""

    what: str
    line: str
    count: int
    """Exact; ``MANY``; or ``CLASH``."""


EASY: Final = (
    Known("a final", FINAL, 1),
    Known("a final without its last cell", FINAL[:80] + "0", 1),
    Known(
        "a puzzle with 41 clues",
        "006095000009003004130786000000062001010070658000138702067851239201300506500020017",
        1,
    ),
    Known("a final without its digits 1 and 2", FINAL.translate(str.maketrans("12", "00")), 2),
    Known(
        "a grid with 2 solutions",
        "020000073009000864130006900078000301010074000605100702060000039290040500580609417",
        2,
    ),
    Known(
        "a grid with 3 solutions",
        "020000070700000860134000005070560300012904600000130000460000230200300506500620407",
        3,
    ),
    Known(
        "a grid with 5 solutions",
        "820000003750000000030700920900560041312004008000038000460851230000000000580620400",
        5,
    ),
    Known(
        "a grid with 9 solutions",
        "026005100700010800100706020908062000010900008645130702060801009201000086583000007",
        9,
    ),
    Known("a final without its digits 1 to 3", FINAL.translate(str.maketrans("123", "000")), 90),
    Known("a final without its digits 1 to 4", FINAL.translate(str.maketrans("1234", "0000")), 4656),
    Known(
        "a grid without a clash that has no solution",
        "006095000009003004430786000000062001010070658000138702067851239201300506500020017",
        0,
    ),
    Known("a row with two 8s", "88" + FINAL[2:], CLASH),
    Known("a column with two 8s", "8" + "0" * 8 + FINAL[9:63] + "8" + "0" * 17, CLASH),
    Known("a box with two 8s", "8" + "0" * 9 + "8" + "0" * 70, CLASH),
)
"""At most 49 blanks where there is something to search, so that a plain backtracking solver is done at once."""

HARD: Final = (
    Known("the empty grid", "0" * 81, MANY),
    Known("a grid with one clue", "0" * 40 + "5" + "0" * 40, MANY),
    Known(
        "a minimal puzzle with 22 clues",
        "4.8........1...3.7.6...9..56.3..2.......51.8.......9......6..791.5.........34....",
        1,
    ),
    Known(
        "a minimal puzzle with 24 clues",
        "7.1.25.....4.6........9.7....2...9...6..8.5..94...3..237.8.......5..13.........6.",
        1,
    ),
    Known(
        "a grid with 22 clues that has no solution",
        "4.8........1...3.7.6...9..56.3..2.......51.8.......9......6..781.5.........34....",
        0,
    ),
)
"""For solvers that promise to be done with anything."""


def known_grids(hard: bool) -> tuple[tuple[Known, ...], Grids]:
    """The table, and its grids with one more: a cell with the number 10, which is a clash."""
    ten = from_lines([FINAL]).copy()
    ten[0, 80] = 10
    table = (*EASY, *(HARD if hard else ()))
    grids = np.concatenate([from_lines([known.line for known in table]), ten])
    return (*table, Known("a cell with the number 10", "", CLASH)), grids


@cache
def sample_seeds(count: int) -> Seeds:
    """Distinct seeds, the least and the greatest among them; shape (count,)."""
    ends = np.array([0, 2**64 - 1, 1], dtype=np.uint64)
    return np.concatenate([ends, position_seeds(20_240, np.arange(count))])[:count]


def sample_positions(size: int, count: int) -> Seeds:
    """Positions of an enumeration: the first, the last, and some between; sorted, at most ``count``."""
    third = max(1, count // 3)
    spread = np.linspace(third, size - third - 1, count - 2 * third).astype(np.int64)
    ends = np.concatenate([np.arange(third), np.arange(size - third, size)])
    positions = np.unique(np.concatenate([ends, spread]))
    return positions[(positions >= 0) & (positions < size)].astype(np.uint64)


@cache
def sample_finals(count: int) -> Grids:
    """Unlike finals, and at the end two grids that are none: one with a blank, one with a clash.

    Returns:
        Shape (count + 2, 81), read-only: an implementation must not write to what it is given.
    """
    finals = draw(Streams(sample_seeds(count))).apply(np.tile(from_lines([FINAL]), (count, 1)))
    blank, clash = finals[0].copy(), finals[0].copy()
    blank[40] = 0
    clash[0] = clash[1]
    grids = np.concatenate([finals, [blank, clash]])
    grids.setflags(write=False)
    return grids
