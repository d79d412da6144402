"""Classes of essentially the same grids: canonical forms, as far as whoever finds them can be believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sudokumill.contracts import Canonicaliser
from sudokumill.grids.batch import CELLS, Grids, digests, to_lines
from sudokumill.grids.canonical import canonical_forms
from sudokumill.isolation import isolate


@dataclass(frozen=True)
class Forms:
    """Canonical forms of a batch."""

    forms: Grids
    """Shape (n, 81); zeros where there is none."""
    failed: tuple[tuple[int, str], ...]
    """Rows that have none, and why."""


def verified_forms(canonicaliser: Canonicaliser | None, grids: Grids, solutions: Grids) -> Forms:
    """The canonical form of each grid.

    A row at which the canonicaliser raises, or gives what cannot be the form of its grid, has none; the others
    have theirs all the same.

    Args:
        canonicaliser: who finds them; None: the host itself, which takes a thousand times as long.
        grids: shape (n, 81): puzzles, or finals.
        solutions: shape (n, 81): the only solution of each.
    """
    fast = None if canonicaliser is None else canonicaliser.canonical
    pieces = isolate(
        lambda rows: canonical_forms(grids[rows], solutions[rows], fast), lambda found, _: found, len(grids)
    )
    forms = np.zeros((len(grids), CELLS), dtype=np.uint8)
    for rows, found in pieces.good:
        forms[rows] = found
    return Forms(forms, pieces.failed)


def class_ids(canonicaliser: Canonicaliser | None, grids: Grids, solutions: Grids) -> list[bytes | None]:
    """The class of each grid, None where it cannot be found; arguments as those of ``verified_forms``."""
    forms = verified_forms(canonicaliser, grids, solutions).forms
    known: list[bool] = np.any(forms, axis=1).tolist()
    return [each if there else None for each, there in zip(digests(to_lines(forms)), known, strict=True)]
