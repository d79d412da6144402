from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KERNEL = HERE.parents[2] / "plugins" / "sudokumill_native" / "kernel"

SANITIZERS = ["address,undefined", "thread"]


def _succeeds(command: list[str | Path]) -> None:
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def _programs(folder: Path, *more: str) -> Iterator[Path]:
    """The kernel's tests, compiled directly: CMake need not be on the path of whoever installed a wheel."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"there is no C++ compiler {compiler[0]}")
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    options = ["-std=c++20", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *more, f"-I{KERNEL}"]
    options += ["-DSUDOKUMILL_X86"] if is_x86 else []
    objects = []
    for source in sorted(KERNEL.rglob("*.cpp")):
        flags = source.with_name(source.stem.removeprefix("engine_") + ".flags")
        if flags.exists() and not is_x86:
            continue
        objects.append(folder / f"{source.stem}.o")
        own = flags.read_text(encoding="ascii").split() if flags.exists() else []
        _succeeds([*compiler, *options, *own, "-c", source, "-o", objects[-1]])
    for test in sorted(HERE.glob("*_test.cpp")):
        program = folder / test.stem
        _succeeds([*compiler, *options, test, *objects, "-o", program])
        yield program


@pytest.mark.slow
@pytest.mark.timeout(1200)  # most of it is the compiler's
@pytest.mark.parametrize("sanitizers", SANITIZERS)
def test_the_kernel_keeps_its_promises_under_sanitizers(tmp_path: Path, sanitizers: str) -> None:
    for program in _programs(tmp_path, f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"):
        ran = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", ""), program.name


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_nothing_in_the_kernel_depends_on_what_was_not_set(tmp_path: Path) -> None:
    # no sanitizer of g++ sees that; valgrind's processor has no AVX-512, so that build is not held
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("there is no valgrind")
    for program in _programs(tmp_path):
        command: list[str | Path] = [valgrind, "--quiet", "--error-exitcode=1", program]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", ""), program.name


@pytest.mark.slow
@pytest.mark.parametrize("build", ["avx2", "avx512"])
def test_a_build_shares_no_function_with_the_others(tmp_path: Path, build: str) -> None:
    # The linker keeps one of several copies of a function, and it could be the one that only a newer CPU can run.
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None or shutil.which("nm") is None:
        pytest.skip("there is no C++ compiler, or no nm")
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("this machine has only the portable build")
    flags = (KERNEL / "batch" / f"{build}.flags").read_text(encoding="ascii").split()
    compiled = tmp_path / "engine.o"
    source = KERNEL / "batch" / f"engine_{build}.cpp"
    _succeeds([*compiler, "-std=c++20", "-O0", *flags, "-DSUDOKUMILL_X86", "-c", source, "-o", compiled])
    listed = subprocess.run(["nm", "-C", compiled], capture_output=True, text=True, check=True).stdout
    shared = [line.split(maxsplit=2)[1:] for line in listed.splitlines() if line[:16].strip()]
    names = [name for kind, name in shared if kind in "WVu" and not name.startswith("DW.ref.")]
    assert names
    assert [name for name in names if f"sudokumill::{build}::" not in name] == []
