"""Jobs, chunks, finals, puzzles, solutions, and the view ``level``."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sudokumill.store.column_types import GridId, UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

AUTO_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

UUID_OF_BLOB = (
    "lower(substr(hex({0}), 1, 8) || '-' || substr(hex({0}), 9, 4) || '-' || substr(hex({0}), 13, 4)"
    " || '-' || substr(hex({0}), 17, 4) || '-' || substr(hex({0}), 21, 12))"
)

LEVEL_VIEW = """
CREATE VIEW level AS
SELECT
    {puzzle_id} AS id,
    puzzle.clues AS clues,
    final.digits AS solution,
    puzzle.clue_count, puzzle.row_min, puzzle.row_max, puzzle.column_min, puzzle.column_max,
    puzzle.box_min, puzzle.box_max,
    puzzle.symmetry, puzzle.minimal, puzzle.on_target, puzzle.nodes, puzzle.paper_level,
    puzzle.size, puzzle.box_rows, puzzle.box_columns, puzzle.variant,
    puzzle.licence, puzzle.state, puzzle.state_reason,
    puzzle.job_id, puzzle.position
FROM puzzle JOIN final ON final.id = puzzle.final_id
"""


def upgrade() -> None:
    """Makes the first schema."""
    op.create_table(
        "job",
        sa.Column("id", AUTO_ID, primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(200), unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False, index=True),
        sa.Column("reason", sa.Text),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("spec", sa.JSON, nullable=False),
        sa.Column("planned", sa.BigInteger, nullable=False),
        sa.Column("worked", sa.Float, nullable=False),
        sa.Column("delivered", sa.BigInteger),
        sa.Column("last_position", sa.BigInteger),
        sa.Column("ordered_at", UtcTime, nullable=False),
        sa.Column("started_at", UtcTime),
        sa.Column("resumed_at", UtcTime),
        sa.Column("ended_at", UtcTime),
    )
    op.create_table(
        "chunk",
        sa.Column("id", AUTO_ID, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.BigInteger, sa.ForeignKey("job.id"), nullable=False),
        sa.Column("start", sa.BigInteger, nullable=False),
        sa.Column("stop", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("attempt", sa.SmallInteger, nullable=False),
        sa.Column("owner", sa.String(200)),
        sa.Column("lease_token", sa.String(32)),
        sa.Column("lease_until", sa.Float),
        sa.Column("versions", sa.JSON),
        sa.Column("reason", sa.Text),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("moved", "delivered", "already", "repeated", "missed", "not_new", "failed")
        ),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("reports", sa.JSON),
    )
    op.create_index("ix_chunk_job_id_state", "chunk", ["job_id", "state"])
    op.create_table(
        "input",
        sa.Column("job_id", sa.BigInteger, sa.ForeignKey("job.id"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True),
        sa.Column("digits", sa.String(81), nullable=False),
        sa.Column("line", sa.BigInteger),
    )
    op.create_table(
        "final",
        sa.Column("id", GridId, primary_key=True),
        sa.Column("digits", sa.String(81), nullable=False),
        *_origin(),
    )
    op.create_index("ix_final_job_id_position", "final", ["job_id", "position"])
    op.create_table(
        "puzzle",
        sa.Column("id", GridId, primary_key=True),
        sa.Column("clues", sa.String(81), nullable=False),
        sa.Column("final_id", GridId, sa.ForeignKey("final.id"), nullable=False, index=True),
        sa.Column("size", sa.SmallInteger, nullable=False),
        sa.Column("box_rows", sa.SmallInteger, nullable=False),
        sa.Column("box_columns", sa.SmallInteger, nullable=False),
        sa.Column("variant", sa.String(20), nullable=False),
        *(
            sa.Column(name, sa.SmallInteger, nullable=False)
            for name in (
                "clue_count",
                "row_min",
                "row_max",
                "column_min",
                "column_max",
                "box_min",
                "box_max",
            )
        ),
        sa.Column("symmetry", sa.String(20), nullable=False),
        sa.Column("minimal", sa.Boolean),
        sa.Column("nodes", sa.BigInteger),
        sa.Column("paper_level", sa.SmallInteger),
        sa.Column("on_target", sa.Boolean, nullable=False),
        sa.Column("licence", sa.String(40), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("state_reason", sa.Text),
        *_origin(),
    )
    op.create_index("ix_puzzle_job_id_position", "puzzle", ["job_id", "position"])
    op.create_table(
        "delivery",
        sa.Column("job_id", sa.BigInteger, sa.ForeignKey("job.id"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("item_id", GridId, nullable=False),
        sa.UniqueConstraint("job_id", "item_id"),
    )
    op.create_table(
        "solution",
        sa.Column("job_id", sa.BigInteger, sa.ForeignKey("job.id"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("nodes", sa.BigInteger, nullable=False),
        sa.Column("digits", sa.String(81)),
    )
    op.create_table(
        "item_error",
        sa.Column("job_id", sa.BigInteger, sa.ForeignKey("job.id"), primary_key=True),
        sa.Column("position", sa.BigInteger, primary_key=True),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("part", sa.String(20), nullable=False),
        sa.Column("owner", sa.String(300), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        # the view shows ids as text; with this index a level is found by it without reading them all
        op.execute(f"CREATE INDEX ix_puzzle_uuid ON puzzle ({UUID_OF_BLOB.format('id')})")
        op.execute(LEVEL_VIEW.format(puzzle_id=UUID_OF_BLOB.format("puzzle.id")))
    else:
        op.execute(LEVEL_VIEW.format(puzzle_id="puzzle.id"))


def downgrade() -> None:
    """Takes everything away."""
    op.execute("DROP VIEW level")
    for table in ("item_error", "solution", "delivery", "puzzle", "final", "input", "chunk", "job"):
        op.drop_table(table)


def _origin() -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger, nullable=False) for name in ("job_id", "chunk_id", "position")]
