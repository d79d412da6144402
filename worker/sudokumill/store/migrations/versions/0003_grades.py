"""Grades and bands, and what the views show of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from sudokumill.store.column_types import GridId

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

UUID_OF_BLOB = (
    "lower(substr(hex({0}), 1, 8) || '-' || substr(hex({0}), 9, 4) || '-' || substr(hex({0}), 13, 4)"
    " || '-' || substr(hex({0}), 17, 4) || '-' || substr(hex({0}), 21, 12))"
)

OF_PUZZLE = """
    {puzzle_id} AS id,
    puzzle.clues AS clues,
    final.digits AS solution,
    puzzle.clue_count, puzzle.row_min, puzzle.row_max, puzzle.column_min, puzzle.column_max,
    puzzle.box_min, puzzle.box_max,
    puzzle.symmetry, puzzle.minimal, puzzle.on_target, puzzle.nodes, puzzle.paper_level,
    puzzle.size, puzzle.box_rows, puzzle.box_columns, puzzle.variant,
    puzzle.licence, puzzle.state, puzzle.state_reason,
    puzzle.job_id, puzzle.position"""

LEVEL_BEFORE = f"""
CREATE VIEW level AS
SELECT{OF_PUZZLE}
FROM puzzle JOIN final ON final.id = puzzle.final_id
"""

# A bound stands in a column of its own, so that no range of ratings finds it by mistake.
OF_GRADE = """
    band.name AS band,
    grade.rating, grade.at_least AS rating_at_least,
    grade.hardest, grade.techniques, grade.steps, grade.er, grade.ep, grade.ed, grade.rating_sum, grade.bottleneck,
    grade.grader, grade.version AS grader_version, grade.status AS grade_status"""

# The newest grade of a grader is one that came to an end, and among these that of the job that was ordered last.
NEWEST = """
    NOT EXISTS (
        SELECT 1 FROM grade AS newer
        WHERE newer.puzzle_id = grade.puzzle_id AND newer.grader = grade.grader AND newer.version <> grade.version
        AND (
            (newer.status = 'graded' AND grade.status <> 'graded')
            OR (newer.status = 'graded' OR grade.status <> 'graded')
            AND (newer.job_id > grade.job_id OR newer.job_id = grade.job_id AND newer.version > grade.version)
        )
    )"""

IN_BAND = """
    band.grader = grade.grader
    AND grade.rating >= band.rating_from AND (band.rating_to IS NULL OR grade.rating <= band.rating_to)"""

LEVEL = f"""
CREATE VIEW level AS
SELECT{OF_PUZZLE},{OF_GRADE}
FROM puzzle JOIN final ON final.id = puzzle.final_id
LEFT JOIN grade ON grade.puzzle_id = puzzle.id
    AND grade.grader = (SELECT identity.grader FROM identity) AND{NEWEST}
LEFT JOIN band ON{IN_BAND}
"""

LEVEL_GRADE = f"""
CREATE VIEW level_grade AS
SELECT {{grade_id}} AS id,{OF_GRADE},
    CASE WHEN{NEWEST} THEN {{true}} ELSE {{false}} END AS newest,
    grade.job_id, grade.position
FROM grade
LEFT JOIN band ON{IN_BAND}
"""

BANDS = {
    "gentle": (1.0, 1.2),
    "easy": (1.3, 1.5),
    "medium": (1.6, 2.8),
    "hard": (2.9, 4.4),
    "expert": (4.5, 6.2),
    "master": (6.3, 7.0),
    "diabolical": (7.1, 7.5),
    "extreme": (7.6, None),
}


def upgrade() -> None:
    """Adds tables for grades and bands; levels that are there are not graded yet."""
    op.add_column("input", sa.Column("item_id", GridId))
    op.add_column("identity", sa.Column("grader", sa.String(100), nullable=False, server_default="explainer"))
    op.create_table(
        "grade",
        sa.Column("puzzle_id", GridId, primary_key=True),
        sa.Column("grader", sa.String(100), primary_key=True),
        sa.Column("version", sa.String(100), primary_key=True),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("rating", sa.Double),
        sa.Column("at_least", sa.Double),
        sa.Column("hardest", sa.String(60)),
        sa.Column("techniques", sa.JSON().with_variant(JSONB(), "postgresql")),
        sa.Column("steps", sa.Integer),
        *(sa.Column(name, sa.Double) for name in ("er", "ep", "ed", "rating_sum")),
        sa.Column("bottleneck", sa.Integer),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("job_id", "chunk_id", "position")),
    )
    op.create_index("ix_grade_grader_rating", "grade", ["grader", "rating"])
    op.create_index("ix_grade_job_id_position", "grade", ["job_id", "position"])
    band = op.create_table(
        "band",
        sa.Column("grader", sa.String(100), primary_key=True),
        sa.Column("name", sa.String(60), primary_key=True),
        sa.Column("rating_from", sa.Double, nullable=False),
        sa.Column("rating_to", sa.Double),
    )
    op.bulk_insert(
        band,
        [
            {"grader": "explainer", "name": name, "rating_from": low, "rating_to": high}
            for name, (low, high) in BANDS.items()
        ],
    )
    op.execute("DROP VIEW level")
    for view in (LEVEL, LEVEL_GRADE):
        op.execute(_filled(view))


def downgrade() -> None:
    """Takes grades and bands away; jobs and levels stay, and what only grade jobs have goes with them."""
    op.execute("DROP VIEW level")
    op.execute("DROP VIEW level_grade")
    op.drop_table("band")
    op.drop_table("grade")
    for table in ("input", "item_error", "chunk"):
        op.execute(f"DELETE FROM {table} WHERE job_id IN (SELECT id FROM job WHERE kind = 'grade')")
    op.execute("DELETE FROM job WHERE kind = 'grade'")
    op.drop_column("identity", "grader")
    op.drop_column("input", "item_id")
    op.execute(_filled(LEVEL_BEFORE))


def _filled(view: str) -> str:
    """The view in the words of this database: SQLite has no UUIDs and shows them as text, and has no booleans."""
    if op.get_bind().dialect.name == "sqlite":
        ids = {
            name: UUID_OF_BLOB.format(f"{name}.{key}") for name, key in (("puzzle", "id"), ("grade", "puzzle_id"))
        }
        return view.format(puzzle_id=ids["puzzle"], grade_id=ids["grade"], true=1, false=0)
    return view.format(puzzle_id="puzzle.id", grade_id="grade.puzzle_id", true="TRUE", false="FALSE")
