"""The example is a third party's plugin: built from its own project, installed, and found by its entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "plugins" / "example"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example was installed; pip builds it in an environment of its own."""
    target = tmp_path_factory.mktemp("site")
    words = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(EXAMPLE)]
    ran = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return target


def _run(site: Path, *words: str) -> str:
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_list_shows_it(site: Path) -> None:
    code = """if True:
        import json
        from sudokumill.registry import load_registry
        plugins = [plugin for plugin in load_registry().probed().plugins if plugin.name == "example"]
        keys = ("distribution", "version", "source", "state", "reason")
        print(json.dumps([[getattr(plugin, key) for key in keys] for plugin in plugins]))
    """
    listed = json.loads(_run(site, "-c", code))
    assert listed == [["sudokumill-example", "1.0.0", "sudokumill_example.plugin", "loaded", ""]]


def test_loading_it_does_not_import_its_generator(site: Path) -> None:
    code = """if True:
        import sys
        from sudokumill.registry import load_registry
        load_registry("example")
        print("sudokumill_example.plugin" in sys.modules, "sudokumill_example.shifted_rows" in sys.modules)
    """
    assert _run(site, "-c", code).split() == ["True", "False"]


def test_a_thousand_finals(site: Path) -> None:
    code = """if True:
        import numpy as np
        from sudokumill.grids.clashes import are_finals
        from sudokumill.registry import load_registry
        from sudokumill.streams import position_seeds
        generator = load_registry("example").generator("shifted-rows==1.0", shift="6")
        finals = generator.generate(position_seeds(1, np.arange(1000))).finals
        print(are_finals(finals).sum(), len(np.unique(finals, axis=0)))
    """
    assert _run(site, "-c", code).split() == ["1000", "1000"]


def test_its_own_tests_pass(site: Path) -> None:
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), str(EXAMPLE / "tests")]
    assert "2 passed" in _run(site, *words)
    _run(site, "-c", "from sudokumill.testing import check_generator; check_generator('shifted-rows', count=16)")
