"""Outcomes: what the positions of a chunk came to, frozen when it ends.

Levels go: they are dropped from stock, or belong to the order that stored them first. So what came out is counted
once, over all rows that the line made, whether they were stored before or not, on target or not, and stands in the
chunk's column ``outcome`` for good, by the job that dug them:

    chunk of job 7 (levels)   {"7": {"graded": {"2.3": 5, "4.2": 1}, "above": {"4.5": 3}, "no puzzle": 1}}
    chunk of job 8 (grade)    {"7": {"graded": {"6.6": 2, "7.1": 1}}}

What a grade job found out stands in place of what its origin left open. Of "0" is what came from a file, or was
dropped before it was graded. Rejected: to count stored rows when somebody asks, which is slow, and false as soon
as a row is gone or another job had it first.

Chunks of older versions have no outcome. They are left out, with their tries and their seconds: what is still
there of their rows would stand for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from sudokumill.contracts import GradeStatus
from sudokumill.jobs import Source
from sudokumill.rows import GradeRows, Grades, LevelRows
from sudokumill.store.models import Input, Job, Puzzle

Ratings = Counter[float]
"""Levels by rating, or by lower bound."""

NOWHERE: Final = 0
"""In place of a job, for what no job dug that is still known."""

_MOST: Final = 1_000
"""Different ratings of a chunk; where there are more, they are kept with fewer decimals."""
_DECIMALS: Final = (6, 2, 1, 0)


@dataclass
class Outcome:
    """What some positions came to, each counted once."""

    graded: Ratings = field(default_factory=Counter)
    above: Ratings = field(default_factory=Counter)
    """By what they surely exceed a ceiling with."""
    gave_up: Ratings = field(default_factory=Counter)
    ungraded: int = 0
    barren: int = 0
    """Positions of which no puzzle was left."""

    @classmethod
    def of_grades(cls, grades: Grades) -> Self:
        """What a grader said."""

        def of(status: GradeStatus) -> Ratings:
            return _histogram(grades.rating[grades.status == status])

        return cls(of(GradeStatus.GRADED), of(GradeStatus.ABOVE), of(GradeStatus.GAVE_UP))

    @classmethod
    def of_levels(cls, rows: LevelRows, barren: int) -> Self:
        """What was dug, and positions of which nothing was left."""
        found = cls() if rows.grades is None else cls.of_grades(rows.grades)
        found.ungraded = len(rows.positions) - found.levels
        found.barren = barren
        return found

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """From what ``written`` gave."""

        def ratings(name: str) -> Ratings:
            return Counter({float(rating): int(number) for rating, number in stored.get(name, {}).items()})

        return cls(
            ratings("graded"), ratings("above"), ratings("gave up"),
            *(int(stored.get(name, 0)) for name in ("ungraded", "no puzzle")),
        )  # fmt: skip

    def written(self) -> dict[str, Any]:
        """For JSON: ratings as text with their decimals, and nothing of what there is none."""
        ratings = {"graded": self.graded, "above": self.above, "gave up": self.gave_up}
        numbers = {"ungraded": self.ungraded, "no puzzle": self.barren}
        shown = {name: {repr(rating): number for rating, number in some.items()} for name, some in ratings.items()}
        return {name: value for name, value in (shown | numbers).items() if value}

    @property
    def levels(self) -> int:
        """How many levels these are."""
        return self.graded.total() + self.above.total() + self.gave_up.total() + self.ungraded

    @property
    def positions(self) -> int:
        """How many positions these are."""
        return self.levels + self.barren

    def add(self, more: Outcome) -> None:
        """Takes in what further positions came to."""
        self.graded.update(more.graded)
        self.above.update(more.above)
        self.gave_up.update(more.gave_up)
        self.ungraded += more.ungraded
        self.barren += more.barren

    def forget_grades(self) -> None:
        """For those who ask by another grader's grades."""
        self.ungraded = self.levels
        self.graded, self.above, self.gave_up = Counter(), Counter(), Counter()

    def settle(self, later: Outcome) -> bool:
        """Puts what a later job found out in place of what was open: not graded, above a ceiling, given up.

        Returns:
            False where less is open than that: another job has found it out as well, so it is not counted.
        """
        left = later.levels
        if left > self.ungraded + self.above.total() + self.gave_up.total():
            return False
        taken = min(left, self.ungraded)
        self.ungraded -= taken
        left -= taken
        for bounds in (self.above, self.gave_up):
            # which of them it was does not matter: as long as one is left, nothing is known above it
            for bound in sorted(bounds):
                taken = min(left, bounds[bound])
                bounds[bound] -= taken
                left -= taken
        self.above, self.gave_up = +self.above, +self.gave_up
        self.add(Outcome(later.graded, later.above, later.gave_up))
        return True


def _histogram(ratings: NDArray[np.float64]) -> Ratings:
    values, numbers = np.unique(ratings, return_counts=True)
    for decimals in _DECIMALS[1:]:
        if len(values) <= _MOST:
            break
        scale = 10**decimals
        # down, so that none leaves a band that begins above it
        values, places = np.unique(np.floor(values * scale + 1e-6) / scale, return_inverse=True)
        numbers = np.bincount(places, numbers).astype(np.int64)
    return Counter(dict(zip(values.tolist(), numbers.tolist(), strict=True)))


def outcome_of_levels(job: int, rows: LevelRows, barren: int) -> dict[str, Any]:
    """The column of a chunk that dug."""
    return {str(job): Outcome.of_levels(rows, barren).written()}


def outcome_of_grades(connection: Connection, job: int, rows: GradeRows) -> dict[str, Any]:
    """The column of a chunk of a grade job.

    A job that follows another one grades what that dug, also where yet another one had stored it before. Of any
    other, the puzzles' rows say who dug them.
    """
    spec = connection.execute(select(Job.spec).where(Job.id == job)).scalar_one()
    origins = np.full(len(rows.positions), spec.get("source_job") or NOWHERE, dtype=np.int64)
    if spec.get("source_job") is None and spec.get("source") == Source.PUZZLES and len(origins):
        first, last = rows.positions[[0, -1]].tolist()
        stored = connection.execute(
            select(Input.position, Puzzle.job_id)
            .join(Puzzle, Puzzle.id == Input.item_id)
            .where(Input.job_id == job, Input.position >= first, Input.position <= last)
        )
        dug_by: dict[int, int] = {row.position: row.job_id for row in stored}
        origins[:] = [dug_by.get(position, NOWHERE) for position in rows.positions.tolist()]
    return {
        str(origin): Outcome.of_grades(rows.grades.take(np.flatnonzero(origins == origin))).written()
        for origin in np.unique(origins).tolist()
    }


def read_outcomes(stored: Mapping[str, Mapping[str, Any]]) -> dict[int, Outcome]:
    """A chunk's column, by the job that dug."""
    return {int(origin): Outcome.read(one) for origin, one in stored.items()}
