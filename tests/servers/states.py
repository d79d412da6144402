"""Test databases that refuse a move of state which the host's tables do not name, and note those that happen."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection

from sudokumill.store.database import Database
from sudokumill.store.transitions import CHUNK_MOVES, JOB_MOVES

MOVES: Final[dict[str, Any]] = {"job": JOB_MOVES, "chunk": CHUNK_MOVES}
_NEW: Final = "new"


def _named(state: StrEnum | None) -> str:
    return _NEW if state is None else state.value


def guard(database: Database) -> None:
    """Lets a database refuse unknown moves, by triggers, and keep all others in the table ``moved``."""
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE moved (what text, before text, after text)")
        for statement in _statements(connection.dialect.name):
            connection.exec_driver_sql(statement)


def _statements(dialect: str) -> Iterator[str]:
    for table, moves in MOVES.items():
        known = ", ".join(f"'{_named(before)}>{_named(after)}'" for before, after in moves)
        refused = f"a move of a {table} that store/transitions.py does not name"
        if dialect == "sqlite":
            for event, before, when in (
                ("INSERT", f"'{_NEW}'", "1"),
                ("UPDATE OF state", "OLD.state", "OLD.state <> NEW.state"),
            ):
                yield (
                    f"CREATE TRIGGER guard_{table}_{event[:6].lower()} AFTER {event} ON {table} WHEN {when} BEGIN "
                    f"SELECT CASE WHEN {before} || '>' || NEW.state NOT IN ({known}) "
                    f"THEN RAISE(ABORT, '{refused}') END; "
                    f"INSERT INTO moved VALUES ('{table}', {before}, NEW.state); END"
                )
            continue
        yield (
            f"CREATE FUNCTION guard_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"DECLARE before text := '{_NEW}'; BEGIN "
            "IF TG_OP = 'UPDATE' THEN before := OLD.state; END IF; "
            "IF before = NEW.state THEN RETURN NULL; END IF; "
            f"IF before || '>' || NEW.state NOT IN ({known}) THEN "
            f"RAISE EXCEPTION USING MESSAGE = '{refused}: ' || before || ' to ' || NEW.state, "
            "ERRCODE = 'check_violation'; END IF; "
            f"INSERT INTO moved VALUES ('{table}', before, NEW.state); RETURN NULL; END $$"
        )
        yield (
            f"CREATE TRIGGER guard AFTER INSERT OR UPDATE OF state ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION guard_{table}()"
        )


def take_moves(connection: Connection) -> set[tuple[str, str, str]]:
    """The moves since the last time, each (table, before, after), and forgets them."""
    rows = connection.exec_driver_sql("SELECT DISTINCT what, before, after FROM moved").all()
    connection.exec_driver_sql("DELETE FROM moved")
    return {(row[0], row[1], row[2]) for row in rows}


def movers(what: str, before: str, after: str) -> frozenset[str]:
    """Who makes a move, by the host's tables."""
    found: frozenset[str] = next(
        by for (old, new), by in MOVES[what].items() if (_named(old), _named(new)) == (before, after)
    )
    return found


def every_move() -> set[tuple[str, str, str, str]]:
    """All that there are: (table, before, after, by)."""
    return {
        (what, _named(before), _named(after), by)
        for what, moves in MOVES.items()
        for (before, after), names in moves.items()
        for by in names
    }
