"""The engine is built by each compiler that is named; where it cannot be, one sentence says what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as a clone has them: nothing built, nothing compiled."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("worker", "plugins"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "settings", "sentence"),
    [
        (
            {"CXX": "/nonexistent/c++"},
            [],
            "sudokumill needs a C++20 compiler and none was found; install one (on Debian: apt-get install g++) "
            "or name it in the environment variable CXX.",
        ),
        (
            {},
            ["--config-settings", "cmake.define.Python_INCLUDE_DIR=/nonexistent"],
            "and they were not found; install them (on Debian: apt-get install python3-dev).",
        ),
    ],
    ids=["no compiler", "no headers"],
)
def test_what_is_missing_is_said_in_one_sentence(
    checkout: Path, tmp_path: Path, environment: dict[str, str], settings: list[str], sentence: str
) -> None:
    words = ["-m", "pip", "install", "--no-deps", *settings, "--target", str(tmp_path / "site"), str(checkout)]
    ran = subprocess.run(
        [sys.executable, *words], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    said = " ".join((ran.stdout + ran.stderr).split())
    assert ran.returncode != 0
    assert said.count("CMake Error at ") == 1
    after = said.split("CMake Error at ")[1]
    assert sentence in after
    # what follows names the place to look at, and nothing that is not so
    assert 'in the sentence after "CMake Error" if something is missing' in after
    assert "Traceback" not in said
    assert not (tmp_path / "site" / "sudokumill").exists()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("names", [("g++-12", "g++"), ("clang++-14", "clang++")], ids=["gcc", "clang"])
def test_each_compiler_builds_the_wheel(checkout: Path, tmp_path: Path, names: tuple[str, ...]) -> None:
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        pytest.skip(f"there is no {names[-1]}")
    site = tmp_path / "site"
    warnings = "cmake.define.CMAKE_CXX_FLAGS=-Werror"
    words = [
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--config-settings",
        warnings,
        "--target",
        str(site),
        str(checkout),
    ]
    built = subprocess.run(
        [sys.executable, *words], env={**os.environ, "CXX": compiler}, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    program = """if True:
        import numpy as np, sys
        from sudokumill_native import _kernel
        seeds = np.arange(40, dtype=np.uint64)
        for build in _kernel.builds:
            finals = _kernel.make_finals(seeds, 13, build)
            cells = np.arange(81, dtype=np.uint8)
            puzzles, _ = _kernel.dig(finals, seeds, cells, [0], (0, 81), False, build)
            assert np.array_equal(_kernel.solve(puzzles, 2, None, build)[1], finals)
        print(_kernel.__file__)
    """
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert Path(ran.stdout.strip()).is_relative_to(site)
