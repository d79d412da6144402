"""The arrows between the host's modules: which may import from which.

The layers stand in worker/README.md, in the block ``layers``; what they cannot say stands here.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOST = ROOT / "worker" / "sudokumill"
PLUGINS = ROOT / "plugins"

README = (ROOT / "worker" / "README.md").read_text(encoding="utf-8")


def _layers() -> list[set[str]]:
    block = re.search(r"^## The house$.*?^```layers\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert block is not None, "worker/README.md has no block of layers"
    return [{name.strip() for name in line.split(",")} for line in block[1].splitlines()]


LAYERS = _layers()
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def _imports(file: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            assert node.module is not None
            yield node.module
            # "from sudokumill import line" imports the module line
            if node.module == "sudokumill":
                yield from (f"sudokumill.{alias.name}" for alias in node.names)


def _named(file: Path) -> Iterator[tuple[str, str]]:
    """What a file imports from modules of the host, wherever in it: module and name; no name for all of it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.partition(".")[0] == "sudokumill")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "sudokumill":
            yield from ((node.module, alias.name) for alias in node.names)


def _is_there(module: str, name: str) -> bool:
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    return not name or hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}") is not None


def _module(file: Path) -> str:
    """The part of the host that a file belongs to: the name of its module, or of its folder."""
    name = file.relative_to(HOST).parts[0].removesuffix(".py")
    return "cli" if name == "__main__" else name


def _host_imports(module: str) -> dict[str, set[str]]:
    """Which parts of the host each file of a part imports."""
    return {
        str(file.relative_to(HOST)): {
            name.split(".")[1] for name in _imports(file) if name.startswith("sudokumill.")
        }
        for file in FILES
        if _module(file) == module
    }


FILES = sorted(HOST.rglob("*.py"))
MODULES = sorted({_module(file) for file in FILES} - {"__init__", "testing"})


def test_what_is_imported_is_there() -> None:
    """Also what is imported only when a command is called, or only for types."""
    files = [*FILES, *(file for file in PLUGINS.rglob("*.py") if "example" not in file.parts)]
    wanted = {(module, name): file for file in files for module, name in _named(file)}
    assert not {found: str(file.relative_to(ROOT)) for found, file in wanted.items() if not _is_there(*found)}


def test_every_module_has_its_layer() -> None:
    assert set(MODULES) == set(RANK)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_from_its_layer_and_those_before(module: str) -> None:
    for file, imported in _host_imports(module).items():
        above = {name for name in imported - {"testing"} if RANK.get(name, -1) > RANK[module]}
        assert not above, f"{file} imports {above}"
        assert "testing" not in imported, f"{file} imports the kit for plugin authors"


def test_the_foundation_stands_alone() -> None:
    known: dict[str, set[str]] = {
        "errors": set(),
        "streams": {"errors"},
        "grids": {"errors", "streams", "grids"},
        "settings": {"errors"},
    }
    for module, may in known.items():
        for file, imported in _host_imports(module).items():
            assert imported <= may, file


LINE = ("line", "isolation", "checking")


@pytest.mark.parametrize(
    ("module", "strangers"),
    [
        *((module, {"store"}) for module in LINE),
        ("isolation", {"line", "checking"}),
        ("checking", {"line", "isolation", "registry"}),
        ("store", {*LINE, "registry", "orders", "formats", "hookspecs"}),
    ],
)
def test_who_does_not_know_whom(module: str, strangers: set[str]) -> None:
    for file, imported in _host_imports(module).items():
        assert not imported & strangers, f"{file} knows {imported & strangers}"


def test_the_kit_sees_up_to_the_line() -> None:
    for file, imported in _host_imports("testing").items():
        assert not imported & {"store", "queue", "cli"}, file


HEAVY = {"sqlalchemy", "alembic", "celery", "redis", "psycopg", "click", "rich"}
ALLOWED = {
    "store": {"sqlalchemy", "alembic"},
    "queue": {"celery", "redis"},
    "cli": {"click", "rich", "sqlalchemy"},
}


@pytest.mark.parametrize("module", [*MODULES, "testing"])
def test_who_may_know_the_database_and_the_terminal(module: str) -> None:
    for file in FILES:
        if _module(file) == module:
            roots = {name.split(".")[0] for name in _imports(file)}
            assert not roots & (HEAVY - ALLOWED.get(module, set())), file


def test_the_host_imports_no_plugin() -> None:
    packages = {path.parent.name for path in PLUGINS.rglob("__init__.py")}
    assert {"sudokumill_classic", "sudokumill_native", "sudokumill_example"} <= packages
    for file in FILES:
        assert not packages & {name.split(".")[0] for name in _imports(file)}, file


@pytest.mark.parametrize("package", ["sudokumill_classic", "sudokumill_native", "example/src/sudokumill_example"])
def test_plugins_use_what_is_public_and_not_each_other(package: str) -> None:
    public = {"contracts", "hookspecs", "targets", "grids", "streams", "errors"}
    files = sorted((PLUGINS / package).rglob("*.py"))
    assert files
    own = Path(package).name
    for file in files:
        names = list(_imports(file))
        assert {name.split(".")[1] for name in names if name.startswith("sudokumill.")} <= public, file
        others = {name.split(".")[0] for name in names if name.startswith("sudokumill_")}
        assert others <= {own}, file


CODE_FROM_DATA = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
ARCHIVES = {"tarfile", "zipfile", "gzip", "bz2", "lzma", "zlib"}


def test_nothing_is_unpickled_and_no_archive_is_opened() -> None:
    """So nothing that is read can name a file elsewhere, grow beyond its size, or bring code with it."""
    found = {
        (str(file.relative_to(HOST)), name)
        for file in FILES
        for name in _imports(file)
        if name.partition(".")[0] in CODE_FROM_DATA | ARCHIVES
    }
    assert not found
