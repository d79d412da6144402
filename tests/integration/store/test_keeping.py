from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokumill.contracts import SolveStatus
from sudokumill.grids.batch import Grids, digests, to_lines
from sudokumill.jobs import JobKind, Source
from sudokumill.rows import Batch, Failure, SolutionRows
from sudokumill.store.delivered import delivered_rows
from sudokumill.store.keeping import Made, finish, prepare
from sudokumill.store.leases import Hold
from sudokumill.store.models import ChunkState, Delivery, FinalRow, ItemFailure, JobState, Puzzle, Solution
from sudokumill.store.reading import failures, reports, versions


def _same(position: int) -> int:
    return position


KINDS = pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])


@KINDS
def test_a_row_and_its_origin(mill: Any, kind: JobKind) -> None:
    job = mill.place(6, kind, chunk_rows=3)
    found = mill.run(job, _same)
    assert (found.state, found.delivered, found.tried, found.last_position) == (JobState.DONE, 6, 6, 5)
    rows = sorted(mill.rows(FinalRow), key=lambda row: row.position)
    assert [row.id for row in rows] == digests([row.digits for row in rows])
    assert [(row.job_id, row.position) for row in rows] == [(job, position) for position in range(6)]
    first, second = mill.chunks(job)
    assert [row.chunk_id for row in rows] == [first.id] * 3 + [second.id] * 3
    assert first.versions == {"generator": "fake==1"}
    assert first.seconds == 0.003
    assert versions(mill.database, job) == [{"generator": "fake==1"}]
    total = reports(mill.database, job)["tries"]
    assert (total.total, total.weight, total.least, total.greatest) == (6, 6, 1, 1)


def test_what_is_written_of_a_puzzle(mill: Any) -> None:
    mill.run(mill.place(3, JobKind.LEVELS), _same)
    for row in mill.rows(Puzzle):
        assert [row.id] == digests([row.clues])
        assert (row.clue_count, row.row_min, row.row_max, row.box_min, row.column_max) == (72, 0, 9, 6, 8)
        assert (row.size, row.box_rows, row.box_columns, row.variant) == (9, 3, 3, "classic")
        assert (row.state, row.licence, row.on_target, row.nodes, row.minimal) == (
            "available", "CC0-1.0", True, 0, False,
        )  # fmt: skip


def test_item_errors(mill: Any) -> None:
    job = mill.place(5, chunk_rows=5)
    found = mill.run(job, lambda position: None if position in {1, 3} else position)
    assert (found.state, found.failed, found.delivered) == (JobState.DONE, 2, 5)
    assert found.tried == found.delivered + found.surplus + found.failed
    assert [(row.position, row.reason) for row in mill.rows(ItemFailure)] == [(1, "broken"), (3, "broken")]
    assert failures(mill.database, job) == [Failure("fake==1 of plugin fake", "broken", 2, 1)]


# --- repeats -----------------------------------------------------------------------------------------------


@KINDS
def test_a_repeat_within_a_job_is_topped_up(mill: Any, kind: JobKind) -> None:
    job = mill.place(6, kind, chunk_rows=4)
    found = mill.run(job, lambda position: {2: 1, 5: 0}.get(position, position))
    assert (found.state, found.delivered, found.repeated) == (JobState.DONE, 6, 2)
    assert mill.delivered(job) == [(0, 0), (1, 1), (3, 3), (4, 4), (6, 6), (7, 7)]


@KINDS
def test_the_lower_position_takes_over(mill: Any, kind: JobKind) -> None:
    job = mill.place(4, kind, chunk_rows=2)
    low, high = mill.claims(job)
    content = {0: 10, 1: 11, 2: 11, 3: 12}.__getitem__
    mill.finish(high, content)
    assert mill.progress(job).delivered == 2
    mill.finish(low, content)
    found = mill.progress(job)
    assert (found.delivered, found.repeated) == (3, 1)
    assert [(chunk.delivered, chunk.repeated) for chunk in mill.chunks(job)] == [(2, 0), (1, 1)]
    row = next(row for row in mill.rows(FinalRow if kind is JobKind.GENERATE else Puzzle) if row.position == 1)
    assert row.chunk_id == low.chunk


@KINDS
def test_the_lower_position_takes_over_what_another_job_had_stored(mill: Any, kind: JobKind) -> None:
    mill.run(mill.place(2, kind), lambda position: 50 + position)
    job = mill.place(4, kind, chunk_rows=2)
    low, high = mill.claims(job)
    content = {0: 10, 1: 50, 2: 50, 3: 51}.__getitem__
    mill.finish(high, content)
    assert [row.position for row in mill.rows(Delivery)] == [2, 3]
    mill.finish(low, content)
    assert sorted(row.position for row in mill.rows(Delivery)) == [1, 3]
    found = mill.progress(job)
    assert (found.delivered, found.already, found.repeated) == (3, 2, 1)
    assert mill.delivered(job) == [(0, 10), (1, 50), (3, 51)]


numbers = st.lists(st.none() | st.integers(0, 12), min_size=12, max_size=12)


@pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
@settings(max_examples=10)
@given(made=numbers, before=st.sets(st.integers(0, 12)), order=st.permutations(range(4)), count=st.integers(1, 8))
def test_the_order_in_which_chunks_end_decides_nothing(
    new_mill: Callable[[], Any],
    kind: JobKind,
    made: list[int | None],
    before: set[int],
    order: list[int],
    count: int,
) -> None:
    mill = new_mill()
    if before:
        mill.run(mill.place(len(before), kind), sorted(before).__getitem__)

    def content(position: int) -> int | None:
        # in the end something new comes, so that every job can be done
        return made[position] if position < 12 else 100 + position

    job = mill.place(12, kind, chunk_rows=3)
    claims = mill.claims(job)
    for index in order:
        mill.finish(claims[index], content)
    wanted: list[tuple[int, int]] = []
    for position in range(60):
        number = content(position)
        if number is not None and number not in {other for _, other in wanted}:
            wanted.append((position, number))
    found = mill.progress(job)
    qualified = [pair for pair in wanted if pair[0] < 12]
    assert found.delivered == len(qualified)
    assert found.failed == made.count(None)
    assert found.repeated == 12 - found.failed - len(qualified)
    assert found.already == sum(number in before for _, number in qualified)
    assert mill.delivered(job) == qualified
    # the rest, and the same order for fewer
    mill.run(job, content)
    assert mill.delivered(job) == wanted[:12]
    few = mill.place(count, kind, chunk_rows=5)
    assert mill.run(few, content).state is JobState.DONE
    assert mill.delivered(few) == wanted[:count]
    mill.close()


# --- what other jobs stored --------------------------------------------------------------------------------


@KINDS
def test_what_another_job_stored_is_delivered_too(mill: Any, kind: JobKind) -> None:
    mill.run(mill.place(5, kind), _same)
    job = mill.place(5, kind, chunk_rows=5)
    found = mill.run(job, lambda position: position + 3)
    assert (found.state, found.delivered, found.already, found.tried) == (JobState.DONE, 5, 2, 5)
    assert mill.delivered(job) == [(position, position + 3) for position in range(5)]
    assert [(row.job_id, row.position) for row in mill.rows(Delivery)] == [(job, 0), (job, 1)]
    assert len(mill.rows(FinalRow)) == 8


@KINDS
def test_the_same_order_again_delivers_the_same(mill: Any, kind: JobKind) -> None:
    first, second = mill.place(5, kind), mill.place(5, kind)
    mill.run(first, _same)
    found = mill.run(second, _same)
    assert (found.delivered, found.already) == (5, 5)
    assert mill.delivered(first) == mill.delivered(second)


@KINDS
def test_only_what_is_new(mill: Any, kind: JobKind) -> None:
    mill.run(mill.place(5, kind), _same)
    job = mill.place(5, kind, new=True, chunk_rows=4)
    found = mill.run(job, lambda position: position + 3)
    assert (found.state, found.delivered, found.not_new, found.already) == (JobState.DONE, 5, 2, 0)
    assert mill.delivered(job) == [(position, position + 3) for position in range(2, 7)]
    assert mill.rows(Delivery) == []


def test_off_target_puzzles_are_stock(mill: Any) -> None:
    job = mill.place(4, JobKind.LEVELS, chunk_rows=4)
    found = mill.run(job, lambda position: -(position + 1) if position % 2 else position + 1)
    assert (found.state, found.delivered, found.missed) == (JobState.DONE, 4, found.tried - 4 - found.surplus)
    assert mill.delivered(job) == [(0, 1), (2, 3), (4, 5), (6, 7)]
    kept = mill.rows(Puzzle)
    assert len(kept) == found.tried
    assert sorted(row.position for row in kept if not row.on_target) == list(range(1, found.tried, 2))


def test_another_jobs_stock_is_delivered_where_it_is_on_target(mill: Any) -> None:
    mill.run(mill.place(2, JobKind.LEVELS, max_attempts=4), lambda position: -(position + 1))
    job = mill.place(3, JobKind.LEVELS)
    found = mill.run(job, lambda position: position + 1)
    assert (found.state, found.delivered, found.already) == (JobState.DONE, 3, 3)
    assert mill.delivered(job) == [(0, 1), (1, 2), (2, 3)]


# --- a part of a chunk -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rest", "state"), [(Hold.PAUSE, ChunkState.WAITING), (Hold.STOP, ChunkState.DROPPED)])
def test_a_chunk_that_was_not_finished(mill: Any, rest: Hold, state: ChunkState) -> None:
    job = mill.place(count=20, chunk_rows=20)
    mill.finish(mill.claim(job), _same, stop=7, rest=rest)
    first, second = mill.chunks(job)
    assert (first.start, first.stop, first.state, first.delivered) == (0, 7, ChunkState.DONE, 7)
    assert (second.start, second.stop, second.state, second.attempt) == (7, 20, state, 0)
    assert (mill.progress(job).tried, mill.progress(job).delivered) == (7, 7)
    mill.run(job, _same)
    assert mill.delivered(job) == [(position, position) for position in range(20)]


# --- solutions ---------------------------------------------------------------------------------------------


def test_solutions_of_inputs(mill: Any, many_finals: Grids) -> None:
    job = mill.place(4, JobKind.SOLVE, source=Source.FILE, size=4, inputs=[many_finals[:4]])
    held = mill.claim(job)
    finals = many_finals[:4].copy()
    finals[2] = 0
    rows = SolutionRows(
        positions=np.arange(4, dtype=np.int64),
        counts=np.array([1, 2, 0, 1], dtype=np.int64),
        nodes=np.array([5, 6, 7, 8], dtype=np.int64),
        status=np.array(
            [SolveStatus.UNIQUE, SolveStatus.SEVERAL, SolveStatus.NO_SOLUTION, SolveStatus.GAVE_UP], dtype=np.uint8
        ),
        solutions=finals,
    )
    made = Made(reached=0)
    made.add(Batch(rows), 0.1, 4)
    finish(mill.database, prepare(mill.database, held, made, versions={}, new=False, licence=""))
    assert mill.advance(job) is JobState.DONE
    lines = to_lines(finals)
    assert [(row.position, row.status, row.count, row.nodes, row.digits) for row in mill.rows(Solution)] == [
        (0, "unique", 1, 5, lines[0]),
        (1, "several", 2, 6, lines[1]),
        (2, "no solution", 0, 7, None),
        (3, "gave up", 1, 8, lines[3]),
    ]
    assert len(list(delivered_rows(mill.database, mill.progress(job)))) == 4


def test_no_more_solutions_than_were_ordered(mill: Any, many_finals: Grids) -> None:
    job = mill.place(5, JobKind.SOLVE, source=Source.FILE, size=30, inputs=[many_finals[:30]], chunk_rows=10)

    def solved(start: int, stop: int) -> Made:
        positions = np.array([each for each in range(start, stop) if each not in {0, 1, 2, 3}], dtype=np.int64)
        ones = np.ones(len(positions), dtype=np.int64)
        rows = SolutionRows(positions, ones, ones, np.zeros(len(positions), np.uint8), many_finals[positions])
        made = Made(reached=start)
        made.add(
            Batch(rows, mill.batch(start, stop, {0: None}.get, JobKind.GENERATE).errors[:4] if not start else ()),
            0.1,
            stop,
        )
        return made

    while not mill.advance(job).ended:
        held = mill.claim(job)
        finish(
            mill.database,
            prepare(mill.database, held, solved(held.start, held.stop), versions={}, new=False, licence=""),
        )
    found = mill.progress(job)
    assert (found.state, found.delivered, found.failed) == (JobState.DONE, 5, 4)
    assert found.surplus > 0
    positions = [row.position for row in delivered_rows(mill.database, found)]
    assert positions == [4, 5, 6, 7, 8]
    assert found.last_position == 8
