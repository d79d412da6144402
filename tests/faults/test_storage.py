"""Disks that are full, files that may not grow, and databases that others keep locked."""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.errors import FileUnwritableError, StorageFullError
from sudokumill.formats import FORMATS
from sudokumill.jobs import JobKind
from sudokumill.queue.direct import run_direct
from sudokumill.store.database import Database
from sudokumill.store.leases import Holder, claim
from sudokumill.store.models import ChunkState, FinalRow, ItemFailure, Job, JobState
from sudokumill.store.steering import resume

FORK = multiprocessing.get_context("fork")
COUNT = 20_000


def _is_whole(plant: Any) -> None:
    with plant.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def test_a_full_disk_ends_the_run_with_one_line_and_loses_nothing(
    plant_in: Callable[[Path], Any], small_disk: Path
) -> None:
    plant = plant_in(small_disk)
    job = plant.place(generator="native", count=COUNT, chunk_rows=500)
    plant.database.dispose()
    process = plant.start(job)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.strip() == (
        f"StorageFullError: the database {plant.database.name} cannot grow: the disk is full; "
        f"free some space, then run sudokumill jobs resume {job}"
    )
    found = plant.progress(job)
    assert not found.state.ended
    assert 0 < found.delivered < COUNT
    # whole chunks or nothing
    assert len(plant.rows(FinalRow)) == found.tried == 500 * found.chunks[ChunkState.DONE]
    _is_whole(plant)
    plant.database.dispose()
    os.system(f"mount -o remount,size=64m {small_disk}")  # noqa: S605 - somebody frees some space
    resume(plant.database, job)
    found = plant.run(job)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, COUNT, COUNT)
    plant.check(job)
    _is_whole(plant)


def test_a_full_disk_refuses_an_order_whole(plant_in: Callable[[Path], Any], small_disk: Path) -> None:
    plant = plant_in(small_disk)
    (small_disk / "filler").write_bytes(b"x" * (2 << 20 - 1))

    def order_and_order() -> None:
        for _ in range(500):
            plant.place(count=COUNT)

    with pytest.raises(StorageFullError, match="the disk is full"):
        order_and_order()
    _is_whole(plant)
    jobs = plant.rows(Job)
    assert all(plant.progress(job.id).planned for job in jobs), "each has its chunks"


@pytest.fixture
def limit_files() -> str:
    """Code that lets no file grow beyond 600 kB, as a quota would."""
    return (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))\n"
    )


def test_a_file_that_may_not_grow_ends_the_run(plant: Any, limit_files: str) -> None:
    job = plant.place(generator="native", count=COUNT, chunk_rows=500)
    plant.database.dispose()
    process = plant.start(job, before=limit_files)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    # one line, and it says which database and why
    assert len(errors.strip().splitlines()) == 1
    assert str(plant.database.name) in errors
    assert "Traceback" not in errors
    found = plant.progress(job)
    assert not found.state.ended
    assert len(plant.rows(FinalRow)) == found.tried < COUNT
    _is_whole(plant)
    found = plant.run(job)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, COUNT, COUNT)
    plant.check(job)


def test_a_file_that_may_only_be_read_ends_the_run(plant: Any) -> None:
    job = plant.place(generator="native", count=COUNT, chunk_rows=500)
    path = plant.database.path
    plant.database.dispose()
    # a URL by which SQLite may only read: what root may write to a file, no rights of it forbid
    process = plant.start(job, SUDOKUMILL_DATABASE_URL=f"sqlite:///file:{path}?mode=ro&uri=true")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    [line] = errors.strip().splitlines()
    assert "read-only" in line
    assert "Traceback" not in errors
    found = plant.progress(job)
    assert (found.state, found.tried, len(plant.rows(FinalRow))) == (JobState.WAITING, 0, 0)
    _is_whole(plant)
    assert plant.run(job).state is JobState.DONE
    plant.check(job)


# --- text ----------------------------------------------------------------------------------------------------


def test_a_full_disk_leaves_no_part_of_a_file(plant: Any, small_disk: Path) -> None:
    spec = plant.progress(plant.place(generator="native", count=100_000)).spec
    with pytest.raises(FileUnwritableError, match="No space left on device"):
        run_direct(spec, plant.settings, small_disk / "finals.line", FORMATS["line"], lambda made, tried: None)
    assert list(small_disk.iterdir()) == []


def test_a_file_that_may_not_grow_leaves_no_part_of_it(plant: Any, tmp_path: Path) -> None:
    spec = plant.progress(plant.place(generator="native", count=20_000)).spec
    out = tmp_path / "finals.line"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
    try:
        with pytest.raises(FileUnwritableError, match="File too large"):
            run_direct(spec, plant.settings, out, FORMATS["line"], lambda made, tried: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not out.exists()
    assert not out.with_name(out.name + ".part").exists()


# --- locks -----------------------------------------------------------------------------------------------------


def test_eight_writers_share_one_file(plant: Any) -> None:
    job = plant.place(generator="native", count=800, chunk_rows=5)
    found = plant.run(job, processes=8)
    assert (found.state, found.delivered, found.tried) == (JobState.DONE, 800, 800)
    plant.check(job)


def test_two_runs_share_one_job(plant: Any) -> None:
    job = plant.place("pause=0.0005", count=2_000)
    runs = [plant.start(job) for _ in range(2)]
    for run in runs:
        said, errors = run.communicate(timeout=60)
        assert (run.returncode, errors) == (0, "")
        assert said.endswith("ended done\n")
    found = plant.progress(job)
    assert (found.delivered, found.tried) == (2_000, 2_000)
    plant.check(job)


def test_two_jobs_at_the_same_time_that_make_the_same(plant: Any) -> None:
    jobs = [plant.place("pause=0.0005", kind=JobKind.LEVELS, count=1_000, chunk_rows=100) for _ in range(2)]
    for run in [plant.start(job) for job in jobs]:
        _, errors = run.communicate(timeout=60)
        assert (run.returncode, errors) == (0, "")
    assert plant.lines(jobs[0]) == plant.lines(jobs[1])
    assert sum(plant.progress(job).already for job in jobs) == 1_000
    for job in jobs:
        plant.check(job)


def test_writers_wait_for_a_lock(plant: Any) -> None:
    job = plant.place(count=10)
    url = plant.settings.database_url
    plant.database.dispose()
    locked, free = FORK.Event(), FORK.Event()

    def keep_locked() -> None:
        with Database(url).write():
            locked.set()
            free.wait(30)

    holder = FORK.Process(target=keep_locked)
    holder.start()
    assert locked.wait(30)
    done = FORK.Event()

    def write() -> None:
        assert claim(Database(url), Holder("me", "worker", 60), job=job) is not None
        done.set()

    writer = FORK.Process(target=write)
    writer.start()
    assert not done.wait(0.5)
    assert plant.progress(job).planned == 10  # who reads does not wait
    free.set()
    assert done.wait(30)
    for process in (holder, writer):
        process.join(30)
        assert process.exitcode == 0


def test_item_errors_of_one_chunk_are_not_stored_twice(plant: Any) -> None:
    job = plant.place("faults=invalid/3", count=30, chunk_rows=10)
    found = plant.run(job, 3)
    positions = [row.position for row in plant.rows(ItemFailure)]
    assert len(positions) == len(set(positions)) == found.failed
