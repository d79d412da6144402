"""What the generator, the digger and the solvers can be asked for.

The option models stand apart from what they configure, so that registering them does not load the kernel.
"""

from __future__ import annotations

from pydantic import Field, model_validator

from sudokumill.contracts import Options
from sudokumill.grids.cell_orders import Order
from sudokumill.targets import AddedTarget


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
        "seen at 18; each step takes twice the time. Puzzles dug from uniform finals are not uniform",
    )


class NativeDiggerOptions(AddedTarget):
    """Options of digger ``native``. Without a clue count it digs to the end."""

    order: Order = Field(
        default=Order.RANDOM,
        description="order in which cells are tried; random: all orders are equally likely, but not all puzzles: "
        "those to which more orders lead come up more often, and a final with more puzzles does not",
    )

    @model_validator(mode="after")
    def _has_an_order(self) -> NativeDiggerOptions:
        if self.pattern is not None and "order" in self.model_fields_set:
            raise ValueError(
                f"order={self.order.value} has no meaning with a pattern, which says which cells go; leave it out"
            )
        return self

    def aims(self) -> list[int]:
        """The clue counts at which a row may stop: those of the range that symmetry and empty cells allow.

        ``[0]``, which nothing reaches, if no clue count is asked for.
        """
        if (self.clues, self.clues_min, self.clues_max) == (None, None, None):
            return [0]
        return self.possible_counts()


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
