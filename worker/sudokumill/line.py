"""The production line: makes a range of positions with a job's implementations, and verifies what comes out.

    generate   seeds ----> finals                valid?
    levels     seeds ----> finals ----> puzzles  clues of the final? one solution, counted by the checker? it?
    dig       inputs = finals ----> puzzles      the same
    solve     inputs ----> counts, solutions     is what is called a solution one?

No row is handed on without its check, whoever made it. There is no SQL and no Celery here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import (
    Digger,
    DigResult,
    DigStatus,
    GenerateResult,
    GenerateStatus,
    Generator,
    Solver,
    SolveResult,
    SolveStatus,
)
from sudokumill.grids.batch import CELLS, Grids
from sudokumill.grids.clashes import are_finals
from sudokumill.grids.description import describe
from sudokumill.isolation import Pieces, add_up, check_dug, check_generated, check_solved, isolate
from sudokumill.jobs import JobKind, JobSpec, Part
from sudokumill.registry import Implementation, Registry
from sudokumill.rows import Batch, FinalRows, ItemError, LevelRows, Positions, ReportSum, SolutionRows, merge
from sudokumill.streams import SeedRole, Seeds, position_seeds, role_seeds

R = TypeVar("R")
S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True)
class _Tool:
    """An implementation that stands in the line."""

    part: Part
    found: Implementation
    built: object

    def error(self, position: int, reason: str) -> ItemError:
        return ItemError(position, self.part, f"{self.found.reference} of {self.found.owner}", reason)


class _Sieve:
    """The rows of a batch that are sound so far; each row that falls out leaves one item error."""

    def __init__(self, positions: Positions, errors: list[ItemError]) -> None:
        self.sound = np.ones(len(positions), dtype=np.bool_)
        self._positions = positions
        self._errors = errors

    def drop(self, tool: _Tool, bad: NDArray[np.bool_], reason: str) -> None:
        """Takes out the sound rows where ``bad`` (shape (n,)) is set; a row's first reason stands."""
        for row in np.flatnonzero(self.sound & bad):
            self.drop_row(tool, int(row), reason)

    def drop_row(self, tool: _Tool, row: int, reason: str) -> None:
        """Takes out one row."""
        self.sound[row] = False
        self._errors.append(tool.error(int(self._positions[row]), reason))


class Line:
    """A line for one job. Built once a process, run for batch after batch.

    Args:
        spec: the job.
        registry: where its implementations are found.

    Raises:
        UsageError, PluginError: an implementation is missing, has another version, or cannot be built.
    """

    def __init__(self, spec: JobSpec, registry: Registry) -> None:
        self._spec = spec
        self._tools: dict[Part, _Tool] = {}
        # the digger comes last: it may be given the solver
        for part in sorted(spec.parts, key=lambda part: part is Part.DIGGER):
            choice = spec.parts[part]
            wanted = f"{choice.name}=={choice.version}" if choice.pinned else choice.name
            found = registry.find(part.role, wanted)
            options = registry.options(found, choice.options)
            solver = self._solver(Part.SOLVER) if part is Part.DIGGER else None
            self._tools[part] = _Tool(part, found, registry.build(found, options, solver=solver))

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
            return Batch(FinalRows(positions, finals), tuple(errors), reports)
        sieve = _Sieve(positions, errors)
        puzzles, on_target = self._dig(sieve, finals, seeds, reports)
        self._check_solutions(sieve, puzzles, finals)
        nodes = self._count_nodes(sieve, puzzles)
        keep = np.flatnonzero(sieve.sound)
        puzzles = puzzles[keep]
        rows = LevelRows(
            positions=positions[keep],
            finals=finals[keep],
            puzzles=puzzles,
            on_target=on_target[keep],
            nodes=nodes[keep],
            minimal=self._are_minimal(puzzles),
            descriptions=describe(puzzles),
        )
        return Batch(rows, tuple(errors), reports)

    # --- stages ------------------------------------------------------------------------------------------

    def _generate(
        self, sieve: _Sieve, positions: Positions, seeds: Seeds, reports: dict[str, ReportSum]
    ) -> tuple[NDArray[np.bool_], Grids]:
        """Which rows came out well, and the finals of all; a row that did not is zeros."""
        tool = self._tools[Part.GENERATOR]
        generator: Generator = tool.built  # type: ignore[assignment] # the registry checked its method
        fed = _read_only(positions.astype(np.uint64) if self._spec.enumerated else seeds)
        pieces = isolate(lambda rows: generator.generate(fed[rows]), check_generated, len(positions))
        finals, status = _gather(
            pieces, len(positions), lambda result: (result.finals, result.status), GenerateStatus.GAVE_UP
        )
        _add_reports(pieces, reports)
        for row, reason in pieces.failed:
            sieve.drop_row(tool, row, reason)
        sieve.drop(tool, status == GenerateStatus.GAVE_UP, "gave up")
        sieve.drop(tool, ~are_finals(finals), "invalid final")
        return sieve.sound, finals

    def _dig(
        self, sieve: _Sieve, finals: Grids, seeds: Seeds, reports: dict[str, ReportSum]
    ) -> tuple[Grids, NDArray[np.bool_]]:
        """Puzzles, and which of them are what was asked for; keeps only subsets of their finals."""
        tool = self._tools[Part.DIGGER]
        digger: Digger = tool.built  # type: ignore[assignment] # the registry checked its method
        fed, shown = _read_only(role_seeds(seeds, SeedRole.DIGGER)), _read_only(finals)
        pieces = isolate(lambda rows: digger.dig(shown[rows], fed[rows]), check_dug, len(finals))
        puzzles, status = _gather(
            pieces, len(finals), lambda result: (result.puzzles, result.status), DigStatus.GAVE_UP
        )
        _add_reports(pieces, reports)
        for row, reason in pieces.failed:
            sieve.drop_row(tool, row, reason)
        sieve.drop(tool, status == DigStatus.GAVE_UP, "gave up")
        sieve.drop(tool, status == DigStatus.NOT_A_FINAL, "refused a valid final")
        sieve.drop(tool, ((puzzles != 0) & (puzzles != finals)).any(axis=1), "not a subset of its final")
        return puzzles, status == DigStatus.DUG

    def _check_solutions(self, sieve: _Sieve, puzzles: Grids, finals: Grids) -> None:
        """Keeps the rows of which the checker counts exactly one solution, and it the final."""
        digger = self._tools[Part.DIGGER]
        rows = np.flatnonzero(sieve.sound)
        pieces = _solve_pieces(self._solver(Part.CHECKER), puzzles[rows])
        for row, reason in pieces.failed:
            sieve.drop_row(self._tools[Part.CHECKER], int(rows[row]), reason)
        for where, result in pieces.good:
            for reason, bad in (
                ("the checker gave up", result.status == SolveStatus.GAVE_UP),
                ("2 solutions", result.status == SolveStatus.SEVERAL),
                ("no solution", result.status != SolveStatus.UNIQUE),
                ("its solution is not its final", (result.solutions != finals[rows[where]]).any(axis=1)),
            ):
                spread = np.zeros(len(puzzles), dtype=np.bool_)
                spread[rows[where]] = bad
                sieve.drop(digger, spread, reason)

    def _count_nodes(self, sieve: _Sieve, puzzles: Grids) -> NDArray[np.int64]:
        """Search nodes of the job's solver, -1 where it gave up; shape (n,)."""
        nodes = np.full(len(puzzles), -1, dtype=np.int64)
        rows = np.flatnonzero(sieve.sound)
        pieces = _solve_pieces(self._solver(Part.SOLVER), puzzles[rows])
        for row, reason in pieces.failed:
            sieve.drop_row(self._tools[Part.SOLVER], int(rows[row]), reason)
        for where, result in pieces.good:
            nodes[rows[where]] = np.where(result.status == SolveStatus.GAVE_UP, -1, result.nodes)
        return nodes

    def _are_minimal(self, puzzles: Grids) -> NDArray[np.bool_]:
        """Which puzzles lose uniqueness with any single clue: all their one-clue-less grids are counted to two.

        Clues that are tried first are those of the first cells, a clue of every puzzle at a time; a puzzle with
        one that can go is decided and drops out, so puzzles with clues to spare cost a few counts, not thirty.
        """
        solver = self._solver(Part.SOLVER)
        minimal = np.ones(len(puzzles), dtype=np.bool_)
        counts = (puzzles > 0).sum(axis=1)
        order = np.argsort(puzzles == 0, axis=1, kind="stable")
        done = 0
        step = 1
        while done < int(counts.max(initial=0)):
            left = np.flatnonzero(minimal)
            tried = np.arange(done, min(done + step, CELLS))
            rows, places = np.repeat(left, len(tried)), np.tile(tried, len(left))
            real = places < counts[rows]
            rows, places = rows[real], places[real]
            fewer = puzzles[rows]
            fewer[np.arange(len(rows)), order[rows, places]] = 0
            pieces = _solve_pieces(solver, fewer)
            for where, result in pieces.good:
                minimal[rows[where][result.status != SolveStatus.SEVERAL]] = False
            for row, _ in pieces.failed:
                minimal[rows[row]] = False  # not shown to be minimal
            done += step
            step *= 3
        return minimal

    def _solve(self, positions: Positions, puzzles: Grids) -> Batch:
        """Counts solutions of inputs; what is called a solution must be one."""
        tool = self._tools[Part.SOLVER]
        pieces = _solve_pieces(self._solver(Part.SOLVER), puzzles, self._spec.limit)
        errors = [tool.error(int(positions[row]), reason) for row, reason in pieces.failed]
        kept: list[SolutionRows] = []
        for where, result in pieces.good:
            given, here = puzzles[where], positions[where]
            solves = are_finals(result.solutions) & ((given == 0) | (given == result.solutions)).all(axis=1)
            none = (result.counts == 0) & (result.solutions == 0).all(axis=1)
            true = np.where(result.counts > 0, solves, none)
            agree = _counts_agree(result, self._spec.limit)
            good = true & agree
            for reason, bad in (
                ("its solution is none", ~true),
                ("its count and its status contradict each other", true & ~agree),
            ):
                errors += [tool.error(int(here[row]), reason) for row in np.flatnonzero(bad)]
            kept.append(
                SolutionRows(
                    here[good],
                    result.counts[good],
                    result.nodes[good],
                    result.status[good],
                    result.solutions[good],
                )
            )
        return Batch(_concatenate(kept), tuple(errors))

    # --- small parts -------------------------------------------------------------------------------------

    def _solver(self, part: Part) -> Solver:
        return self._tools[part].built  # type: ignore[return-value] # the registry checked its method


def _solve_pieces(solver: Solver, puzzles: Grids, limit: int = 2) -> Pieces[SolveResult]:
    shown = _read_only(puzzles)
    call: Callable[[slice], SolveResult] = lambda rows: solver.solve(shown[rows], limit=limit)  # noqa: E731
    return isolate(call, check_solved, len(puzzles))


def _counts_agree(result: SolveResult, limit: int) -> NDArray[np.bool_]:
    """Which rows have a count that their status allows; shape (n,)."""
    least = np.array([1, 2, 0, 0, 0, 1])[result.status]
    most = np.array([1, limit, 0, 0, limit, 1])[result.status]
    return (least <= result.counts) & (result.counts <= most)


def _read_only(array: NDArray[S]) -> NDArray[S]:
    """The same array for a plugin to read; writing on it would spoil what its result is checked against."""
    view = array.view()
    view.flags.writeable = False
    return view


def _gather(
    pieces: Pieces[R], count: int, take: Callable[[R], tuple[Grids, NDArray[np.uint8]]], missing: int
) -> tuple[Grids, NDArray[np.uint8]]:
    """Grids and statuses of all rows; where a call failed, zeros and the status ``missing``."""
    if len(pieces.good) == 1 and not pieces.failed:
        grids, status = take(pieces.good[0][1])
        # a plugin may hand out a transposed array; who works on it next may count on the order of a batch
        return np.ascontiguousarray(grids), status
    grids = np.zeros((count, CELLS), dtype=np.uint8)
    status = np.full(count, missing, dtype=np.uint8)
    for where, result in pieces.good:
        grids[where], status[where] = take(result)
    return grids, status


def _add_reports(pieces: Pieces[GenerateResult] | Pieces[DigResult], reports: dict[str, ReportSum]) -> None:
    for _, result in pieces.good:
        merge(reports, add_up(result.reports))


def _given(inputs: Grids | None) -> Grids:
    if inputs is None:
        raise ValueError("a solve job needs inputs")
    return inputs


def _concatenate(parts: list[SolutionRows]) -> SolutionRows:
    if not parts:
        empty = np.empty(0, np.int64)
        return SolutionRows(empty, empty, empty, np.empty(0, np.uint8), np.empty((0, 81), np.uint8))
    return SolutionRows(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("positions", "counts", "nodes", "status", "solutions")
        )
    )
