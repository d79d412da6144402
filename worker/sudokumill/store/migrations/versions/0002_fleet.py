"""The fleet: workers, the order in which chunks are published, and which database this is."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

from sudokumill.store.column_types import UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WAITING = "state = 'waiting' AND published_at IS "

PARTIAL = {
    "ix_chunk_unpublished": ("kind, priority DESC, turn, id", WAITING + "NULL"),
    "ix_chunk_published": ("kind, published_at", WAITING + "NOT NULL"),
    "ix_chunk_running": ("kind, lease_until", "state = 'running'"),
}


def upgrade() -> None:
    """Adds what a fleet needs; the chunks that are there get their job's kind and a turn in their own order."""
    op.add_column("job", sa.Column("priority", sa.SmallInteger, nullable=False, server_default="0"))
    # from here on a run's beginning goes by the database's clock; a run that was killed had none that counts
    op.add_column("job", sa.Column("running_since", sa.Float))
    op.drop_column("job", "resumed_at")
    for column in (
        sa.Column("kind", sa.String(20), nullable=False, server_default=""),
        sa.Column("priority", sa.SmallInteger, nullable=False, server_default="0"),
        sa.Column("turn", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("published_at", sa.Float),
        sa.Column("claimed_at", sa.Float),
        sa.Column("ended_at", sa.Float),
        sa.Column("worker", sa.String(200)),
    ):
        op.add_column("chunk", column)
    op.execute(
        "UPDATE chunk SET kind = numbered.kind, turn = numbered.turn FROM ("
        "SELECT chunk.id, job.kind, row_number() OVER (PARTITION BY chunk.job_id ORDER BY chunk.id) - 1 AS turn "
        "FROM chunk JOIN job ON job.id = chunk.job_id"
        ") AS numbered WHERE numbered.id = chunk.id"
    )
    op.create_index("ix_chunk_worker", "chunk", ["worker"])
    for name, (columns, condition) in PARTIAL.items():
        op.execute(f"CREATE INDEX {name} ON chunk ({columns}) WHERE {condition}")
    op.create_table(
        "worker",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("node", sa.String(200), nullable=False),
        sa.Column("job_id", sa.BigInteger),
        sa.Column("kinds", sa.JSON, nullable=False),
        sa.Column("processes", sa.Integer, nullable=False),
        sa.Column("implementations", sa.JSON, nullable=False),
        sa.Column("versions", sa.JSON, nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("beaten_at", sa.Float, nullable=False),
        sa.Column("live_until", sa.Float, nullable=False),
        sa.Column("left_at", sa.Float),
    )
    identity = op.create_table("identity", sa.Column("id", sa.String(32), primary_key=True))
    op.bulk_insert(identity, [{"id": secrets.token_hex(4)}])


def downgrade() -> None:
    """Takes the fleet's tables and columns away; jobs and levels stay."""
    op.drop_table("identity")
    op.drop_table("worker")
    for name in (*PARTIAL, "ix_chunk_worker"):
        op.drop_index(name, "chunk")
    for name in ("worker", "ended_at", "claimed_at", "published_at", "turn", "priority", "kind"):
        op.drop_column("chunk", name)
    op.add_column("job", sa.Column("resumed_at", UtcTime))
    op.drop_column("job", "running_since")
    op.drop_column("job", "priority")
