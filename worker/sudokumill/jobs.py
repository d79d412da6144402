"""What a job is: the order as a validated specification, and how it is cut into chunks."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sudokumill.contracts import Role
from sudokumill.difficulty import Difficulty

GREATEST_COUNT: Final = 10_000_000_000
GREATEST_LIMIT: Final = 10**15
"""Solutions that are counted at the most."""
GREATEST_CHUNK: Final = 50_000
"""Rows of a chunk at the most: what a process holds of one chunk stays at some 40 MB."""

LEAST_SECONDS: Final = 0.05
"""Work that a chunk is worth: to claim and to end one costs some 20 ms of a processor."""

_COUNTS_A_PUZZLE: Final = 25

FIRST_CHUNKS: Final = 64
"""Chunks that wait at a time, at the most; more are appended while the job goes on."""


class JobKind(StrEnum):
    """What can be ordered."""

    GENERATE = "generate"
    DIG = "dig"
    SOLVE = "solve"
    GRADE = "grade"
    LEVELS = "levels"


class Source(StrEnum):
    """Where the grids come from that a job starts with."""

    FRESH = "fresh"
    """The job's generator makes finals."""
    UNDUG = "undug"
    """Stored finals from which no puzzle was dug yet, oldest first."""
    JOB = "job"
    """The finals that another job delivered."""
    FILE = "file"
    """Grids of a file."""
    PUZZLES = "puzzles"
    """Stored puzzles, oldest first; of a grade job those that its grader in its version has not graded, or what
    another job (``source_job``) left above its ceiling."""


class Distinct(StrEnum):
    """When two rows of a job count as one."""

    EXACT = "exact"
    """Their digits are the same."""
    ISOMORPH = "isomorph"
    """They are essentially the same: their canonical forms are equal (see ``grids.canonical``)."""


class Part(StrEnum):
    """The places in a job that an implementation takes."""

    GENERATOR = "generator"
    DIGGER = "digger"
    SOLVER = "solver"
    CHECKER = "checker"
    """The solver that counts the solutions of what was dug."""
    GRADER = "grader"

    @property
    def role(self) -> Role:
        """The role that fills this place."""
        return Role.SOLVER if self is Part.CHECKER else Role(self.value)


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Choice(_Value):
    """An implementation with its options, as ordered."""

    name: str
    version: str
    """The version that was here when the order was given; what a chunk ran with is in its own row."""
    pinned: bool = False
    """True for ``NAME==VERSION``: no other version will do."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """Only what the order set: defaults belong to the version."""


_UNASKED: Final = frozenset({"rate", "size", "chunk_rows", "aim", "tried_aims", "digger_ordered", "grade_rest"})
"""Fields of a specification that no order names, or that change no row."""


class JobSpec(_Value):
    """A job, as it is stored with its row: everything that its result depends on."""

    kind: JobKind
    count: Annotated[int, Field(ge=1, le=GREATEST_COUNT)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    parts: dict[Part, Choice]
    source: Source = Source.FRESH
    source_job: int | None = None
    size: int | None = None
    """Positions that exist: of an enumerating generator, or of inputs. None: no bound."""
    inputs_digest: str | None = None
    """Of the grids of a file."""
    enumerated: bool = False
    """True: the generator gets positions in place of seeds."""
    limit: int = 2
    """Kind solve: solutions are counted up to this."""
    new: bool = False
    """Levels (finals) that an earlier job stored do not count."""
    distinct: Distinct = Distinct.EXACT
    """Of levels (finals) that are the same in this sense, only that of the lowest position counts."""
    max_attempts: int | None = None
    """Budget: positions at the most."""
    max_seconds: float | None = None
    """Budget: seconds since the start at the most."""
    chunk_rows: int | None = None
    """Rows a chunk, where the order names them; the result never depends on it."""
    difficulty: Difficulty | None = None
    """What the grade is to be; a level of another one is stock."""
    aim: dict[str, JsonValue] = Field(default_factory=dict)
    """Options of the digger that were chosen, not ordered, so that much comes out as asked (see ``aiming``)."""
    tried_aims: bool = False
    """Other ways to dig were tried; without an aim, what was ordered was the best."""
    digger_ordered: Choice | None = None
    """The digger of the order, where another one was chosen in its place, which stands in ``parts`` then."""
    from_stock: bool = False
    """What is stored and was delivered to no job counts first."""
    grade_rest: bool = False
    """When it has ended, a grade job follows for what lies above the ceiling of its grader."""
    rate: float
    """Rows a second on one core, from the implementations' hints."""

    @property
    def aimed_by(self) -> list[str]:
        """What was chosen and not ordered, as it would be typed; empty: nothing."""
        chosen = [] if self.digger_ordered is None else [f"digger {self.parts[Part.DIGGER].name}"]
        return chosen + [f"digger.{name}={value}" for name, value in self.aim.items()]

    def difference(self, other: Self) -> str | None:
        """The first field by which two orders differ; None when they order the same.

        What does not change the result does not count: the size of chunks, and what is measured or counted when
        an order is given. Nor does a version that the order does not name, nor what the order was aimed by.
        """
        for name in type(self).model_fields:
            if name not in _UNASKED and self._asked(name) != other._asked(name):
                return name
        return None

    def _asked(self, name: str) -> object:
        if name == "parts":
            parts = self.parts
            if self.digger_ordered is not None:
                parts = parts | {Part.DIGGER: self.digger_ordered}
            return {part: (one.name, one.pinned and one.version, one.options) for part, one in parts.items()}
        value: object = getattr(self, name)
        return value


FOLLOWER_KEY: Final = re.compile(r"grade of job \d+( \(\d+\))?")
"""Keys of the jobs that follow others, which no person may choose."""


def follower_key(job: int, number: int) -> str:
    """The key of the first, second ... grade job that follows a job."""
    return f"grade of job {job}" + (f" ({number})" if number > 1 else "")


def draw_seed() -> int:
    """A job seed for an order that names none: 63 bits from the system, so no two runs share one."""
    return secrets.randbits(63)


def rows_per_chunk(spec: JobSpec, rate: float, seconds: float, processes: int, missing: int) -> int:
    """Rows of the next chunks: ``seconds`` of work, but each process gets a share of a small rest.

    A share is no smaller than ``LEAST_SECONDS``: ten levels that are made in two milliseconds would be ten chunks
    on ten processes, and cost a hundred times as much.

    Args:
        spec: the job; an explicit ``chunk_rows`` wins.
        rate: rows a second on one core, measured or hinted.
        seconds: work that a chunk is meant to be.
        processes: how many share the work.
        missing: positions that are still to be planned.
    """
    if spec.chunk_rows is not None:
        return min(GREATEST_CHUNK, spec.chunk_rows)
    most = max(1, int(min(GREATEST_CHUNK, rate * seconds)))
    share = max(math.ceil(missing / max(1, processes)), min(missing, most, math.ceil(rate * LEAST_SECONDS)), 1)
    # as many rounds as it takes, all even: or the last chunk would keep one process and leave the others idle
    return math.ceil(share / math.ceil(share / most))


def plan_chunks(start: int, missing: int, rows: int, size: int | None, most: int) -> list[tuple[int, int]]:
    """Ranges of positions for the next chunks: ``[(start, start + rows), ...]``.

    Args:
        start: the first position that is not planned yet.
        missing: positions that are wanted.
        rows: rows a chunk.
        size: positions that exist, None for no bound.
        most: chunks at the most.
    """
    end = start + missing if size is None else min(start + missing, size)
    return [(low, min(low + rows, end)) for low in range(start, end, rows)[:most]]


def combined_rate(kind: JobKind, rates: Mapping[Part, float]) -> float:
    """Rows a second of a line whose parts work one after another.

    Args:
        kind: of a puzzle that is dug the solver counts the nodes once, and once more for each clue to see whether
            it is minimal.
        rates: rows a second of each part alone.
    """
    counts = _COUNTS_A_PUZZLE if kind in {JobKind.LEVELS, JobKind.DIG} else 1
    return 1.0 / sum((counts if part is Part.SOLVER else 1) / rate for part, rate in rates.items())
