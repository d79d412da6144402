from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import select

from sudokumill.errors import LocalProcessError, UnknownImplementationError
from sudokumill.grids.batch import Grids
from sudokumill.jobs import JobKind, Source
from sudokumill.queue import local
from sudokumill.store import steering
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.models import ChunkState, ItemFailure, JobState, Puzzle
from sudokumill.store.placing import count_inputs, place
from sudokumill.store.progress import Progress
from sudokumill.store.reading import failures, reports, versions


def test_a_job_from_order_to_levels(works: Any) -> None:
    seen: list[Progress] = []
    job = works.place(JobKind.LEVELS, "clues_max=30", count=50)
    found = works.run(job, 2, seen.append)
    assert (found.state, found.delivered, found.reason) == (JobState.DONE, 50, None)
    assert found.started_at is not None
    assert found.ended_at is not None
    assert versions(works.database, job) == [
        {"generator": "native==2", "digger": "native==1", "solver": "native==2", "checker": "exact-cover==1"}
    ]
    assert all(earlier.delivered <= later.delivered for earlier, later in pairwise(seen))


def test_dig_stored_finals_and_solve_the_puzzles(works: Any) -> None:
    finals = works.make(JobKind.GENERATE, count=30)
    counted = count_inputs(works.database, Source.UNDUG, None, 20)
    dug = works.make(JobKind.DIG, count=20, source=Source.UNDUG, inputs=counted)
    assert (dug.state, dug.delivered) == (JobState.DONE, 20)
    solutions = [row.solution for row in delivered_rows(works.database, works.progress(dug.id))]
    assert solutions == works.lines(finals.id)[:20]
    solved = works.make(JobKind.SOLVE, count=None, source=Source.PUZZLES, inputs=20)
    assert (solved.state, solved.delivered) == (JobState.DONE, 20)
    assert works.lines(solved.id) == solutions


def test_grids_of_a_file(works: Any, minimal_puzzles: Grids) -> None:
    spec = works.spec(JobKind.SOLVE, count=None, source=Source.FILE, inputs=100)
    job = place(works.database, spec, inputs=[minimal_puzzles[:60], minimal_puzzles[60:100]]).id
    found = works.run(job)
    assert (found.state, found.delivered, found.count) == (JobState.DONE, 100, 100)
    rows = list(delivered_rows(works.database, found))
    assert [row.position for row in rows] == list(range(100))
    assert {row.status for row in rows} == {"unique"}


@pytest.mark.cases("plugin", ids=["C107"])
def test_the_status_shows_what_a_digger_did_wrong(works: Any, case: dict[str, Any]) -> None:
    assert "status shows the three counts" in case["expect"]["outcome"]
    options = ("digger.faults=several/10 foreign/11 shape/12",)
    job = works.place(JobKind.LEVELS, *options, count=500, chunk_rows=330, generator="lab", digger="lab")
    found = works.run(job)
    assert (found.state, found.delivered) == (JobState.DONE, 500)
    tried = range(1, found.tried + 1)
    shapes = [each for each in tried if each % 12 == 0]
    subsets = [each for each in tried if each % 11 == 0 and each % 12]
    twos = [each for each in tried if each % 10 == 0 and each % 11 and each % 12]
    counted = {one.reason: one.times for one in failures(works.database, job)}
    assert counted == {
        "2 solutions": len(twos),
        "not a subset of its final": len(subsets),
        "wrong shape: puzzles has 80 cells instead of 81": len(shapes),
    }
    assert found.failed == len(shapes) + len(subsets) + len(twos)
    assert len(_rows(works, Puzzle)) == found.tried - found.failed
    assert len(_rows(works, ItemFailure)) == found.failed


def _rows(works: Any, table: Any) -> list[Any]:
    with works.database.read() as connection:
        return list(connection.execute(select(table)).all())


def test_a_plugin_that_always_raises_ends_the_job(works: Any) -> None:
    found = works.make(JobKind.GENERATE, "faults=raise/1", count=10_000, generator="lab")
    assert found.state is JobState.FAILED
    assert "every position failed" in (found.reason or "")
    assert "raised ZeroDivisionError: the plugin failed" in (found.reason or "")
    assert found.tried < 2_000


def test_a_mended_plugin_makes_what_was_ordered(works: Any) -> None:
    flag = works.folder / "broken"
    flag.touch()
    options = ("generator.faults=raise/3", f"generator.when={flag}")
    found = works.make(JobKind.GENERATE, *options, count=60, chunk_rows=10, generator="lab")
    assert (found.state, found.delivered) == (JobState.DONE, 60)
    assert found.failed >= 20
    flag.unlink()
    steering.retry(works.database, found.id)
    found = works.run(found.id)
    assert (found.state, found.failed) == (JobState.DONE, 0)
    straight = works.make(JobKind.GENERATE, count=60, generator="lab")
    assert works.lines(found.id) == works.lines(straight.id)


def test_the_generator_runs_out_of_finals(works: Any) -> None:
    found = works.make(JobKind.GENERATE, "distinct=30", count=40, generator="lab")
    assert (found.state, found.delivered) == (JobState.INCOMPLETE, 30)
    assert "positions delivered nothing" in (found.reason or "")
    assert len(works.lines(found.id)) == 30


def test_a_budget_of_seconds_ends_a_job(works: Any) -> None:
    found = works.make(JobKind.GENERATE, "pause=0.001", count=1_000_000, max_seconds=0.5, generator="lab")
    assert found.state is JobState.INCOMPLETE
    assert found.reason == "its budget of 0.5 s is used up"
    assert 0 < found.delivered == found.tried < 100_000
    assert set(found.chunks) <= {ChunkState.DONE, ChunkState.DROPPED}


def test_pausing_and_cancelling_from_outside(works: Any) -> None:
    def pause_at(now: Progress) -> None:
        if now.delivered >= 200 and now.state is JobState.RUNNING:
            steering.pause(works.database, now.id)

    job = works.place(JobKind.GENERATE, "pause=0.001", count=2_000, generator="lab", chunk_rows=100)
    found = works.run(job, 2, pause_at)
    assert found.state is JobState.PAUSED
    assert 200 <= found.delivered < 2_000
    assert ChunkState.RUNNING not in found.chunks
    steering.resume(works.database, job)

    def cancel_at(now: Progress) -> None:
        if now.delivered >= 500 and not now.state.ended:
            steering.cancel(works.database, now.id)

    found = works.run(job, 2, cancel_at)
    assert found.state is JobState.CANCELLED
    assert 500 <= found.delivered < 2_000
    assert len(works.lines(job)) == found.delivered
    assert set(found.chunks) <= {ChunkState.DONE, ChunkState.DROPPED}


def test_what_a_process_had_in_hand_when_it_was_killed_is_not_in_hand_any_more(works: Any) -> None:
    seen: list[Progress] = []
    job = works.place(JobKind.GENERATE, "faults=kill@200", count=300, generator="lab")
    found = works.run(job, 2, seen.append)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 300, 1)
    assert max(now.in_hand for now in seen) > 0
    assert seen[-1].in_hand == 0


def test_running_what_has_ended_changes_nothing(works: Any) -> None:
    found = works.make(JobKind.GENERATE, count=20)
    assert works.run(found.id) == found


def test_reports_are_those_of_all_chunks(works: Any) -> None:
    found = works.make(JobKind.GENERATE, count=100, chunk_rows=9, generator="lab")
    report = reports(works.database, found.id)["generator position"]
    assert (report.least, report.weight) == (0, found.tried)
    assert report.total == sum(range(found.tried))


def test_an_implementation_that_has_gone_is_an_error_that_names_it(works: Any) -> None:
    job = works.place(JobKind.GENERATE, count=20, generator="lab")
    works.settings = works.settings.model_copy(update={"plugin_dir": None})
    with pytest.raises(UnknownImplementationError, match="no generator is named 'lab'"):
        works.run(job)
    found = works.progress(job)
    assert (found.state.ended, found.tried) == (False, 0)
    assert found.chunks == {ChunkState.WAITING: 1}


def test_processes_that_die_before_they_begin_end_the_run(works: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise SystemExit(7)

    monkeypatch.setattr(local, "claim", broken)
    job = works.place(JobKind.GENERATE, count=20)
    with pytest.raises(LocalProcessError, match="10 died before they had begun, with exit code 7"):
        works.run(job)
