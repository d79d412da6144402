"""What each method of this plugin can be asked for.

The option models stand apart from the methods, so that registering them imports none of the methods.
"""

from __future__ import annotations

from typing import Final

from pydantic import Field, model_validator

from sudokumill.contracts import Options
from sudokumill.grids.cell_orders import Order
from sudokumill.grids.description import PAPER_LEVELS
from sudokumill.targets import ClueTarget, check_line_min


class RandomRowOptions(Options):
    """Options of ``random-row``."""

    max_shuffles: int = Field(
        default=220,
        ge=10,
        le=1_000_000,
        description="a grid starts over at this number of shuffles since its last start",
    )
    max_starts: int = Field(default=1_000, ge=1, le=1_000_000, description="starts after which a grid is given up")


class MatrixTransformOptions(Options):
    """Options of ``matrix-transform``."""

    template: int | None = Field(
        default=None,
        ge=1,
        le=8,
        description="number of the seed final to transform; by default each row draws one",
    )


class LasVegasOptions(Options):
    """Options of ``las-vegas``."""

    n: int = Field(default=11, ge=0, le=28, description="random digits that are placed before the search")
    max_nodes: int = Field(default=1_000, ge=81, le=10_000_000, description="placements that a try may cost")
    max_tries: int = Field(default=1_000, ge=1, le=1_000_000, description="tries after which a grid is given up")


class TemplatePermutationOptions(Options):
    """Options of ``template-permutation``."""

    first_digit: int = Field(default=1, ge=1, le=9, description="the digit in the top-left cell of every final")


class BacktrackingOptions(Options):
    """Options of ``dfs``."""

    max_nodes: int | None = Field(
        default=1_000_000,
        ge=1,
        description="placements that one puzzle may cost before the search gives up; none: no bound",
    )


class RandomBlankOptions(BacktrackingOptions):
    """Options of ``random-blank``."""

    seed: int = Field(default=0, ge=0, le=2**64 - 1, description="another seed takes the blanks in another order")


class SinglesAndPairsOptions(Options):
    """Options of ``singles-and-pairs``."""

    ceiling: float | None = Field(
        default=None,
        ge=1.0,
        le=11.0,
        description="highest rating of interest; what is surely above is not graded to its end",
    )
    max_nodes: int | None = Field(
        default=20_000,
        ge=1,
        description="placements after which the search for a second solution gives up; none: no bound",
    )


LEVEL_ORDERS: Final = (Order.RANDOM, Order.RANDOM, Order.JUMP, Order.SNAKE, Order.ROWS)
"""The order of each level 1 .. 5 of the paper "Sudoku Puzzles Generating: from Easy to Evil"."""

_HIGHEST_AIM_OF_LEVEL_1: Final = 60
"""Level 1 is "50 clues and more". A grid with fewer than 21 blanks is hardly a game, so none is aimed at."""


_MOST_CLUES_DUG_TO_THE_END: Final = 31
"""Of 100,000 finals that were dug until no clue could go, none kept more than 30. Minimal puzzles of up to 40
clues are known, but nobody finds them by digging."""


class HolesOptions(ClueTarget):
    """Options of ``holes``.

    A level of the paper stands for a clue range, least clues per row and column and an order, all at once. So
    a level together with one of these is refused. None means "not said" for all of them, which keeps a value
    that was said apart from a default; the methods below give what holds.
    """

    order: Order | None = Field(default=None, description="order in which cells are tried (default random)")
    row_min: int | None = Field(default=None, ge=0, le=9, description="least clues in every row (default 0)")
    column_min: int | None = Field(default=None, ge=0, le=9, description="least clues in every column (default 0)")
    level: int | None = Field(
        default=None,
        ge=1,
        le=5,
        description="level of the paper 'from Easy to Evil': sets clues, least clues and order",
    )

    @model_validator(mode="after")
    def _do_not_contradict(self) -> HolesOptions:
        if self.level is not None:
            for name in ("clues", "clues_min", "clues_max", "order", "row_min", "column_min"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"level={self.level} and {name}={getattr(self, name)} contradict each other: "
                        f"a level sets {name} itself; leave out one of them"
                    )
        least, most = self.clue_range()
        if self.minimal and self.level is not None and least > _MOST_CLUES_DUG_TO_THE_END:
            raise ValueError(
                f"level={self.level} and minimal=true contradict each other: the level keeps {least} clues "
                f"or more, and a puzzle that is dug until no clue can go {_MOST_CLUES_DUG_TO_THE_END} at most"
            )
        for name, line_min in zip(("row_min", "column_min"), self.line_mins(), strict=True):
            check_line_min(name, line_min, most)
        return self

    def default_range(self) -> tuple[int, int]:
        """22 to 30 clues, or the level's range."""
        if self.level is None:
            return 22, 30
        level = PAPER_LEVELS[self.level - 1]
        return level.clues_min, level.clues_max

    def aimed_range(self) -> tuple[int, int]:
        """The range from which the clue count that each puzzle aims at is drawn."""
        least, most = self.clue_range()
        return least, min(most, _HIGHEST_AIM_OF_LEVEL_1) if self.level == 1 else most

    def cell_order(self) -> Order:
        """The order in which cells are tried."""
        if self.level is not None:
            return LEVEL_ORDERS[self.level - 1]
        return self.order or Order.RANDOM

    def line_mins(self) -> tuple[int, int]:
        """The least clues of every row and of every column."""
        if self.level is not None:
            line_min = PAPER_LEVELS[self.level - 1].line_clues_min
            return line_min, line_min
        return self.row_min or 0, self.column_min or 0
