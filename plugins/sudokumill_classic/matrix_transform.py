"""Generator ``matrix-transform``: a seed final, turned and relabelled by a random isomorphism.

The method of "matrix transformations" in the project's sources: exchange of digits, of rows within a band, of
columns within a stack, of bands, of stacks, and transposition. ``sudokumill.grids.isomorphisms`` draws from the
whole group of 9! * 2 * 6**8 = 1,218,998,108,160 operations, each with the same probability.

It is fast and gives very many finals, but only eight that are *essentially* different, one a template: all
images of one final are the same puzzle material to a solver and to a grader.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sudokumill.contracts import GenerateResult, GenerateStatus
from sudokumill.grids.batch import from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.streams import Seeds, Streams
from sudokumill_classic.options import MatrixTransformOptions

TEMPLATES: Final = from_lines(
    [
        "376124859892357146154869237427915683983246715615738492239471568548692371761583924",
        "589436172612957483437281965756192348248375619193648527824513796975864231361729854",
        "475218369913674825682359471541827936368491752297536184834162597756943218129785643",
        "782461593931528647654937281576182439319674825428395716147853962293746158865219374",
        "236178549574239186819645327498317652325496718761852934653724891982561473147983265",
        "529874361864391527137652849351726498748519632296438175682147953915263784473985216",
        "128346795394527681675918234856731429417892356932654178283169547741285963569473812",
        "657841923924763185831592467172456398386279541495318276549187632218634759763925814",
    ]
)
"""Shape (8, 81): the seed finals, which ``random-row`` made from the seeds 1 to 8. No isomorphism takes one to
another; a test proves it by how the rows and columns of a band or stack permute each other's digits."""
TEMPLATES.setflags(write=False)


class MatrixTransform:
    """One random image of a seed final for each row.

    Args:
        options: which seed final; if none is named, each row draws one of the eight.
    """

    def __init__(self, options: MatrixTransformOptions) -> None:
        self._template = options.template

    def generate(self, seeds: Seeds) -> GenerateResult:
        """One final a seed.

        Args:
            seeds: shape (n,), uint64.
        """
        streams = Streams(seeds)
        if self._template is None:
            chosen = streams.below(len(TEMPLATES))
        else:
            chosen = np.full(len(seeds), self._template - 1)
        finals = draw(streams).apply(TEMPLATES[chosen])
        return GenerateResult(finals, np.full(len(seeds), GenerateStatus.MADE, dtype=np.uint8))
