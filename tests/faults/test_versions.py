"""A rolling upgrade: workers of an older and of a newer version of a plugin side by side."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# many chunks, so that both get some
CHUNKS = ("--option", "distinct=1000000", "--count", 400, "--chunk", 10)


def _folder(folder: Path, version: str) -> dict[str, str]:
    """A folder with the generator ``few`` in this version; the variable that names it."""
    source = (Path(__file__).parent / "plugins" / "few.py").read_text()
    assert source.count('version="1.0"') == 1
    (folder / version).mkdir()
    (folder / version / "few.py").write_text(source.replace('version="1.0"', f'version="{version}"'))
    return {"SUDOKUMILL_PLUGIN_DIR": str(folder / version)}


def _made_by(fleet: Any, job: int) -> set[str]:
    return {row.versions["generator"] for row in fleet.chunks(job) if row.versions}


def test_workers_of_two_versions(fleet: Any, tmp_path: Path) -> None:
    old, new = (_folder(tmp_path, version) for version in ("1.0", "2.0"))
    # the person who orders has the new one already
    older = fleet.worker("older", env=old)
    pinned = fleet.outcome("enqueue", "generate", "--generator", "few==2.0", *CHUNKS, env=new)
    waits = "no live worker has generator few==2.0; start one that has"
    assert pinned["warnings"] == [f"job 1 waits: {waits}"] or waits in pinned["warnings"][0]
    # many rounds of a reaper later it still waits, says why, and stands in nobody's way
    anyone = fleet.order("generate", "--generator", "few", *CHUNKS, env=new)
    fleet.wait_for(anyone)
    time.sleep(2)
    assert fleet.audit(pinned["job"]).positions == {"waiting": 400}
    assert {(row.attempt, row.published_at) for row in fleet.chunks(pinned["job"])} == {(0, None)}
    assert waits in fleet.command("doctor", env=new, code=1).stdout
    assert waits in fleet.command("jobs", "show", pinned["job"], env=new).stderr
    assert _made_by(fleet, anyone) == {"few==1.0"}
    # both side by side: each chunk says what made it
    fleet.worker("newer", env=new)
    both = fleet.order("generate", "--generator", "few", *CHUNKS, "--seed", 3, env=new)
    for job in (pinned["job"], both):
        fleet.wait_for(job)
        fleet.check(job, 400)
    assert _made_by(fleet, pinned["job"]) == {"few==2.0"}
    assert _made_by(fleet, both) <= {"few==1.0", "few==2.0"}
    # the old ones end, and what names no version goes on
    assert older.end() == 0
    last = fleet.order("generate", "--generator", "few", *CHUNKS, "--seed", 4, env=new)
    fleet.wait_for(last)
    fleet.check(last, 400)
    assert _made_by(fleet, last) == {"few==2.0"}
    assert not any("Traceback" in worker.log for worker in fleet.crew)
