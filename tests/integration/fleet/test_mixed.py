"""Fleets whose workers do not all have the same plugins: nobody idles, and nothing is counted against a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# a chunk takes a fifth of a second
CHUNKS = ("--option", "pause=0.01", "--chunk", 20)


@pytest.fixture
def mixed(new_fleet: Any, tmp_path: Path, data_dir: Path) -> Iterator[Any]:
    """A fleet of a worker with the generators ``rare`` and ``common``, and one with ``common`` alone.

    Their reapers look once and then come too late.
    """
    source = (data_dir.parent / "faults" / "plugins" / "lab.py").read_text()
    assert source.count('name="lab"') == 3
    folders: dict[str, dict[str, str]] = {}
    for worker, names in {"rich": ("rare", "common"), "poor": ("common",)}.items():
        folder = tmp_path / worker
        folder.mkdir()
        for name in names:
            (folder / f"{name}.py").write_text(source.replace('name="lab"', f'name="{name}"'))
        folders[worker] = {"SUDOKUMILL_PLUGIN_DIR": str(folder)}
    with new_fleet(**folders["rich"], SUDOKUMILL_REAPER_SECONDS="30", SUDOKUMILL_LEASE_SECONDS="30") as fleet:
        fleet.worker("rich")
        fleet.worker("poor", processes=3, env=folders["poor"])
        yield fleet


def _busy(chunks: list[Any]) -> float:
    """The share of the time between the first claim and the last end that was worked."""
    worked = sum(row.ended_at - row.claimed_at for row in chunks)
    return float(worked / (max(row.ended_at for row in chunks) - min(row.claimed_at for row in chunks)))


def test_an_order_that_only_some_can_make_and_one_that_all_can(mixed: Any) -> None:
    rich, poor = (mixed.row_of(worker).crew.name for worker in mixed.crew)
    rare = mixed.order("generate", "--generator", "rare", *CHUNKS, "--count", 400)
    common = mixed.order("generate", "--generator", "common", *CHUNKS, "--count", 800)
    mixed.wait_for(common, seconds=25)
    assert not mixed.progress(rare).state.ended
    mixed.wait_for(rare, seconds=25)
    mixed.check(rare, 400)
    mixed.check(common, 800)
    chunks = mixed.chunks(rare) + mixed.chunks(common)
    assert {(row.state, row.attempt) for row in chunks} == {("done", 1)}
    assert {row.worker for row in mixed.chunks(rare)} == {rich}
    made = [row for row in mixed.chunks(common) if row.worker == poor]
    assert len(made) > len(mixed.chunks(common)) / 2
    assert _busy(made) > 3 * 0.5
    assert _busy([row for row in chunks if row.worker == rich]) > 0.5


def test_an_order_comes_to_the_one_that_can_make_it_whoever_hears_of_it_first(mixed: Any) -> None:
    for _ in range(6):
        job = mixed.order("generate", "--generator", "rare", "--count", 5)
        mixed.wait_for(job, seconds=10)
        assert [row.attempt for row in mixed.chunks(job)] == [1]
