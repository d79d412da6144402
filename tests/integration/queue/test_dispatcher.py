"""What the dispatcher leaves in a broker from which nobody takes anything."""

from __future__ import annotations

from typing import Any

import redis

from sudokumill.jobs import JobKind
from sudokumill.queue import broker
from sudokumill.queue.crew import crew_of
from sudokumill.queue.dispatcher import dispatcher
from sudokumill.store import workers
from sudokumill.store.publishing import recall_lost


def test_ids_that_nobody_takes_do_not_pile_up_in_the_broker(works: Any, redis_url: str) -> None:
    """Workers whose reapers live, and whose consumers get through to no broker, or are at long chunks."""
    settings = works.settings.model_copy(update={"broker_url": redis_url})
    works.place(JobKind.GENERATE, count=60, chunk_rows=1)
    workers.beat(works.database, crew_of(works.registry, "far:1:1", "far", list(JobKind), 50), 600.0)
    sender = dispatcher(works.database, settings)
    with redis.Redis.from_url(redis_url) as client:
        assert sender.dispatch() == 50
        assert client.llen("generate") == 50
        for _ in range(30):
            recall_lost(works.database, -1.0)
            sender.dispatch()
        most = client.llen("generate")
        assert broker.PLENTY <= most < broker.PLENTY + 50
        # as soon as somebody takes them there are new ones
        client.delete("generate")
        recall_lost(works.database, -1.0)
        assert sender.dispatch() == 50
        assert client.llen("generate") == 50
