"""Orders for implementations that not everybody has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.store.models import Chunk, Job

pytestmark = pytest.mark.slow

Folder = Callable[[str], dict[str, str]]


@pytest.fixture
def few(tmp_path: Path, data_dir: Path) -> Folder:
    """A folder with the generator ``few`` in this version; the variable that names it."""
    source = (data_dir.parent / "faults" / "plugins" / "few.py").read_text()
    assert 'version="1.0"' in source

    def write(version: str) -> dict[str, str]:
        folder = tmp_path / version
        folder.mkdir()
        (folder / "few.py").write_text(source.replace('version="1.0"', f'version="{version}"'))
        return {"SUDOKUMILL_PLUGIN_DIR": str(folder)}

    return write


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--generator", "nobody-has-this", "--count", 10), "nobody-has-this"),
        (("--generator", "lab", "--option", "pause=soon", "--count", 10), "pause"),
        (("--count", 0), "count"),
    ],
)
@pytest.mark.cases("job", ids=["C099"])
def test_an_order_that_nobody_can_make_is_refused(
    crowd: Any, arguments: tuple[Any, ...], named: str, case: dict[str, Any]
) -> None:
    before = len(crowd.rows(Job)), len(crowd.rows(Chunk))
    done = crowd.command("enqueue", "generate", *arguments, code=2)
    assert named in done.stderr
    assert done.stdout == ""
    assert (len(crowd.rows(Job)), len(crowd.rows(Chunk))) == before


@pytest.mark.cases("job", ids=["C099"])
def test_an_implementation_that_no_live_worker_has(fleet: Any, case: dict[str, Any]) -> None:
    unable = fleet.worker("unable", env={"SUDOKUMILL_PLUGIN_DIR": None})
    done = fleet.command("enqueue", "generate", "--generator", "lab", "--count", 60, "--chunk", 20)
    assert done.stderr == "sudokumill: job 1 waits: no live worker has generator lab; start one that has\n"
    # it stands in nobody's way
    other = fleet.order("generate", "--count", 20)
    fleet.wait_for(other)
    assert {(row.state, row.attempt, row.published_at) for row in fleet.chunks(1)} == {("waiting", 0, None)}
    able = fleet.worker("able")
    fleet.wait_for(1)
    fleet.check(1, 60)
    assert {row.worker for row in fleet.chunks(1)} == {fleet.row_of(able).crew.name}
    assert {row.attempt for row in fleet.chunks(1)} == {1}
    assert "Traceback" not in unable.log


def test_a_pinned_version_that_no_live_worker_has(fleet: Any, few: Folder) -> None:
    old, new = few("1.0"), few("2.0")
    fleet.worker("old", env=old)
    options = ("--option", "distinct=1000", "--count", 20, "--chunk", 5)
    done = fleet.command("enqueue", "generate", "--generator", "few==2.0", *options, env=new)
    assert done.stderr == "sudokumill: job 1 waits: no live worker has generator few==2.0; start one that has\n"
    anyone = fleet.order("generate", "--generator", "few", *options, env=new)
    fleet.wait_for(anyone)
    assert {row.versions["generator"] for row in fleet.chunks(anyone) if row.versions} == {"few==1.0"}
    assert fleet.progress(1).tried == 0
    fleet.worker("new", env=new)
    fleet.wait_for(1)
    assert {row.versions["generator"] for row in fleet.chunks(1) if row.versions} == {"few==2.0"}


def test_versions_that_differ_are_pointed_out(fleet: Any, few: Folder) -> None:
    old = few("1.0")
    fleet.worker("old", env=old)
    assert "versions differ" not in fleet.command("jobs", "workers").stdout
    newer = fleet.worker("newer", env=few("2.0"))
    said = fleet.command("jobs", "workers").stdout
    [line] = [line for line in said.splitlines() if "versions differ" in line]
    assert line.startswith("versions differ: generator few is 1.0 on old@")
    assert "and 2.0" in line or ", 2.0 on newer@" in line
    assert line in fleet.command("doctor", env=old, code=1).stdout
    newer.end()
    assert "versions differ" not in fleet.command("jobs", "workers").stdout
    assert "versions differ" not in fleet.command("doctor", env=old).stdout
