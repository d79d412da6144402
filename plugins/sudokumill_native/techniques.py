"""The techniques of grader ``explainer``, for those who only want to know their names.

They stand here beside the kernel's own list so that registering the grader does not load the kernel; a test holds
the two together.
"""

from __future__ import annotations

from typing import Final

from sudokumill.contracts import Technique

TECHNIQUES: Final = tuple(
    Technique(code, least)
    for code, least in (
        ("hidden-single-last", 1.0),
        ("hidden-single-box", 1.2),
        ("hidden-single-line", 1.5),
        ("direct-pointing", 1.7),
        ("direct-claiming", 1.9),
        ("direct-hidden-pair", 2.0),
        ("naked-single", 2.3),
        ("direct-hidden-triplet", 2.5),
        ("pointing", 2.6),
        ("claiming", 2.8),
        ("naked-pair", 3.0),
        ("x-wing", 3.2),
        ("hidden-pair", 3.4),
        ("naked-triplet", 3.6),
        ("swordfish", 3.8),
        ("hidden-triplet", 4.0),
        ("xy-wing", 4.2),
        ("xyz-wing", 4.4),
        ("unique-rectangle-1", 4.5),
        ("unique-rectangle-2", 4.5),
        ("unique-rectangle-3", 4.5),
        ("unique-rectangle-4", 4.5),
        ("unique-loop-1", 4.6),
        ("unique-loop-2", 4.6),
        ("unique-loop-3", 4.6),
        ("unique-loop-4", 4.6),
        ("naked-quad", 5.0),
        ("jellyfish", 5.2),
        ("hidden-quad", 5.4),
        ("bug-1", 5.6),
        ("bug-2", 5.7),
        ("bug-3", 5.8),
        ("bug-4", 5.7),
        ("aligned-pair-exclusion", 6.2),
        ("x-cycle", 6.5),
        ("y-cycle", 6.5),
        ("forcing-x-chain", 6.6),
        ("xy-cycle", 7.0),
        ("forcing-chain", 7.0),
        ("aligned-triplet-exclusion", 7.5),
        ("nishio", 7.5),
        ("cell-forcing-chains", 8.0),
        ("region-forcing-chains", 8.0),
        ("dynamic-cell-forcing-chains", 8.5),
        ("dynamic-region-forcing-chains", 8.5),
        ("dynamic-contradiction-forcing-chains", 8.5),
        ("dynamic-double-forcing-chains", 8.5),
        ("dynamic-cell-forcing-chains-plus", 9.0),
        ("dynamic-region-forcing-chains-plus", 9.0),
        ("dynamic-contradiction-forcing-chains-plus", 9.0),
        ("dynamic-double-forcing-chains-plus", 9.0),
        ("nested-forcing-cell-chains", 9.5),
        ("nested-forcing-region-chains", 9.5),
        ("nested-forcing-contradiction-chains", 9.5),
        ("nested-forcing-double-chains", 9.5),
        ("nested-multiple-cell-chains", 10.0),
        ("nested-multiple-region-chains", 10.0),
        ("nested-multiple-contradiction-chains", 10.0),
        ("nested-multiple-double-chains", 10.0),
        ("nested-dynamic-cell-chains", 10.5),
        ("nested-dynamic-region-chains", 10.5),
        ("nested-dynamic-contradiction-chains", 10.5),
        ("nested-dynamic-double-chains", 10.5),
        ("nested-dynamic-plus-cell-chains", 11.0),
        ("nested-dynamic-plus-region-chains", 11.0),
        ("nested-dynamic-plus-contradiction-chains", 11.0),
        ("nested-dynamic-plus-double-chains", 11.0),
    )
)
"""Each with the least rating that a step by it has; in the order of the scale, which nearly is that of search."""
