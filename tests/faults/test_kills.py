from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.jobs import JobKind
from sudokumill.store.models import ChunkState, FinalRow, ItemFailure, JobState

SLOW = "generator.pause=0.001"
COUNT = 2_000


def _children(pid: int) -> list[int]:
    """Processes whose parent this is."""
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            children.append(int(stat.parent.name))
    return children


def test_a_child_that_is_killed_is_replaced(plant: Any) -> None:
    job = plant.place(SLOW, count=COUNT, chunk_rows=100)
    process = plant.start(job)
    for delivered in (200, 700):
        plant.wait_for(process, delivered)
        os.kill(_children(process.pid)[0], signal.SIGKILL)
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert said.endswith("ended done\n")
    found = plant.progress(job)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, COUNT, 0)
    plant.check(job)
    assert ChunkState.DEAD not in found.chunks


@pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
def test_a_run_that_is_killed_half_way_ends_with_what_was_ordered(
    plant: Any, group_ends: Callable[[int], None], kind: JobKind
) -> None:
    job = plant.place(SLOW, kind=kind, count=COUNT, chunk_rows=100)
    process = plant.start(job)
    plant.wait_for(process, COUNT // 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    group_ends(process.pid)
    found = plant.progress(job)
    assert (found.state, found.state.ended) == (JobState.RUNNING, False)
    assert COUNT // 2 <= found.delivered < COUNT
    stored = {row.digits for row in plant.rows(FinalRow)}
    found = plant.run(job)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, COUNT, COUNT)
    assert stored <= {row.digits for row in plant.rows(FinalRow)}
    plant.check(job)
    straight = plant.place(kind=kind, count=COUNT)
    assert plant.run(straight).already == COUNT
    assert plant.lines(straight) == plant.lines(job)


def test_children_whose_parent_was_killed_keep_what_they_made_and_end(
    plant: Any, group_ends: Callable[[int], None]
) -> None:
    job = plant.place(SLOW, count=COUNT, chunk_rows=100)
    process = plant.start(job)
    plant.wait_for(process, 300)
    process.kill()
    process.wait(30)
    group_ends(process.pid)
    found = plant.progress(job)
    assert ChunkState.RUNNING not in found.chunks
    assert 300 <= found.delivered < COUNT
    assert plant.run(job).state is JobState.DONE
    plant.check(job)


@pytest.mark.parametrize(("name", "whole_group"), [("SIGINT", True), ("SIGINT", False), ("SIGTERM", False)])
def test_an_interrupted_run_ends_soon_and_goes_on_later(
    plant: Any, group_ends: Callable[[int], None], name: str, whole_group: bool
) -> None:
    job = plant.place(SLOW, count=COUNT, chunk_rows=100)
    process = plant.start(job)
    plant.wait_for(process, 300)
    began = time.monotonic()
    # a terminal sends Ctrl-C to every process of the group
    (os.killpg if whole_group else os.kill)(process.pid, signal.Signals[name])
    said, errors = process.communicate(timeout=60)
    assert time.monotonic() - began < 8
    assert (process.returncode, errors) == (0, "")
    assert said.endswith("ended waiting\n")
    group_ends(process.pid)
    found = plant.progress(job)
    assert found.chunks.get(ChunkState.RUNNING, 0) == 0
    assert 300 <= found.delivered < COUNT
    found = plant.run(job)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, COUNT, COUNT)
    plant.check(job)


def test_an_interrupt_in_the_first_moment_is_heard(plant: Any, group_ends: Callable[[int], None]) -> None:
    # children that were just forked do not listen yet
    job = plant.place(SLOW, count=100_000)
    process = plant.start(job, processes=6)
    plant.wait_for(process, 0)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert time.monotonic() - began < 8
    group_ends(process.pid)


def test_a_second_interrupt_ends_at_once(plant: Any, group_ends: Callable[[int], None]) -> None:
    job = plant.place("generator.pause=1", count=1_000, chunk_rows=100)  # a batch takes minutes
    process = plant.start(job)
    plant.wait_for(process, 0)
    while plant.progress(job).chunks.get(ChunkState.RUNNING, 0) < 2:
        time.sleep(0.02)
    began = time.monotonic()
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    process.communicate(timeout=60)
    assert time.monotonic() - began < 8
    group_ends(process.pid)
    assert plant.progress(job).delivered == 0


# --- plugins that kill -------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 3])
def test_a_position_that_kills_its_process_is_one_item_error(plant: Any, processes: int) -> None:
    job = plant.place("faults=kill@37", count=60, chunk_rows=20)
    found = plant.run(job, processes)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 60, 1)
    plant.check(job)
    (failure,) = plant.rows(ItemFailure)
    assert (failure.position, failure.reason) == (
        37,
        "its process died, or ran beyond its lease, at every attempt",
    )
    assert found.chunks[ChunkState.DEAD] == 1
    assert found.chunks[ChunkState.SPLIT] >= 3
    straight = plant.place("faults=invalid@37", count=60)
    plant.run(straight)
    assert plant.lines(straight) == plant.lines(job)


def test_a_digger_that_kills(plant: Any) -> None:
    job = plant.place("digger.faults=kill@3", kind=JobKind.LEVELS, count=20, chunk_rows=8)
    found = plant.run(job, 2)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 20, 1)
    plant.check(job)


def test_a_plugin_that_leaves_costs_its_row_alone(plant: Any) -> None:
    found = plant.run(plant.place("faults=exit@5", count=20))
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 20, 1)


# --- the runner without a store ----------------------------------------------------------------------------

DIRECT = """
import sys
from pathlib import Path
from sudokumill.formats import FORMATS
from sudokumill.jobs import JobSpec
from sudokumill.queue.direct import run_direct
from sudokumill.settings import Settings
spec = JobSpec.model_validate_json(SPEC)
def watch(made, tried):
    print(made, flush=True)
    return False
run_direct(spec, Settings(), Path(OUT), FORMATS["line"], watch)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_direct_run_leaves_no_file(
    plant: Any, tmp_path: Path, group_ends: Callable[[int], None], name: str
) -> None:
    out = tmp_path / "out" / "finals.line"
    out.parent.mkdir()
    out.write_text("old")
    # the chunk in hand would take a minute
    job = plant.place("pause=0.01", count=100_000, chunk_rows=6_000)
    code = DIRECT.replace("SPEC", repr(plant.progress(job).spec.model_dump_json())).replace("OUT", repr(str(out)))
    process = plant.start(job, before=code + "sys.exit(5)\n")
    plant.wait_for(process, 0)
    began = time.monotonic()
    process.send_signal(signal.Signals[name])
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - began < 8
    assert "KeyboardInterrupt" in errors
    group_ends(process.pid)
    assert [each.name for each in out.parent.iterdir()] == ["finals.line"]
    assert out.read_text() == "old"


def test_no_process_outlives_a_direct_run_that_is_killed(
    plant: Any, tmp_path: Path, group_ends: Callable[[int], None]
) -> None:
    job = plant.place("pause=0.001", count=100_000, chunk_rows=500)
    out = tmp_path / "finals.line"
    code = DIRECT.replace("SPEC", repr(plant.progress(job).spec.model_dump_json())).replace("OUT", repr(str(out)))
    process = plant.start(job, processes=3, before=code + "sys.exit(5)\n")
    plant.wait_for(process, 500)
    process.kill()
    process.communicate()
    group_ends(process.pid)
    assert not out.exists()
