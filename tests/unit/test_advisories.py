"""The script that asks an advisory service, against a server that answers as OSV's interface says."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from servers.processes import free_port

SCRIPT = Path(__file__).parents[2] / ".ci" / "advisories.py"

Answer = Callable[[list[dict[str, Any]]], Any]


@pytest.fixture
def service() -> Iterator[Callable[[Answer], str]]:
    """Starts a service whose answers to the questions this function makes; gives its URL."""
    started: list[HTTPServer] = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = answer(asked["queries"])
                self.send_response(200 if self.path == "/v1/querybatch" else 404)
                self.end_headers()
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def _ask(url: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, SCRIPT, "--service", url], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_every_distribution_is_asked_about(service: Callable[[Answer], str]) -> None:
    asked: list[dict[str, Any]] = []

    def none_known(queries: list[dict[str, Any]]) -> Any:
        asked.extend(queries)
        return {"results": [{} for _ in queries]}

    code, said = _ask(service(none_known))
    assert (code, said) == (0, f"advisories: none known of {len(asked)} distributions\n")
    names = {query["package"]["name"] for query in asked}
    assert {"celery", "redis", "kombu", "sqlalchemy", "psycopg", "numpy", "pydantic", "alembic", "mako"} <= names
    assert "sudokumill" not in names
    assert all(query["package"]["ecosystem"] == "PyPI" and query["version"] for query in asked)


def test_what_is_known_is_said(service: Callable[[Answer], str]) -> None:
    def one_known(queries: list[dict[str, Any]]) -> Any:
        ids = [{"id": "GHSA-x"}, {"id": "PYSEC-y"}]
        return {"results": [{"vulns": ids} if each["package"]["name"] == "kombu" else {} for each in queries]}

    code, said = _ask(service(one_known))
    assert code == 1
    assert said.startswith("advisories: kombu 5.")
    assert said.endswith(": GHSA-x, PYSEC-y\n")


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b'{"results": []}', b'{"results": 7}'])
def test_an_answer_that_is_none(service: Callable[[Answer], str], answer: bytes) -> None:
    code, said = _ask(service(lambda _: answer))
    assert code == 0
    assert said.startswith("advisories: not checked, ")


def test_a_service_that_cannot_be_reached() -> None:
    code, said = _ask(f"http://127.0.0.1:{free_port()}")
    assert code == 0
    assert said.startswith("advisories: not checked, http://127.0.0.1:")
    assert "refused" in said
