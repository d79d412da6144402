"""PostgreSQL shows each statement of a transaction what others have committed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sudokumill.store.advance
import sudokumill.store.steering
from sudokumill.store.advance import give_up
from sudokumill.store.models import JobState
from sudokumill.store.steering import retry
from sudokumill.store.turns import next_turn


@pytest.mark.parametrize("between", ["_open_positions", "read_progress", "_prefix", "_running"])
@pytest.mark.parametrize("good", [2, 1, 0])
def test_a_chunk_that_ends_while_another_process_moves_the_job_on(
    mill: Any, monkeypatch: pytest.MonkeyPatch, between: str, good: int
) -> None:
    job = mill.place(2, chunk_rows=1, max_attempts=2)
    first, second = mill.claim(job), mill.claim(job)

    def content(position: int) -> int | None:
        return position if position < good else None

    mill.finish(first, content)
    original: Callable[..., Any] = getattr(sudokumill.store.advance, between)
    ended: list[None] = []

    def and_then_the_other_ends(*arguments: Any) -> Any:
        found = original(*arguments)
        # SQLite lets nobody write while somebody does
        within = arguments[0].in_transaction() and arguments[0].get_execution_options().get("immediate", False)
        if within and not ended and mill.database.engine.dialect.name == "postgresql":
            ended.append(None)
            mill.finish(second, content)
        return found

    monkeypatch.setattr(sudokumill.store.advance, between, and_then_the_other_ends)
    state = mill.advance(job)
    monkeypatch.undo()
    if not ended:
        mill.finish(second, content)
    # the other looks after us
    state = state if state.ended else mill.advance(job)
    found = mill.progress(job)
    assert state is {2: JobState.DONE, 1: JobState.INCOMPLETE, 0: JobState.FAILED}[good]
    assert (found.state, found.delivered, found.qualified, found.tried) == (state, good, good, 2)
    assert len(mill.delivered(job)) == good
    if good < 2:
        assert f"{2 - good} failed" in (found.reason or "")


def _on_server(mill: Any) -> bool:
    """Whether others may write while somebody does."""
    return bool(mill.database.engine.dialect.name == "postgresql")


def test_a_chunk_that_ends_while_its_job_is_given_up_is_counted(
    mill: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = mill.place(2, chunk_rows=1)
    held = mill.claim(job)
    original = sudokumill.store.advance._drop_waiting

    def and_then_the_other_ends(*arguments: Any) -> None:
        original(*arguments)
        if _on_server(mill):
            mill.finish(held, lambda position: position)

    monkeypatch.setattr(sudokumill.store.advance, "_drop_waiting", and_then_the_other_ends)
    give_up(mill.database, job, "its line cannot be built")
    if not _on_server(mill):
        mill.finish(held, lambda position: position)
    assert mill.progress(job).state is JobState.FAILED
    assert mill.progress(job).delivered == 1
    mill.audit(job)


def test_a_chunk_that_ends_while_its_job_is_tried_again_keeps_its_item_errors(
    mill: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = mill.place(4, chunk_rows=2)
    first, second = mill.claims(job)
    mill.finish(first, lambda _: None)
    # somebody else's line cannot be built while the second is made
    give_up(mill.database, job, "its line cannot be built")

    def and_then_the_other_ends(*arguments: Any) -> Any:
        if _on_server(mill):
            mill.finish(second, lambda position: None if position == 3 else position)
        return next_turn(*arguments)

    monkeypatch.setattr(sudokumill.store.steering, "next_turn", and_then_the_other_ends)
    assert retry(mill.database, job) == 2
    if not _on_server(mill):
        mill.finish(second, lambda position: None if position == 3 else position)
    mill.audit(job)
    assert mill.run(job, lambda position: position).state is JobState.DONE
    mill.audit(job)
