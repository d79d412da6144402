"""Why a database could not be used, in a sentence: what the drivers' errors mean and what to do about them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from sudokumill.errors import (
    BadDatabaseUrlError,
    DatabaseUnreachableError,
    NotADatabaseError,
    StorageFullError,
    SudokumillError,
)

BUSY_SECONDS: Final = 60
"""How long a process waits for the lock of a SQLite file."""

CONNECT_SECONDS: Final = 10
"""How long a process waits for a PostgreSQL server to answer, unless the URL says otherwise."""

_SQLITE_NOT_OURS: Final = "the file is no SQLite database"


def explain(error: DBAPIError, url: URL, name: str, job: int | None) -> SudokumillError:
    """The error that is shown to people.

    Args:
        error: what the driver said.
        url: of the database.
        name: the URL as it is shown, without passwords.
        job: the job that was worked on.
    """
    if url.get_backend_name() == "sqlite":
        return _explain_sqlite(error, name, job)
    return _explain_postgresql(error, url, name, job)


def _explain_sqlite(error: DBAPIError, name: str, job: int | None) -> SudokumillError:
    reason = " ".join(str(error.orig).split())
    code = getattr(error.orig, "sqlite_errorname", "")
    if code == "SQLITE_NOTADB":
        return NotADatabaseError(url=name, reason=_SQLITE_NOT_OURS)
    if code == "SQLITE_FULL" or "No space left" in reason:
        return StorageFullError(url=name, reason="the disk is full", again=f"run {_again(job)}")
    if code == "SQLITE_CANTOPEN":
        reason = "the file cannot be opened; does its folder exist, and may you write there?"
    elif code.startswith("SQLITE_READONLY"):
        reason = "the file is read-only; change its rights or choose another with SUDOKUMILL_DATABASE_URL"
    elif code.startswith("SQLITE_IOERR"):
        reason = f"the disk, or a limit on the size of files, stopped it ({reason})"
    elif code.startswith("SQLITE_BUSY"):
        again = "try again" if job is None else f"run: {_again(job)}"
        reason = f"another process kept it locked for {BUSY_SECONDS} s; when that has ended, {again}"
    return DatabaseUnreachableError(url=name, reason=reason)


def _again(job: int | None) -> str:
    return "the command again" if job is None else f"sudokumill jobs resume {job}"


# --- PostgreSQL ------------------------------------------------------------------------------------------
#
# An error that the server answers to a statement has a code (SQLSTATE). Of one that comes while connecting the
# driver keeps only the text, even if the server sent a code with it. That text is English, unless the server's
# own language is another; then its sentence is shown as it is.

_UNUSABLE: Final = (
    "invalid connection option",
    "invalid port number",
    "invalid sslmode value",
    "invalid integer value",
    "bad value for",
)
"""The URL itself is wrong."""

_CONNECTING: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        ("password authentication failed", "no password supplied", "authentication failed for user"),
        "the server refuses this user or password; mend SUDOKUMILL_DATABASE_URL",
    ),
    (
        ("no pg_hba.conf entry", "pg_hba.conf rejects"),
        "the server lets this user not in from here ({reason}); its pg_hba.conf says who may come, and how",
    ),
    (
        ("permission denied for database",),
        "this user may not connect to that database; give it the right by: GRANT CONNECT ON DATABASE {database} "
        "TO {user}",
    ),
    (
        ('database "{database}" does not exist',),
        "the server has no database {database}; make it (createdb {database}), or name another in "
        "SUDOKUMILL_DATABASE_URL",
    ),
    (
        ('role "{user}" does not exist',),
        "the server knows no user {user}; mend SUDOKUMILL_DATABASE_URL, or make the user (createuser {user})",
    ),
    (
        ("too many clients", "remaining connection slots", "too many connections"),
        "the server takes no more connections; run fewer processes, or raise its max_connections",
    ),
    (
        ("starting up", "shutting down", "not yet accepting", "recovery mode"),
        "the server is starting or stopping; try again in a moment",
    ),
    (
        ("connection refused",),
        "nothing listens there; is the server started, and are host and port right?",
    ),
    (
        ("failed to resolve host", "could not translate host name"),
        "there is no host of this name; mend SUDOKUMILL_DATABASE_URL",
    ),
    (
        ("timeout expired",),
        "no PostgreSQL server answered there within {seconds} s; are host and port right?",
    ),
    (
        ("invalid response", "expected authentication request", "unexpected message from server"),
        "what answers there is no PostgreSQL server; are host and port right?",
    ),
    (
        ("server closed the connection", "connection reset"),
        "what answers there ends the connection at once; is it a PostgreSQL server, and are host and port right?",
    ),
    (
        ("ssl", "certificate"),
        "the encrypted connection was not made ({reason}); see sslmode and sslrootcert in the URL",
    ),
)
"""What the text of an error holds, in small letters, and what that means."""

_LOST: Final = ("08", "57P")
"""SQLSTATE of an error that ends the connection begins with these."""

_LOST_TEXTS: Final = ("closed the connection", "connection is closed", "connection reset", "connection is lost")


def _explain_postgresql(error: DBAPIError, url: URL, name: str, job: int | None) -> SudokumillError:
    driver: Any = error.orig
    code: str = getattr(driver, "sqlstate", None) or ""
    text = " ".join(str(driver).split())
    primary = getattr(getattr(driver, "diag", None), "message_primary", None) or text
    again = "try again" if job is None else f"workers go on by themselves, and a run with: {_again(job)}"
    if code == "53100":
        return StorageFullError(url=name, reason="the server's disk is full", again=again)
    if code == "25006":
        reason = (
            f"the server lets it only be read ({primary}); is it a standby, or default_transaction_read_only set? "
            "choose another with SUDOKUMILL_DATABASE_URL"
        )
    elif code == "42501":
        reason = (
            f"user {url.username} lacks a right ({primary}); GRANT it, or name another in SUDOKUMILL_DATABASE_URL"
        )
    elif code.startswith(_LOST) or error.connection_invalidated or _is_lost(text):
        reason = f"the server ended the connection ({primary}); when it runs again, {again}"
    elif code:
        reason = f"{primary} (SQLSTATE {code})"
    elif any(each in text for each in _UNUSABLE):
        return BadDatabaseUrlError(url=name, reason=text)
    else:
        reason = _while_connecting(text, url)
    return DatabaseUnreachableError(url=name, reason=reason)


def _is_lost(text: str) -> bool:
    return not text.startswith("connection failed") and any(each in text for each in _LOST_TEXTS)


def _while_connecting(text: str, url: URL) -> str:
    # what the driver puts before the server's own sentence
    reason = text.rpartition("failed: ")[2].removeprefix("FATAL: ").strip()
    database = url.database or url.username
    fields = {
        "reason": reason,
        "database": database,
        "user": url.username,
        "seconds": url.query.get("connect_timeout", CONNECT_SECONDS),
    }
    for texts, meaning in _CONNECTING:
        if any(each.format(**fields).lower() in text.lower() for each in texts):
            return meaning.format(**fields)
    return f"no connection was made ({reason}); are host, port and options right?"
