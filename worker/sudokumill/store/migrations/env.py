"""Alembic's entry: runs migrations on the connection that ``schema`` hands over."""

from __future__ import annotations

from alembic import context

from sudokumill.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transaction_per_migration=False,
    render_as_batch=True,
)
context.run_migrations()
