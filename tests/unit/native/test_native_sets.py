"""What takes many rows to show: 20,000 of each set, and memory that does not grow with a count."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sudokumill.contracts import SolveStatus
from sudokumill_native import _kernel
from sudokumill_native.bench import sets
from sudokumill_native.options import SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

SIZE = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["30 clues", "minimal"])
def test_every_build_solves_what_the_other_solver_solves(name: str) -> None:
    puzzles = sets.made(SIZE)[name]
    expected = ExactCoverSolver(SearchOptions()).solve(puzzles)
    assert len(puzzles) == SIZE
    assert (expected.status == SolveStatus.UNIQUE).all()
    for build in _kernel.builds:
        solved = NativeSolver(SearchOptions(), build).solve(puzzles)
        np.testing.assert_array_equal(solved.solutions, expected.solutions)
        np.testing.assert_array_equal(solved.counts, expected.counts)


@pytest.mark.slow
def test_every_minimal_puzzle_is_minimal_for_the_other_solver() -> None:
    puzzles = sets.made(SIZE)["minimal"]
    rows, cells = np.nonzero(puzzles)
    fewer = puzzles[rows]
    fewer[np.arange(len(rows)), cells] = 0
    assert (ExactCoverSolver(SearchOptions()).solve(fewer).status == SolveStatus.SEVERAL).all()


@pytest.mark.parametrize("build", _kernel.builds)
@pytest.mark.parametrize("rows", [1, 40])
def test_a_count_takes_no_more_memory_than_the_first_thousand(build: str, rows: int) -> None:
    # in a process of its own, as the peak of a process only rises
    program = f"""if True:
        import resource
        import numpy as np
        from sudokumill_native import _kernel
        def peak(limit):
            counts = _kernel.solve(np.zeros(({rows}, 81), dtype=np.uint8), limit, None, {build!r})[0]
            assert (counts == limit).all()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        few = peak(1_000)
        print(peak({1_000_000 if rows == 1 else 30_000}) - few)
    """
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 4_096  # KiB; a solution more for each count would take 80,000
