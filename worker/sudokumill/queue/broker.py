"""The broker: Redis behind Celery, through which workers are woken.

What is true stands in the database. A message only says "look at this chunk": one that is lost is sent again, one
that comes twice finds nothing to do.

    message   {"args": ["5c1f20aa:4711"]}          database (see ``identity``) and chunk, and nothing else
    queue     one a kind of job: generate, dig, solve, levels
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from celery import Celery
from kombu import Exchange, Queue
from kombu.exceptions import OperationalError
from kombu.utils.url import maybe_sanitize_url
from redis.exceptions import RedisError

from sudokumill.errors import BadBrokerUrlError, BrokerUnreachableError, NoBrokerError, near
from sudokumill.jobs import JobKind
from sudokumill.settings import Settings
from sudokumill.store.publishing import DueChunk

QUEUES: Final = tuple(kind.value for kind in JobKind)

_SCHEMES: Final = ("redis", "rediss", "redis+socket")
_CONNECT_SECONDS: Final = 2.0
_TLS_NAMES: Final = ("ssl_cert_reqs", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_CHECKS: Final = {"required": ssl.CERT_REQUIRED, "none": ssl.CERT_NONE}


def task_name(kind: JobKind) -> str:
    """The name of the task that makes chunks of this kind."""
    return f"sudokumill.{kind.value}"


def celery_app(settings: Settings) -> Celery:
    """The Celery app, without its tasks: enough to send messages.

    Raises:
        NoBrokerError, BadBrokerUrlError: the setting is missing, or cannot be used.
    """
    if settings.broker_url is None:
        raise NoBrokerError()
    url, tls = _parse(settings.broker_url)
    app = Celery("sudokumill", broker=url, set_as_current=False)
    app.conf.update(
        broker_use_ssl=tls,
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
            "socket_timeout": 30.0,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_keepalive": True,
            "health_check_interval": 25,
        },
    )
    return app


class Broker:
    """Sends chunk ids to the workers."""

    def __init__(self, app: Celery, database: str) -> None:
        """Connects at the first message.

        Args:
            app: where to.
            database: the identity of the database that the chunks are in.
        """
        self._app = app
        self._database = database
        self.name = shown_url(app.conf.broker_url)

    def publish(self, due: Sequence[DueChunk]) -> None:
        """Sends ids, each to the queue of its kind.

        Raises:
            BrokerUnreachableError: not all got through.
        """
        try:
            with self._app.producer_or_acquire() as producer:
                for each in due:
                    self._app.send_task(
                        task_name(each.kind),
                        (f"{self._database}:{each.chunk}",),
                        producer=producer,
                        queue=each.kind.value,
                        retry=False,
                    )
        except (OperationalError, RedisError, OSError) as error:
            raise _unreachable(self.name, error) from None


def check_broker(app: Celery) -> None:
    """Makes sure that the broker answers and lets us in.

    Raises:
        BrokerUnreachableError: it does not.
    """
    try:
        with app.connection_for_write() as connection:
            channel: Any = connection.default_channel
            channel.client.ping()
    except (OperationalError, RedisError, OSError) as error:
        raise _unreachable(shown_url(app.conf.broker_url), error) from None


def shown_url(url: str) -> str:
    """A broker's URL without its password."""
    shown: str = maybe_sanitize_url(url, mask="***")
    return shown


def _unreachable(name: str, error: BaseException) -> BrokerUnreachableError:
    reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    lowered = reason.lower()
    if "invalid username-password" in lowered or "wrongpass" in lowered:
        reason = "it refuses the user name or password; mend them in SUDOKUMILL_BROKER_URL"
    elif "authentication required" in lowered or "noauth" in lowered:
        reason = "it wants a password; put it into SUDOKUMILL_BROKER_URL, as in redis://:password@host:6379/0"
    else:
        reason += "; is it running, and is SUDOKUMILL_BROKER_URL right?"
    return BrokerUnreachableError(url=name, reason=reason)


def _parse(url: str) -> tuple[str, dict[str, Any] | None]:
    """The URL without its TLS parameters, and these as the client takes them."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise BadBrokerUrlError(url="given", reason=str(error).split(" as ")[0]) from None
    if parts.scheme not in _SCHEMES:
        known = " or ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise BadBrokerUrlError(url=_shown_scheme(url), reason=f"it must begin with {known}")
    number = parts.path.strip("/")
    if parts.scheme != "redis+socket" and not parts.hostname:
        raise BadBrokerUrlError(url=shown_url(url), reason="it names no host")
    if parts.scheme != "redis+socket" and number and not number.isdigit():
        raise BadBrokerUrlError(url=shown_url(url), reason=f"a database number comes last, not {number!r}")
    if parts.scheme != "rediss":
        return url, None
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    tls = {name: query.pop(name) for name in [*query] if name.startswith("ssl_")}
    return urlunsplit(("redis", *parts[1:3], urlencode(query), "")), _tls(url, tls)


def _tls(url: str, given: dict[str, str]) -> dict[str, Any]:
    """What the client takes for a ``rediss`` URL; a certificate is checked unless the URL says otherwise."""
    for name in given:
        if name not in _TLS_NAMES:
            reason = f"it has no parameter {name!r}; {near(name, _TLS_NAMES)}"
            raise BadBrokerUrlError(url=shown_url(url), reason=reason)
    checks = given.get("ssl_cert_reqs", "required")
    if checks not in _CHECKS:
        raise BadBrokerUrlError(url=shown_url(url), reason=f"ssl_cert_reqs is required or none, not {checks!r}")
    return {**given, "ssl_cert_reqs": _CHECKS[checks], "ssl_check_hostname": checks == "required"}


def _shown_scheme(url: str) -> str:
    """An URL of which nobody knows where its password stands: its beginning only."""
    scheme, separator, _ = url.partition("://")
    return f"{scheme}{separator}..." if separator else "given"
