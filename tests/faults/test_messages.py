"""Messages that no worker can place, and messages that come more than once."""

from __future__ import annotations

import base64
import json
import pickle
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sudokumill.queue.dispatcher import dispatcher
from sudokumill.settings import Settings

pytestmark = pytest.mark.slow

QUEUE = "generate"
TASK = "sudokumill.generate"


_SOME: Any = object()


def message(task: str, body: bytes, content_type: str = "application/json", headers: Any = _SOME) -> str:
    """A message as Celery lays it into a list of Redis."""
    number = str(uuid.uuid4())
    if headers is _SOME:
        headers = {"lang": "py", "task": task, "id": number, "root_id": number, "parent_id": None, "group": None}
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": "utf-8" if content_type == "application/json" else "binary",
            "content-type": content_type,
            "headers": headers,
            "properties": {
                "correlation_id": number,
                "delivery_mode": 2,
                "delivery_info": {"exchange": QUEUE, "routing_key": QUEUE},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": number,
            },
        }
    )  # fmt: skip


def arguments(*args: Any, **kwargs: Any) -> bytes:
    return json.dumps([args, kwargs, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]).encode()


def generate(*args: Any, **kwargs: Any) -> str:
    return message(TASK, arguments(*args, **kwargs))


@pytest.fixture(scope="module")
def crew(new_fleet: Any) -> Iterator[Any]:
    """A fleet with one worker of one process."""
    with new_fleet() as fleet:
        fleet.worker()
        yield fleet


def put(fleet: Any, *messages: str | bytes) -> None:
    with fleet.redis() as client:
        for each in messages:
            client.lpush(QUEUE, each)


def identity(fleet: Any) -> str:
    with fleet.database.read() as connection:
        return str(connection.exec_driver_sql("SELECT id FROM identity").scalar_one())


NAMES_NO_CHUNK = "dropped a message that names no chunk"
NOT_OURS = "dropped a message that is none of ours"

# of each: the message, and what the log says of it once
MESSAGES: dict[str, tuple[Callable[[str], str], str]] = {
    "no such chunk": (lambda own: generate(f"{own}:987654321"), "dropped a message for chunk 987654321"),
    "foreign database": (lambda own: generate("0123abcd:41"), "dropped chunk 41 of database 0123abcd"),
    "no number": (lambda own: generate(f"{own}:x1"), NAMES_NO_CHUNK),
    "no argument": (lambda own: generate(), f"{NAMES_NO_CHUNK}: ()"),
    "two arguments": (lambda own: generate(f"{own}:1", 2), NAMES_NO_CHUNK),
    "a dict": (lambda own: generate({"chunk": 51}), f"{NAMES_NO_CHUNK}: {{'chunk': 51}}"),
    "a name": (lambda own: generate(published=f"{own}:1", colour="blue"), NAMES_NO_CHUNK),
    "null": (lambda own: generate(None), f"{NAMES_NO_CHUNK}: None"),
    "a long text": (lambda own: generate("9" * 5_000), NAMES_NO_CHUNK),
    "a long number": (lambda own: generate(f"{own}:{'9' * 400}"), NAMES_NO_CHUNK),
    "unknown task": (lambda own: message("sudokumill.knit", arguments("x")), "there is no task 'sudokumill.knit'"),
    "pickled": (
        lambda own: message(TASK, pickle.dumps(((1,), {}, {})), "application/x-python-serialize"),
        "Refusing to deserialize untrusted content of type pickle",
    ),
    "body is no JSON": (lambda own: message(TASK, b"{not json"), f"{NOT_OURS}: it cannot be read"),
    "body is no text": (lambda own: message(TASK, b"\xff\xfe"), f"{NOT_OURS}: it cannot be read"),
    "body is a number": (lambda own: message(TASK, b"7"), f"{NOT_OURS}: its body"),
    "body is a list": (lambda own: message(TASK, b"[1, 2]"), f"{NOT_OURS}: its body"),
    "body is an object": (lambda own: message(TASK, b'{"args": []}'), f"{NOT_OURS}: its body"),
    "arguments are a text": (lambda own: message(TASK, b'["abc", {}, {}]'), f"{NOT_OURS}: its body"),
    "links are a text": (lambda own: message(TASK, b'[[], {}, ""]'), f"{NOT_OURS}: its body"),
    "no headers": (lambda own: message(TASK, arguments("x"), headers=None), f"{NOT_OURS}: there is no task None"),
    "no id": (lambda own: message(TASK, arguments("x"), headers={"task": TASK}), f"{NOT_OURS}: it has no id"),
    "eta": (
        lambda own: message(TASK, arguments("x"), headers={"task": TASK, "id": "x", "eta": "soon"}),
        f"{NOT_OURS}: it is for a later time",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_that_cannot_be_placed_is_logged_once_and_dropped(crew: Any, name: str) -> None:
    [worker] = crew.crew
    main = worker.celery
    make, words = MESSAGES[name]
    before = len(worker.log)
    put(crew, make(identity(crew)))
    job = crew.order("generate", "--count", 5)
    crew.wait_for(job)
    worker.says(words)
    said = worker.log[before:]
    lines = [line for line in said.splitlines() if words in line]
    assert len(lines) == 1, said
    assert "Traceback" not in said, said
    # nobody has it, and nobody will get it again
    with crew.redis() as client:
        crew.until(lambda: client.hlen("unacked") == 0 and client.llen(QUEUE) == 0, "an empty broker")
    assert worker.celery == main, "the worker went on"


@pytest.mark.cases("worker", ids=["C111"])
def test_messages_that_end_celery_are_dropped_and_the_worker_is_started_again(
    fleet: Any, case: dict[str, Any]
) -> None:
    worker = fleet.worker()
    put(
        fleet,
        b"this is not JSON",
        message(TASK, arguments("x"), headers={"task": TASK, "id": "x", "timelimit": 7}),
        message("sudokumill.knit", arguments(1)),
        generate(f"{identity(fleet)}:4711"),
    )
    job = fleet.order("generate", "--count", 5)
    fleet.wait_for(job)
    assert worker.log.count("there is no task 'sudokumill.knit'") == 1
    assert worker.log.count("dropped a message for chunk 4711") == 1
    assert worker.log.count("dropped a message that is none of ours: TypeError") == 1
    assert worker.log.count("it starts again in") == 2
    with fleet.redis() as client:
        fleet.until(lambda: client.hlen("unacked") == 0 and client.llen(QUEUE) == 0, "an empty broker")
    assert len(worker.pids("celery -A")) == 2


def test_every_message_delivered_three_times(fleet: Any) -> None:
    job = fleet.order("generate", "--generator", "lab", "--count", 200, "--chunk", 20)
    own = identity(fleet)
    chunks = [row.id for row in fleet.chunks(job)]
    put(fleet, *(generate(f"{own}:{chunk}") for _ in range(3) for chunk in chunks))
    workers = [fleet.worker(node) for node in ("a", "b")]
    fleet.wait_for(job)
    with fleet.redis() as client:
        fleet.until(lambda: client.hlen("unacked") == 0 and client.llen(QUEUE) == 0, "an empty broker")
    fleet.check(job, 200)
    assert fleet.progress(job).tried == 200
    assert [(row.state, row.attempt) for row in fleet.chunks(job)] == [("done", 1)] * len(chunks)
    assert not any(word in worker.log for worker in workers for word in ("ERROR", "WARNING/Fork"))


def test_a_message_that_is_lost_is_sent_again(new_fleet: Any) -> None:
    # its worker counts as alive for fifteen seconds after it was last heard of; one that is gone is sent nothing
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="5", SUDOKUMILL_LEASE_SECONDS="1") as fleet:
        worker = fleet.worker()
        fleet.wait_for(fleet.order("generate", "--count", 5))
        with fleet.redis() as client:
            fleet.until(lambda: client.hlen("unacked") == 0, "an idle worker")
            worker.freeze()
            number = client.connection_pool.connection_kwargs["db"]
            for each in client.client_list():
                # or the server hands the message to a worker that stands still, and nobody could lose it
                if int(each["db"]) == number and int(each["id"]) != client.client_id():
                    client.client_kill_filter(_id=each["id"])
            job = fleet.order("generate", "--count", 15, "--chunk", 5)
            # the worker has one process
            assert client.llen(QUEUE) == 1
            assert [row.published_at is None for row in fleet.chunks(job)].count(False) == 1
            client.flushdb()
            worker.thaw()
        fleet.wait_for(job)
        fleet.check(job, 15)
        assert {row.attempt for row in fleet.chunks(job)} == {1}


def _stands_in_brpop(client: Any) -> bool:
    """Whether a worker of this database waits for its next message, and the server knows it."""
    number = str(client.connection_pool.connection_kwargs["db"])
    return any(
        each["cmd"] == "brpop" and "b" in each["flags"] and each["db"] == number for each in client.client_list()
    )


def test_a_message_that_went_to_a_worker_which_was_killed(new_fleet: Any) -> None:
    """A process that stands within BRPOP is handed the message, and dies with it: it is in no list any more."""
    # for five seconds after its start nobody but this test sends what waits
    with new_fleet(SUDOKUMILL_REAPER_SECONDS="5", SUDOKUMILL_LEASE_SECONDS="1") as fleet:
        settings = Settings(database_url=fleet.database_url, broker_url=fleet.broker_url)
        send = dispatcher(fleet.database, settings)
        for number in range(20):
            with fleet.redis() as client:
                client.flushdb()
                doomed = fleet.worker(f"doomed{number}")
                order = ("generate", "--count", 15, "--chunk", 5)
                job = fleet.order(*order, env={"SUDOKUMILL_BROKER_URL": None})
                fleet.until(lambda client=client: _stands_in_brpop(client), "an idle worker")
                doomed.freeze()
                sent = send.dispatch()
                lost = sent == 1 and not client.llen(QUEUE) and not client.hlen("unacked")
            doomed.kill()
            if lost:
                break
            # it was between two BRPOPs, or its reaper had sent the message before
            fleet.worker(f"other{number}")
            fleet.wait_for(job)
            fleet.crew[-1].kill()
        assert lost
        assert [row.published_at is not None for row in fleet.chunks(job)].count(True) == 1
        assert fleet.audit(job).positions == {"waiting": 15}
        fleet.worker("next")
        fleet.wait_for(job)
        fleet.check(job, 15)
        assert {row.attempt for row in fleet.chunks(job)} == {1}
