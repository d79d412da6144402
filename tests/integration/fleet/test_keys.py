"""Keys of the wrong type under our names in Redis: workers delete them and go on, and ``doctor`` says them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from servers.fleet import Fleet

ORDER = ("generate", "--count", 20, "--generator", "lab")

Put = Callable[[Any, str], object]

TYPES: dict[str, Put] = {
    "string": lambda client, name: client.set(name, "hello"),
    "set": lambda client, name: client.sadd(name, "hello"),
    "hash": lambda client, name: client.hset(name, "hello", "world"),
}

WRONG = [
    ("generate", "string"),
    ("generate", "set"),
    ("solve\x06\x163", "hash"),
    ("_kombu.binding.generate", "string"),
    ("unacked", "string"),
    ("unacked_index", "hash"),
]


@pytest.mark.parametrize(("name", "kind"), WRONG)
def test_workers_delete_a_key_of_the_wrong_type_and_go_on(crowd: Fleet, name: str, kind: str) -> None:
    [worker] = crowd.crew
    crowd.wait_for(crowd.order(*ORDER))
    main, said = worker.celery, len(worker.log)
    with crowd.redis() as client:
        client.set("of somebody else", "hello")
        # what Celery put there itself may be there
        client.delete(name)
        TYPES[kind](client, name)
    crowd.wait_for(crowd.order(*ORDER), seconds=40)
    with crowd.redis() as client:
        # what nobody meets by itself is looked for every few rounds of the reaper
        crowd.until(lambda: client.type(name) != kind.encode(), f"{name} mended", seconds=40)
        assert client.get("of somebody else") == b"hello"
    new = worker.log[said:]
    assert "deleted keys of the wrong type from the broker: " in new
    assert f"{name!r} is a {kind} and no " in new
    assert worker.celery == main


@pytest.mark.parametrize(("name", "kind"), WRONG)
def test_the_doctor_says_it_and_changes_nothing(fleet: Fleet, name: str, kind: str) -> None:
    with fleet.redis() as client:
        TYPES[kind](client, name)
    done = fleet.command("doctor", code=1)
    assert f"its key {name!r} is a {kind} and no " in done.stdout
    assert "workers delete it" in done.stdout
    with fleet.redis() as client:
        assert client.type(name) == kind.encode()


def test_a_worker_starts_in_spite_of_them(fleet: Fleet) -> None:
    with fleet.redis() as client:
        for name in ("_kombu.binding.celery.pidbox", "_kombu.binding.solve", "unacked_index", "grade"):
            client.set(name, "hello")
    worker = fleet.worker()
    job = fleet.order(*ORDER)
    fleet.wait_for(job, seconds=40)
    worker.says("deleted keys of the wrong type from the broker: ")
    assert "Unrecoverable error" not in worker.log
    with fleet.redis() as client:
        fleet.until(lambda: b"string" not in map(client.type, client.scan_iter()), "no string left")
    fleet.command("doctor")


def test_who_orders_says_it_and_leaves_it_to_the_workers(fleet: Fleet) -> None:
    with fleet.redis() as client:
        client.set("generate", "hello")
    [why, _] = fleet.outcome("enqueue", *ORDER)["warnings"]
    assert "its key 'generate' is a string and no list; workers delete it" in why
    job = 1
    fleet.worker()
    fleet.wait_for(job)
    fleet.check(job, 20)
