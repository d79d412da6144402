"""A machine on which the engine cannot be built gets one sentence that says what is missing."""

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
