"""What a digger can be asked for, as options that every digger understands in the same way."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, model_validator

from sudokumill.contracts import Options
from sudokumill.grids.batch import CELLS
from sudokumill.grids.symmetries import Symmetry, orbits, possible_clue_counts

FEWEST_CLUES: Final = 17
"""No puzzle has fewer (McGuire, Tugemann, Civario: "There is no 16-clue Sudoku", 2012)."""

MOST_CLUES_OF_A_MINIMAL_PUZZLE: Final = 40
"""The largest minimal puzzles that anybody has found have 40 clues."""


def _possible(count: int) -> int:
    if count < FEWEST_CLUES:
        raise ValueError(f"{count}: no classic puzzle has fewer than {FEWEST_CLUES} clues")
    if count > CELLS:
        raise ValueError(f"{count}: a grid has {CELLS} cells")
    return count


# Bounds of a field would be checked as well, but say no reason; so they only stand in the schema.
ClueCount = Annotated[
    int, AfterValidator(_possible), Field(json_schema_extra={"minimum": FEWEST_CLUES, "maximum": CELLS})
]
"""A number of clues, 17 .. 81."""


class ClueRange(Options):
    """How many clues are to remain; base of diggers' option models.

    Contradictions that arithmetic alone can see are refused when the order is given, before any search.

    Attributes:
        clues: exactly so many clues; short for ``clues_min`` and ``clues_max`` with this value.
        clues_min: the fewest clues that the puzzle may keep.
        clues_max: the most clues that the puzzle may keep.
    """

    clues: ClueCount | None = Field(default=None, description="exactly so many clues")
    clues_min: ClueCount | None = Field(default=None, description="least number of clues")
    clues_max: ClueCount | None = Field(default=None, description="greatest number of clues")

    @model_validator(mode="after")
    def _is_a_range(self) -> ClueRange:
        if self.clues is not None and (self.clues_min is not None or self.clues_max is not None):
            raise ValueError("clues says exactly how many; leave out clues_min and clues_max, or clues")
        least, most = self.clue_range()
        if least > most:
            raise ValueError(f"the smallest clue count, {least}, is above the largest, {most}")
        return self

    def default_range(self) -> tuple[int, int]:
        """The range where the options name none; diggers may narrow it."""
        return FEWEST_CLUES, CELLS

    def clue_range(self) -> tuple[int, int]:
        """The least and the greatest number of clues that meet the target."""
        if self.clues is not None:
            return self.clues, self.clues
        least, most = self.default_range()
        if self.clues_min is not None:
            least = self.clues_min
            most = max(most, least) if self.clues_max is None else most
        if self.clues_max is not None:
            most = self.clues_max
            least = min(least, most) if self.clues_min is None else least
        return least, most


class ClueTarget(ClueRange):
    """Clue range, symmetry and minimality; for diggers that can do all three.

    Attributes:
        symmetry: cells of one orbit are dug together or not at all.
        minimal: dig until no single clue can go.
    """

    symmetry: Symmetry = Field(default=Symmetry.NONE, description="symmetry of the clue cells")
    minimal: bool = Field(default=False, description="only puzzles from which no single clue can be taken")

    @model_validator(mode="after")
    def _can_be_met(self) -> ClueTarget:
        least, most = self.clue_range()
        if not possible_clue_counts(self.symmetry) & set(range(least, most + 1)):
            asked = f"{least}" if least == most else f"{least} to {most}"
            sizes = sorted({len(orbit) for orbit in orbits(self.symmetry)}, reverse=True)
            raise ValueError(
                f"symmetry={self.symmetry.value} excludes {asked} clues: its cells go together "
                f"in groups of {' or '.join(map(str, sizes))}" + _quarter_turn_rule(self.symmetry)
            )
        if self.minimal and least > MOST_CLUES_OF_A_MINIMAL_PUZZLE:
            raise ValueError(
                f"minimal: no minimal puzzle of more than {MOST_CLUES_OF_A_MINIMAL_PUZZLE} clues is known, "
                f"but at least {least} are to remain"
            )
        return self


def _quarter_turn_rule(symmetry: Symmetry) -> str:
    return ", so the count is 0 or 1 modulo 4" if symmetry is Symmetry.ROT90 else ""
