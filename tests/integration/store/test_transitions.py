"""The host moves the states of jobs and chunks as its tables and the README's diagrams say, and no other way.

Every test of the store runs on a database that refuses a move which the tables do not name (``servers.states``).
Here each function that moves states is called, and what it moved is compared with the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from servers.states import MOVES, every_move, take_moves
from sudokumill.jobs import Choice, JobKind, Part
from sudokumill.store import clock, leases, steering
from sudokumill.store.advance import give_up
from sudokumill.store.followers import followers
from sudokumill.store.leases import Hold
from sudokumill.store.models import Chunk, ChunkState, Grade, Job, JobState, Puzzle

README = Path(__file__).parents[3] / "worker" / "README.md"
ATTEMPTS = 2

Moves = set[tuple[str, str, str, str]]


def _same(position: int) -> int:
    return position


class Watched:
    """Calls functions that move states, and notes what they moved."""

    def __init__(self, mill: Any) -> None:
        self.mill = mill
        self.database = mill.database
        self.seen: Moves = set()

    def do(self, by: str, act: Callable[[], Any]) -> Any:
        result = act()
        with self.database.write() as connection:
            moved = take_moves(connection)
        new = {(*move, by) for move in moved}
        assert new <= every_move(), f"{by} made a move that the tables do not give it"
        self.seen |= new
        return result

    def place(self, count: int = 10, **fields: Any) -> int:
        return int(self.do("place", lambda: self.mill.place(count, **{"chunk_rows": 5, **fields})))

    def claim(self, job: int) -> Any:
        return self.do("claim", lambda: self.mill.claim(job))

    def finish(self, job: int, content: Callable[[int], int | None] = _same, **more: Any) -> None:
        held = self.claim(job)
        self.do("finish", lambda: self.mill.finish(held, content, **more))

    def advance(self, job: int) -> JobState:
        state: JobState = self.do("advance", lambda: self.mill.advance(job))
        self.mill.audit(job)
        return state

    def steer(self, by: str, job: int) -> None:
        self.do(by, lambda: getattr(steering, by)(self.database, job))

    def stop_clock(self, job: int) -> None:
        self.do("stop_clock", lambda: clock.stop_clock(self.database, job))

    def give_up(self, job: int) -> None:
        self.do("give_up", lambda: give_up(self.database, job, "it cannot be built"))

    def lose(self, job: int, by: str) -> None:
        """A claim, and its end without rows."""
        held = self.claim(job)
        self.end(held, by)

    def end(self, held: Any, by: str) -> None:
        if by == "give_back":
            self.do(by, lambda: leases.give_back(self.database, held))
        elif by == "fail":
            self.do(by, lambda: leases.fail(self.database, held, ATTEMPTS, "it failed"))
        else:
            with self.database.write() as connection:
                connection.execute(update(Chunk).where(Chunk.id == held.chunk).values(lease_until=0.0))
            assert self.do(by, lambda: leases.reap(self.database, held.job, ATTEMPTS)) == 1


def _chunks_that_fail(watched: Watched) -> None:
    for by in ("fail", "reap"):
        job = watched.place(2, chunk_rows=2)
        while "dead" not in watched.mill.progress(job).chunks:
            watched.lose(job, by)
        watched.lose(watched.place(), "give_back")
    for by in ("fail", "reap", "give_back"):
        job = watched.place()
        held = watched.claim(job)
        watched.steer("cancel", job)
        watched.end(held, by)


def _ends(watched: Watched) -> None:
    """Each end, of a job that runs and of one whose clock was stopped before anybody looked."""
    for stopped in (False, True):
        for wanted, fields, content in (
            (JobState.DONE, {}, _same),
            (JobState.INCOMPLETE, {"max_attempts": 10}, lambda position: position or None),
            (JobState.FAILED, {"max_attempts": 10}, lambda _: None),
        ):
            job = watched.place(**fields)
            for _ in range(2):
                watched.finish(job, content)
            if stopped:
                watched.stop_clock(job)
            assert watched.advance(job) is wanted
            if wanted is not JobState.DONE:
                watched.steer("retry", job)
    job = watched.place()
    watched.finish(job, lambda position: None if position == 1 else position)
    watched.finish(job)
    watched.advance(job)
    watched.finish(job)
    assert watched.advance(job) is JobState.DONE
    watched.steer("retry", job)


def _chunks_that_are_put_down(watched: Watched) -> None:
    """What is left of them waits, or is not needed any more."""
    job = watched.place(8, chunk_rows=4)
    for by in ("pause", "cancel"):
        held = watched.claim(job)
        watched.steer(by, job)
        rest = Hold.PAUSE if by == "pause" else Hold.STOP
        watched.do("finish", partial(watched.mill.finish, held, _same, held.start + 1, rest))
        watched.mill.audit(job)
        if by == "pause":
            watched.steer("resume", job)


def _budget(watched: Watched) -> None:
    """A budget of time that is over drops what waits; a retry lets it wait again."""
    job = watched.place(20, max_seconds=60.0)
    watched.finish(job, lambda position: None if position == 1 else position + 300)
    with watched.database.write() as connection:
        connection.execute(update(Job).where(Job.id == job).values(worked=100.0))
    assert watched.advance(job) is JobState.INCOMPLETE
    watched.steer("retry", job)
    watched.finish(job, lambda position: position + 300)
    watched.advance(job)


def _people(watched: Watched) -> None:
    for before in ("waiting", "running", "paused"):
        for by in ("pause", "cancel", "give_up"):
            job = watched.place()
            if before != "waiting":
                watched.lose(job, "give_back")
            if before == "paused":
                watched.steer("pause", job)
            if by == "give_up":
                watched.give_up(job)
            else:
                watched.steer(by, job)
            if by == "pause":
                watched.steer("resume", job)
    job = watched.place()
    watched.lose(job, "give_back")
    watched.stop_clock(job)


def _stock(watched: Watched) -> None:
    """Levels that missed their target are delivered to the next order that takes from stock."""
    parts = {part: Choice(name="fake", version="1") for part in (Part.GENERATOR, Part.DIGGER)}
    wanted: dict[str, Any] = {"kind": JobKind.LEVELS, "parts": parts, "max_attempts": 5}
    job = watched.place(2, **wanted)
    while watched.advance(job) is not JobState.INCOMPLETE:
        watched.finish(job, lambda position: -400 - position)
    taken = watched.place(2, **wanted, from_stock=True)
    assert watched.mill.audit(taken).positions["delivered"] == 2
    assert watched.advance(taken) is JobState.DONE


def _followed(watched: Watched) -> None:
    """A job ends, and one follows for what lies above its ceiling."""
    parts = {part: Choice(name="fake", version="1") for part in (Part.GENERATOR, Part.DIGGER, Part.GRADER)}
    for by in ("advance", "give_up"):
        job = watched.place(2, kind=JobKind.LEVELS, parts=parts, grade_rest=True, max_attempts=5)
        first = 500 if by == "advance" else 600
        watched.finish(job, lambda position, first=first: first + position)  # type: ignore[misc]
        with watched.database.write() as connection:
            ids = connection.execute(select(Puzzle.id).where(Puzzle.job_id == job)).scalars().all()
            bound = {"grader": "fake", "version": "1", "status": "above", "at_least": 2.0, "job_id": job}
            rows = [
                {**bound, "puzzle_id": each, "chunk_id": 0, "position": place} for place, each in enumerate(ids)
            ]
            connection.execute(insert(Grade), rows)
        watched.advance(job) if by == "advance" else watched.give_up(job)
        assert len(followers(watched.database, job)) == 1


def test_every_move_is_made_and_by_whom_the_tables_say(mill: Any) -> None:
    watched = Watched(mill)
    for act in (_chunks_that_fail, _ends, _chunks_that_are_put_down, _budget, _people, _stock, _followed):
        act(watched)
    assert every_move() - watched.seen == set(), "in the tables, but not made here"


@pytest.mark.parametrize(
    ("table", "state"),
    [(Chunk, ChunkState.DEAD), (Chunk, ChunkState.DONE), (Job, JobState.DONE)],
)
def test_a_move_that_the_tables_do_not_name_is_refused(mill: Any, table: Any, state: Any) -> None:
    job = mill.place()
    steering.cancel(mill.database, job)

    def move() -> None:
        with mill.database.write() as connection:
            connection.execute(update(table).values(state=state.value))

    with pytest.raises(IntegrityError, match=r"that store/transitions\.py does not name"):
        move()


@pytest.mark.parametrize("what", MOVES)
def test_the_diagram_shows_every_move_and_who_makes_it(what: str) -> None:
    text = README.read_text(encoding="utf-8")
    _, drawn = text.split(f"### States of a {what}\n", 1)
    diagram = drawn.split("```")[1]
    shown = {
        (what, "new" if before == "[*]" else before, after, by.strip().replace(" ", "_"))
        for before, after, names in re.findall(r"^ +(\S+) --> ([a-z]+): (.+)$", diagram, re.MULTILINE)
        for by in names.split(",")
    }
    assert shown == {move for move in every_move() if move[0] == what}
    # what has no way out is an end
    states = {after for _, _, after, _ in shown}
    left = {before for _, before, _, _ in shown}
    ends = set(re.findall(r"^ +([a-z]+) --> \[\*\]", diagram, re.MULTILINE))
    assert ends >= states - left
