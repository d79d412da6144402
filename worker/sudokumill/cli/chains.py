"""The chains of a step, written out so that each of their links can be checked by hand.

if r1c1 is 3:
   2  r1c7 is not 3   by 1, in the same row
   3  r5c7 is 3       by 2, the only place left in its column
   ...
   8  r1c1 is not 3   by 7, in the same box
1 and 8 contradict each other, so r1c1 is not 3
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sudokumill.contracts import LINK_REASONS, Link, Step
from sudokumill.grids.batch import cell_name
from sudokumill.path_checking import claim, said_link


def drawn_chains(step: Step) -> str:
    """All chains of a step, and what they come to; no line for a step that has none."""
    lines: list[str] = []
    for chain in step.chains:
        lines += _drawn(chain)
    conclusions = [claim(cell, digit, True) for cell, digit in step.placements]
    conclusions += [claim(cell, digit, False) for cell, digit in step.eliminations]
    if len(step.chains) > 1:
        lines.append(f"in every case {', '.join(conclusions)}")
    elif step.chains:
        one, other = _contradiction(step.chains[0])
        lines.append(f"{one} and {other} contradict each other, so {', '.join(conclusions)}")
    return "\n".join(f"    {line}" for line in lines)


def chain_objects(step: Step) -> list[list[dict[str, Any]]]:
    """The chains for a program."""
    return [
        [
            {"cell": link.cell, "digit": link.digit, "on": link.on, "why": link.why, "since": list(link.since)}
            for link in chain
        ]
        for chain in step.chains
    ]


def _drawn(chain: Sequence[Link]) -> list[str]:
    width = max(len(said_link(link)) for link in chain)
    return [f"if {said_link(chain[0])}:"] + [
        f"{number:>4}  {said_link(link).ljust(width)}  {_reason(link)}" for number, link in enumerate(chain[1:], 2)
    ]


def _reason(link: Link) -> str:
    since = ", ".join(str(at + 1) for at in link.since)
    if link.why not in LINK_REASONS:
        return f"by {since}, which leave a {link.why}"
    if not link.on:
        return f"by {since}, in the same {link.why}"
    if link.why == "cell":
        return f"by {since}, the only digit left in {cell_name(link.cell)}"
    return f"by {since}, the only place left in its {link.why}"


def _contradiction(chain: Sequence[Link]) -> tuple[int, int]:
    """Numbers of two links that cannot both be; the path was checked, so there are such."""
    numbers = {(link.cell, link.digit, link.on): number for number, link in enumerate(chain, 1)}
    return next(
        (numbers[link.cell, link.digit, not link.on], number)
        for number, link in reversed(list(enumerate(chain, 1)))
        if (link.cell, link.digit, not link.on) in numbers
    )
