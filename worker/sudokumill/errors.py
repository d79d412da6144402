"""The exception tree.

The docstring of a class is the template of its message: one line that says what is wrong, where, and what to
do. Its fields are keyword arguments, kept on the exception, so that a caller can act on them without reading
text::

    raise UnknownImplementationError(role="generator", name="las-vega", near="las-vegas")

``UsageError`` and what is below it mean that the order or the call was wrong (exit code 2); every other error
means that the work could not be done (exit code 1), but for one that says that it is done already (0).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches


class SudokumillError(Exception):
    """{message}"""

    exit_code = 1

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        super().__init__(inspect.cleandoc(type(self).__doc__ or "").replace("\n", " ").format(**fields))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.fields)


def _rebuild(kind: type[SudokumillError], fields: dict[str, object]) -> SudokumillError:
    return kind(**fields)


def near(name: str, known: Iterable[str], listed: str | None = None) -> str:
    """The end of a sentence about an unknown name: the nearest known ones, else all of them.

    Args:
        name: what was asked for.
        known: the names that exist, in any order.
        listed: the command that lists them, where they are too many for a line.

    Returns:
        ``"did you mean a or b?"``, ``"known: a, b, c"`` or ``"there is none"``; with ``listed``, what it lists is
        said in place of all names, and behind the nearest.
    """
    names = sorted(set(known))
    close = get_close_matches(name, names, n=3, cutoff=0.55)
    if close:
        return f"did you mean {' or '.join(close)}?" + (f" ({listed} lists all)" if listed else "")
    if names and listed:
        return f"{listed} lists all"
    return f"known: {', '.join(names)}" if names else "there is none"


class UsageError(SudokumillError):
    """{message}"""

    exit_code = 2


class BadSettingError(UsageError):
    """the setting {name} cannot be used: {reason}"""


class EmptyDatabaseUrlError(BadSettingError):
    """SUDOKUMILL_DATABASE_URL is empty; unset it for {default}, or write the URL of the database into it, as in postgresql://user:password@host/mill"""


# --- grids and files -------------------------------------------------------------------------------------


class BatchShapeError(UsageError):
    """{what} must be a C-contiguous {wanted}, got {got}"""


class UnknownFormatError(UsageError):
    """there is no text format {name!r}; {near}"""


class FileUnreadableError(SudokumillError):
    """cannot read {path}: {reason}"""


class FileMissingError(FileUnreadableError, UsageError):
    """cannot read {path}: {reason}"""

    exit_code = 2


class FileUnwritableError(SudokumillError):
    """cannot write {path}: {reason}"""


class StoredUnwrittenError(SudokumillError):
    """cannot write {path}: {reason}; what was delivered is stored: sudokumill export --job {job} --output FILE"""


class NoGridsError(SudokumillError):
    """{path} holds no grid that can be used; {reason}"""


# --- plugins ---------------------------------------------------------------------------------------------


class PluginError(SudokumillError):
    """{message}"""


class WrongPathError(PluginError):
    """{fault}"""


class PluginFolderError(UsageError):
    """the plugin folder {path} cannot be used: {reason}; set SUDOKUMILL_PLUGIN_DIR to a folder of .py files, or unset it"""


class UnknownPluginError(UsageError):
    """SUDOKUMILL_PLUGINS names plugin {name!r}, which is not here; {near}; install it, or mend the setting"""


class UnknownImplementationError(UsageError):
    """no {role} is named {name!r}; {near} (sudokumill plugins lists them all)"""


class HiddenImplementationError(UnknownImplementationError):
    """no {role} is named {name!r}; {near} (it may belong to a plugin that is not loaded: {hidden})"""


class UnknownVersionError(UsageError):
    """{role} {name!r} is here in version {have}, but the order names {wanted}; install that version or drop '=={wanted}'"""


class AmbiguousImplementationError(UsageError):
    """{role} {name!r} is registered by {owners}; uninstall one, or choose with SUDOKUMILL_PLUGINS"""


class BrokenImplementationError(PluginError):
    """{role} {name!r} of {owner} cannot be used: {reason}; mend or update that plugin, or choose another {role}"""


class UnknownOptionError(UsageError):
    """{owner} has no option {option!r}; {near}"""


class AmbiguousOptionError(UsageError):
    """option {option!r} belongs to {owners}; say which, for example --option {example}"""


class BadOptionError(UsageError):
    """{owner}: option {option}: {reason}"""


class RefusedOptionsError(UsageError):
    """{owner}: {reason}"""


class ConformanceError(SudokumillError, AssertionError):
    """{role} {name!r} breaks the rule "{rule}": {reason}; to see it again: {repeat}"""


class UnfindableError(UsageError):
    """{role} {name!r} cannot be found in {where}: {reason}; name it as package.module:NAME or path/to/file.py:NAME"""


class UnknownCommandError(UsageError):
    """there is no command {name!r}; did you mean: sudokumill run {name}"""


# --- orders ----------------------------------------------------------------------------------------------


class BadOrderError(UsageError):
    """{reason}"""


class CountBeyondSizeError(UsageError):
    """generator {name!r} makes {size:,} distinct finals with these options, {count:,} were ordered; order {size:,} or fewer"""


class SameCheckerError(UsageError):
    """digger {digger!r} and checker {checker!r} search by the same code ({engine}), so one would repeat the other's mistakes; choose another --checker"""


class NoCanonicaliserError(UsageError):
    """{asked} needs a solver that finds canonical forms, and no plugin that is loaded has one; load plugin native (sudokumill plugins lists them)"""


# --- the store -------------------------------------------------------------------------------------------


class NothingToGradeError(SudokumillError):
    """every stored puzzle has a grade by {grader} already; there is nothing to do"""

    exit_code = 0


class StoreError(SudokumillError):
    """{message}"""


class BadDatabaseUrlError(UsageError):
    """the database URL {url} cannot be used: {reason}; set SUDOKUMILL_DATABASE_URL, for example to sqlite:///sudokumill.db"""


class DatabaseUnreachableError(StoreError):
    """the database {url} cannot be used: {reason}"""


class NotADatabaseError(StoreError):
    """{url} is not a sudokumill database: {reason}; choose another with SUDOKUMILL_DATABASE_URL"""


class NewerSchemaError(StoreError):
    """the database {url} has schema {found}, which this sudokumill {version} does not know; update sudokumill"""


class OlderSchemaError(StoreError):
    """the database {url} has schema {found}, this sudokumill needs {wanted}; run: sudokumill db upgrade"""


class StorageFullError(StoreError):
    """the database {url} cannot grow: {reason}; free some space, then {again}"""


class NoDatabaseError(StoreError):
    """there is no database at {path} yet; order something first, for example: sudokumill run levels --count 10"""


class NoDatabaseSetError(NoDatabaseError):
    """there is no database at {path} yet; order something first, for example: sudokumill run levels --count 10 (SUDOKUMILL_DATABASE_URL is not set; is the database elsewhere?)"""


class NoWorkersDatabaseError(NoDatabaseError):
    """SUDOKUMILL_DATABASE_URL is not set, and there is no {path} here, so this worker has no database; set the variable to the one that orders go to"""


class UnknownJobError(UsageError):
    """there is no job {job}; sudokumill jobs list shows them"""


class JobStateError(UsageError):
    """job {job} is {state} and cannot be {verb}; {hint}"""


class KeyTakenError(UsageError):
    """key {key!r} belongs to job {job}, which ordered something else ({difference}); choose another --key"""


class UnreadableJobError(StoreError):
    """job {job} was ordered by a newer sudokumill, which this one cannot read; update sudokumill"""


class LeaseLostError(StoreError):
    """the lease of chunk {chunk} was lost; its rows were not stored"""


class NoLevelError(StoreError):
    """no level is stored yet; order some, for example: sudokumill run levels --count 10"""


class AmbiguousLevelError(UsageError):
    """several levels have an id that begins with {level}; give more of it"""


class UnknownLevelError(UsageError):
    """there is no level {level}; sudokumill show without an id draws the newest"""


class BadBandError(UsageError):
    """band {name!r} cannot be set: {reason}"""


class UnknownBandError(UsageError):
    """grader {grader} has no band {name!r}; {hint} (sudokumill bands lists them all)"""


# --- the fleet -------------------------------------------------------------------------------------------


class BadBrokerUrlError(UsageError):
    """the broker URL {url} cannot be used: {reason}; set SUDOKUMILL_BROKER_URL, for example to redis://:password@localhost:6379/0"""


class BrokerUnreachableError(SudokumillError):
    """the broker {url} cannot be used: {reason}"""


class UnknownChunkError(SudokumillError):
    """dropped a message for chunk {chunk}: this database has no such chunk"""


class NoBrokerError(UsageError):
    """workers are woken through Redis; set SUDOKUMILL_BROKER_URL, for example to redis://:password@localhost:6379/0"""


class UnknownQueueError(UsageError):
    """there is no queue {name!r}; {near}"""


class NothingToServeError(UsageError):
    """no plugin here has a {role}, which the queue {queue!r} needs; install one, or take other queues with --queues"""


class WorkerOptionError(UsageError):
    """{reason}"""


class OutOfMemoryError(SudokumillError):
    """a plugin wants more memory for one row than its process has; give it more with SUDOKUMILL_CHUNK_MEMORY, or order with other options"""


# --- runners ---------------------------------------------------------------------------------------------


class LocalProcessError(SudokumillError):
    """a local process met what it did not expect: {reason}; what was stored stays"""


class LostProcessError(SudokumillError):
    """a process of the run died (killed, out of memory, or ended by its plugin); nothing was written; with the database, without --no-store, the rows at fault are found and the others kept"""


class OutputRowError(SudokumillError):
    """{made:,} of {count:,} were made: {reason}; {path} was not written"""
