"""The production line: makes a range of positions with a job's implementations, and verifies what comes out.

    generate   seeds ----> finals                valid?
    levels     seeds ----> finals ----> puzzles  clues of the final? one solution, counted by the checker? it?
    dig       inputs = finals ----> puzzles      the same
    solve     inputs ----> counts, solutions     is what is called a solution one?
    grade     inputs ----> grades                is it a puzzle? does the grade agree with itself?

Levels and dug puzzles are graded too where the job has a grader, and brought to their canonical form where
somebody can do that.

No row is handed on without its check, whoever made it. There is no SQL and no Celery here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudokumill.classing import verified_forms
from sudokumill.contracts import (
    Canonicaliser,
    Digger,
    DigStatus,
    GenerateStatus,
    Generator,
    Grader,
    GraderDescriptor,
    Options,
    Solver,
    SolveStatus,
)
from sudokumill.grading import REFUSALS, Graded, Promises, spread, verified_grade
from sudokumill.grids.batch import CELLS, Grids, read_only
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.description import describe
from sudokumill.isolation import Pieces, add_up, isolate, take_dug, take_generated
from sudokumill.jobs import Distinct, JobKind, JobSpec, Part
from sudokumill.minimality import are_minimal
from sudokumill.registry import Implementation, Registry
from sudokumill.registry.canonicaliser import named_canonicaliser
from sudokumill.rows import (
    Batch,
    FinalRows,
    GradeRows,
    Grades,
    ItemError,
    LevelRows,
    Positions,
    ReportSum,
    SolutionRows,
    merge,
)
from sudokumill.solving import verified_solve
from sudokumill.streams import SeedRole, Seeds, position_seeds, role_seeds

R = TypeVar("R")
S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True)
class _Tool:
    """An implementation that stands in the line."""

    part: Part
    found: Implementation
    built: object
    options: Options

    def error(self, position: int, reason: str) -> ItemError:
        return ItemError(position, self.part, f"{self.found.reference} of {self.found.owner}", reason)


class _Sieve:
    """The rows of a batch that are sound so far; each row that falls out leaves one item error."""

    def __init__(self, positions: Positions, errors: list[ItemError]) -> None:
        self.sound = np.ones(len(positions), dtype=np.bool_)
        self._positions = positions
        self.errors = errors

    def pass_over(self, rows: NDArray[np.bool_]) -> int:
        """Takes out rows that nobody is to blame for; how many of them were sound. Shape of ``rows``: (n,)."""
        passed = int(np.count_nonzero(self.sound & rows))
        self.sound &= ~rows
        return passed

    def drop(self, tool: _Tool, bad: NDArray[np.bool_], reason: str, rows: NDArray[np.intp] | None = None) -> None:
        """Takes out the sound rows where ``bad`` is set; a row's first reason stands.

        Args:
            tool: the implementation at fault.
            bad: shape (n,), or that of ``rows``.
            reason: why.
            rows: the rows of the batch that ``bad`` speaks of; None for all.
        """
        where = np.flatnonzero(bad) if rows is None else rows[bad]
        self.drop_rows(tool, [(int(row), reason) for row in where[self.sound[where]]])

    def drop_rows(
        self, tool: _Tool, failed: Sequence[tuple[int, str]], rows: NDArray[np.intp] | None = None
    ) -> None:
        """Takes out single rows, each with its reason; with ``rows``, they are indices into it."""
        for index, reason in failed:
            row = index if rows is None else int(rows[index])
            self.sound[row] = False
            self.errors.append(tool.error(int(self._positions[row]), reason))


class Line:
    """A line for one job. Built once a process, run for batch after batch.

    Args:
        spec: the job.
        registry: where its implementations are found.
        classes: give the canonical forms of what is dug, and of finals where the job wants no isomorphs.

    Raises:
        UsageError, PluginError: an implementation is missing, has another version, or cannot be built.
    """

    def __init__(self, spec: JobSpec, registry: Registry, *, classes: bool = False) -> None:
        self._spec = spec
        self._tools: dict[Part, _Tool] = {}
        # the digger comes last: it may be given the solver
        for part in sorted(spec.parts, key=lambda part: part is Part.DIGGER):
            choice = spec.parts[part]
            wanted = f"{choice.name}=={choice.version}" if choice.pinned else choice.name
            found = registry.find(part.role, wanted)
            options = registry.options(found, choice.options | (spec.aim if part is Part.DIGGER else {}))
            solver = self._solver(Part.SOLVER) if part is Part.DIGGER else None
            self._tools[part] = _Tool(part, found, registry.build(found, options, solver=solver), options)
        self._no_isomorphs = spec.distinct is Distinct.ISOMORPH
        self._classes = classes and (Part.DIGGER in spec.parts or self._no_isomorphs)
        self._canonicaliser = self._find_canonicaliser(registry) if self._classes else None

    def _find_canonicaliser(self, registry: Registry) -> _Tool | None:
        """Who finds canonical forms: the job's solver, if it can; they do not depend on who does it."""
        own = self._tools.get(Part.SOLVER)
        if own is not None and isinstance(own.built, Canonicaliser):
            return own
        found = named_canonicaliser(registry)
        if found is None:
            return None
        implementation, built = found
        return _Tool(Part.SOLVER, implementation, built, registry.options(implementation, {}))

    @property
    def versions(self) -> dict[str, str]:
        """``NAME==VERSION`` of what stands at each part: what a chunk's row keeps."""
        return {part.value: self._tools[part].found.reference for part in Part if part in self._tools}

    def run(self, start: int, stop: int, inputs: Grids | None = None) -> Batch:
        """Makes and verifies positions ``start`` .. ``stop - 1``.

        Args:
            start: the first position.
            stop: the position after the last.
            inputs: shape (stop - start, 81): the grids of these positions, for jobs that start from grids.
        """
        positions = np.arange(start, stop, dtype=np.int64)
        if self._spec.kind is JobKind.SOLVE:
            return self._solve(positions, _given(inputs))
        if self._spec.kind is JobKind.GRADE:
            return self._grade_inputs(positions, _given(inputs))
        seeds = position_seeds(self._spec.seed, positions)
        errors: list[ItemError] = []
        reports: dict[str, ReportSum] = {}
        if inputs is None:
            sound, finals = self._generate(_Sieve(positions, errors), positions, seeds, reports)
            if not sound.all():
                positions, finals, seeds = positions[sound], finals[sound], seeds[sound]
        else:
            finals = inputs
        if self._spec.kind is JobKind.GENERATE:
            sieve = _Sieve(positions, errors)
            forms = self._find_forms(sieve, finals, finals)
            if not sieve.sound.all():
                positions, finals = positions[sieve.sound], finals[sieve.sound]
            return Batch(FinalRows(positions, finals, _some(forms, sieve.sound)), tuple(errors), reports)
        sieve = _Sieve(positions, errors)
        puzzles, on_target = self._dig(sieve, finals, seeds, reports)
        barren = sieve.pass_over(~on_target & ~puzzles.any(axis=1))
        self._check_solutions(sieve, puzzles, finals)
        nodes = self._count_nodes(sieve, puzzles, reports)
        grades = self._grade(sieve, puzzles)
        if grades is not None and self._spec.difficulty is not None:
            on_target &= self._spec.difficulty.met_by(grades)
        forms = self._find_forms(sieve, puzzles, finals)
        keep = np.flatnonzero(sieve.sound)
        puzzles = puzzles[keep]
        rows = LevelRows(
            positions=positions[keep],
            finals=finals[keep],
            puzzles=puzzles,
            on_target=on_target[keep],
            nodes=nodes[keep],
            minimal=are_minimal(self._solver(Part.SOLVER), puzzles, finals[keep]),
            descriptions=describe(puzzles),
            grades=None if grades is None else grades.take(keep),
            forms=_some(forms, keep),
        )
        return Batch(rows, tuple(errors), reports, barren)

    # --- stages ------------------------------------------------------------------------------------------

    def _generate(
        self, sieve: _Sieve, positions: Positions, seeds: Seeds, reports: dict[str, ReportSum]
    ) -> tuple[NDArray[np.bool_], Grids]:
        """Which rows came out well, and the finals of all; a row that did not is zeros."""
        tool = self._tools[Part.GENERATOR]
        generator: Generator = tool.built  # type: ignore[assignment] # the registry checked its method
        fed = read_only(positions.astype(np.uint64) if self._spec.enumerated else seeds)
        pieces = isolate(lambda rows: generator.generate(fed[rows]), take_generated, len(positions))
        finals, status = _gather(
            pieces, len(positions), lambda result: (result.finals, result.status), GenerateStatus.GAVE_UP
        )
        for _, result in pieces.good:
            merge(reports, add_up(result.reports), tool.part)
        sieve.drop_rows(tool, pieces.failed)
        sieve.drop(tool, status == GenerateStatus.GAVE_UP, "gave up")
        sieve.drop(tool, ~are_finals(finals), "invalid final")
        return sieve.sound, finals

    def _dig(
        self, sieve: _Sieve, finals: Grids, seeds: Seeds, reports: dict[str, ReportSum]
    ) -> tuple[Grids, NDArray[np.bool_]]:
        """Puzzles, and which of them are what was asked for; keeps only subsets of their finals."""
        tool = self._tools[Part.DIGGER]
        digger: Digger = tool.built  # type: ignore[assignment] # the registry checked its method
        fed, shown = read_only(role_seeds(seeds, SeedRole.DIGGER)), read_only(finals)
        pieces = isolate(lambda rows: digger.dig(shown[rows], fed[rows]), take_dug, len(finals))
        puzzles, status = _gather(
            pieces, len(finals), lambda result: (result.puzzles, result.status), DigStatus.GAVE_UP
        )
        for _, result in pieces.good:
            merge(reports, add_up(result.reports), tool.part)
        sieve.drop_rows(tool, pieces.failed)
        sieve.drop(tool, status == DigStatus.GAVE_UP, "gave up")
        sieve.drop(tool, status == DigStatus.NOT_A_FINAL, "refused a valid final")
        sieve.drop(tool, ((puzzles != 0) & (puzzles != finals)).any(axis=1), "not a subset of its final")
        return puzzles, status == DigStatus.DUG

    def _check_solutions(self, sieve: _Sieve, puzzles: Grids, finals: Grids) -> None:
        """Keeps the rows of which the checker counts exactly one solution, and it the final."""
        digger, checker = self._tools[Part.DIGGER], self._tools[Part.CHECKER]
        rows = np.flatnonzero(sieve.sound)
        solved = verified_solve(self._solver(Part.CHECKER), puzzles[rows])
        sieve.drop_rows(checker, solved.failed, rows)
        status = solved.result.status
        for tool, reason, bad in (
            (checker, "gave up on a dug puzzle", status == SolveStatus.GAVE_UP),
            (digger, "2 solutions", status == SolveStatus.SEVERAL),
            (digger, "no solution", status != SolveStatus.UNIQUE),
            (digger, "its solution is not its final", (solved.result.solutions != finals[rows]).any(axis=1)),
        ):
            sieve.drop(tool, bad, reason, rows)

    def _count_nodes(self, sieve: _Sieve, puzzles: Grids, reports: dict[str, ReportSum]) -> NDArray[np.int64]:
        """Search nodes of the job's solver, -1 where it gave up; shape (n,)."""
        rows = np.flatnonzero(sieve.sound)
        solved = verified_solve(self._solver(Part.SOLVER), puzzles[rows])
        sieve.drop_rows(self._tools[Part.SOLVER], solved.failed, rows)
        merge(reports, solved.reports, Part.SOLVER)
        nodes = np.full(len(puzzles), -1, dtype=np.int64)
        known = solved.result.status != SolveStatus.GAVE_UP
        nodes[rows[known]] = solved.result.nodes[known]
        return nodes

    def _grade(self, sieve: _Sieve, puzzles: Grids) -> Grades | None:
        """Grades of the rows that are sound so far; None where there is no grader."""
        tool = self._tools.get(Part.GRADER)
        if tool is None:
            return None
        rows = np.flatnonzero(sieve.sound)
        graded = self._graded(sieve, tool, puzzles[rows], rows)
        return spread(graded.grades, rows, len(puzzles))

    def _graded(self, sieve: _Sieve, tool: _Tool, puzzles: Grids, rows: NDArray[np.intp]) -> Graded:
        """Grades puzzles, and drops what gets none."""
        grader: Grader = tool.built  # type: ignore[assignment] # the registry checked its method
        declared: GraderDescriptor = tool.found.descriptor  # type: ignore[assignment] # it is a grader's
        graded = verified_grade(grader, puzzles, Promises.of(declared, tool.options))
        sieve.drop_rows(tool, graded.failed, rows)
        for status, reason in REFUSALS.items():
            sieve.drop(tool, graded.grades.status == status, reason, rows)
        return graded

    def _find_forms(self, sieve: _Sieve, grids: Grids, finals: Grids) -> Grids | None:
        """Canonical forms of the rows that are sound so far, zeros for all others; None where nobody wants them.

        Where the job wants no isomorphs, a row without a form is dropped: whether it is one cannot be said.
        """
        tool = self._canonicaliser
        if not self._classes or (tool is None and not self._no_isomorphs):
            return None
        rows = np.flatnonzero(sieve.sound)
        built: Canonicaliser | None = None if tool is None else tool.built  # type: ignore[assignment] # as it was found
        found = verified_forms(built, grids[rows], finals[rows])
        if tool is not None and self._no_isomorphs:
            sieve.drop_rows(tool, [(row, f"no canonical form: {reason}") for row, reason in found.failed], rows)
        forms = np.zeros_like(grids)
        forms[rows] = found.forms
        return forms

    def _grade_inputs(self, positions: Positions, puzzles: Grids) -> Batch:
        """Grades inputs; one that is no puzzle, or complete, is an item error."""
        sieve = _Sieve(positions, [])
        graded = self._graded(sieve, self._tools[Part.GRADER], puzzles, np.arange(len(puzzles)))
        keep = np.flatnonzero(sieve.sound)
        rows = GradeRows(positions[keep], puzzles[keep], graded.grades.take(keep))
        return Batch(rows, tuple(sieve.errors))

    def _solve(self, positions: Positions, puzzles: Grids) -> Batch:
        """Counts solutions of inputs."""
        tool = self._tools[Part.SOLVER]
        solved = verified_solve(self._solver(Part.SOLVER), puzzles, self._spec.limit)
        sieve = _Sieve(positions, [])
        sieve.drop_rows(tool, solved.failed)
        good, result = sieve.sound, solved.result
        rows = SolutionRows(
            positions[good], result.counts[good], result.nodes[good], result.status[good], result.solutions[good]
        )
        reports: dict[str, ReportSum] = {}
        merge(reports, solved.reports, Part.SOLVER)
        return Batch(rows, tuple(sieve.errors), reports)

    def _solver(self, part: Part) -> Solver:
        return self._tools[part].built  # type: ignore[return-value] # the registry checked its method


def _gather(
    pieces: Pieces[R], count: int, take: Callable[[R], tuple[Grids, NDArray[np.uint8]]], missing: int
) -> tuple[Grids, NDArray[np.uint8]]:
    """Grids and statuses of all rows; where a call failed, zeros and the status ``missing``."""
    if len(pieces.good) == 1 and not pieces.failed:
        return take(pieces.good[0][1])
    grids = np.zeros((count, CELLS), dtype=np.uint8)
    status = np.full(count, missing, dtype=np.uint8)
    for where, result in pieces.good:
        grids[where], status[where] = take(result)
    return grids, status


def _some(forms: Grids | None, rows: NDArray[Any]) -> Grids | None:
    return None if forms is None else forms[rows]


def _given(inputs: Grids | None) -> Grids:
    if inputs is None:
        raise ValueError("a job of this kind needs inputs")
    return inputs
