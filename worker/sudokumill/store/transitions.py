"""The states of jobs and chunks: every move that there is, and who makes it.

The moves themselves are made where their reasons are (see the names). Test databases refuse a move that is not in
these tables, and the diagrams in the README are compared with them.
"""

from __future__ import annotations

from typing import Final

from sudokumill.store.models import ChunkState, JobState

CHUNK_MOVES: Final[dict[tuple[ChunkState | None, ChunkState], frozenset[str]]] = {
    # an order's first chunks; those that follow; those of the job that follows one that ends; the rest of one that
    # was put down; the halves of one that failed too often; those for what is tried again
    (None, ChunkState.WAITING): frozenset({"place", "advance", "give_up", "finish", "fail", "reap", "retry"}),
    # what was taken from stock
    (None, ChunkState.DONE): frozenset({"place"}),
    # the rest of one whose job wants no more
    (None, ChunkState.DROPPED): frozenset({"finish"}),
    (ChunkState.WAITING, ChunkState.RUNNING): frozenset({"claim"}),
    (ChunkState.RUNNING, ChunkState.DONE): frozenset({"finish"}),
    (ChunkState.RUNNING, ChunkState.WAITING): frozenset({"give_back", "fail", "reap"}),
    # its job ended meanwhile
    (ChunkState.RUNNING, ChunkState.DROPPED): frozenset({"give_back", "fail", "reap"}),
    (ChunkState.RUNNING, ChunkState.SPLIT): frozenset({"fail", "reap"}),
    (ChunkState.RUNNING, ChunkState.DEAD): frozenset({"fail", "reap"}),
    (ChunkState.WAITING, ChunkState.DROPPED): frozenset({"advance", "give_up", "cancel"}),
    # the job goes on after all
    (ChunkState.DROPPED, ChunkState.WAITING): frozenset({"advance"}),
}
"""From (None: a new one) and to, and the functions that do it."""

_OPEN: Final = (JobState.WAITING, JobState.RUNNING)

JOB_MOVES: Final[dict[tuple[JobState | None, JobState], frozenset[str]]] = {
    # an order; the job that follows one that ends
    (None, JobState.WAITING): frozenset({"place", "advance", "give_up"}),
    (JobState.WAITING, JobState.RUNNING): frozenset({"claim"}),
    # nobody works on it any more
    (JobState.RUNNING, JobState.WAITING): frozenset({"stop_clock"}),
    **{(state, JobState.PAUSED): frozenset({"pause"}) for state in _OPEN},
    (JobState.PAUSED, JobState.WAITING): frozenset({"resume"}),
    **{(state, JobState.DONE): frozenset({"advance"}) for state in _OPEN},
    **{(state, JobState.INCOMPLETE): frozenset({"advance"}) for state in _OPEN},
    **{(state, JobState.FAILED): frozenset({"advance", "give_up"}) for state in _OPEN},
    (JobState.PAUSED, JobState.FAILED): frozenset({"give_up"}),
    **{(state, JobState.CANCELLED): frozenset({"cancel"}) for state in (*_OPEN, JobState.PAUSED)},
    **{
        (state, JobState.WAITING): frozenset({"retry"})
        for state in (JobState.DONE, JobState.INCOMPLETE, JobState.FAILED)
    },
}
"""The same of jobs."""
