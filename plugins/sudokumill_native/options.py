"""What the generator, the digger and the solvers can be asked for.

The option models stand apart from what they configure, so that registering them does not load the kernel.
"""

from __future__ import annotations

from pydantic import Field

from sudokumill.contracts import Options
from sudokumill.grids.symmetries import possible_clue_counts
from sudokumill.targets import ClueTarget


class SearchOptions(Options):
    """Options of both solvers."""

    max_nodes: int | None = Field(
        default=None,
        ge=1,
        lt=2**63,
        description="placements that one puzzle may cost before the search gives up; none: no bound",
    )


class NativeGeneratorOptions(Options):
    """Options of generator ``native``."""

    uniformity: int = Field(
        default=15,
        ge=13,
        le=18,
        description="how evenly finals are drawn: all that ever come up are equally likely; the share that "
        "never does is 9 % at 13, 1.3 % at 14, 0.05 % at 15, 0.005 % at 16, 0.0007 % at 17, none that was ever "
        "seen at 18; each step takes twice the time",
    )


class NativeDiggerOptions(ClueTarget):
    """Options of digger ``native``: those of every digger. Without a clue count it digs to the end."""

    def aims(self) -> list[int]:
        """The clue counts at which a row may stop: those of the range that the symmetry allows.

        ``[0]``, which nothing reaches, if no clue count is asked for.
        """
        if (self.clues, self.clues_min, self.clues_max) == (None, None, None):
            return [0]
        least, most = self.clue_range()
        return sorted(possible_clue_counts(self.symmetry) & set(range(least, most + 1)))


class ExplainerOptions(Options):
    """Options of grader ``explainer``."""

    effort: int = Field(
        default=10_000_000,
        ge=1,
        lt=2**63,
        description="assumptions that one puzzle may cost before it is given up: a candidate taken to be right or "
        "wrong, and what follows from that; below a rating of 7.6 none is made",
    )
    ceiling: float | None = Field(
        default=None,
        ge=1,
        le=20,
        description="a puzzle that is surely rated above this is not graded to its end; none: all are",
    )
