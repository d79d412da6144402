"""Registers the engine. Rates were measured on one core with AVX2 and are rounded down."""

from __future__ import annotations

from collections.abc import Iterable

from sudokumill.contracts import (
    Digger,
    DiggerDescriptor,
    Generator,
    GeneratorDescriptor,
    Grader,
    GraderDescriptor,
    Solver,
    SolverDescriptor,
)
from sudokumill.hookspecs import hookimpl
from sudokumill_native.options import (
    ExplainerOptions,
    NativeDiggerOptions,
    NativeGeneratorOptions,
    SearchOptions,
)
from sudokumill_native.techniques import TECHNIQUES


@hookimpl
def sudokumill_register_generators() -> Iterable[GeneratorDescriptor]:
    """The generator of this package."""
    yield GeneratorDescriptor(
        name="native",
        version="2",
        summary="uniform finals: a random band and stack, the rest by coins, all equally likely",
        factory=_generator,
        detail=_build,
        options=NativeGeneratorOptions,
        rate=70_000,
    )


@hookimpl
def sudokumill_register_diggers() -> Iterable[DiggerDescriptor]:
    """The digger of this package."""
    yield DiggerDescriptor(
        name="native",
        version="1",
        summary="takes clues out in random or fixed order, to a clue count, a pattern or the end",
        factory=_digger,
        detail=_build,
        options=NativeDiggerOptions,
        rate=50_000,
        engine="native",
    )


@hookimpl
def sudokumill_register_solvers() -> Iterable[SolverDescriptor]:
    """The solvers of this package."""
    yield SolverDescriptor(
        name="native",
        version="2",
        summary="search over minirows and minicolumns, up to 32 puzzles in lockstep",
        factory=_native_solver,
        detail=_build,
        options=SearchOptions,
        engine="native",
        rate=2_000_000,
    )
    yield SolverDescriptor(
        name="exact-cover",
        version="1",
        summary="search over the 324 constraints of the exact cover; shares no code with native",
        factory=_exact_cover_solver,
        options=SearchOptions,
        engine="exact-cover",
        rate=100_000,
    )


@hookimpl
def sudokumill_register_graders() -> Iterable[GraderDescriptor]:
    """The grader of this package."""
    yield GraderDescriptor(
        name="explainer",
        version="1",
        summary="the classic Sudoku Explainer scale (ER, EP, ED), the same for every isomorph",
        factory=_grader,
        options=ExplainerOptions,
        rate=5_000,
        techniques=TECHNIQUES,
        scale=(1.0, 12.0),
        extras=("er", "ep", "ed", "rating_sum", "bottleneck"),
        # the most clues seen among 13,000 puzzles with clues added back were 70, 65, 51 and 42; some room is left
        clue_limits=((2.6, 74), (7.1, 70), (7.6, 62), (9.0, 54)),
    )


# Each factory imports what it builds when it is called, so that listing the plugins does not load the kernel.
# ruff: noqa: PLC0415


def _build() -> str:
    from sudokumill_native.builds import describe_build

    return describe_build()


def _generator(options: NativeGeneratorOptions) -> Generator:
    from sudokumill_native.generator import NativeGenerator

    return NativeGenerator(options)


def _digger(options: NativeDiggerOptions) -> Digger:
    from sudokumill_native.digger import NativeDigger

    return NativeDigger(options)


def _native_solver(options: SearchOptions) -> Solver:
    from sudokumill_native.solvers import NativeSolver, UnboundedNativeSolver

    return (UnboundedNativeSolver if options.max_nodes is None else NativeSolver)(options)


def _exact_cover_solver(options: SearchOptions) -> Solver:
    from sudokumill_native.solvers import ExactCoverSolver

    return ExactCoverSolver(options)


def _grader(options: ExplainerOptions) -> Grader:
    from sudokumill_native.grader import ExplainerGrader

    return ExplainerGrader(options)
