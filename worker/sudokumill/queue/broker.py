"""The broker: Redis behind Celery, through which workers are woken.

What is true stands in the database. A message only says "look at this chunk": one that is lost is sent again, one
that comes twice finds nothing to do.

    message   {"args": ["5c1f20aa:4711"]}          database (see ``identity``) and chunk, and nothing else
    queue     one a kind of job: generate, dig, solve, grade, levels
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any, Final

from celery import Celery
from kombu import Exchange, Queue
from kombu.exceptions import OperationalError
from redis.exceptions import NoPermissionError, RedisError, ResponseError

from sudokumill.errors import BrokerUnreachableError, NoBrokerError
from sudokumill.jobs import JobKind
from sudokumill.queue.address import parse_address
from sudokumill.queue.keys import delete_wrong_keys, described, is_wrong_type, wrong_keys
from sudokumill.settings import Settings
from sudokumill.store.publishing import DueChunk

QUEUES: Final = tuple(kind.value for kind in JobKind)

_CONNECT_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 3.0
"""How long who sends a chunk id waits for an answer: there is other work to do, and a reaper sends it again."""

_CONSUMER_SECONDS: Final = 30.0
"""How long a worker's consumer waits, which has nothing else to do: longer than a busy disk holds a server up."""

PLENTY: Final = 1_000
"""Messages in a queue beyond which none is added: each of them wakes a process, which takes what goes next. An id
that nobody takes is sent again after a lease, and where consumers do not get through these would pile up."""

_OVERRIDES: Final = ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL")
"""Variables that Celery puts above what its app says: another product's would send our ids to its broker."""


def task_name(kind: JobKind) -> str:
    """The name of the task that makes chunks of this kind."""
    return f"sudokumill.{kind.value}"


def celery_app(settings: Settings, consumes: bool = False) -> Celery:
    """The Celery app, without its tasks: enough to send messages.

    Args:
        settings: where the broker is.
        consumes: it is a worker's, which waits for a broker that is away. Others try once, and not for long.

    Raises:
        NoBrokerError, BadBrokerUrlError: the setting is missing, or cannot be used.
    """
    if settings.broker_url is None:
        raise NoBrokerError()
    address = parse_address(settings.broker_url)
    for name in _OVERRIDES:
        os.environ.pop(name, None)
    app = Celery("sudokumill", broker=address.url, set_as_current=False)
    app.conf.update(
        broker_use_ssl=address.tls,
        # the chunk's row says whether it was done: a message is acknowledged when its chunk is, and one that is
        # lost with its worker is not put back by Celery but published again by a reaper
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        task_acks_on_failure_or_timeout=True,
        task_ignore_result=True,
        worker_prefetch_multiplier=1,
        worker_consumer="sudokumill.queue.consumer:MessageConsumer",
        worker_max_tasks_per_child=1_000,
        worker_soft_shutdown_timeout=2 * settings.chunk_seconds,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_serializer="json",
        accept_content=["json"],
        task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
        task_default_queue=QUEUES[-1],
        task_create_missing_queues=False,
        task_routes={task_name(kind): {"queue": kind.value} for kind in JobKind},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_channel_error_retry=True,
        broker_connection_timeout=_CONNECT_SECONDS,
        broker_transport_options={
            "visibility_timeout": 10 * settings.chunk_limit_seconds,
            "unacked_restore_interval": 1,
            "unacked_restore_throttle": 1,
            "socket_timeout": _CONSUMER_SECONDS if consumes else _ANSWER_SECONDS,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_keepalive": True,
            "health_check_interval": 25,
            **({} if consumes else {"max_retries": 0}),
        },
    )
    return app


class Broker:
    """Sends chunk ids to the workers."""

    def __init__(self, settings: Settings, database: str, mends: bool = False) -> None:
        """Connects at the first message.

        Args:
            settings: where to.
            database: the identity of the database that the chunks are in.
            mends: it is a worker's, and deletes keys of the wrong type that stand in its way. Whoever orders does
                not: the URL may be mistyped.

        Raises:
            NoBrokerError, BadBrokerUrlError: the setting is missing, or cannot be used.
        """
        self._app = celery_app(settings)
        self._database = database
        self._mends = mends
        self._settings = settings

    def publish(self, due: Sequence[DueChunk]) -> None:
        """Sends ids, each to the queue of its kind, unless that is long enough to wake everybody.

        Raises:
            BrokerUnreachableError: not all got through.
        """
        try:
            try:
                self._publish(due)
            except _ERRORS as error:
                if not (self._mends and is_wrong_type(error)):
                    raise
                delete_wrong_keys(self._app)
                # an id that got through before comes twice, and finds nothing to do then
                self._publish(due)
        except _ERRORS as error:
            raise _unreachable(self._settings, error) from None

    def mend(self) -> None:
        """Deletes keys of the wrong type, also those that nobody has met yet.

        Raises:
            BrokerUnreachableError: it cannot be used.
        """
        try:
            delete_wrong_keys(self._app)
        except _ERRORS as error:
            raise _unreachable(self._settings, error) from None

    def _publish(self, due: Sequence[DueChunk]) -> None:
        with self._app.producer_or_acquire() as producer:
            channel: Any = producer.channel
            long = {kind for kind in {each.kind for each in due} if _length(channel.client, kind) >= PLENTY}
            for each in due:
                if each.kind in long:
                    continue
                self._app.send_task(
                    task_name(each.kind),
                    (f"{self._database}:{each.chunk}",),
                    producer=producer,
                    queue=each.kind.value,
                    retry=False,
                )


def _length(client: Any, kind: JobKind) -> int:
    with contextlib.suppress(NoPermissionError):
        return int(client.llen(kind.value))
    return 0


def check_broker(settings: Settings, *, takes: bool = False) -> None:
    """Makes sure that the broker answers and lets us in.

    Args:
        settings: where it is.
        takes: also that it takes messages: one whose memory or disk is full answers, and refuses them.

    Raises:
        NoBrokerError, BadBrokerUrlError: the setting is missing, or cannot be used.
        BrokerUnreachableError: it does not.
    """
    wrong: dict[str, str] = {}
    try:
        with celery_app(settings).connection_for_write() as connection:
            channel: Any = connection.default_channel
            channel.client.ping()
            if takes:
                _pretend_to_write(channel.client)
                wrong = wrong_keys(channel.client)
    except _ERRORS as error:
        raise _unreachable(settings, error) from None
    if wrong:
        raise BrokerUnreachableError(
            url=parse_address(settings.broker_url or "").shown,
            reason=f"its key {described(wrong)}; workers delete it when they meet it; what writes there?",
        )


def _pretend_to_write(client: Any) -> None:
    """A command that Redis refuses whenever it refuses messages, and that changes nothing.

    The message would lie before one that is in no queue. An ACL may allow what we need and not this.
    """
    with contextlib.suppress(NoPermissionError):
        try:
            client.linsert(QUEUES[0], "BEFORE", "no message", "")
        except ResponseError as error:
            # the key is looked at with the others
            if not is_wrong_type(error):
                raise


# --- why a broker could not be used -----------------------------------------------------------------------

_ERRORS: Final = (OperationalError, RedisError, OSError)

_MEANINGS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        ("without any password configured",),
        "it has no password, but SUDOKUMILL_BROKER_URL gives one; mend one of the two",
    ),
    (
        ("invalid username-password", "wrongpass"),
        "it refuses the user name or password; mend them in SUDOKUMILL_BROKER_URL",
    ),
    (
        ("authentication required", "noauth"),
        "it wants a password; put it into SUDOKUMILL_BROKER_URL, as in redis://:password@host:6379/0",
    ),
    (
        ("noperm",),
        "the user lacks a right there ({reason}); its ACL says what a user may do",
    ),
    (
        ("db index",),
        "it has no database of this number, which comes last in SUDOKUMILL_BROKER_URL; choose a lower one",
    ),
    (
        ("certificate", "ssl", "tls"),
        "the encrypted connection was not made ({reason}); mend ssl_ca_certs in SUDOKUMILL_BROKER_URL, or write "
        "redis:// if the server has no TLS",
    ),
    (
        ("name or service not known", "name resolution", "no address associated", "nodename"),
        "there is no host of this name; mend SUDOKUMILL_BROKER_URL",
    ),
    (
        ("connection refused",),
        "nothing listens there; start the server, or mend host and port in SUDOKUMILL_BROKER_URL",
    ),
    (
        ("no such file",),
        "there is no such socket; start the server, or mend the path in SUDOKUMILL_BROKER_URL",
    ),
    (
        ("timeout", "timed out"),
        "no Redis answered there within {seconds:g} s; mend scheme, host and port in SUDOKUMILL_BROKER_URL, or "
        "see what holds it up",
    ),
    (
        ("closed by server", "reset by peer", "protocol error", "broken pipe"),
        "what answers there ends the connection, as another kind of server does, or Redis if it wants encryption "
        "(rediss://); mend SUDOKUMILL_BROKER_URL",
    ),
    (
        ("loading the dataset", "busyloading"),
        "it is starting; try again in a moment",
    ),
    (
        ("max number of clients",),
        "it takes no more clients; raise its maxclients",
    ),
    (
        ("oom command", "used memory >"),
        "its memory is full ({reason}); raise its maxmemory",
    ),
    (
        ("wrongtype",),
        "a key of one of its queues is of another type ({reason}); workers delete it when they meet it; what "
        "writes there?",
    ),
    (
        ("misconf",),
        "it cannot write its files, so it takes nothing; see its log",
    ),
    (
        ("read only replica", "readonly"),
        "it is a replica, which may only be read; name its master in SUDOKUMILL_BROKER_URL",
    ),
)
"""What the text of an error holds, in small letters, and what that means."""


def _unreachable(settings: Settings, error: BaseException) -> BrokerUnreachableError:
    reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    lowered = reason.lower()
    said = f"{reason}; see its log, or mend SUDOKUMILL_BROKER_URL"
    for texts, meaning in _MEANINGS:
        if any(text in lowered for text in texts):
            said = meaning.format(reason=reason, seconds=_ANSWER_SECONDS)
            break
    return BrokerUnreachableError(url=parse_address(settings.broker_url or "").shown, reason=said)
