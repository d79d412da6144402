"""The broker's URL: what it may be, what Celery is given of it, and how it is shown."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from sudokumill.errors import BadBrokerUrlError, near

_SCHEMES: Final = ("redis", "rediss", "redis+socket")
_FILES: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_TLS_NAMES: Final = ("ssl_cert_reqs", *_FILES)
_CHECKS: Final = {"required": ssl.CERT_REQUIRED, "none": ssl.CERT_NONE}
_UNESCAPED: Final = "in a password / must be written as %2F, ? as %3F, # as %23, ; as %3B and @ as %40"


@dataclass(frozen=True)
class Address:
    """Where the broker is."""

    url: str
    """As Celery takes it, with the password, and without what is said of TLS."""
    shown: str
    """Without any part that could be secret."""
    tls: dict[str, Any] | None
    """What the client takes for an encrypted connection."""


def parse_address(text: str) -> Address:
    """Takes a broker's URL apart.

    Kombu would take more than this, and answer much of the rest with a traceback from where it first connects.

    Args:
        text: ``redis://[[USER]:PASSWORD@]HOST[:PORT][/NUMBER]``, the same with ``rediss`` and TLS parameters, or
            ``redis+socket://[:PASSWORD@]/PATH[?virtual_host=NUMBER]``.

    Raises:
        BadBrokerUrlError: it cannot be used. Shows nothing that could be a part of a password.
    """
    text = text.strip()
    parts = _split(text)
    shown = _shown(parts)
    if parts.scheme == "redis+socket":
        _check_socket(parts, shown)
        return Address(text, shown, None)
    _check_host(parts, shown)
    if parts.scheme == "redis":
        if parts.query:
            reason = "nothing may follow a ?; a password stands before the host, as in redis://:password@host"
            raise BadBrokerUrlError(url=shown, reason=reason)
        return Address(text, shown, None)
    return Address(urlunsplit((*parts[:3], "", "")), shown, _tls(parts, shown))


def _split(text: str) -> SplitResult:
    """The parts, if nobody can be in doubt where the password ends."""
    scheme, separator, rest = text.partition("://")
    if scheme not in _SCHEMES or not separator:
        known = " or ".join(f"{scheme}://" for scheme in _SCHEMES)
        # where the password stands in another kind of URL, nobody knows
        shown = f"{scheme}://..." if separator and scheme.isascii() and scheme.isalpha() else "given"
        raise BadBrokerUrlError(url=shown, reason=f"it must begin with {known}")
    if ";" in rest or "#" in rest or any("@" in rest[rest.index(sign) :] for sign in "/?" if sign in rest):
        if _names_several(rest):
            raise BadBrokerUrlError(url="given", reason="it names several servers; name one")
        raise BadBrokerUrlError(url="given", reason=_UNESCAPED)
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        reason = f"its host or port cannot be read; {_UNESCAPED}"
        raise BadBrokerUrlError(url="given", reason=reason) from None
    return parts


def _names_several(rest: str) -> bool:
    """Whether another URL follows a semicolon, as in Celery's lists of servers."""
    beginnings = tuple(f"{scheme}://" for scheme in _SCHEMES)
    return any(each.strip().startswith(beginnings) for each in rest.split(";"))


def _check_host(parts: SplitResult, shown: str) -> None:
    if not parts.hostname:
        raise BadBrokerUrlError(url=shown, reason="it names no host")
    try:
        parts.hostname.encode("idna")
    except UnicodeError:
        raise BadBrokerUrlError(url=shown, reason="its host is no name that a host can have") from None
    number = parts.path.removeprefix("/")
    if number and not _is_number(number):
        raise BadBrokerUrlError(url=shown, reason=f"a database number comes last, not {number!r}")


def _check_socket(parts: SplitResult, shown: str) -> None:
    if parts.hostname or len(parts.path) < 2:
        raise BadBrokerUrlError(url=shown, reason="it names no socket, as redis+socket:///run/redis.sock does")
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name != "virtual_host" or not _is_number(value):
            raise BadBrokerUrlError(
                url=shown, reason="only ?virtual_host=NUMBER, a database's, may follow the path"
            )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _tls(parts: SplitResult, shown: str) -> dict[str, Any]:
    """What the client takes for a ``rediss`` URL; a certificate is checked unless the URL says otherwise."""
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name, value in given.items():
        if name not in _TLS_NAMES:
            raise BadBrokerUrlError(url=shown, reason=f"it has no parameter {name!r}; {near(name, _TLS_NAMES)}")
        if name in _FILES and not Path(value).is_file():
            raise BadBrokerUrlError(url=shown, reason=f"{name}: there is no file {value!r}")
    checks = given.get("ssl_cert_reqs", "required")
    if checks not in _CHECKS:
        raise BadBrokerUrlError(url=shown, reason=f"ssl_cert_reqs is required or none, not {checks!r}")
    return {**given, "ssl_cert_reqs": _CHECKS[checks], "ssl_check_hostname": checks == "required"}


def _shown(parts: SplitResult) -> str:
    """The URL without its password and its parameters.

    A user without a password is not shown either: most probably it is the password, in the wrong place.
    """
    login, at, place = parts.netloc.rpartition("@")
    user, colon, password = login.partition(":")
    who = f"{user}:***" if colon and password else ("***" if user else "")
    path = parts.path if parts.scheme == "redis+socket" or _is_number(parts.path.removeprefix("/")) else ""
    return f"{parts.scheme}://{who}{at}{place}{path}"
