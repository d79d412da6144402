"""The tables. Games read the view ``level`` (see ``migrations``); tables are ours to change, by migrations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    and_,
    literal_column,
    true,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from sudokumill.store.column_types import AUTO_ID, JSON_DOCUMENT, GridId, UtcTime


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    """All that was ordered is delivered."""
    INCOMPLETE = "incomplete"
    """A budget or the source ran out; ``reason`` says which."""
    FAILED = "failed"
    """Nothing could be made; ``reason`` says why."""
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self in {JobState.DONE, JobState.INCOMPLETE, JobState.FAILED, JobState.CANCELLED}


class ChunkState(StrEnum):
    """Where a chunk stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    SPLIT = "split"
    """It failed too often and two halves took its place."""
    DEAD = "dead"
    """A single position that failed too often."""
    DROPPED = "dropped"
    """Not needed any more: the job ended before it."""


class GradeState(StrEnum):
    """How a grade came out."""

    GRADED = "graded"
    GAVE_UP = "gave up"
    """The grader's budget ran out; the rating is a lower bound."""
    ABOVE = "above"
    """The rating is above the ceiling at which its job stopped, and a lower bound; a grade job finds it out."""


COUNTERS: Final = ("delivered", "already", "repeated", "missed", "not_new", "failed")
"""A chunk's columns that count its positions."""


class Base(DeclarativeBase):
    """Base of the tables."""


class Job(Base):
    """What a person ordered."""

    __tablename__ = "job"

    id: Mapped[int] = mapped_column(AUTO_ID, primary_key=True, autoincrement=True)
    key: Mapped[str | None] = mapped_column(String(200), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(20), index=True)
    reason: Mapped[str | None] = mapped_column(Text)
    count: Mapped[int] = mapped_column(BigInteger)
    seed: Mapped[int] = mapped_column(BigInteger)
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    priority: Mapped[int] = mapped_column(SmallInteger, default=0)
    """Chunks of jobs with a higher one go first."""
    planned: Mapped[int] = mapped_column(BigInteger, default=0)
    """Positions that chunks were cut for, so far."""
    worked: Mapped[float] = mapped_column(Float, default=0.0)
    """Seconds of the runs before the present one."""
    delivered: Mapped[int | None] = mapped_column(BigInteger)
    """Set when the job ends."""
    last_position: Mapped[int | None] = mapped_column(BigInteger)
    """The position of the last delivered row, set when the job ends; what lies after it is stock."""
    ordered_at: Mapped[datetime] = mapped_column(UtcTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcTime)
    """When it was first run."""
    running_since: Mapped[float | None] = mapped_column(Float)
    """When the present run began, by the database's clock; NULL while nobody runs it."""
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Chunk(Base):
    """A range of positions of a job that one process makes at a time."""

    __tablename__ = "chunk"
    __table_args__ = (
        Index("ix_chunk_job_id_state", "job_id", "state"),
        Index("ix_chunk_worker", "worker"),
    )

    id: Mapped[int] = mapped_column(AUTO_ID, primary_key=True, autoincrement=True)
    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("job.id"))
    kind: Mapped[str] = mapped_column(String(20))
    """The job's: the queue that its id is published in."""
    priority: Mapped[int] = mapped_column(SmallInteger)
    """The job's."""
    turn: Mapped[int] = mapped_column(BigInteger)
    """Among chunks of one kind and priority those with the lowest turn are published first."""
    start: Mapped[int] = mapped_column(BigInteger)
    stop: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(20))
    attempt: Mapped[int] = mapped_column(SmallInteger, default=0)
    owner: Mapped[str | None] = mapped_column(String(200))
    """Who holds it (see ``owners``)."""
    lease_token: Mapped[str | None] = mapped_column(String(32))
    lease_until: Mapped[float | None] = mapped_column(Float)
    """Seconds since 1970 by the database's clock."""
    published_at: Mapped[float | None] = mapped_column(Float)
    """When its id was last published to the workers, by the database's clock; NULL while it is to be."""
    claimed_at: Mapped[float | None] = mapped_column(Float)
    """When it was last claimed, by the database's clock."""
    ended_at: Mapped[float | None] = mapped_column(Float)
    """When its rows were stored, by the database's clock."""
    worker: Mapped[str | None] = mapped_column(String(200))
    """The name of the worker that last claimed it (see ``Worker``)."""
    versions: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    """What made its rows: part to NAME==VERSION."""
    reason: Mapped[str | None] = mapped_column(Text)
    moved: Mapped[int] = mapped_column(Integer, default=0)
    """Positions of its range that chunks of their own try again."""
    delivered: Mapped[int] = mapped_column(Integer, default=0)
    """Positions that count for the job: new rows on target, and ``already``."""
    already: Mapped[int] = mapped_column(Integer, default=0)
    """Delivered positions whose row an earlier job had stored."""
    repeated: Mapped[int] = mapped_column(Integer, default=0)
    """Positions that repeat another of the same job."""
    missed: Mapped[int] = mapped_column(Integer, default=0)
    """Positions whose puzzle is sound but off target, or of which no puzzle was left."""
    not_new: Mapped[int] = mapped_column(Integer, default=0)
    """Positions that an earlier job had stored, in an order for new ones only."""
    failed: Mapped[int] = mapped_column(Integer, default=0)
    """Positions that are item errors."""
    seconds: Mapped[float] = mapped_column(Float, default=0.0)
    """Time that the line took, without storing."""
    reports: Mapped[dict[str, list[float]] | None] = mapped_column(JSON(none_as_null=True))
    """Reports of the implementations: name to [total, weight, least, greatest]."""
    outcome: Mapped[dict[str, dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """What its levels came to, by the job that dug them (see ``outcomes``); NULL for chunks without levels."""
    dropped: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """Rows off target that were dropped from stock since."""
    dropped_hits: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """Surplus rows that were dropped from stock since; ``missed`` counts their positions."""


# The states in these conditions are no parameters: no planner uses a partial index then.
_WAITING: Final = Chunk.state == literal_column("'waiting'")

UNPUBLISHED: Final = and_(_WAITING, Chunk.published_at.is_(None))
"""Chunks whose ids are to be published."""

PUBLISHED: Final = and_(_WAITING, Chunk.published_at.is_not(None))
"""Chunks whose ids are on their way."""

RUNNING: Final = Chunk.state == literal_column("'running'")


def _partial(name: str, condition: ColumnElement[bool], *columns: Any, unique: bool = False) -> Index:
    """An index of the few rows that are looked at again and again, among many others."""
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


_partial("ix_chunk_unpublished", UNPUBLISHED, Chunk.kind, Chunk.priority.desc(), Chunk.turn, Chunk.id)
_partial("ix_chunk_published", PUBLISHED, Chunk.kind, Chunk.published_at)
_partial("ix_chunk_running", RUNNING, Chunk.kind, Chunk.lease_until)


class Input(Base):
    """A grid that a job starts from."""

    __tablename__ = "input"

    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("job.id"), primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    digits: Mapped[str] = mapped_column(String(81))
    line: Mapped[int | None] = mapped_column(BigInteger)
    """Where it stood in the file."""
    item_id: Mapped[bytes | None] = mapped_column(GridId)
    """Its id, in grade jobs: what comes of it is found by that."""


class FinalRow(Base):
    """A final, and the first position that made it.

    A row carries its origin (job, chunk, position). No foreign key guards it: the transaction that writes it
    holds the chunk's lease, and checking each of a million rows again costs a fifth of their time.
    """

    __tablename__ = "final"
    __table_args__ = (Index("ix_final_job_id_position", "job_id", "position"),)

    id: Mapped[bytes] = mapped_column(GridId, primary_key=True)
    digits: Mapped[str] = mapped_column(String(81))
    job_id: Mapped[int] = mapped_column(BigInteger)
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    position: Mapped[int] = mapped_column(BigInteger)
    class_id: Mapped[bytes | None] = mapped_column(GridId)
    """Digest of its canonical form; NULL where nobody has found it out yet."""
    on_target: Mapped[bool] = mapped_column(Boolean, server_default=true())
    """False where its job wanted no isomorph of another one."""


class Puzzle(Base):
    """A puzzle with what is known of it."""

    __tablename__ = "puzzle"
    __table_args__ = (Index("ix_puzzle_job_id_position", "job_id", "position"),)

    id: Mapped[bytes] = mapped_column(GridId, primary_key=True)
    clues: Mapped[str] = mapped_column(String(81))
    final_id: Mapped[bytes] = mapped_column(GridId, ForeignKey("final.id"), index=True)
    size: Mapped[int] = mapped_column(SmallInteger)
    box_rows: Mapped[int] = mapped_column(SmallInteger)
    box_columns: Mapped[int] = mapped_column(SmallInteger)
    variant: Mapped[str] = mapped_column(String(20))
    clue_count: Mapped[int] = mapped_column(SmallInteger)
    row_min: Mapped[int] = mapped_column(SmallInteger)
    row_max: Mapped[int] = mapped_column(SmallInteger)
    column_min: Mapped[int] = mapped_column(SmallInteger)
    column_max: Mapped[int] = mapped_column(SmallInteger)
    box_min: Mapped[int] = mapped_column(SmallInteger)
    box_max: Mapped[int] = mapped_column(SmallInteger)
    symmetry: Mapped[str] = mapped_column(String(20))
    minimal: Mapped[bool | None] = mapped_column(Boolean)
    """NULL where the job's solver gave up on that."""
    nodes: Mapped[int | None] = mapped_column(BigInteger)
    """Search nodes of the job's solver; NULL where it gave up."""
    paper_level: Mapped[int | None] = mapped_column(SmallInteger)
    on_target: Mapped[bool] = mapped_column(Boolean)
    """Whether it is what its job asked for."""
    licence: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(String(20))
    """available, or withdrawn."""
    state_reason: Mapped[str | None] = mapped_column(Text)
    job_id: Mapped[int] = mapped_column(BigInteger)
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    position: Mapped[int] = mapped_column(BigInteger)
    class_id: Mapped[bytes | None] = mapped_column(GridId)
    """Digest of its canonical form: the same exactly for isomorphs. NULL where nobody has found it out yet."""


class Delivery(Base):
    """A position that delivers a row which another job had stored before."""

    __tablename__ = "delivery"
    __table_args__ = (UniqueConstraint("job_id", "item_id"),)

    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("job.id"), primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    item_id: Mapped[bytes] = mapped_column(GridId)
    """A final's id in generate jobs, a puzzle's in all others."""
    class_id: Mapped[bytes | None] = mapped_column(GridId)
    """Its class, where the job wants each only once."""


# What has no class is in none of these. A job that wants each class once looks up its own rows on target by class;
# one that wants new classes, whether anybody's row has it.
_partial(
    "ix_final_class_id", FinalRow.class_id.is_not(None), FinalRow.class_id, FinalRow.job_id, FinalRow.on_target
)
_partial("ix_puzzle_class_id", Puzzle.class_id.is_not(None), Puzzle.class_id, Puzzle.job_id, Puzzle.on_target)
_partial("ix_delivery_class_id", Delivery.class_id.is_not(None), Delivery.job_id, Delivery.class_id, unique=True)


class Grade(Base):
    """What a grader in one version says of a puzzle.

    Rating scales move: a new version adds rows and leaves the old ones as they are. The puzzle need not be stored,
    for a file can be graded too. Which band a rating lies in is found when it is read (see ``Band``).
    """

    __tablename__ = "grade"
    __table_args__ = (
        Index("ix_grade_grader_rating", "grader", "rating"),
        Index("ix_grade_job_id_position", "job_id", "position"),
    )

    puzzle_id: Mapped[bytes] = mapped_column(GridId, primary_key=True)
    grader: Mapped[str] = mapped_column(String(100), primary_key=True)
    version: Mapped[str] = mapped_column(String(100), primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    """``GradeState``."""
    rating: Mapped[float | None] = mapped_column(Double)
    """NULL unless it is graded; so are all further columns but the bound."""
    at_least: Mapped[float | None] = mapped_column(Double)
    """What the rating is not below, where it is not graded."""
    hardest: Mapped[str | None] = mapped_column(String(60))
    """Code of the hardest technique."""
    techniques: Mapped[dict[str, int] | None] = mapped_column(JSON_DOCUMENT)
    """How often each was used."""
    steps: Mapped[int | None] = mapped_column(Integer)
    er: Mapped[float | None] = mapped_column(Double)
    """Highest rating of a step; so below as in ``KNOWN_EXTRAS``, NULL where the grader does not say."""
    ep: Mapped[float | None] = mapped_column(Double)
    ed: Mapped[float | None] = mapped_column(Double)
    rating_sum: Mapped[float | None] = mapped_column(Double)
    bottleneck: Mapped[int | None] = mapped_column(Integer)
    job_id: Mapped[int] = mapped_column(BigInteger)
    """The job that made it: options are on its row."""
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    position: Mapped[int] = mapped_column(BigInteger)


class Band(Base):
    """A name for a range of one grader's ratings. Ranges of one grader do not overlap."""

    __tablename__ = "band"

    grader: Mapped[str] = mapped_column(String(100), primary_key=True)
    name: Mapped[str] = mapped_column(String(60), primary_key=True)
    rating_from: Mapped[float] = mapped_column(Double)
    """The least rating that is in it."""
    rating_to: Mapped[float | None] = mapped_column(Double)
    """The greatest that is in it; NULL: there is no end."""


class Solution(Base):
    """What a solve job found of an input."""

    __tablename__ = "solution"

    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("job.id"), primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(String(20))
    count: Mapped[int] = mapped_column(BigInteger)
    nodes: Mapped[int] = mapped_column(BigInteger)
    digits: Mapped[str | None] = mapped_column(String(81))


class ItemFailure(Base):
    """A position that came to nothing, and why."""

    __tablename__ = "item_error"

    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("job.id"), primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    chunk_id: Mapped[int] = mapped_column(BigInteger)
    part: Mapped[str] = mapped_column(String(20))
    owner: Mapped[str] = mapped_column(String(300))
    reason: Mapped[str] = mapped_column(String(300))


class Worker(Base):
    """A process with children that work on chunks: a worker of the fleet, or a run on one machine."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    """Its main process (see ``owners``)."""
    node: Mapped[str] = mapped_column(String(200))
    """Its name for people."""
    job_id: Mapped[int | None] = mapped_column(BigInteger)
    """The only job that it works on; NULL for a worker of the fleet."""
    kinds: Mapped[list[str]] = mapped_column(JSON)
    """The queues that it takes chunks from."""
    processes: Mapped[int] = mapped_column(Integer)
    implementations: Mapped[list[str]] = mapped_column(JSON)
    """What it has, each ``role NAME==VERSION``."""
    versions: Mapped[dict[str, str]] = mapped_column(JSON)
    """Of sudokumill, Python and what else decides what it makes."""
    started_at: Mapped[float] = mapped_column(Float)
    beaten_at: Mapped[float] = mapped_column(Float)
    """Its last heartbeat, by the database's clock."""
    live_until: Mapped[float] = mapped_column(Float)
    """When it counts as gone, unless it beats again."""
    left_at: Mapped[float | None] = mapped_column(Float)
    """When it said that it ends."""


class Identity(Base):
    """One row: which database this is, so that a message of another one is known as such, and what it shows."""

    __tablename__ = "identity"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    grader: Mapped[str] = mapped_column(String(100), server_default="explainer")
    """The grader whose grades the view ``level`` shows."""
