from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KERNEL = HERE.parents[2] / "plugins" / "sudokumill_native" / "kernel"

SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.mark.slow
def test_the_kernel_keeps_its_promises_under_sanitizers(tmp_path: Path) -> None:
    # compiled directly, as CMake need not be on the path of whoever installed a wheel
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"there is no C++ compiler {compiler[0]}")
    program = tmp_path / "kernel_test"
    sources = [HERE / "kernel_test.cpp", *sorted(KERNEL.glob("*.cpp"))]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    built = subprocess.run(
        [*compiler, "-std=c++20", "-O1", "-g", *warnings, *SANITIZED, f"-I{KERNEL}", *sources, "-o", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
