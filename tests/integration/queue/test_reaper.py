"""A reaper among jobs that it cannot read: a newer version ordered them, and its workers are there beside ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from sudokumill.jobs import JobKind
from sudokumill.queue.crew import crew_of
from sudokumill.queue.reaper import Reaper
from sudokumill.store import leases, workers
from sudokumill.store.leases import Holder
from sudokumill.store.models import Chunk, ChunkState, Job


def _order(works: Any, job: int, kind: str, **fields: Any) -> None:
    with works.database.write() as connection:
        spec = connection.execute(select(Job.spec).where(Job.id == job)).scalar_one()
        connection.execute(
            update(Job).where(Job.id == job).values(kind=kind, spec={**spec, "kind": kind, **fields})
        )


def _of_a_newer_kind(works: Any, job: int) -> None:
    _order(works, job, "weave")


def _with_a_newer_field(works: Any, job: int) -> None:
    _order(works, job, "generate", new_field=1)


NEWER = pytest.mark.parametrize("made_newer", [_of_a_newer_kind, _with_a_newer_field])


@pytest.fixture
def reaper(works: Any) -> Reaper:
    settings = works.settings.model_copy(update={"broker_url": "redis://127.0.0.1:1/0"})
    crew = crew_of(works.registry, "elsewhere:1:1", "w1@elsewhere", list(JobKind), 2)
    return Reaper(works.database, settings, crew)


def _state(works: Any, chunk: int) -> str:
    with works.database.read() as connection:
        state: str = connection.execute(select(Chunk.state).where(Chunk.id == chunk)).scalar_one()
        return state


@NEWER
def test_a_worker_beats_beside_a_running_job_of_a_newer_version(
    works: Any, reaper: Reaper, made_newer: Callable[[Any, int], None]
) -> None:
    job = works.place(JobKind.GENERATE, count=5)
    assert leases.claim(works.database, Holder("far:1:1", "far", -1.0), job=job) is not None
    made_newer(works, job)
    reaper.round()
    assert [crew.name for crew in workers.live(works.database)] == ["elsewhere:1:1"]
    reaper.leave()
    assert not workers.live(works.database)


@NEWER
def test_other_jobs_go_on_beside_one_of_a_newer_version(
    works: Any, reaper: Reaper, made_newer: Callable[[Any, int], None]
) -> None:
    jobs = [works.place(JobKind.GENERATE, count=1, chunk_rows=1) for _ in range(3)]
    for job in jobs[:2]:
        # its process died at the last attempt: what is left is an account, for which its order is read
        held = leases.claim(works.database, Holder("far:1:1", "far", -1.0), job=job)
        assert held is not None
        with works.database.write() as connection:
            connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(attempt=3))
    with works.database.write() as connection:
        # whoever was to end it has gone
        connection.execute(update(Chunk).where(Chunk.job_id == jobs[2]).values(state=ChunkState.DROPPED.value))
    made_newer(works, jobs[0])
    reaper.round()
    reaper.round()
    assert [_state(works, chunk) for chunk in (1, 2, 3)] == ["running", "dead", "waiting"]
    assert ChunkState.WAITING in works.progress(jobs[1]).chunks  # it is topped up


def test_a_reaper_whose_plugins_never_load_is_ended(tmp_path: Path) -> None:
    """The worker starts another: one that hung would never beat, and nobody notice."""
    (tmp_path / "endless.py").write_text("import time\n\ntime.sleep(1_000)\n")
    about = {"process": os.getpid(), "name": "far:1:1", "node": "far", "queues": ["dig"], "processes": 1}
    done = subprocess.run(
        [sys.executable, "-m", "sudokumill.queue.reaper", json.dumps(about)],
        env={
            **os.environ,
            "SUDOKUMILL_PLUGIN_DIR": str(tmp_path),
            "SUDOKUMILL_DATABASE_URL": f"sqlite:///{tmp_path / 'mill.db'}",
            "SUDOKUMILL_CHUNK_LIMIT_SECONDS": "1",
        },
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGALRM
