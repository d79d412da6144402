"""Alembic migrations, one file a revision."""
