"""What a technique has seen, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

Placement = tuple[int, int]
"""A cell, and the digit that goes into it."""

Elimination = tuple[int, int]
"""A cell, and the digit that does not."""


@dataclass(frozen=True)
class Found:
    """A pattern with its consequences; one without any is of no use, and is not yielded."""

    cells: tuple[int, ...]
    """The cells of the pattern, rising."""

    digits: tuple[int, ...]
    """Its digits, rising."""

    placements: tuple[Placement, ...] = ()
    eliminations: tuple[Elimination, ...] = ()
    """Candidates of the grid, rising."""
