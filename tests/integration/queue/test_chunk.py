from __future__ import annotations

from dataclasses import replace
from typing import Any

from sudokumill.jobs import JobKind
from sudokumill.queue.chunk import Bench, run_chunk
from sudokumill.queue.crew import pace
from sudokumill.queue.local import FORK
from sudokumill.store.database import Database
from sudokumill.store.leases import Holder, claim
from sudokumill.store.models import Chunk


def test_what_held_a_process_up_between_claim_and_work_is_no_fault_of_a_row(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=5)
    works.database.dispose()

    def make() -> None:
        database = Database(works.settings.database_url)
        settings = works.settings.model_copy(update={"chunk_limit_seconds": 30.0})
        holder = Holder("elsewhere:1:1", "elsewhere", 90.0)
        bench = Bench(
            database, works.registry, settings, holder, pace(settings), lambda: False, lambda _, __: None
        )
        held = claim(database, holder, job=job)
        assert held is not None
        # a broker that froze was waited for
        run_chunk(bench, replace(held, claimed=held.claimed - 40.0), works.progress(job).spec)

    process = FORK.Process(target=make)
    process.start()
    process.join()
    # it would be SIGALRM
    assert process.exitcode == 0
    assert works.progress(job).state.value == "done"
    with works.database.read() as connection:
        assert connection.execute(Chunk.__table__.select()).one().attempt == 1
