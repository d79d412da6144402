"""The dispatcher: brings due chunks from the database to the broker.

Whoever changes what waits calls it: who orders, a worker's process when it claims or ends a chunk, and the reaper,
for what all others missed.
"""

from __future__ import annotations

from collections.abc import Collection

from sudokumill.errors import BrokerUnreachableError
from sudokumill.jobs import JobKind
from sudokumill.queue.broker import Broker
from sudokumill.settings import Settings
from sudokumill.store.database import Database
from sudokumill.store.publishing import Able, identity, recall, take_due
from sudokumill.store.workers import live


class Dispatcher:
    """Publishes what the live workers have room for."""

    def __init__(self, database: Database, broker: Broker) -> None:
        self._database = database
        self._broker = broker
        self._able = Able(())

    def dispatch(self, kinds: Collection[JobKind] = tuple(JobKind)) -> int:
        """Publishes due chunks: of each kind as many as its live workers have processes.

        With fewer on their way a process could wait for its next message; with more, a small order would wait
        behind what a large one had sent before it.

        Args:
            kinds: those of which something may have changed.

        Returns:
            How many were published.

        Raises:
            BrokerUnreachableError: the chunks go on waiting.
            StoreError: the database cannot be used.
        """
        crews = [crew for crew in live(self._database) if crew.job is None]
        room = {kind: sum(crew.processes for crew in crews if kind in crew.kinds) for kind in kinds}
        offers = frozenset(crew.offers for crew in crews)
        if offers != self._able.offers:
            self._able = Able(offers)
        due = take_due(self._database, {kind: most for kind, most in room.items() if most}, self._able)
        if due:
            try:
                self._broker.publish(due)
            except BrokerUnreachableError:
                recall(self._database, [each.chunk for each in due])
                raise
        return len(due)

    def mend(self) -> None:
        """Deletes keys of the wrong type from the broker.

        Raises:
            BrokerUnreachableError: it cannot be used.
        """
        self._broker.mend()


def dispatcher(database: Database, settings: Settings, mends: bool = False) -> Dispatcher:
    """A dispatcher for this process.

    Args:
        database: what waits there is published.
        settings: where the broker is.
        mends: see ``Broker``.

    Raises:
        NoBrokerError, BadBrokerUrlError: the setting is missing, or cannot be used.
    """
    return Dispatcher(database, Broker(settings, identity(database), mends))
