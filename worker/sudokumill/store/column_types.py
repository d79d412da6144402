"""Types of columns that differ between the databases."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, LargeBinary, TypeDecorator, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine


class GridId(TypeDecorator[bytes]):
    """A grid's 128-bit digest: PostgreSQL's ``uuid``, 16 raw bytes on SQLite.

    SQLAlchemy's own Uuid keeps 32 hexadecimal characters on SQLite; twice the size, in a key.
    """

    impl = LargeBinary(16)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The column type of this database."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(Uuid())
        return dialect.type_descriptor(LargeBinary(16))

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:
        """Bytes to what the database takes."""
        if value is not None and dialect.name == "postgresql":
            return uuid.UUID(bytes=value)
        return value

    def process_result_value(self, value: Any | None, dialect: Dialect) -> bytes | None:
        """What the database gives to bytes."""
        return value.bytes if isinstance(value, uuid.UUID) else value


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no zone, so it is put back when read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment, with its zone."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


AUTO_ID: Final = BigInteger().with_variant(Integer(), "sqlite")
"""A primary key that counts by itself; on SQLite only an INTEGER does."""

JSON_DOCUMENT: Final = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""What people query: PostgreSQL's jsonb can be asked whether it has a key."""
