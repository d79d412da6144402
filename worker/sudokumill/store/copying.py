"""Binary COPY: many rows into PostgreSQL at once, and into a table that has some of them already.

The bytes of all rows are laid out by numpy in one array, before the transaction; COPY then takes them as they are.
An ``executemany`` of 200,000 inputs took nearly three times as long, and thirty times this process's CPU time.

    PGCOPY\\n\\377\\r\\n\\0 | flags int32 = 0 | extension int32 = 0 | row | row | ... | int16 = -1

    a row, here a final's (all numbers big-endian):

    +---------+---------+-----------+---------+------------+--------+--------+---    +--------+----------+
    | 5 int16 | 16 int32| id 16 raw | 81 int32| digits 81  | 8 int32| job_id |  ...  | 8 int32| position |
    +---------+---------+-----------+---------+------------+--------+--------+---    +--------+----------+
      fields    length    uuid        length    varchar      length   bigint           length   bigint

A NULL has the length -1 and no bytes. Rows are laid out as if each had its longest fields; where one has fewer
bytes, those that it lacks are then left out of the whole (puzzles: a symmetry's name, and NULLs).

Source: PostgreSQL's manual, COPY, "Binary Format".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from sudokumill.grids.batch import Grids

Bytes = NDArray[np.uint8]

_HEAD: Final = np.frombuffer(b"PGCOPY\n\xff\r\n\0" + bytes(8), dtype=np.uint8)
_TAIL: Final = np.frombuffer(b"\xff\xff", dtype=np.uint8)


@dataclass(frozen=True)
class Field:
    """A column's values as COPY takes them."""

    data: Bytes
    """Shape (n, width); (1, width) when every row has the same."""
    lengths: NDArray[np.int32] | None = None
    """Shape (n,): how many bytes of its width a row has, -1 for NULL; None when each has them all."""


@dataclass(frozen=True)
class CopyRows:
    """Rows of one table, ready for COPY."""

    columns: tuple[str, ...]
    count: int
    content: memoryview

    def __len__(self) -> int:
        return self.count


def raw(values: Sequence[bytes]) -> Field:
    """A ``uuid`` column of ids, 16 bytes each."""
    return Field(np.frombuffer(b"".join(values), dtype=np.uint8).reshape(-1, 16))


def raw_or_null(values: Sequence[bytes | None]) -> Field:
    """A ``uuid`` column of ids, 16 bytes each; None is NULL."""
    null = np.array([each is None for each in values], dtype=np.bool_)
    return _nullable(raw([each or bytes(16) for each in values]).data, null)


def digits(grids: Grids, null: NDArray[np.bool_] | None = None) -> Field:
    """A text column of grids, 81 digits each.

    Args:
        grids: shape (n, 81), every number 0 .. 9.
        null: shape (n,), True where there is none.
    """
    return _nullable(grids + np.uint8(ord("0")), null)


def small_integers(values: NDArray[Any], null: NDArray[np.bool_] | None = None) -> Field:
    """A ``smallint`` column.

    Args:
        values: shape (n,), or one number for all rows.
        null: shape (n,), True where there is none.
    """
    return _numbers(values, ">i2", null)


def integers(values: NDArray[Any], null: NDArray[np.bool_] | None = None) -> Field:
    """A ``bigint`` column; arguments as those of ``small_integers``."""
    return _numbers(values, ">i8", null)


def flags(values: NDArray[Any], null: NDArray[np.bool_] | None = None) -> Field:
    """A ``boolean`` column; arguments as those of ``small_integers``."""
    return _numbers(values, "u1", null)


def counts(values: NDArray[Any], null: NDArray[np.bool_] | None = None) -> Field:
    """An ``integer`` column; arguments as those of ``small_integers``."""
    return _numbers(values, ">i4", null)


def doubles(values: NDArray[np.float64]) -> Field:
    """A ``double precision`` column; NaN is NULL."""
    return _numbers(values, ">f8", np.isnan(values))


def texts(values: Sequence[str | None]) -> Field:
    """A text column of one value a row, or of one for all rows; None is NULL."""
    return _ragged([None if value is None else value.encode() for value in values])


def documents(values: Sequence[str | None]) -> Field:
    """A ``jsonb`` column of JSON texts, each after the number of the format; None is NULL."""
    return _ragged([None if value is None else b"\1" + value.encode() for value in values])


def _ragged(encoded: Sequence[bytes | None]) -> Field:
    lengths = np.array([-1 if value is None else len(value) for value in encoded], dtype=np.int32)
    width = int(lengths.max(initial=0))
    data = np.frombuffer(b"".join((value or b"").ljust(width, b"\0") for value in encoded), dtype=np.uint8)
    ragged = bool((lengths != width).any())
    return Field(data.reshape(len(encoded), width), lengths if ragged else None)


def copy_rows(count: int, fields: dict[str, Field]) -> CopyRows:
    """Lays rows out for COPY.

    Args:
        count: how many.
        fields: by the names of their columns.
    """
    width = 2 + sum(4 + field.data.shape[1] for field in fields.values())
    whole = np.empty(len(_HEAD) + count * width + len(_TAIL), dtype=np.uint8)
    whole[: len(_HEAD)] = _HEAD
    whole[-len(_TAIL) :] = _TAIL
    rows = whole[len(_HEAD) : -len(_TAIL)].reshape(count, width)
    rows[:, :2] = _big_endian(np.array([len(fields)]), ">i2")
    ragged: list[tuple[int, Field, NDArray[np.int32]]] = []
    start = 2
    for field in fields.values():
        wide = field.data.shape[1]
        lengths = np.array([wide]) if field.lengths is None else field.lengths
        rows[:, start : start + 4] = _big_endian(lengths, ">i4")
        start += 4
        rows[:, start : start + wide] = field.data
        if field.lengths is not None:
            ragged.append((start, field, field.lengths))
        start += wide
    if ragged:
        kept = np.ones((count, width), dtype=np.bool_)
        for start, field, lengths in ragged:
            wide = field.data.shape[1]
            kept[:, start : start + wide] = np.arange(wide) < lengths[:, np.newaxis]
        whole = np.concatenate([_HEAD, rows[kept], _TAIL])
    return CopyRows(tuple(fields), count, whole.data)


def copy_in(connection: Connection, table: str, rows: CopyRows) -> None:
    """Writes rows into a table that has none of them, within the transaction.

    Args:
        connection: to PostgreSQL.
        table: its name.
        rows: its rows.
    """
    if not rows.count:
        return
    statement = f"COPY {table} ({', '.join(rows.columns)}) FROM STDIN (FORMAT binary)"
    driver: Any = connection.connection.driver_connection
    errors = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(rows.content)
    except errors as error:
        # the driver was called past SQLAlchemy, so its error is given the form of all others here
        raise DBAPIError.instance(statement, None, error, errors) from error


def coming(table: str) -> str:
    """Name of the temporary table that a table's rows come through."""
    return f"coming_{table}"


def merge(connection: Connection, table: str, rows: CopyRows, conflict: str = "(id) DO NOTHING") -> int:
    """Writes the rows whose key a table does not have yet, within the transaction.

    They stand in the temporary table ``coming(table)`` until the transaction ends, in the order in which they
    were given. They should be sorted by id: writers that insert in one order never wait for each other in a
    circle. The merge reads them as they lie; an ``ORDER BY`` would sort again what is sorted.

    The temporary table is made once a connection. One that is made and dropped with each chunk takes as long for
    many rows and twice as long for few, and leaves dead rows in the catalogue every time.

    Args:
        connection: to PostgreSQL.
        table: its name.
        rows: its rows; keys are distinct where ``conflict`` updates.
        conflict: what becomes of a row whose key is there already: the end of ``ON CONFLICT``.

    Returns:
        How many were written.
    """
    if not rows.count:
        return 0
    # not remembered, but asked for each time: the transaction that made it may have been rolled back
    connection.exec_driver_sql(
        f"CREATE TEMPORARY TABLE IF NOT EXISTS {coming(table)} (LIKE {table} INCLUDING DEFAULTS) "
        "ON COMMIT DELETE ROWS"
    )
    copy_in(connection, coming(table), rows)
    names = ", ".join(rows.columns)
    return connection.exec_driver_sql(
        f"INSERT INTO {table} ({names}) SELECT {names} FROM {coming(table)} "  # noqa: S608 - own names
        f"ON CONFLICT {conflict}"
    ).rowcount


def _numbers(values: NDArray[Any], kind: str, null: NDArray[np.bool_] | None) -> Field:
    return _nullable(_big_endian(np.atleast_1d(values), kind), null)


def _nullable(data: Bytes, null: NDArray[np.bool_] | None) -> Field:
    if null is None or not null.any():
        return Field(data)
    return Field(data, np.where(null, -1, data.shape[1]).astype(np.int32))


def _big_endian(values: NDArray[Any], kind: str) -> Bytes:
    """Shape (n, bytes of one number)."""
    return values.astype(kind).view(np.uint8).reshape(len(values), np.dtype(kind).itemsize)
