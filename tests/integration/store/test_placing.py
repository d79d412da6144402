from __future__ import annotations

import multiprocessing
from typing import Any

import numpy as np
import pytest

from sudokumill.errors import BadOrderError, KeyTakenError, UnknownJobError
from sudokumill.grids.batch import Grids
from sudokumill.jobs import FIRST_CHUNKS, Choice, JobKind, Part, Source
from sudokumill.store.database import Database
from sudokumill.store.models import Chunk, Input, Job, JobState
from sudokumill.store.placing import count_inputs, place
from sudokumill.store.progress import progress
from sudokumill.store.reading import inputs

FORK = multiprocessing.get_context("fork")


def test_a_job_and_its_chunks(mill: Any) -> None:
    placed = mill.placed(count=100, chunk_rows=30)
    assert (placed.state, placed.seed, placed.existed) == (JobState.WAITING, 1, False)
    assert [(row.start, row.stop) for row in mill.chunks(placed.id)] == [(0, 30), (30, 60), (60, 90), (90, 100)]
    found = mill.progress(placed.id)
    assert (found.planned, found.tried, found.delivered) == (100, 0, 0)
    assert found.spec == mill.spec(count=100, chunk_rows=30)


def test_a_large_job_begins_with_a_few_chunks(mill: Any) -> None:
    job = mill.place(count=10**9, chunk_rows=5)
    assert len(mill.chunks(job)) == FIRST_CHUNKS
    assert mill.progress(job).planned == 5 * FIRST_CHUNKS


def test_inputs_are_kept_in_their_order(mill: Any, many_finals: Grids) -> None:
    job = mill.place(70, JobKind.SOLVE, source=Source.FILE, size=70, inputs=[many_finals[:50], many_finals[50:70]])
    lines = inputs(mill.database, job, 45, 55)
    assert [mill.numbers[line] for line in lines] == list(range(45, 55))
    assert len(inputs(mill.database, job, 0, 1000)) == 70


def test_an_order_that_breaks_off_leaves_nothing(mill: Any, many_finals: Grids) -> None:
    too_few = np.arange(50)
    with pytest.raises(IndexError):
        mill.place(70, JobKind.SOLVE, source=Source.FILE, size=70, inputs=[many_finals[:70]], lines=too_few)
    assert [mill.rows(table) for table in (Job, Chunk, Input)] == [[], [], []]


def test_the_same_key_is_the_same_order(mill: Any) -> None:
    first = mill.placed(count=20, key="night")
    again = mill.placed(count=20, key="night")
    assert (again.id, again.existed, again.seed) == (first.id, True, first.seed)
    assert len(mill.rows(Job)) == 1
    mill.run(first.id, lambda position: position)
    assert mill.placed(count=20, key="night").state is JobState.DONE
    assert mill.placed(count=20, key="day").id != first.id
    assert mill.placed(count=20).id not in {first.id, again.id}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"count": 21}, "count"),
        ({"seed": 2}, "seed"),
        ({"new": True}, "new"),
        ({"kind": JobKind.LEVELS}, "kind"),
        ({"parts": {Part.GENERATOR: Choice(name="other", version="1")}}, "parts"),
        ({"max_attempts": 100}, "max_attempts"),
    ],
)
def test_a_key_of_another_order(mill: Any, change: dict[str, Any], word: str) -> None:
    job = mill.placed(count=20, key="night").id
    with pytest.raises(KeyTakenError, match=rf"key 'night' belongs to job {job}, .*another {word}"):
        mill.placed(**{"count": 20, "key": "night", **change})
    assert len(mill.rows(Job)) == 1


def test_a_drawn_seed_does_not_tell_orders_apart(mill: Any) -> None:
    first = place(mill.database, mill.spec(seed=5), key="night", seed_given=False)
    again = place(mill.database, mill.spec(seed=6), key="night", seed_given=False)
    assert (again.existed, again.seed) == (True, first.seed)


def test_one_key_from_eight_processes_is_one_job(mill: Any) -> None:
    mill.database.dispose()
    go = FORK.Event()
    answers = FORK.SimpleQueue()

    def order() -> None:
        database = Database(mill.database.url.render_as_string(hide_password=False))
        go.wait(30)
        placed = place(database, mill.spec(), key="night")
        answers.put((placed.id, placed.existed))

    processes = [FORK.Process(target=order) for _ in range(8)]
    for process in processes:
        process.start()
    go.set()
    found = [answers.get() for _ in processes]
    for process in processes:
        process.join(60)
    assert len({job for job, _ in found}) == 1
    assert [existed for _, existed in found].count(False) == 1


# --- stored grids as a source ------------------------------------------------------------------------------


def test_undug_finals_oldest_first(mill: Any) -> None:
    with pytest.raises(BadOrderError, match="no stored final is left undug"):
        count_inputs(mill.database, Source.UNDUG, None, None)
    finals = mill.place(count=12, chunk_rows=5)
    mill.run(finals, lambda position: 100 + position)
    assert count_inputs(mill.database, Source.UNDUG, None, None) == 12
    dig = mill.place(5, JobKind.DIG, source=Source.UNDUG, size=12)
    assert [mill.numbers[line] for line in inputs(mill.database, dig, 0, 99)] == list(range(100, 112))
    mill.run(dig, lambda position: 100 + position)
    assert mill.delivered(dig) == [(position, 100 + position) for position in range(5)]
    assert count_inputs(mill.database, Source.UNDUG, None, None) == 7
    with pytest.raises(BadOrderError, match="makes no finals"):
        count_inputs(mill.database, Source.JOB, mill.place(1, JobKind.SOLVE), None)


def test_no_more_inputs_than_an_order_can_need(mill: Any) -> None:
    mill.run(mill.place(count=2_500, chunk_rows=1_000), lambda position: position)
    assert count_inputs(mill.database, Source.UNDUG, None, 10) == 1_020
    assert count_inputs(mill.database, Source.UNDUG, None, None) == 2_500


def test_the_finals_of_a_job(mill: Any) -> None:
    with pytest.raises(UnknownJobError, match="there is no job 77"):
        count_inputs(mill.database, Source.JOB, 77, None)
    first = mill.place(count=4, chunk_rows=2)
    mill.run(first, lambda position: position)
    # position 1 of the second job repeats itself, and 2 and 3 were stored by the first job
    second = mill.place(count=5, chunk_rows=10)
    content = {0: 50, 1: 50, 2: 3, 3: 0, 4: 51}
    mill.run(second, lambda position: content.get(position, 52 + position))
    assert count_inputs(mill.database, Source.JOB, second, None) == 5
    dig = mill.place(2, JobKind.DIG, source=Source.JOB, source_job=second, size=5)
    assert [mill.numbers[line] for line in inputs(mill.database, dig, 0, 99)] == [50, 3, 0, 51, 57]


def test_stored_puzzles(mill: Any) -> None:
    with pytest.raises(BadOrderError, match="no puzzle is stored"):
        count_inputs(mill.database, Source.PUZZLES, None, None)
    levels = mill.place(6, JobKind.LEVELS)
    mill.run(levels, lambda position: position)
    assert count_inputs(mill.database, Source.PUZZLES, None, None) == 6
    solve = mill.place(6, JobKind.SOLVE, source=Source.PUZZLES, size=6)
    lines = inputs(mill.database, solve, 0, 6)
    assert all(line.startswith("0" * 9) for line in lines)
    with pytest.raises(BadOrderError, match="a solve job makes no finals"):
        count_inputs(mill.database, Source.JOB, solve, None)


def test_a_source_that_shrank_between_counting_and_placing(mill: Any) -> None:
    mill.run(mill.place(count=12), lambda position: position)
    counted = count_inputs(mill.database, Source.UNDUG, None, None)
    mill.run(mill.place(5, JobKind.DIG, source=Source.UNDUG, size=12), lambda position: position)
    before = len(mill.rows(Job))
    with pytest.raises(BadOrderError, match=r"12 grids were counted.*7 are left.*order again"):
        mill.place(12, JobKind.DIG, source=Source.UNDUG, size=counted)
    assert len(mill.rows(Job)) == before


def test_progress_of_no_job(mill: Any) -> None:
    with pytest.raises(UnknownJobError, match="there is no job 5"):
        progress(mill.database, 5)


def test_numbers_are_numbers_of_finals(many_finals: Grids) -> None:
    assert len(np.unique(many_finals, axis=0)) == len(many_finals)
