"""What a digger can be asked for, as options that every digger understands in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sudokumill.contracts import Options
from sudokumill.grids.batch import CELLS, cell_name
from sudokumill.grids.symmetries import Symmetry, deciding_orbit, orbits, possible_clue_counts

FEWEST_CLUES: Final = 17
"""No puzzle has fewer (McGuire, Tugemann, Civario: "There is no 16-clue Sudoku", 2012)."""

MOST_CLUES: Final = CELLS - 1
"""A complete grid is no puzzle."""

MOST_CLUES_OF_A_MINIMAL_PUZZLE: Final = 40
"""The largest minimal puzzles that anybody has found have 40 clues."""


def _possible(count: int) -> int:
    if count < FEWEST_CLUES:
        raise ValueError(f"{count}: no classic puzzle has fewer than {FEWEST_CLUES} clues")
    if count > CELLS:
        raise ValueError(f"{count}: a grid has {CELLS} cells")
    if count > MOST_CLUES:
        raise ValueError(f"{count}: nothing would be left to solve; a level has {MOST_CLUES} clues or fewer")
    return count


# Bounds of a field would be checked as well, but say no reason; so they only stand in the schema.
ClueCount = Annotated[
    int, AfterValidator(_possible), Field(json_schema_extra={"minimum": FEWEST_CLUES, "maximum": MOST_CLUES})
]
"""A number of clues, 17 .. 80."""


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
        return FEWEST_CLUES, MOST_CLUES

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


def check_line_min(name: str, line_min: int, most: int) -> None:
    """Refuses least clues of a row or column that need more clues than are to remain.

    Args:
        name: of the option, ``row_min`` or ``column_min``.
        line_min: its value.
        most: the greatest number of clues.

    Raises:
        ValueError: they contradict each other.
    """
    if 9 * line_min > most:
        raise ValueError(
            f"{name}={line_min} needs {9 * line_min} clues or more, but at most {most} are to remain; "
            f"lower {name} or raise clues_max"
        )


# --- which cells ------------------------------------------------------------------------------------------

_BLANKS: Final = "0."


def _as_pattern(text: str) -> str:
    """81 times 0 or 1; white space goes, so that a pattern may come as nine lines."""
    cells = "".join(text.split())
    if len(cells) != CELLS or not cells.isprintable():
        raise ValueError(
            f"{len(cells)} characters; a pattern has {CELLS} cells: 0 or . is blank, anything else a clue cell"
        )
    pattern = "".join("0" if cell in _BLANKS else "1" for cell in cells)
    clue_cells = [cell for cell in range(CELLS) if pattern[cell] == "1"]
    if len(clue_cells) < FEWEST_CLUES:
        raise ValueError(f"the pattern has {len(clue_cells)} clue cells, at least {FEWEST_CLUES} are needed")
    if len(clue_cells) > MOST_CLUES:
        raise ValueError("every cell of the pattern is a clue cell, so nothing would be left to solve")
    _check_lines(clue_cells)
    return pattern


def _joined(value: object) -> object:
    return ",".join(value) if isinstance(value, list | tuple) and all(isinstance(v, str) for v in value) else value


def _as_cells(text: str) -> str:
    """Names of cells in reading order, parted by commas: ``r1c1,r5c5``."""
    cells: set[int] = set()
    for name in text.replace(",", " ").split():
        found = re.fullmatch("r([1-9])c([1-9])", name.lower())
        if found is None:
            raise ValueError(f"{name!r} is no cell; write r1c1 to r9c9, parted by commas")
        cells.add(9 * int(found[1]) + int(found[2]) - 10)
    return ",".join(map(cell_name, sorted(cells)))


def _check_lines(clue_cells: Iterable[int]) -> None:
    """Refuses cells that leave two rows of a band, or two columns of a stack, without any clue."""
    cells = list(clue_cells)
    for line, group, used in (
        ("rows", "band", {cell // 9 for cell in cells}),
        ("columns", "stack", {cell % 9 for cell in cells}),
    ):
        for first in (0, 3, 6):
            empty = [number + 1 for number in range(first, first + 3) if number not in used]
            if len(empty) > 1:
                raise ValueError(
                    f"{line} {empty[0]} and {empty[1]} of one {group} are empty, so they can be exchanged and no "
                    "puzzle is unique"
                )


class CellTarget(ClueTarget):
    """Beyond clue range, symmetry and minimality: which cells are clues; for diggers that can do all of it.

    Attributes:
        pattern: the clue cells are exactly these; 81 times 0 (blank) or 1 (clue cell), in reading order.
        empty_cells: cells that stay blank, with all that the symmetry joins to them: ``r1c1,r5c5``.
        row_min: least clues in every row.
        column_min: least clues in every column.
    """

    pattern: Annotated[str, AfterValidator(_as_pattern)] | None = Field(
        default=None, description="exactly these clue cells: 81 characters, 0 or . for a blank, others for a clue"
    )
    empty_cells: Annotated[str, BeforeValidator(_joined), AfterValidator(_as_cells)] | None = Field(
        default=None, description="cells that stay blank, for example r1c1,r5c5"
    )
    row_min: int = Field(default=0, ge=0, le=9, description="least clues in every row")
    column_min: int = Field(default=0, ge=0, le=9, description="least clues in every column")

    @model_validator(mode="after")
    def _has_the_cells(self) -> CellTarget:
        self._check_pattern()
        self._check_empty_cells()
        most = self.clue_range()[1]
        blank = self.blank_cells()
        may_be_clues = [cell for cell in range(CELLS) if cell not in blank]
        for name, line_min, line, lines in (
            ("row_min", self.row_min, "row", [cell // 9 for cell in may_be_clues]),
            ("column_min", self.column_min, "column", [cell % 9 for cell in may_be_clues]),
        ):
            for number in range(9):
                if lines.count(number) < line_min:
                    raise ValueError(
                        f"{name}={line_min}, but {line} {number + 1} has {lines.count(number)} cells for clues"
                    )
            check_line_min(name, line_min, most)
        return self

    def default_range(self) -> tuple[int, int]:
        """With a pattern, the number of its clue cells."""
        if self.pattern is None:
            return super().default_range()
        return self.pattern.count("1"), self.pattern.count("1")

    def blank_cells(self) -> frozenset[int]:
        """The cells, 0 .. 80, that must be blank: those outside of the pattern, or the orbits of empty cells."""
        if self.pattern is not None:
            return frozenset(cell for cell in range(CELLS) if self.pattern[cell] == "0")
        named = self._named_empty()
        if not named:
            return frozenset()
        return frozenset(cell for orbit in orbits(self.symmetry) if named & set(orbit) for cell in orbit)

    def possible_counts(self) -> list[int]:
        """The clue counts of the range that symmetry and blank cells allow, rising."""
        least, most = self.clue_range()
        possible = possible_clue_counts(self.symmetry, self.blank_cells())
        return sorted(possible & set(range(least, most + 1)))

    def _named_empty(self) -> set[int]:
        if not self.empty_cells:
            return set()
        names = set(self.empty_cells.split(","))
        return {cell for cell in range(CELLS) if cell_name(cell) in names}

    def _check_pattern(self) -> None:
        if self.pattern is None:
            return
        count = self.pattern.count("1")
        least, most = self.clue_range()
        if not least <= count <= most:
            asked = f"at least {least}" if count < least else f"at most {most}"
            raise ValueError(f"the pattern has {count} clue cells, but {asked} are to remain")
        for orbit in orbits(self.symmetry):
            clues = [cell for cell in orbit if self.pattern[cell] == "1"]
            blanks = [cell for cell in orbit if self.pattern[cell] == "0"]
            if clues and blanks:
                raise ValueError(
                    f"the pattern has not symmetry={self.symmetry.value}: {cell_name(clues[0])} is a clue cell "
                    f"and {cell_name(blanks[0])}, which goes with it, is blank; mend the pattern or leave out "
                    "symmetry"
                )
        for cell in sorted(self._named_empty()):
            if self.pattern[cell] == "1":
                raise ValueError(f"{cell_name(cell)} is a clue cell of the pattern and one of empty_cells")

    def _check_empty_cells(self) -> None:
        if self.pattern is not None or not self.empty_cells:
            return
        blank = self.blank_cells()
        left = [cell for cell in range(CELLS) if cell not in blank]
        if len(left) < FEWEST_CLUES:
            raise ValueError(f"empty_cells leave {len(left)} cells for clues, at least {FEWEST_CLUES} are needed")
        _check_lines(left)
        if self.possible_counts():
            return
        least, most = self.clue_range()
        if least > len(left):
            raise ValueError(f"empty_cells leave {len(left)} cells for clues, but at least {least} are to remain")
        asked = f"{least} clues" if least == most else f"{least} to {most} clues"
        number = deciding_orbit(self.symmetry)
        centre = -1 if number is None else orbits(self.symmetry)[number][0]
        middle = cell_name(centre) if centre in blank else ""
        raise ValueError(
            f"{asked} with symmetry={self.symmetry.value} need {middle or 'other cells'}, which "
            f"{'is' if middle else 'are'} among empty_cells: its other cells go together in groups of "
            f"{' or '.join(map(str, _group_sizes(self.symmetry, blank)))}"
        )


class AddedTarget(CellTarget):
    """Beyond all of that: clues that come back after a dig to the end; for diggers that can do all of it.

    Attributes:
        added: dig to the end, then put so many clues back.
    """

    added: int = Field(
        default=0,
        ge=0,
        le=40,
        description="dig to the end, whatever the clue count, and then put so many clues back, drawn at random: "
        "such levels are easier than those of a dig that stops at as many clues. Where cells go together, there "
        "may be a few more. A clue count that is asked for is only checked then",
    )

    @model_validator(mode="after")
    def _can_be_put_back(self) -> AddedTarget:
        if not self.added:
            return self
        for name, given in (("minimal", self.minimal), ("a pattern", self.pattern is not None)):
            if given:
                raise ValueError(f"added={self.added} contradicts {name}: leave out one of them")
        least, most = self.clue_range()
        if most < FEWEST_CLUES + self.added:
            raise ValueError(
                f"added={self.added} leaves {FEWEST_CLUES + self.added} clues or more, but at most {most} are to "
                "remain"
            )
        # where cells go together, or lines keep some clues, a dig may end with more than a minimal puzzle has
        ends_minimal = self.symmetry is Symmetry.NONE and not (self.row_min or self.column_min)
        if ends_minimal and least > MOST_CLUES_OF_A_MINIMAL_PUZZLE + self.added:
            raise ValueError(
                f"added={self.added} leaves at most {MOST_CLUES_OF_A_MINIMAL_PUZZLE + self.added} clues, for no "
                f"minimal puzzle of more than {MOST_CLUES_OF_A_MINIMAL_PUZZLE} is known, but at least {least} are "
                "to remain"
            )
        return self


def _group_sizes(symmetry: Symmetry, blank: frozenset[int]) -> list[int]:
    return sorted({len(orbit) for orbit in orbits(symmetry) if not blank & set(orbit)}, reverse=True)
