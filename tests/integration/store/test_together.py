"""Transactions that are one where only one process can write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from sudokumill.errors import StoreError
from sudokumill.store.database import Database
from sudokumill.store.models import ItemFailure


def _note(database: Database, position: int) -> None:
    row = {"job_id": 1, "position": position, "chunk_id": 1, "part": "digger", "owner": "lab", "reason": "slow"}
    with database.write() as connection:
        connection.execute(insert(ItemFailure).values(**row))


def _noted(database: Database) -> list[int]:
    with database.read() as connection:
        return list(connection.execute(select(ItemFailure.position).order_by(ItemFailure.position)).scalars())


def _seen_by_others(database: Database) -> list[int]:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_noted, database).result()


@pytest.fixture
def database(mill: Any) -> Database:
    mill.place(10)
    found: Database = mill.database
    return found


@pytest.fixture
def one_writer(database: Database) -> bool:
    return database.engine.dialect.name == "sqlite"


def test_others_see_them_at_the_end(database: Database, one_writer: bool) -> None:
    with database.together():
        _note(database, 1)
        _note(database, 2)
        assert _noted(database) == [1, 2]
        assert _seen_by_others(database) == ([] if one_writer else [1, 2])
    assert _seen_by_others(database) == [1, 2]
    _note(database, 3)
    assert _seen_by_others(database) == [1, 2, 3]


def test_an_error_undoes_all_of_them(database: Database, one_writer: bool) -> None:
    def go_wrong() -> None:
        with database.together():
            _note(database, 1)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is the test's own
        go_wrong()
    assert _noted(database) == ([] if one_writer else [1])


def test_one_that_fails_is_undone_alone(database: Database) -> None:
    def refuse() -> None:
        with database.write() as connection:
            connection.execute(update(ItemFailure).values(position=7))
            connection.exec_driver_sql("DELETE FROM nothing_of_this_name")

    with database.together():
        _note(database, 1)
        with pytest.raises(StoreError):
            refuse()
        _note(database, 2)
    assert _seen_by_others(database) == [1, 2]


def test_one_within_another_is_part_of_it(database: Database, one_writer: bool) -> None:
    with database.together() as outer:
        with database.together() as inner:
            _note(database, 1)
        assert outer == inner == one_writer
        _note(database, 2)
        assert _seen_by_others(database) == ([] if one_writer else [1, 2])
    assert _seen_by_others(database) == [1, 2]
