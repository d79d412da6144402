"""The consumer of a worker: drops what is no message of ours, with one line in the log.

Celery's own says several of these things with a traceback, and ends by others: a body that is a number ends the
worker's main process, goes back to the queue as it does so, and ends the next one.

    bytes in the list    no JSON, or no envelope: ends Celery, but the message is gone then (see supervisor)
    envelope             {"body", "headers": {"task", "id", ...}, "properties", ...}
    body                 [["5c1f20aa:4711"], {}, {...}]
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any, Final

from celery.worker.consumer import Consumer

log: Final = logging.getLogger(__name__)


class MessageConsumer(Consumer):
    """Celery's consumer, which looks at each message before it is taken for a task."""

    connection_errors: tuple[type[Exception], ...]
    channel_errors: tuple[type[Exception], ...]
    strategies: dict[str, Any]

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
