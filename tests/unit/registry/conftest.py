"""Plugins for the tests of the registry and of the kit: single files, and distributions that look installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

PRELUDE = '''
from collections.abc import Callable
import numpy as np
from pydantic import Field
from sudokumill.contracts import *
from sudokumill.hookspecs import hookimpl
from sudokumill.grids.isomorphisms import draw
from sudokumill.grids.batch import from_lines, check_batch
from sudokumill.streams import Streams, check_seeds

FINAL = from_lines(["826495173759213864134786925978562341312974658645138792467851239291347586583629417"])

class Images:
    """Isomorphs of one final: a good generator."""

    def __init__(self, options=None):
        self.options = options

    def generate(self, seeds):
        finals = draw(Streams(seeds)).apply(np.repeat(FINAL, len(seeds), axis=0))
        return GenerateResult(finals, np.zeros(len(seeds), dtype=np.uint8))

class NoSchema(Options):
    "Options that pydantic can check, but not describe."
    call: Callable[[int], int] = abs

class OddSchema(Options):
    @classmethod
    def model_json_schema(cls, *arguments, **keywords):
        raise SystemExit("no schema")

def generator(name, **changes):
    return GeneratorDescriptor(**{
        "name": name, "version": "1.0", "summary": "for a test", "factory": Images, "rate": 1000.0, **changes})
'''


@pytest.fixture
def write_plugin(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes ``plugins/NAME.py``, after a prelude, and returns the folder."""

    def write(name: str, text: str) -> Path:
        folder = tmp_path / "plugins"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(PRELUDE + dedent(text), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes a distribution with one module and an entry point, in a folder put on ``sys.path``."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    modules = []

    def add(
        distribution: str, text: str, *, version: str = "1.0", entry: str = "", entry_points: str = ""
    ) -> None:
        module = distribution.replace("-", "_")
        modules.append(module)
        (site / f"{module}.py").write_text(PRELUDE + dedent(text), encoding="utf-8")
        info = site / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        default = f"[sudokumill]\n{entry or distribution} = {module}\n"
        (info / "entry_points.txt").write_text(entry_points or default)
        importlib.invalidate_caches()

    yield add
    for module in modules:
        sys.modules.pop(module, None)
