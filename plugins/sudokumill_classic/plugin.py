"""Registers the methods of this package. Rates were measured on one core and are rounded down."""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial
from typing import Final

from sudokumill.contracts import (
    Digger,
    DiggerDescriptor,
    Generator,
    GeneratorDescriptor,
    Grader,
    GraderDescriptor,
    Solver,
    SolverDescriptor,
    Technique,
)
from sudokumill.hookspecs import hookimpl
from sudokumill_classic.options import (
    BacktrackingOptions,
    HolesOptions,
    LasVegasOptions,
    MatrixTransformOptions,
    RandomBlankOptions,
    RandomRowOptions,
    SinglesAndPairsOptions,
    TemplatePermutationOptions,
)

TEMPLATE_PERMUTATIONS: Final = factorial(8) * 2 * 6 * 6
"""Finals of ``template-permutation``: exchanges of eight digits times orders of rows 2-3, 4-6 and 7-9."""


@hookimpl
def sudokumill_register_generators() -> Iterable[GeneratorDescriptor]:
    """The generators of this package."""
    yield GeneratorDescriptor(
        name="random-row",
        version="1",
        summary="fills row by row from shuffled digits; a row that gets stuck is tried again",
        factory=_random_row,
        options=RandomRowOptions,
        rate=25_000,
    )
    yield GeneratorDescriptor(
        name="matrix-transform",
        version="1",
        summary="turns and relabels one of eight seed finals by a random isomorphism",
        factory=_matrix_transform,
        options=MatrixTransformOptions,
        rate=150_000,
    )
    yield GeneratorDescriptor(
        name="las-vegas",
        version="1",
        summary="random digits at random cells, the rest by search; a try that fails is drawn again",
        factory=_las_vegas,
        options=LasVegasOptions,
        rate=3_000,
    )
    yield GeneratorDescriptor(
        name="template-permutation",
        version="1",
        summary="all 2,903,040 finals of one template by exchange of digits and rows, in a fixed order",
        factory=_template_permutation,
        options=TemplatePermutationOptions,
        rate=8_000_000,
        size=_template_permutation_size,
    )


@hookimpl
def sudokumill_register_diggers() -> Iterable[DiggerDescriptor]:
    """The diggers of this package."""
    yield DiggerDescriptor(
        name="holes",
        version="1",
        summary="cell by cell in one of four orders, with the five levels of 'from Easy to Evil'",
        factory=_holes,
        options=HolesOptions,
        rate=4_000,
        uses_solver=True,
    )


@hookimpl
def sudokumill_register_solvers() -> Iterable[SolverDescriptor]:
    """The solvers of this package."""
    yield SolverDescriptor(
        name="dfs",
        version="1",
        summary="backtracking cell by cell, left to right, top to bottom",
        factory=_dfs,
        options=BacktrackingOptions,
        engine="backtracking",
        rate=10,
    )
    yield SolverDescriptor(
        name="random-blank",
        version="1",
        summary="backtracking that takes the blanks in random order",
        factory=_random_blank,
        options=RandomBlankOptions,
        engine="backtracking",
        rate=2,
    )


@hookimpl
def sudokumill_register_graders() -> Iterable[GraderDescriptor]:
    """The grader of this package; what it declares is read off the table of its techniques."""
    from sudokumill_classic.singles_and_pairs import EXTRAS, LADDER, NAMES

    yield GraderDescriptor(
        name="singles-and-pairs",
        version="1",
        summary="ratings of Sudoku Explainer to 3.4, by techniques that are written to be read",
        factory=_singles_and_pairs,
        options=SinglesAndPairsOptions,
        rate=20,
        techniques=tuple(Technique(code, rating, NAMES[code]) for rating, code, _ in LADDER),
        scale=(LADDER[0][0], LADDER[-1][0]),
        extras=EXTRAS,
    )


# Each factory imports its method when it is called, so that listing the plugins builds no table.
# ruff: noqa: PLC0415


def _random_row(options: RandomRowOptions) -> Generator:
    from sudokumill_classic.random_row import RandomRow

    return RandomRow(options)


def _matrix_transform(options: MatrixTransformOptions) -> Generator:
    from sudokumill_classic.matrix_transform import MatrixTransform

    return MatrixTransform(options)


def _las_vegas(options: LasVegasOptions) -> Generator:
    from sudokumill_classic.las_vegas import LasVegas

    return LasVegas(options)


def _template_permutation(options: TemplatePermutationOptions) -> Generator:
    from sudokumill_classic.template_permutation import TemplatePermutation

    return TemplatePermutation(options)


def _template_permutation_size(options: TemplatePermutationOptions) -> int:
    return TEMPLATE_PERMUTATIONS


def _holes(options: HolesOptions, solver: Solver) -> Digger:
    from sudokumill_classic.holes import Holes

    return Holes(options, solver)


def _dfs(options: BacktrackingOptions) -> Solver:
    from sudokumill_classic.dfs import Dfs

    return Dfs(options)


def _random_blank(options: RandomBlankOptions) -> Solver:
    from sudokumill_classic.random_blank import RandomBlank

    return RandomBlank(options)


def _singles_and_pairs(options: SinglesAndPairsOptions) -> Grader:
    from sudokumill_classic.singles_and_pairs import SinglesAndPairs

    return SinglesAndPairs(options)
