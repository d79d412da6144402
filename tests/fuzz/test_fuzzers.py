"""Each fuzzer for a moment, always with the same inputs; a person runs them for as long as they like."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sudokumill.contracts import SolveResult
from sudokumill.grids.batch import Grids
from sudokumill_native.solvers import NativeSolver

HERE = Path(__file__).parent


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, HERE / f"{name}.py", *words], capture_output=True, text=True, check=False
    )


def test_the_binding_keeps_its_promises() -> None:
    ran = run("fuzz_binding", "--runs", "1000", "--seconds", "600")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "1,000 inputs, nothing found\n", "")


def test_the_fuzzer_of_the_binding_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(NativeSolver):
        def solve(self, puzzles: Grids, limit: int = 2) -> SolveResult:
            result = super().solve(puzzles, limit)
            result.solutions[: len(puzzles) // 2, 40] ^= 1
            return result

    fuzzer = load("fuzz_binding")
    monkeypatch.setattr(fuzzer, "NativeSolver", Wrong)
    random = np.random.default_rng(1)
    inputs = [random.bytes(300) for _ in range(200)]
    with pytest.raises(AssertionError):
        any(map(fuzzer.one_input, inputs))


@pytest.mark.slow
@pytest.mark.timeout(1200)  # most of it is the compiler's
def test_the_kernel_keeps_its_promises(tmp_path: Path) -> None:
    if load("fuzz_kernel").find_clang() is None:
        pytest.skip("there is no clang++ with libFuzzer (on Debian: apt-get install clang)")
    ran = run("fuzz_kernel", "--runs", "300", "--seconds", "600", "--folder", str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert "Done 300 runs" in ran.stderr
    assert not [
        path for path in tmp_path.iterdir() if path.name.startswith(("crash-", "timeout-", "leak-", "oom-"))
    ]
