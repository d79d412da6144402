from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokumill.jobs import (
    GREATEST_CHUNK,
    JobKind,
    JobSpec,
    Part,
    combined_rate,
    draw_seed,
    plan_chunks,
    rows_per_chunk,
)

Ordered = Callable[..., JobSpec]

counts = st.integers(0, 100_000)
rows = st.integers(1, 50_000)


@given(counts, counts, rows, st.none() | counts, st.integers(1, 100))
def test_chunks_cover_each_position_once(start: int, missing: int, row: int, size: int | None, most: int) -> None:
    chunks = plan_chunks(start, missing, row, size, most)
    assert len(chunks) <= most
    end = start
    for low, high in chunks:
        assert low == end  # neither a gap nor an overlap
        assert 0 < high - low <= row
        end = high
    wanted = start + missing if size is None else min(start + missing, size)
    if len(chunks) < most:
        assert end == max(start, wanted)
    else:
        assert end <= max(start, wanted)
    assert all(high - low == row for low, high in chunks[:-1])


def test_a_plan_of_ten_billion_rows_costs_nothing() -> None:
    assert plan_chunks(0, 10**10, 1, None, 3) == [(0, 1), (1, 2), (2, 3)]


@given(st.integers(0, 1_000), st.integers(1, 300), st.integers(1, 100))
def test_plans_that_follow_each_other_make_one(missing: int, row: int, most: int) -> None:
    whole = plan_chunks(0, missing, row, None, 10**6)
    pieces: list[tuple[int, int]] = []
    while not pieces or pieces[-1][1] < missing:
        start = pieces[-1][1] if pieces else 0
        more = plan_chunks(start, missing - start, row, None, most)
        if not more:
            break
        pieces += more
    assert pieces == whole


def test_rows_of_a_chunk_are_its_seconds(ordered: Ordered) -> None:
    spec = ordered(JobKind.GENERATE)
    assert rows_per_chunk(spec, 1_000, 4.0, 1, 10**6) == 4_000
    assert rows_per_chunk(spec, 0.1, 4.0, 1, 10**6) == 1
    assert rows_per_chunk(spec, 10**9, 4.0, 1, 10**9) == GREATEST_CHUNK


def test_each_process_gets_a_share_of_a_small_rest(ordered: Ordered) -> None:
    spec = ordered(JobKind.GENERATE)
    assert rows_per_chunk(spec, 100, 4.0, 4, 100) == 25
    assert rows_per_chunk(spec, 100, 4.0, 3, 100) == 34
    assert rows_per_chunk(spec, 10, 4.0, 8, 3) == 1
    assert rows_per_chunk(spec, 10, 4.0, 8, 0) == 1


def test_no_share_is_smaller_than_what_a_chunk_costs(ordered: Ordered) -> None:
    spec = ordered(JobKind.LEVELS)
    # ten levels on 16 processes: not ten chunks of one row
    assert rows_per_chunk(spec, 5_000, 4.0, 16, 10) == 10
    assert rows_per_chunk(spec, 5_000, 4.0, 16, 1_000) == 250
    assert rows_per_chunk(spec, 5_000, 4.0, 16, 16_000) == 1_000
    # slow rows are shared as before
    assert rows_per_chunk(spec, 5, 4.0, 16, 10) == 1
    # what a chunk is planned for comes first
    assert rows_per_chunk(spec, 5_000, 0.01, 100, 1_000) == 50


def test_rows_that_the_order_names(ordered: Ordered) -> None:
    assert rows_per_chunk(ordered(chunk_rows=7), 1_000, 4.0, 2, 10**6) == 7
    # a process holds a whole chunk, so there is an end to it
    assert rows_per_chunk(ordered(chunk_rows=10**9), 1_000, 4.0, 2, 10**9) == GREATEST_CHUNK


def test_rates_of_parts_that_work_one_after_another() -> None:
    both = {Part.GENERATOR: 100.0, Part.DIGGER: 50.0}
    assert combined_rate(JobKind.DIG, both) == pytest.approx(100 / 3)
    # the solver counts a puzzle, and again without each clue
    assert combined_rate(JobKind.LEVELS, both | {Part.SOLVER: 100.0}) == pytest.approx(1 / (0.03 + 0.25))
    assert combined_rate(JobKind.SOLVE, {Part.SOLVER: 100.0}) == pytest.approx(100)


def test_seeds_fit_into_the_database() -> None:
    assert all(0 <= draw_seed() < 2**63 for _ in range(1_000))


def test_the_field_by_which_two_orders_differ(ordered: Ordered) -> None:
    spec = ordered(seed=1)
    assert spec.difference(ordered(seed=1)) is None
    assert spec.difference(ordered(seed=2)) == "seed"
    assert spec.difference(ordered(JobKind.LEVELS, "clues_max=30", seed=1)) == "parts"
    assert spec.difference(spec.model_copy(update={"rate": 1.0})) is None
