"""Grades and bands in the schema: up and down with data, and what the views make of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
from sqlalchemy import insert, inspect, text

from sudokumill.errors import BadBandError, UnknownBandError
from sudokumill.store import schema
from sudokumill.store.bands import (
    DEFAULT_BANDS,
    DEFAULT_GRADER,
    BandRange,
    bands,
    remove_band,
    set_bands,
    show_grader,
    shown_grader,
)
from sudokumill.store.database import Database
from sudokumill.store.models import Grade

PUZZLE = "INSERT INTO puzzle (id, clues, final_id, size, box_rows, box_columns, variant, clue_count, row_min, row_max, column_min, column_max, box_min, box_max, symmetry, on_target, licence, state, job_id, chunk_id, position) VALUES (:id, :clues, :final, 9, 3, 3, 'classic', 24, 1, 4, 1, 4, 1, 4, 'none', true, 'CC0-1.0', 'available', 1, 1, :position)"  # noqa: E501


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(database_url)
    yield opened
    opened.dispose()


def _id(number: int) -> bytes:
    return bytes(15) + bytes([number])


def _shown(database: Database, number: int) -> Any:
    """A grid's id as this database takes it in plain SQL."""
    if database.path is not None:
        return _id(number)
    return f"00000000-0000-0000-0000-0000000000{number:02x}"


def _add_levels(database: Database, numbers: range) -> None:
    with database.write() as connection:
        connection.execute(
            text("INSERT INTO final (id, digits, job_id, chunk_id, position) VALUES (:id, :digits, 1, 1, 0)"),
            {"id": _shown(database, 255), "digits": "1" * 81},
        )
        for number in numbers:
            values = {"id": _shown(database, number), "clues": f"{number:081}", "final": _shown(database, 255)}
            connection.execute(text(PUZZLE), {**values, "position": number})


def _grade(database: Database, number: int, rating: float, **more: Any) -> None:
    values = {
        "puzzle_id": _id(number), "grader": "explainer", "version": "1", "status": "graded", "rating": rating,
        "hardest": "x-wing", "techniques": {"x-wing": 1, "naked-single": 40}, "steps": 41, "er": rating, "ep": 1.2,
        "ed": 1.2, "rating_sum": 60.5, "bottleneck": 2, "job_id": 2, "chunk_id": 2, "position": number, **more,
    }  # fmt: skip
    if values["status"] != "graded":
        values |= {"at_least": rating, "rating": None}
    with database.write() as connection:
        connection.execute(insert(Grade).values(**values))


def _rows(database: Database, sql: str) -> list[Any]:
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(text(sql))]


def test_what_was_stored_before_goes_up_and_down_again(database: Database) -> None:
    schema.upgrade(database, "0002")
    job = (
        "INSERT INTO job (id, kind, state, count, seed, spec, planned, worked, ordered_at) "
        "VALUES ({}, '{}', 'done', 2, 1, '{{}}', 2, 0, '2026-01-02 03:04:05')"
    )
    with database.write() as connection:
        connection.execute(text(job.format(1, "levels")))
        connection.execute(text("INSERT INTO input (job_id, position, digits) VALUES (1, 0, '1')"))
    _add_levels(database, range(2))
    asked = "SELECT clues, solution, symmetry, job_id, position FROM level ORDER BY position"
    before = (
        _rows(database, asked),
        _rows(database, "SELECT id FROM identity"),
        _rows(database, "SELECT * FROM input"),
    )
    schema.upgrade(database)
    assert _rows(database, asked) == before[0]
    assert _rows(database, "SELECT band, rating, grader FROM level") == [(None, None, None)] * 2
    assert shown_grader(database) == DEFAULT_GRADER
    assert bands(database) == {DEFAULT_GRADER: list(DEFAULT_BANDS)}
    _grade(database, 1, 3.2)
    with database.write() as connection:
        connection.execute(text(job.format(2, "grade")))
        connection.execute(text("INSERT INTO input (job_id, position, digits) VALUES (2, 0, '1')"))
    schema.downgrade(database, "0002")
    assert _rows(database, asked) == before[0]
    assert (_rows(database, "SELECT id FROM identity"), _rows(database, "SELECT * FROM input")) == before[1:]
    assert _rows(database, "SELECT id FROM job") == [(1,)]
    with database.read() as connection:
        assert not {"grade", "band"} & set(inspect(connection).get_table_names())
    schema.upgrade(database)
    assert _rows(database, "SELECT count(*) FROM grade") == [(0,)]


def test_the_view_joins_the_grade_and_the_band(database: Database) -> None:
    schema.upgrade(database)
    _add_levels(database, range(5))
    _grade(database, 1, 1.5, hardest="hidden-single-line")
    _grade(database, 2, 4.4)
    _grade(database, 3, 4.5, status="above")
    _grade(database, 4, 1.55)
    shown = _rows(database, "SELECT position, band, rating, rating_at_least, grade_status FROM level ORDER BY 1")
    assert shown == [
        (0, None, None, None, None),
        (1, "easy", 1.5, None, "graded"),
        (2, "hard", 4.4, None, "graded"),
        (3, None, None, 4.5, "above"),
        (4, None, 1.55, None, "graded"),
    ]
    columns = "hardest, steps, er, ep, ed, rating_sum, bottleneck, grader, grader_version"
    assert _rows(database, f"SELECT {columns} FROM level WHERE band = 'hard'") == [
        ("x-wing", 41, 4.4, 1.2, 1.2, 60.5, 2, "explainer", "1")
    ]


# C049: bands change without a rating, then a rating changes
def test_bands_are_derived_and_ratings_are_kept(database: Database, cases: Any) -> None:
    assert "band is derived when read" in cases["C049"]["expect"]["outcome"]
    schema.upgrade(database)
    _add_levels(database, range(1))
    _grade(database, 0, 2.8)
    asked = "SELECT band, rating, grader_version FROM level"
    assert _rows(database, asked) == [("medium", 2.8, "1")]
    stored = _rows(database, "SELECT rating, grader, version, job_id FROM grade")
    set_bands(database, "explainer", [BandRange(1.6, 2.7, "medium"), BandRange(2.8, 2.8, "wild")])
    assert _rows(database, asked) == [("wild", 2.8, "1")]
    assert _rows(database, "SELECT rating, grader, version, job_id FROM grade") == stored
    _grade(database, 0, 2.6, version="3", job_id=7)
    assert _rows(database, asked) == [("medium", 2.6, "3")]
    assert _rows(database, "SELECT grader_version, rating, band, newest FROM level_grade ORDER BY 1") == [
        ("1", 2.8, "wild", False),
        ("3", 2.6, "medium", True),
    ]


def test_the_newest_grade_is_the_last_that_came_to_an_end(database: Database) -> None:
    schema.upgrade(database)
    _add_levels(database, range(3))
    for number, grades in enumerate(
        (
            [("1", "graded", 3), ("2", "above", 9)],
            [("2", "graded", 3), ("1", "graded", 4), ("3", "gave up", 5)],
            [("1", "above", 3), ("2", "gave up", 3)],
        )
    ):
        for version, status, job in grades:
            _grade(database, number, 3.0, version=version, status=status, job_id=job)
    shown = _rows(database, "SELECT position, grader_version, grade_status FROM level ORDER BY position")
    assert shown == [(0, "1", "graded"), (1, "1", "graded"), (2, "2", "gave up")]


def test_scales_of_two_graders_are_not_mixed(database: Database) -> None:
    schema.upgrade(database)
    _add_levels(database, range(1))
    _grade(database, 0, 3.0)
    _grade(database, 0, 90.0, grader="other", job_id=9)
    set_bands(database, "other", [BandRange(50, inf, "steep")])
    asked = "SELECT grader, band, rating FROM level"
    assert _rows(database, asked) == [("explainer", "hard", 3.0)]
    show_grader(database, "other")
    assert _rows(database, asked) == [("other", "steep", 90.0)]
    assert _rows(database, "SELECT grader, band FROM level_grade ORDER BY 1") == [
        ("explainer", "hard"), ("other", "steep"),
    ]  # fmt: skip


def test_ids_are_shown_alike_in_both_views(database: Database) -> None:
    schema.upgrade(database)
    _add_levels(database, range(3))
    _grade(database, 2, 3.0)
    both = _rows(database, "SELECT level.position FROM level JOIN level_grade ON level_grade.id = level.id")
    assert both == [(2,)]


def test_bands_are_added_moved_and_removed(database: Database) -> None:
    schema.upgrade(database)
    set_bands(database, "explainer", [BandRange(7.6, 8.9, "extreme"), BandRange(9.0, inf, "nightmare")])
    assert [str(one) for one in bands(database)["explainer"]][-2:] == [
        "extreme (7.6..8.9)",
        "nightmare (9.0 or more)",
    ]
    # a border moves, which neither of both alone could
    set_bands(database, "explainer", [BandRange(1.3, 1.7, "easy"), BandRange(1.8, 2.8, "medium")])
    assert [str(one) for one in bands(database)["explainer"]][1:3] == ["easy (1.3..1.7)", "medium (1.8..2.8)"]
    remove_band(database, "explainer", "gentle")
    assert bands(database)["explainer"][0].name == "easy"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ([BandRange(4.4, 4.6, "new")], r"band 'new' cannot be set: 4.4..4.6 overlaps with hard \(2.9..4.4\)"),
        ([BandRange(7.0, inf, "extreme")], r"overlaps with master \(6.3..7.0\)"),
        ([BandRange(7.6, 8.0, "extreme"), BandRange(7.9, inf, "more")], r"overlaps with extreme \(7.6..8.0\)"),
        ([BandRange(0.5, 0.4, "new")], "from 0.5 is above to 0.4"),
        ([BandRange(-1.0, 0.4, "new")], "ratings go from 0 to 1,000,000"),
        ([BandRange(float("nan"), 0.4, "new")], "ratings go from 0 to"),
        ([BandRange(0.1, float("nan"), "new")], "ratings go from 0 to"),
        ([BandRange(inf, inf, "new")], "ratings go from 0 to"),
        ([BandRange(0.1, 0.2, "Schwer!")], "band 'Schwer!' cannot be set: a band's name is lower-case letters"),
        ([BandRange(0.1, 0.2, "")], "a band's name is"),
        ([BandRange(0.1, 0.2, "x" * 61)], "60 at the most"),
        ([BandRange(0.1, 0.2, "new"), BandRange(0.3, 0.4, "new")], "it is named twice"),
    ],
)
def test_bands_that_cannot_be(database: Database, wanted: list[BandRange], reason: str) -> None:
    schema.upgrade(database)
    with pytest.raises(BadBandError, match=reason):
        set_bands(database, "explainer", wanted)
    assert bands(database)["explainer"] == list(DEFAULT_BANDS)


def test_a_band_that_is_not_there_names_the_near_ones(database: Database) -> None:
    schema.upgrade(database)
    set_bands(database, "other", [BandRange(50, inf, "steep")])
    with pytest.raises(UnknownBandError, match="grader explainer has no band 'hart'; did you mean hard"):
        remove_band(database, "explainer", "hart")
    with pytest.raises(UnknownBandError, match="'steep'; grader other has one; name it with --grader"):
        remove_band(database, "explainer", "steep")
