"""What an audit found: broken invariants, and where each was seen."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

SHOWN: Final = 3
"""Places that a line names before it says how many more there are."""


class Findings:
    """Broken invariants, and where each was seen."""

    def __init__(self) -> None:
        self._where: dict[str, list[str]] = defaultdict(list)

    def note(self, invariant: str, where: object = "") -> None:
        """One more place at which it does not hold; nothing where there is but one."""
        self._where[invariant].append(str(where))

    def lines(self) -> tuple[str, ...]:
        """A line for each invariant that does not hold, with the first places."""
        return tuple(
            _line(invariant, [each for each in where if each]) for invariant, where in self._where.items()
        )


def _line(invariant: str, where: list[str]) -> str:
    if not where:
        return invariant
    more = f" and {len(where) - SHOWN:,} more" if len(where) > SHOWN else ""
    return f"{invariant}: {', '.join(where[:SHOWN])}{more}"
