from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from sudokumill.errors import UnknownChunkError, UnreadableJobError
from sudokumill.jobs import Choice, JobKind, Part
from sudokumill.store.database import Database
from sudokumill.store.leases import Hold, Holder, claim, give_back, waiting_job
from sudokumill.store.models import Chunk, Job
from sudokumill.store.placing import place
from sudokumill.store.publishing import Able, identity, next_chunk, recall, recall_lost, take_due
from sudokumill.store.steering import cancel, pause, resume, retry

GENERATE, SOLVE = JobKind.GENERATE, JobKind.SOLVE


def everybody() -> Able:
    return able("generator fake", "generator rare", "solver fake")


def able(*names: str) -> Able:
    """One worker that has these."""
    return Able((frozenset(names),))


def order(mill: Any, chunks: int, priority: int = 0, name: str = "fake", kind: JobKind = GENERATE) -> int:
    """A job with so many chunks; returns its id."""
    part = Part.SOLVER if kind is SOLVE else Part.GENERATOR
    spec = mill.spec(10 * chunks, kind, chunk_rows=10, parts={part: Choice(name=name, version="1")})
    return place(mill.database, spec, priority=priority).id


def jobs_of(mill: Any, due: list[Any]) -> list[int]:
    """Whose chunks these are, in this order."""
    owners = {row.id: row.job_id for row in mill.rows(Chunk)}
    return [owners[each.chunk] for each in due]


def due(mill: Any, most: int, able: Able | None = None) -> list[Any]:
    return take_due(mill.database, {GENERATE: most}, able or everybody())


def make(mill: Any, chunk: int) -> None:
    """Claims a published chunk and ends it."""
    held = claim(mill.database, Holder("elsewhere:1:1", "elsewhere", 60.0), chunk=chunk)
    assert held is not None
    mill.finish(held, lambda position: 100 * held.job + position)


# --- room ------------------------------------------------------------------------------------------------


def test_no_more_are_on_their_way_than_there_is_room_for(mill: Any) -> None:
    order(mill, 10)
    assert len(due(mill, 3)) == 3
    assert due(mill, 3) == []
    assert len(due(mill, 5)) == 2
    assert due(mill, 4) == []


def test_what_is_claimed_makes_room(mill: Any) -> None:
    order(mill, 10)
    first, *_ = due(mill, 3)
    claim(mill.database, Holder("elsewhere:1:1", "elsewhere", 60.0), chunk=first.chunk)
    assert len(due(mill, 3)) == 1


def test_nothing_is_published_where_nobody_works(mill: Any) -> None:
    order(mill, 3)
    assert take_due(mill.database, {}, everybody()) == []
    assert take_due(mill.database, {SOLVE: 5}, everybody()) == []
    assert due(mill, 0) == []


def test_each_kind_has_room_of_its_own(mill: Any) -> None:
    order(mill, 10)
    spec = mill.spec(20, SOLVE, chunk_rows=10)
    place(mill.database, spec)
    found = take_due(mill.database, {GENERATE: 2, SOLVE: 1}, everybody())
    assert Counter(each.kind for each in found) == {GENERATE: 2, SOLVE: 1}
    found = take_due(mill.database, {GENERATE: 2, SOLVE: 2}, everybody())
    assert [each.kind for each in found] == [SOLVE]


def test_what_was_published_before_a_pause_takes_no_room(mill: Any) -> None:
    paused, other = order(mill, 4), order(mill, 4)
    assert jobs_of(mill, due(mill, 2)) == [paused, other]
    pause(mill.database, paused)
    assert jobs_of(mill, due(mill, 2)) == [other]
    resume(mill.database, paused)
    assert jobs_of(mill, due(mill, 3)) == [paused]


# --- turns -----------------------------------------------------------------------------------------------


def test_jobs_take_turns(mill: Any) -> None:
    large, small = order(mill, 8), order(mill, 2)
    assert jobs_of(mill, due(mill, 6)) == [large, small, large, small, large, large]


def test_a_job_that_comes_late_goes_next(mill: Any) -> None:
    large = order(mill, 9)
    for _ in range(3):
        [one] = due(mill, 1)
        make(mill, one.chunk)
    small = order(mill, 3)
    served = []
    for _ in range(6):
        [one] = due(mill, 1)
        served += jobs_of(mill, [one])
        make(mill, one.chunk)
    # both have the same turn now, and the older goes first
    assert served == [large, small, large, small, large, small]


@pytest.mark.parametrize("chunks", [1, 3])
def test_what_is_left_of_a_large_chunk_does_not_go_before_a_small_order(mill: Any, chunks: int) -> None:
    large = order(mill, chunks)
    [one] = due(mill, 1)
    small, served = order(mill, 3), []
    for _ in range(6):
        held = claim(mill.database, Holder("elsewhere:1:1", "elsewhere", 60.0), chunk=one.chunk)
        assert held is not None
        # of the large ones a row is made, and the rest goes back
        stop = held.start + 1 if held.job == large else held.stop
        mill.finish(held, lambda position: position, stop, Hold.PAUSE)
        [one] = due(mill, 1)
        served += jobs_of(mill, [one])
    assert served.count(small) == 3


def test_a_higher_priority_goes_before_all(mill: Any) -> None:
    low, urgent, usual, urgent_too = (
        order(mill, 2, priority) for priority in (-1, 5, 0, 5)
    )  # fmt: skip
    found = jobs_of(mill, due(mill, 8))
    assert found == [urgent, urgent_too, urgent, urgent_too, usual, usual, low, low]


@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("order"), st.integers(1, 6), st.integers(0, 1)),
            st.tuples(st.just("serve"), st.integers(1, 3), st.just(0)),
        ),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nobody_starves(new_mill: Callable[[], Any], steps: list[tuple[str, int, int]]) -> None:
    mill = new_mill()
    try:
        left: dict[int, int] = {}
        priorities: dict[int, int] = {}
        waited: Counter[int] = Counter()
        for act, number, priority in [*steps, ("serve", 100, 0)]:
            if act == "order":
                job = order(mill, number, priority)
                left[job], priorities[job] = number, priority
                continue
            for _ in range(number):
                if not any(left.values()):
                    break
                [one] = due(mill, 1)
                [job] = jobs_of(mill, [one])
                make(mill, one.chunk)
                left[job] -= 1
                waiting = [each for each, chunks in left.items() if chunks]
                assert priorities[job] == max(priorities[each] for each in {*waiting, job})
                waited[job] = 0
                for each in waiting:
                    if each != job and priorities[each] == priorities[job]:
                        waited[each] += 1
                        # every other has had at most one turn, and one that it was in the middle of
                        assert waited[each] <= 2 * (len(left) - 1)
        assert not any(left.values())
    finally:
        mill.close()


def test_a_job_that_was_paused_for_long_does_not_make_up_for_it(mill: Any) -> None:
    paused, large = order(mill, 20), order(mill, 20)
    pause(mill.database, paused)
    for _ in range(10):
        [one] = due(mill, 1)
        make(mill, one.chunk)
    small = order(mill, 2)
    resume(mill.database, paused)
    assert jobs_of(mill, due(mill, 6)) == [paused, large, small, paused, large, small]
    assert paused < large < small


def test_what_is_paused_or_cannot_be_made_does_not_hold_the_number_down(mill: Any) -> None:
    paused, large = order(mill, 20), order(mill, 20)
    pause(mill.database, paused)
    for _ in range(10):
        [one] = due(mill, 1)
        make(mill, one.chunk)
    late = [order(mill, 1) for _ in range(5)]
    # each of them goes once, and then the large one again: it was not passed by ten times five
    assert jobs_of(mill, due(mill, 7)) == [large, *late, large]


def test_the_chunks_of_a_retry_take_turns_too(mill: Any) -> None:
    bad = order(mill, 4)
    for _ in range(4):
        [one] = due(mill, 1)
        held = claim(mill.database, Holder("elsewhere:1:1", "elsewhere", 60.0), chunk=one.chunk)
        mill.finish(held, lambda position: position if position % 10 else None)
    cancelled = mill.progress(bad)
    assert cancelled.failed == 4
    with mill.database.write() as connection:
        connection.execute(update(Job).values(state="incomplete", ended_at=datetime.now(UTC)))
    retry(mill.database, bad)
    other = order(mill, 3)
    assert jobs_of(mill, due(mill, 6)) == [bad, other, bad, other, bad, other]


# --- who does not go -------------------------------------------------------------------------------------


def test_paused_and_cancelled_jobs_are_passed_over(mill: Any) -> None:
    paused, cancelled, other = order(mill, 2), order(mill, 2), order(mill, 2)
    pause(mill.database, paused)
    cancel(mill.database, cancelled)
    assert jobs_of(mill, due(mill, 9)) == [other, other]
    resume(mill.database, paused)
    assert jobs_of(mill, due(mill, 9)) == [paused, paused]


@pytest.mark.parametrize("unable", [1, 30])
def test_jobs_that_nobody_can_make_are_passed_over_and_block_nobody(mill: Any, unable: int) -> None:
    for _ in range(unable):
        order(mill, 3, priority=1, name="rare")
    other = order(mill, 3)

    plain = able("generator fake")
    assert jobs_of(mill, due(mill, 1, plain)) == [other]
    assert jobs_of(mill, due(mill, 9, plain)) == [other, other]
    assert due(mill, 9, plain) == []
    assert len(due(mill, 9)) == min(6, 3 * unable)


def test_very_many_jobs_that_nobody_can_make_block_nobody(mill: Any) -> None:
    plain = able("generator fake")
    # more than a statement of PostgreSQL has parameters, or one of SQLite
    plain.unable.update(range(10**6, 10**6 + 300_000))
    other = order(mill, 2)
    assert next_chunk(mill.database, GENERATE, plain) == mill.rows(Chunk)[0].id
    assert jobs_of(mill, due(mill, 9, plain)) == [other, other]


def test_the_next_chunk_that_somebody_can_make(mill: Any) -> None:
    order(mill, 2, priority=1, name="rare")
    other = order(mill, 2)
    plain = able("generator fake")
    first = next_chunk(mill.database, GENERATE, plain)
    assert first is not None
    assert mill.rows(Chunk)[first - 1].job_id == other
    due(mill, 9, plain)
    # whether its id is on its way or not
    assert next_chunk(mill.database, GENERATE, plain) == first
    assert next_chunk(mill.database, SOLVE, plain) is None


def test_a_job_that_a_newer_version_ordered_stops_nobody(mill: Any) -> None:
    newer = order(mill, 2, priority=1)
    other = order(mill, 2)
    with mill.database.write() as connection:
        spec = connection.execute(select(Job.spec).where(Job.id == newer)).scalar_one()
        connection.execute(update(Job).where(Job.id == newer).values(spec={**spec, "flavour": "sweet"}))
    assert jobs_of(mill, due(mill, 9)) == [other, other]
    with pytest.raises(UnreadableJobError, match="newer sudokumill"):
        waiting_job(mill.database, mill.rows(Chunk)[0].id)


# --- again -----------------------------------------------------------------------------------------------


def test_what_did_not_get_through_is_published_again(mill: Any) -> None:
    order(mill, 4)
    first = due(mill, 2)
    recall(mill.database, [first[0].chunk])
    assert due(mill, 2) == [first[0]]


def test_what_may_be_lost_is_published_again(mill: Any) -> None:
    order(mill, 4)
    first = due(mill, 2)
    recall_lost(mill.database, 60)
    assert due(mill, 2) == []
    recall_lost(mill.database, 0)
    assert due(mill, 2) == first


def test_what_is_claimed_is_not_recalled_but_what_is_given_back_is_due(mill: Any) -> None:
    order(mill, 4)
    [one] = due(mill, 1)
    held = claim(mill.database, Holder("elsewhere:1:1", "elsewhere", 60.0), chunk=one.chunk)
    assert held is not None
    recall_lost(mill.database, 0)
    assert next(row for row in mill.rows(Chunk) if row.id == one.chunk).published_at is not None
    give_back(mill.database, held)
    assert due(mill, 1) == [one]


def test_two_that_publish_at_once_never_publish_a_chunk_twice(mill: Any) -> None:
    for _ in range(3):
        order(mill, 30)
    # connections are not shared among threads; each dispatcher is a process of its own
    databases = [Database(mill.database.url.render_as_string(hide_password=False)) for _ in range(4)]
    room = itertools.count(2)

    def publish(database: Database) -> list[int]:
        return [each.chunk for _ in range(12) for each in take_due(database, {GENERATE: next(room)}, everybody())]

    with ThreadPoolExecutor(len(databases)) as pool:
        found = list(itertools.chain.from_iterable(pool.map(publish, databases)))
    for database in databases:
        database.dispose()
    assert len(found) == len(set(found))
    assert len(found) == sum(row.published_at is not None for row in mill.rows(Chunk)) > 30


# --- what a message stands for ---------------------------------------------------------------------------


def test_the_job_of_a_chunk(mill: Any) -> None:
    job = order(mill, 2)
    [one, _] = due(mill, 2)
    found = waiting_job(mill.database, one.chunk)
    assert found is not None
    assert (found[0], found[1].chunk_rows) == (job, 10)
    pause(mill.database, job)
    assert waiting_job(mill.database, one.chunk) is None
    resume(mill.database, job)
    make(mill, one.chunk)
    assert waiting_job(mill.database, one.chunk) is None
    with pytest.raises(UnknownChunkError, match="chunk 4711"):
        waiting_job(mill.database, 4711)


def test_every_database_has_an_identity_of_its_own(new_mill: Callable[[], Any]) -> None:
    mills = [new_mill(), new_mill()]
    names = [identity(mill.database) for mill in mills]
    assert names[0] == identity(mills[0].database)
    for mill in mills:
        mill.close()
