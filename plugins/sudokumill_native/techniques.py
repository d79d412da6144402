"""The techniques of grader ``explainer``, for those who only want to know their names.

They stand here beside the kernel's own list so that registering the grader does not load the kernel; a test holds
the two together.
"""

from __future__ import annotations

from typing import Final

from sudokumill.contracts import Technique

TECHNIQUES: Final = tuple(
    Technique(code, least, name)
    for code, least, name in (
        ("hidden-single-last", 1.0, "hidden single, the last empty cell of a row, column or box"),
        ("hidden-single-box", 1.2, "hidden single in a box"),
        ("hidden-single-line", 1.5, "hidden single in a row or column"),
        ("direct-pointing", 1.7, "pointing that places a digit at once"),
        ("direct-claiming", 1.9, "claiming that places a digit at once"),
        ("direct-hidden-pair", 2.0, "hidden pair that places a digit at once"),
        ("naked-single", 2.3, "naked single, the only digit that a cell can have"),
        ("direct-hidden-triplet", 2.5, "hidden triplet that places a digit at once"),
        ("pointing", 2.6, "pointing, a digit of a box that lies in one line"),
        ("claiming", 2.8, "claiming, a digit of a line that lies in one box"),
        ("naked-pair", 3.0, "naked pair"),
        ("x-wing", 3.2, "X-wing"),
        ("hidden-pair", 3.4, "hidden pair"),
        ("naked-triplet", 3.6, "naked triplet"),
        ("swordfish", 3.8, "swordfish"),
        ("hidden-triplet", 4.0, "hidden triplet"),
        ("xy-wing", 4.2, "XY-wing"),
        ("xyz-wing", 4.4, "XYZ-wing"),
        ("unique-rectangle-1", 4.5, "unique rectangle, type 1"),
        ("unique-rectangle-2", 4.5, "unique rectangle, type 2"),
        ("unique-rectangle-3", 4.5, "unique rectangle, type 3"),
        ("unique-rectangle-4", 4.5, "unique rectangle, type 4"),
        ("unique-loop-1", 4.6, "unique loop, type 1"),
        ("unique-loop-2", 4.6, "unique loop, type 2"),
        ("unique-loop-3", 4.6, "unique loop, type 3"),
        ("unique-loop-4", 4.6, "unique loop, type 4"),
        ("naked-quad", 5.0, "naked quad"),
        ("jellyfish", 5.2, "jellyfish"),
        ("hidden-quad", 5.4, "hidden quad"),
        ("bug-1", 5.6, "bivalue universal grave, type 1"),
        ("bug-2", 5.7, "bivalue universal grave, type 2"),
        ("bug-3", 5.8, "bivalue universal grave, type 3"),
        ("bug-4", 5.7, "bivalue universal grave, type 4"),
        ("aligned-pair-exclusion", 6.2, "aligned pair exclusion"),
        ("x-cycle", 6.5, "X-cycle, of one digit"),
        ("y-cycle", 6.5, "Y-cycle, through cells of two candidates"),
        ("forcing-x-chain", 6.6, "forcing X-chain, of one digit"),
        ("xy-cycle", 7.0, "XY-cycle, of several digits"),
        ("forcing-chain", 7.0, "forcing chain, of several digits"),
        ("aligned-triplet-exclusion", 7.5, "aligned triplet exclusion"),
        ("nishio", 7.5, "nishio, one digit assumed and contradicted"),
        ("cell-forcing-chains", 8.0, "cell forcing chains, one for each candidate of a cell"),
        ("region-forcing-chains", 8.0, "region forcing chains, one for each place of a digit"),
        ("dynamic-cell-forcing-chains", 8.5, "dynamic forcing chains for each candidate of a cell"),
        ("dynamic-region-forcing-chains", 8.5, "dynamic forcing chains for each place of a digit"),
        ("dynamic-contradiction-forcing-chains", 8.5, "dynamic forcing chains to a contradiction"),
        ("dynamic-double-forcing-chains", 8.5, "dynamic forcing chains from a candidate right and wrong"),
        ("dynamic-cell-forcing-chains-plus", 9.0, "dynamic forcing chains (+) for each candidate of a cell"),
        ("dynamic-region-forcing-chains-plus", 9.0, "dynamic forcing chains (+) for each place of a digit"),
        ("dynamic-contradiction-forcing-chains-plus", 9.0, "dynamic forcing chains (+) to a contradiction"),
        ("dynamic-double-forcing-chains-plus", 9.0, "dynamic forcing chains (+) from a candidate right and wrong"),
        ("nested-forcing-cell-chains", 9.5, "chains for each candidate of a cell, with forcing chains inside"),
        ("nested-forcing-region-chains", 9.5, "chains for each place of a digit, with forcing chains inside"),
        ("nested-forcing-contradiction-chains", 9.5, "chains to a contradiction, with forcing chains inside"),
        (
            "nested-forcing-double-chains",
            9.5,
            "chains from a candidate right and wrong, with forcing chains inside",
        ),
        (
            "nested-multiple-cell-chains",
            10.0,
            "chains for each candidate of a cell, with cell and region chains inside",
        ),
        (
            "nested-multiple-region-chains",
            10.0,
            "chains for each place of a digit, with cell and region chains inside",
        ),
        (
            "nested-multiple-contradiction-chains",
            10.0,
            "chains to a contradiction, with cell and region chains inside",
        ),
        (
            "nested-multiple-double-chains",
            10.0,
            "chains from a candidate right and wrong, with cell and region chains inside",
        ),
        ("nested-dynamic-cell-chains", 10.5, "chains for each candidate of a cell, with dynamic chains inside"),
        ("nested-dynamic-region-chains", 10.5, "chains for each place of a digit, with dynamic chains inside"),
        ("nested-dynamic-contradiction-chains", 10.5, "chains to a contradiction, with dynamic chains inside"),
        (
            "nested-dynamic-double-chains",
            10.5,
            "chains from a candidate right and wrong, with dynamic chains inside",
        ),
        (
            "nested-dynamic-plus-cell-chains",
            11.0,
            "chains for each candidate of a cell, with nested dynamic chains inside",
        ),
        (
            "nested-dynamic-plus-region-chains",
            11.0,
            "chains for each place of a digit, with nested dynamic chains inside",
        ),
        (
            "nested-dynamic-plus-contradiction-chains",
            11.0,
            "chains to a contradiction, with nested dynamic chains inside",
        ),
        (
            "nested-dynamic-plus-double-chains",
            11.0,
            "chains from a candidate right and wrong, with nested dynamic chains inside",
        ),
    )
)
"""Each with the least rating that a step by it has, and what it is called; in the order of the scale, which nearly
is that of search."""
