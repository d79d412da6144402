"""The consumer of a worker: drops what is no message of ours, with one line in the log.

Celery's own says several of these things with a traceback, and ends by others: a body that is a number ends the
worker's main process, goes back to the queue as it does so, and ends the next one.

    bytes in the list    no JSON, or no envelope: ends Celery, but the message is gone then (see supervisor)
    envelope             {"body", "headers": {"task", "id", ...}, "properties", ...}
    body                 [["5c1f20aa:4711"], {}, {...}]
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from typing import Any, Final

from billiard.exceptions import WorkerLostError
from celery import Celery
from celery.worker.consumer import Consumer
from celery.worker.request import Request
from celery.worker.state import maybe_shutdown
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from sudokumill.queue.keys import delete_wrong_keys, is_wrong_type

log: Final = logging.getLogger(__name__)

_STEADY_SECONDS: Final = 60.0
"""A connection that held for so long did not end because of what the broker is."""

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 15.0
_LOOK_SECONDS: Final = 0.1


class MessageConsumer(Consumer):
    """Celery's consumer, which looks at each message before it is taken for a task."""

    connection_errors: tuple[type[Exception], ...]
    channel_errors: tuple[type[Exception], ...]
    strategies: dict[str, Any]
    app: Celery

    _failed: float | None = None
    _pause = _FIRST_PAUSE

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        refusals = _Refusals()
        for name in ("kombu.asynchronous.hub", "kombu.transport.redis"):
            logging.getLogger(name).addFilter(refusals)

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        """Says so, and waits before the next try."""
        super().on_connection_error_before_connected(exc)
        self._mend(exc)
        self._rest()

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Says so, and waits before the next try."""
        super().on_connection_error_after_connected(exc)
        self._mend(exc)
        self._rest()

    def _mend(self, error: Exception) -> None:
        """Deletes keys of the wrong type, if these are what the broker refuses: nobody could work until then."""
        if not is_wrong_type(error):
            return
        try:
            delete_wrong_keys(self.app)
        except (RedisError, OperationalError, OSError) as trouble:
            log.error("keys of the wrong type in the broker could not be deleted: %s", trouble)

    def _rest(self) -> None:
        """Waits, longer each time: a broker whose memory is full lets everybody in, and then refuses all they say.

        Celery waits where nobody answers, and here would try again a dozen times a second.
        """
        now = time.monotonic()
        if self._failed is None or now - self._failed > _STEADY_SECONDS:
            self._pause = _FIRST_PAUSE
        until = now + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        while time.monotonic() < until:
            maybe_shutdown()
            time.sleep(_LOOK_SECONDS)
        self._failed = time.monotonic()

    def create_task_handler(self, *args: Any, **options: Any) -> Callable[[Any], None]:
        """What is called for each message."""
        handle = super().create_task_handler(*args, **options)
        passing = (*self.connection_errors, *self.channel_errors)

        def drop(message: Any, fault: str) -> None:
            log.error("dropped a message that is none of ours: %.200s", " ".join(fault.split()))
            message.reject_log_error(log, passing)

        def on_message(message: Any) -> None:
            fault = _fault(message, self.strategies)
            if fault is not None:
                drop(message, fault)
                return
            try:
                handle(message)
            except passing:
                raise
            except Exception as error:
                # it is gone before this ends the worker, or it would end the next one too; and end it must, for
                # nobody knows how far Celery was with it
                drop(message, f"{type(error).__name__}: {error}")
                raise

        return on_message


class _Refusals(logging.Filter):
    """Says that the broker refuses something in one line, once a minute.

    Timers ask it for what others left behind, and that it keeps the queues; kombu logs the traceback every time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said_at = -_STEADY_SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, RedisError):
            return True
        now = time.monotonic()
        if now - self._said_at < _STEADY_SECONDS:
            return False
        self._said_at = now
        said = f"{type(error).__name__}: {error}"
        record.msg, record.args, record.exc_info = "the broker refuses what it is asked: %s", (said,), None
        return True


class ChunkRequest(Request):
    """A message that was taken."""

    def on_failure(self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False) -> None:
        """Called when its process is gone, for the chunk function raises nothing.

        The pool has said which process ended, and how; Celery would add the traceback of how it noticed, twice.
        """
        error = exc_info.exception
        lost = isinstance(getattr(error, "exc", error), WorkerLostError)
        super().on_failure(exc_info, send_failed_event, return_ok or lost)


def _fault(message: Any, tasks: Collection[str]) -> str | None:
    """What is wrong with a message, if it is none that a worker can be sent."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    if headers.get("task") not in tasks:
        return f"there is no task {headers.get('task')!r}"
    if not isinstance(headers.get("id"), str):
        return "it has no id"
    if headers.get("eta") is not None or headers.get("expires") is not None:
        return "it is for a later time"
    try:
        body = message.decode()
    except Exception as error:
        return f"it cannot be read: {error}"
    if not isinstance(body, list) or [type(part) for part in body] != [list, dict, dict]:
        return f"its body is not [arguments, keywords, links], but {body!r}"
    return None
