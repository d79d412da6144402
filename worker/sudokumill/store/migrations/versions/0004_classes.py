"""Classes of what is essentially the same, a view of what each job delivered, and what each chunk came to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sudokumill.store.column_types import GridId

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

UUID_OF_BLOB = (
    "lower(substr(hex({0}), 1, 8) || '-' || substr(hex({0}), 9, 4) || '-' || substr(hex({0}), 13, 4)"
    " || '-' || substr(hex({0}), 17, 4) || '-' || substr(hex({0}), 21, 12))"
)

LEVEL = """
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
    puzzle.job_id, puzzle.position,{class_id}
    band.name AS band,
    grade.rating, grade.at_least AS rating_at_least,
    grade.hardest, grade.techniques, grade.steps, grade.er, grade.ep, grade.ed, grade.rating_sum, grade.bottleneck,
    grade.grader, grade.version AS grader_version, grade.status AS grade_status
FROM puzzle JOIN final ON final.id = puzzle.final_id
LEFT JOIN grade ON grade.puzzle_id = puzzle.id
    AND grade.grader = (SELECT identity.grader FROM identity) AND
    NOT EXISTS (
        SELECT 1 FROM grade AS newer
        WHERE newer.puzzle_id = grade.puzzle_id AND newer.grader = grade.grader AND newer.version <> grade.version
        AND (
            (newer.status = 'graded' AND grade.status <> 'graded')
            OR (newer.status = 'graded' OR grade.status <> 'graded')
            AND (newer.job_id > grade.job_id OR newer.job_id = grade.job_id AND newer.version > grade.version)
        )
    )
LEFT JOIN band ON
    band.grader = grade.grader
    AND grade.rating >= band.rating_from AND (band.rating_to IS NULL OR grade.rating <= band.rating_to)
"""

# A job that has ended says where its last delivered row stands. Of one that has not, and of one that was
# cancelled, the first rows count, as many as were ordered: only these have to be numbered.
DELIVERED = """
CREATE VIEW delivered AS
SELECT job.id AS job_id, puzzle.position, {puzzle_id} AS id
FROM job JOIN puzzle ON puzzle.job_id = job.id AND puzzle.on_target AND puzzle.position <= job.last_position
WHERE job.kind IN ('levels', 'dig')
UNION ALL
SELECT job.id, delivery.position, {item_id}
FROM job JOIN delivery ON delivery.job_id = job.id AND delivery.position <= job.last_position
WHERE job.kind IN ('levels', 'dig')
UNION ALL
SELECT job_id, position, id
FROM (
    SELECT job_id, position, id, ordered, row_number() OVER (PARTITION BY job_id ORDER BY position) AS place
    FROM (
        SELECT job.id AS job_id, puzzle.position, {puzzle_id} AS id, job.count AS ordered
        FROM job JOIN puzzle ON puzzle.job_id = job.id AND puzzle.on_target
        WHERE job.kind IN ('levels', 'dig') AND job.last_position IS NULL
        UNION ALL
        SELECT job.id, delivery.position, {item_id}, job.count
        FROM job JOIN delivery ON delivery.job_id = job.id
        WHERE job.kind IN ('levels', 'dig') AND job.last_position IS NULL
    ) AS counting
) AS numbered
WHERE place <= ordered
"""

INDEXES = {
    "ix_final_class_id": ("final", "class_id, job_id, on_target"),
    "ix_puzzle_class_id": ("puzzle", "class_id, job_id, on_target"),
    "ix_delivery_class_id": ("delivery", "job_id, class_id"),
}


def upgrade() -> None:
    """Adds classes, which are not known of what is there yet: ``sudokumill classes`` finds them out.

    What chunks came to is not known of those that have ended.
    """
    for table in ("final", "puzzle", "delivery"):
        op.add_column(table, sa.Column("class_id", GridId))
    op.add_column("final", sa.Column("on_target", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("chunk", sa.Column("outcome", sa.JSON))
    for name in ("dropped", "dropped_hits"):
        op.add_column("chunk", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    for name, (table, columns) in INDEXES.items():
        unique = "UNIQUE " if table == "delivery" else ""
        op.execute(f"CREATE {unique}INDEX {name} ON {table} ({columns}) WHERE class_id IS NOT NULL")
    op.execute("DROP VIEW level")
    op.execute(_filled(LEVEL, "\n    {class_of_puzzle} AS class,"))
    op.execute(_filled(DELIVERED))


def downgrade() -> None:
    """Takes classes away; jobs, levels and all that was delivered stay.

    Finals that a job made and did not deliver would count for it then. They go, or belong to who dug them.
    """
    op.execute(
        "UPDATE final SET (job_id, chunk_id, position) = (SELECT puzzle.job_id, puzzle.chunk_id, puzzle.position "
        "FROM puzzle WHERE puzzle.final_id = final.id ORDER BY puzzle.id LIMIT 1) "
        "WHERE NOT on_target AND EXISTS (SELECT 1 FROM puzzle WHERE puzzle.final_id = final.id)"
    )
    op.execute(
        "DELETE FROM final WHERE NOT on_target "
        "AND NOT EXISTS (SELECT 1 FROM puzzle WHERE puzzle.final_id = final.id)"
    )
    op.execute("DROP VIEW delivered")
    op.execute("DROP VIEW level")
    for name, (table, _) in INDEXES.items():
        op.drop_index(name, table)
    op.drop_column("final", "on_target")
    for name in ("outcome", "dropped", "dropped_hits"):
        op.drop_column("chunk", name)
    for table in ("final", "puzzle", "delivery"):
        op.drop_column(table, "class_id")
    op.execute(_filled(LEVEL))


def _filled(view: str, class_id: str = "") -> str:
    """The view in the words of this database: SQLite has no UUIDs and shows them as text."""
    names = {"puzzle_id": "puzzle.id", "item_id": "delivery.item_id", "class_of_puzzle": "puzzle.class_id"}
    if op.get_bind().dialect.name == "sqlite":
        names = {name: UUID_OF_BLOB.format(column) for name, column in names.items()}
        # of nothing, this makes hyphens
        names["class_of_puzzle"] = f"CASE WHEN puzzle.class_id IS NOT NULL THEN {names['class_of_puzzle']} END"
    return view.replace("{class_id}", class_id).format(**names)
