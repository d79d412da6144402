"""What the guide for plugin authors shows is what works."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from sudokumill import hookspecs, testing
from sudokumill.contracts import (
    KNOWN_EXTRAS,
    LINK_REASONS,
    Descriptor,
    GraderDescriptor,
    GradeStatus,
    Link,
    Role,
    Step,
)
from sudokumill.errors import RefusedOptionsError, UnknownOptionError
from sudokumill.registry import Registry, load_registry
from sudokumill.registry.registration import HOOKS
from sudokumill.testing import check_digger, check_generator, check_grader

PLUGINS = Path(__file__).parents[3] / "plugins"
README = (PLUGINS / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    language: str
    file: str
    text: str


BLOCKS = [Block(*parts) for parts in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with every file that the guide shows, but tests."""
    for block in BLOCKS:
        if block.language == "python" and block.file and not block.file.startswith("test_"):
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def registry(folder: Path) -> Registry:
    return load_registry(",".join(path.stem for path in folder.glob("*.py")), folder)


def test_every_block_is_run_by_a_test_of_this_file() -> None:
    assert README.count("\n```") == 2 * len(BLOCKS)
    assert [(block.language, block.file) for block in BLOCKS] == [
        ("python", "stripes.py"),
        ("python", "test_stripes.py"),
        ("python", "one_by_one.py"),
        ("python", "guesses.py"),
        ("python", ""),
        ("python", "singles.py"),
        ("python", ""),
        ("python", "stripes_in_order.py"),
        ("toml", "example/pyproject.toml"),
    ]


def test_the_files_load_and_keep_the_contract(registry: Registry) -> None:
    assert not [plugin.reason for plugin in registry.probed().plugins if plugin.state in ("failed", "partly")]
    check_generator(registry.find(Role.GENERATOR, "stripes"), count=16)
    for options in ({"shift": 6, "first": 5}, {"loaded": True}):
        check_generator(registry.find(Role.GENERATOR, "stripes-in-order"), options, count=16)
    for wish in ({}, {"clues": 45}, {"clues_min": 30, "clues_max": 34}):
        check_digger(registry.find(Role.DIGGER, "one-by-one"), wish, count=2)
    check_grader(registry.find(Role.GRADER, "guesses"))
    for ceiling in (None, 1.0):
        check_grader(registry.find(Role.GRADER, "singles"), {"ceiling": ceiling})
    with pytest.raises(UnknownOptionError, match="one-by-one has no option 'symmetry'"):
        registry.digger("one-by-one", symmetry="rot180")


def test_the_validators_words_are_shown(registry: Registry) -> None:
    with pytest.raises(RefusedOptionsError, match=r"^generator stripes-in-order: loaded excludes first=5$"):
        registry.generator("stripes-in-order", loaded=True, first=5)


def test_the_test_file_passes_and_can_fail(folder: Path) -> None:
    (block,) = (block for block in BLOCKS if block.file.startswith("test_"))
    (folder / block.file).write_text(block.text, encoding="utf-8")

    def run() -> int:
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", block.file]
        return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode

    assert run() == 0
    plugin = folder / "stripes.py"
    plugin.write_text(plugin.read_text().replace("Streams(seeds)", "Streams(np.sort(seeds))"))
    assert run() == 1


def test_snippets_run() -> None:
    for block in BLOCKS:
        if block.language == "python" and not block.file:
            ran = subprocess.run([sys.executable, "-c", block.text], capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr


def test_the_pyproject_is_the_examples() -> None:
    (block,) = (block for block in BLOCKS if block.language == "toml")
    assert tomllib.loads(block.text) == tomllib.loads((PLUGINS / block.file).read_text(encoding="utf-8"))


def test_every_hook_and_check_is_documented() -> None:
    hooks = [name for name in vars(hookspecs) if name.startswith("sudokumill_")]
    assert sorted(hooks) == sorted(HOOKS.values())
    checks = [name for name in testing.__all__ if name.startswith("check_")]
    assert len(checks) == len(Role)
    for name in hooks + checks:
        assert f"`{name}`" in README, name


def test_the_contract_of_graders_is_documented_whole() -> None:
    chapter = README.split("\n## Graders\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", chapter, re.MULTILINE))))
    of_every_role = {field.name for field in fields(Descriptor)}
    assert named >= {status.name for status in GradeStatus}
    assert named >= KNOWN_EXTRAS.keys()
    assert named >= {field.name for kind in (Step, Link) for field in fields(kind)}
    assert named >= {field.name for field in fields(GraderDescriptor)} - of_every_role
    reasons = re.search(r"^\| `why` \|.*", chapter, re.MULTILINE)
    assert reasons is not None
    assert all(f"`{why}`" in reasons[0] for why in LINK_REASONS)
    for name in ("ceiling", "bands set", "bands use", "run grade", "SUDOKUMILL_GRADER"):
        assert name in chapter, name


HOOK = "@hookimpl\ndef sudokumill_register_generators():\n    "
BAD = {
    "import failed: ": "import no_such_module_anywhere",
    "it implements no hook": "x = 1",
    "lacks @hookimpl": "def sudokumill_register_generators():\n    return []",
    "there is no hook ": "@hookimpl\ndef sudokumill_register_painters():\n    return []",
    "must yield descriptors or return a list of them": HOOK + "return generator('a')",
    "was built for API version ": HOOK + "yield generator('a', api_version=99)",
    "registered 2 times": HOOK + "yield generator('a')\n    yield generator('a')",
    "its options have no JSON schema": HOOK + "yield generator('a', options=NoSchema)",
    "its factory raised ": HOOK + "yield generator('a', factory=lambda options: 1 / 0)",
    "without method ": HOOK + "yield generator('a', factory=lambda options: 5)",
    "has no method ": HOOK + "yield generator('a', factory=dict)",
    "its size ": HOOK + "yield generator('a', size=lambda options: 0)",
}


def test_the_reasons_are_those_that_one_sees(write_plugin: Callable[[str, str], Path]) -> None:
    table = README.split("| reason | what it means |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(.*?)` \|", table, re.MULTILINE) == list(BAD)
    for number, text in enumerate(BAD.values()):
        folder = write_plugin(f"bad{number}", text)
    plugins = {plugin.name: plugin for plugin in load_registry(None, folder).probed().plugins}
    for number, reason in enumerate(BAD):
        assert reason in plugins[f"bad{number}"].reason
