"""PostgreSQL shows each statement of a transaction what others have committed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sudokumill.store.advance
from sudokumill.store.models import JobState


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
