"""The keys that Celery keeps in Redis for our queues, and those of a wrong type, which stop everybody.

A key ``solve`` that is a string, say, makes Redis refuse every BRPOP that names it beside others. Nothing is lost
with such a key: what is true stands in the database, and what waits is published again.

    generate, dig, ...                  list    messages; there is one besides for each of kombu's priorities
    _kombu.binding.generate, ...        set     which queues an exchange has; those of Celery's remote control too
    unacked, unacked_index              hash and sorted set: messages in the hands of workers
    unacked_mutex                       string  who looks for those that were left behind
"""

from __future__ import annotations

import logging
from typing import Any, Final

from celery import Celery
from redis.exceptions import NoPermissionError, RedisError

from sudokumill.jobs import JobKind

log: Final = logging.getLogger(__name__)

_PRIORITIES: Final = ("", "\x06\x163", "\x06\x166", "\x06\x169")
_REMOTE_CONTROL: Final = ("celery.pidbox", "reply.celery.pidbox", "celeryev")

_TYPES: Final = {
    **{kind.value + priority: "list" for kind in JobKind for priority in _PRIORITIES},
    **{f"_kombu.binding.{name}": "set" for name in (*(kind.value for kind in JobKind), *_REMOTE_CONTROL)},
    "unacked": "hash",
    "unacked_index": "zset",
    "unacked_mutex": "string",
}


def is_wrong_type(error: BaseException) -> bool:
    """Whether Redis refused a command because a key is of another type than that is for."""
    # redis-py may put the number of the command before the server's words, and kombu an error of its own around
    return "wrongtype" in str(error).lower()


def wrong_keys(client: Any) -> dict[str, str]:
    """The keys under our names that are of the wrong type, and which; none where the ACL does not let us see.

    Args:
        client: of the broker.

    Raises:
        RedisError: it cannot be used.
    """
    pipe = client.pipeline(transaction=False)
    for name in _TYPES:
        pipe.type(name)
    answers = pipe.execute(raise_on_error=False)
    found = {}
    for (name, wanted), answer in zip(_TYPES.items(), answers, strict=True):
        if isinstance(answer, NoPermissionError):
            continue
        if isinstance(answer, RedisError):
            raise answer
        is_now = answer.decode() if isinstance(answer, bytes) else str(answer)
        if is_now not in {"none", wanted}:
            found[name] = is_now
    return found


def described(wrong: dict[str, str]) -> str:
    """What is wrong with keys, in words."""
    return ", ".join(f"{name!r} is a {is_now} and no {_TYPES[name]}" for name, is_now in wrong.items())


def delete_wrong_keys(app: Celery) -> None:
    """Deletes the keys of the wrong type, and says which these were.

    Raises:
        RedisError, OperationalError, OSError: the broker cannot be used, or does not let us.
    """
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        wrong = wrong_keys(channel.client)
        if wrong:
            channel.client.delete(*wrong)
            log.error("deleted keys of the wrong type from the broker: %s; what writes there?", described(wrong))
