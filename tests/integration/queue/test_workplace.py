"""What a worker's process does with a message, without the broker that it came through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select, update

from sudokumill.jobs import JobKind
from sudokumill.queue.local import FORK
from sudokumill.queue.workplace import Workplace
from sudokumill.store import leases
from sudokumill.store.database import Database, Now
from sudokumill.store.leases import Holder
from sudokumill.store.models import Chunk, Job, JobState
from sudokumill.store.publishing import DueChunk, identity


class Nobody:
    """A broker that takes everything."""

    def publish(self, due: Sequence[DueChunk]) -> None:
        pass


def _deliver(works: Any, *chunks: int) -> None:
    """A process of a worker gets a message for each chunk, one after another."""
    names = [f"{identity(works.database)}:{chunk}" for chunk in chunks]
    works.database.dispose()

    def serve() -> None:
        place = Workplace(works.settings, "elsewhere:9:9", lambda _: Nobody())  # type: ignore[arg-type, return-value]
        for name in names:
            place.run(name)

    process = FORK.Process(target=serve)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def _chunk(database: Database, chunk: int) -> Any:
    with database.read() as connection:
        return connection.execute(select(Chunk).where(Chunk.id == chunk)).one()


def test_a_night_without_workers_is_not_worked_though_a_message_comes_before_the_reaper(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=10, chunk_rows=5, max_seconds=100.0)
    held = leases.claim(works.database, Holder("far:1:1", "far", 60.0), job=job)
    assert held is not None
    leases.give_back(works.database, held)
    with works.database.write() as connection:
        # all were killed after ten seconds of work, an hour ago
        connection.execute(update(Job).values(running_since=Now() - 3_610))
        connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(claimed_at=Now() - 3_600))
    _deliver(works, 1)
    found = works.progress(job)
    assert (found.state, found.reason) == (JobState.RUNNING, None)
    assert found.worked == pytest.approx(10, abs=9)
    _deliver(works, 2)
    assert works.progress(job).state is JobState.DONE


def test_a_message_for_a_job_of_a_newer_version_is_left_to_others(works: Any) -> None:
    newer = works.place(JobKind.GENERATE, count=5)
    job = works.place(JobKind.GENERATE, count=5)
    with works.database.write() as connection:
        spec = connection.execute(select(Job.spec).where(Job.id == newer)).scalar_one()
        connection.execute(update(Job).where(Job.id == newer).values(spec={**spec, "new_field": 1}))
        connection.execute(update(Chunk).values(published_at=Now()))
    _deliver(works, 1)
    # it may be sent again at once, and the process took what it can make
    chunk = _chunk(works.database, 1)
    assert (chunk.state, chunk.published_at, chunk.attempt) == ("waiting", None, 0)
    assert works.progress(job).state is JobState.DONE
