"""The check of solvers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import Canonicaliser, MinimalityTester, Role, Solver, SolveResult, SolveStatus
from sudokumill.grids.batch import Grids
from sudokumill.grids.canonical import canonical_forms
from sudokumill.grids.clashes import are_finals
from sudokumill.minimality import minimal_by_counts
from sudokumill.testing.invariance import check_invariance, check_processes
from sudokumill.testing.samples import CLASH, Known, known_grids, sample_finals
from sudokumill.testing.subject import Target, Values, find_subject
from sudokumill.testing.trial import Trial


def check_solver(
    target: Target, options: Values | None = None, *, hard: bool = False, budget: Values | None = None
) -> None:
    """Checks a solver on grids with no, one, two and many solutions, and on such as clash.

    The canonical forms of one that is a ``Canonicaliser`` are checked as well, and what one that is a
    ``MinimalityTester`` says of puzzles.

    Args:
        target: a descriptor, an implementation of a registry, or its name (see ``Target``).
        options: option values; None is the defaults.
        hard: also on the empty grid and on minimal puzzles, for solvers that are to be done with anything.
        budget: option values that leave it so little that it has to give up on these; then it is checked that it
            does, and that what it says is a lower bound.

    Raises:
        ConformanceError, UnfindableError, UsageError: as ``check_generator``.
    """
    trial = Trial.of(find_subject(Role.SOLVER, target, options), 0, hard)
    result = check_invariance(trial)
    table, grids = known_grids(hard)
    trial.check_refusals()
    first: Grids | None = None
    for limit in (1, 2, 3, 10, 1000):
        answer = _solve(trial, limit)
        for row, known in enumerate(table):
            fault = _answer_fault(known, grids[row], answer, row, limit)
            if fault is not None:
                raise trial.broke(
                    "answers are right", f"{known.what}, limit {limit}: {fault}", f"{row}:{row + 1}", limit
                )
        first = answer.solutions if first is None else first
        moved = (first != answer.solutions).any(axis=1)
        trial.refuse_rows("the first solution is kept", moved, f"has another one with limit {limit}")
    _check_canonical(trial)
    _check_minimal(trial)
    if budget is not None:
        _check_budget(Trial.of(find_subject(Role.SOLVER, target, budget), 0, hard=True))
    check_processes(trial, result)


def _check_canonical(trial: Trial) -> None:
    solver = trial.subject.build()
    if not isinstance(solver, Canonicaliser):
        return
    finals = sample_finals(4)[:4]
    without_one_digit = np.where(finals > 1, finals, 0).astype(np.uint8)
    for grids in (finals, without_one_digit):
        try:
            wrong = not np.array_equal(solver.canonical(grids, finals), canonical_forms(grids, finals))
        except Exception as error:
            raise trial.broke("canonical forms are right", f"{type(error).__name__}: {error}") from error
        if wrong:
            raise trial.broke("canonical forms are right", "one differs from grids.canonical.canonical_forms")


def _check_minimal(trial: Trial) -> None:
    solver = trial.subject.build()
    if not isinstance(solver, MinimalityTester):
        return
    table, grids = known_grids(hard=True)
    puzzles = np.ascontiguousarray(grids[[known.count == 1 for known in table]])
    counting: Solver = solver  # type: ignore[assignment] # the kit has found it to be one
    solutions = counting.solve(puzzles).solutions
    # each of them once more with a clue to spare; and the last row has the solution of another puzzle
    spare = puzzles.copy()
    first_blanks = np.argmin(spare, axis=1)
    rows = np.arange(len(spare))
    spare[rows, first_blanks] = solutions[rows, first_blanks]
    puzzles = np.concatenate([puzzles, spare, puzzles[:1]])
    solutions = np.concatenate([solutions, solutions, solutions[-1:]])
    expected = minimal_by_counts(counting, puzzles) == 1
    expected[-1] = False
    try:
        answers = solver.minimal(puzzles, solutions)
        alone = solver.minimal(puzzles[-2:-1], solutions[-2:-1])
    except Exception as error:
        raise trial.broke("minimal puzzles are right", f"{type(error).__name__}: {error}") from error
    if not isinstance(answers, np.ndarray) or answers.dtype != np.bool_ or answers.shape != expected.shape:
        raise trial.broke("minimal puzzles are right", "minimal must return an array of bool, one a puzzle")
    if not np.array_equal(answers, expected) or not np.array_equal(alone, expected[-2:-1]):
        raise trial.broke("minimal puzzles are right", "one answer is not what the counts without each clue say")



def _check_budget(trial: Trial) -> None:
    table, grids = known_grids(hard=True)
    result = _solve(trial, 1000)
    gave_up = result.status == SolveStatus.GAVE_UP
    if not gave_up.any():
        raise trial.broke("the budget is kept", "it gave up on none of the grids")
    for row, known in enumerate(table):
        count = int(result.counts[row])
        fault = _answer_fault(known, grids[row], result, row, 1000)
        if gave_up[row]:
            fault = f"{count} solutions, more than it has" if count > max(known.count, 0) else None
            if count and not _solves(grids[row], result.solutions[row]):
                fault = "its solution is none"
        if fault is not None:
            raise trial.broke("what gave up is a lower bound", f"{known.what}: {fault}", f"{row}:{row + 1}", 1000)


def _solve(trial: Trial, limit: int) -> SolveResult:
    result = trial.run(limit=limit)
    assert isinstance(result, SolveResult)
    return result


def _answer_fault(known: Known, grid: NDArray[np.uint8], result: SolveResult, row: int, limit: int) -> str | None:
    """What is wrong with one answer; a solver that gave up answers wrongly here."""
    count, status = int(result.counts[row]), SolveStatus(int(result.status[row]))
    nodes, solution = int(result.nodes[row]), result.solutions[row]
    wanted = min(max(known.count, 0), limit)
    if count != wanted:
        return f"{count} solutions ({status.name}), not {wanted}"
    allowed = _solve_statuses(known, limit)
    if status not in allowed:
        return f"status {status.name}, not {' or '.join(each.name for each in allowed)}"
    if nodes < 0 or (known.count == CLASH and nodes):
        return f"{nodes} nodes"
    if not count:
        return "a solution where there is none" if solution.any() else None
    return None if _solves(grid, solution) else "its solution is none"


def _solves(grid: NDArray[np.uint8], solution: NDArray[np.uint8]) -> bool:
    return bool(are_finals(solution[None, :])[0] and ((grid == 0) | (grid == solution)).all())


def _solve_statuses(known: Known, limit: int) -> tuple[SolveStatus, ...]:
    if known.count == CLASH:
        return (SolveStatus.CLASH,)
    if known.count == 0:
        return (SolveStatus.NO_SOLUTION,)
    if limit == 1:
        # One that needed no search may be known to be the only one.
        return (SolveStatus.SOLVABLE, SolveStatus.UNIQUE) if known.count == 1 else (SolveStatus.SOLVABLE,)
    return (SolveStatus.UNIQUE,) if known.count == 1 else (SolveStatus.SEVERAL,)
