"""Random faults against a fleet for as long as you like, and the audit's answer.

    python tests/faults/soak.py --minutes 10 [--seed 1] [--workers 3]

Starts PostgreSQL (fsync on), Redis and workers, orders jobs, some with rows that kill or hang their process, and
every other second does something to them: kills processes, freezes workers beyond their lease, stops the servers,
empties Redis, puts rubbish and doubles into its lists, pauses, resumes, cancels and retries jobs. A worker that
was killed is started again, as a service manager would do; nothing else is done by hand. Prints what it does.

In the end the servers are up and everybody has thawed; every job must end by itself, and the audit of
``sudokumill doctor --job`` must have nothing to complain of. Exit code 0 if so, else 1.

The same seed draws the same faults; what they meet is chance.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the package of test servers

from servers.fleet import Fleet, MillWorker, opened
from servers.postgresql import PostgreSQL
from servers.redis import Redis
from servers.states import guard
from sudokumill.store import schema
from sudokumill.store.audit import Account, audit
from sudokumill.store.database import Database

PROCESSES: Final = 2
END_SECONDS: Final = 300.0
"""What is left when the faults are over must be made within this time."""

PATIENCE_SECONDS: Final = 30.0
"""A lease may be over for so long before the audit complains: perhaps nobody was there to take its chunk back."""

SETTINGS: Final = {
    "SUDOKUMILL_CHUNK_LIMIT_SECONDS": "4",
    "SUDOKUMILL_CHUNK_MEMORY": "400MiB",
    "SUDOKUMILL_LEASE_SECONDS": "2",
}
RUBBISH: Final = (
    "this is not JSON",
    "{}",
    "[]",
    '{"body": 7}',
    "\x80\x02K\x01.",
    "null",
    '{"headers": {"task": 1}}',
)
FAULTS: Final = ("", "", "kill@37", "hang@11", "crash@150", "raise/17", "hog@60")
"""What is wrong with the rows of an order."""


@dataclass
class Soak:
    """A fleet, and what is done to it."""

    fleet: Fleet
    server: PostgreSQL
    broker: Redis
    draw: random.Random
    began: float = field(default_factory=time.monotonic)
    frozen: dict[MillWorker, float] = field(default_factory=dict)
    """When each is to thaw."""
    started: int = 0
    done: int = 0
    wrong: list[str] = field(default_factory=list)

    def say(self, what: str) -> None:
        print(f"{time.monotonic() - self.began:7.1f} s  {what}", flush=True)

    def type(self, *words: object) -> str | None:
        """A command as a person types it; what it printed, or None where it was refused, and said so in words."""
        done = self.fleet.attempt(*words)
        if "Traceback" in done.stderr or done.returncode not in {0, 1, 2}:
            self.wrong.append(f"{words}: exit code {done.returncode}\n{done.stderr}")
        if done.returncode:
            self.say(f"  refused: {' '.join(done.stderr.split())[:150]}")
        return None if done.returncode else done.stdout

    # --- who works ---

    @property
    def crew(self) -> list[MillWorker]:
        return self.fleet.crew

    def hire(self) -> None:
        self.started += 1
        self.fleet.worker(f"w{self.started}", processes=PROCESSES)

    def one(self) -> MillWorker | None:
        awake = [worker for worker in self.crew if worker not in self.frozen]
        return self.draw.choice(awake) if awake else None

    def dismiss(self, worker: MillWorker) -> None:
        self.crew.remove(worker)
        self.frozen.pop(worker, None)
        self.hire()

    def thaw(self, everybody: bool = False) -> None:
        for worker, due in list(self.frozen.items()):
            if everybody or time.monotonic() > due:
                self.say(f"thaw {worker.node}")
                worker.thaw()
                del self.frozen[worker]

    # --- what may happen ---

    def order(self) -> None:
        kind = self.draw.choice(["generate", "generate", "levels", "dig"])
        count, chunk = self.draw.choice([(40, 5), (300, 20), (1_500, 100)])
        faults = self.draw.choice(FAULTS)
        words = ["--generator", "lab", "--option", "generator.pause=0.002", "--count", count, "--chunk", chunk]
        words += ["--priority", self.draw.randrange(3)]
        if faults:
            words += ["--option", f"generator.faults={faults}"]
        if faults == "raise/17":
            words += ["--max-attempts", count]
        said = self.type("enqueue", kind, *words, "--json")
        if said is not None:
            self.say(f"order {kind} {count} {faults}: job {json.loads(said)['job']}")

    def kill_process(self) -> None:
        worker = self.one()
        # asked once: between two looks a process can end
        pool = [] if worker is None else worker.pool
        if worker is not None and pool:
            pid = self.draw.choice(pool)
            self.say(f"kill a process of {worker.node}")
            _signal(pid, signal.SIGKILL)

    def kill_main(self) -> None:
        worker = self.one()
        if worker is not None:
            self.say(f"kill the main process of {worker.node}")
            _signal(next(iter(worker.pids("celery -A")), None), signal.SIGKILL)

    def kill_reaper(self) -> None:
        worker = self.one()
        if worker is not None:
            self.say(f"kill the reaper of {worker.node}")
            _signal(next(iter(worker.pids("sudokumill.queue.reaper")), None), signal.SIGKILL)

    def kill_worker(self) -> None:
        worker = self.one()
        if worker is not None:
            self.say(f"kill {worker.node} whole")
            worker.kill()
            self.dismiss(worker)

    def end_worker(self) -> None:
        worker = self.one()
        if worker is not None:
            by = self.draw.choice([signal.SIGTERM, signal.SIGINT])
            self.say(f"{by.name} to {worker.node}")
            code = worker.end(by)
            if code:
                self.wrong.append(f"{worker.node} ended with exit code {code}:\n{worker.log[-2_000:]}")
            self.dismiss(worker)

    def freeze(self) -> None:
        worker = self.one()
        if worker is not None and len(self.frozen) + 1 < len(self.crew):
            seconds = self.draw.uniform(1, 10)
            self.say(f"freeze {worker.node} for {seconds:.1f} s")
            worker.freeze()
            self.frozen[worker] = time.monotonic() + seconds

    def broker_away(self) -> None:
        seconds = self.draw.uniform(0, 3)
        empty = self.draw.random() < 0.5
        self.say(f"kill Redis for {seconds:.1f} s{', empty after that' if empty else ''}")
        self.broker.kill()
        self.order()
        time.sleep(seconds)
        self.broker.start()
        if empty:
            self.broker.flush()

    def empty_broker(self) -> None:
        self.say("empty Redis")
        self.broker.flush()

    def database_away(self) -> None:
        seconds = self.draw.uniform(0, 3)
        how = self.draw.choice(["kill", "immediate", "fast"])
        self.say(f"stop PostgreSQL ({how}) for {seconds:.1f} s")
        if how == "kill":
            self.server.kill()
        else:
            self.server.stop(how)
        self.order()
        time.sleep(seconds)
        self.server.start()

    def cut_connections(self) -> None:
        self.say("cut all connections to PostgreSQL")
        self.server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid()"
        )

    def rubbish(self) -> None:
        text = self.draw.choice(RUBBISH)
        queue = self.draw.choice(["generate", "levels", "dig", "solve"])
        self.say(f"rubbish into {queue}: {text!r}")
        with self.fleet.redis() as client:
            client.lpush(queue, text)

    def doubles(self) -> None:
        with self.fleet.redis() as client:
            double = [
                (queue, text) for queue in ("generate", "levels", "dig") for text in client.lrange(queue, 0, -1)
            ]
            double += [(json.loads(text)[2], json.dumps(json.loads(text)[0])) for text in client.hvals("unacked")]
            for queue, text in double:
                client.lpush(queue, text, text)
        self.say(f"double {len(double)} messages")

    def steer(self) -> None:
        how = self.draw.choice(["pause", "resume", "resume", "cancel", "retry", "retry"])
        jobs = [row for row in self.fleet.jobs() if (row.ended_at is not None) == (how == "retry")]
        if jobs:
            job = self.draw.choice(jobs).id
            self.say(f"{how} job {job}")
            self.type("jobs", how, job)

    def act(self) -> None:
        """One thing that may happen; harmless ones more often, so that something gets done."""
        acts: Sequence[tuple[int, Callable[[], None]]] = (
            (6, self.order), (3, self.kill_process), (2, self.kill_main), (1, self.kill_reaper),
            (2, self.kill_worker), (1, self.end_worker), (3, self.freeze), (1, self.broker_away),
            (1, self.empty_broker), (1, self.database_away), (1, self.cut_connections), (2, self.rubbish),
            (2, self.doubles), (3, self.steer),
        )  # fmt: skip
        [(_, act)] = self.draw.choices(acts, [weight for weight, _ in acts])
        act()
        self.done += 1

    # --- what must hold ---

    def look(self) -> list[Account]:
        accounts = [audit(self.fleet.database, row.id, PATIENCE_SECONDS) for row in self.fleet.jobs()]
        for account in accounts:
            if account.broken:
                self.wrong.append(f"job {account.job}: {'; '.join(account.broken)}")
        return accounts

    def come_to_an_end(self) -> None:
        """No more faults: what is paused goes on, and every job ends."""
        self.say("no more faults")
        self.thaw(everybody=True)
        for row in self.fleet.jobs():
            if row.state == "paused":
                self.type("jobs", "resume", row.id)
        deadline = time.monotonic() + END_SECONDS
        while left := [row for row in self.fleet.jobs() if row.ended_at is None]:
            if time.monotonic() > deadline:
                self.wrong += [f"job {row.id} does not end: {self.fleet.progress(row.id)}" for row in left]
                return
            time.sleep(0.2)
        while time.monotonic() < deadline and self.fleet.held():
            time.sleep(0.2)  # of jobs that were cancelled
        if self.fleet.held():
            self.wrong.append(f"chunks are left running: {self.fleet.held()}")


def _signal(pid: int | None, by: int) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, by)


def soak(minutes: float, seed: int, workers: int) -> int:
    """Does it, prints it, and returns the exit code."""
    with (
        tempfile.TemporaryDirectory() as folder,
        PostgreSQL(fsync=True) as server,
        Redis(Path(folder)) as broker,
    ):
        url = server.url(server.new_database())
        database = Database(url)
        schema.upgrade(database)
        guard(database)
        database.dispose()
        (Path(folder) / "fleet").mkdir()
        with opened(url, broker.url, Path(folder) / "fleet", **SETTINGS) as fleet:
            made = Soak(fleet, server, broker, random.Random(seed))
            for _ in range(workers):
                made.hire()
            made.began = time.monotonic()
            while time.monotonic() - made.began < 60 * minutes:
                made.thaw()
                made.act()
                if made.done % 5 == 0:
                    made.look()
                time.sleep(made.draw.uniform(0, 1.5))
            made.come_to_an_end()
            accounts = made.look()
            for one in accounts:
                about = ", ".join(f"{number:,} {name}" for name, number in one.positions.items())
                print(f"job {one.job} {one.kind} {one.state.value}: {one.ordered:,} ordered, {about}")
            if made.wrong:
                print(fleet.logs())
        states: dict[str, Any] = {}
        for one in accounts:
            states[one.state.value] = states.get(one.state.value, 0) + 1
        print(
            f"{made.done} things were done to {len(accounts)} jobs in {minutes:g} minutes, seed {seed}: {states}"
        )
        for line in dict.fromkeys(made.wrong):
            print(f"WRONG: {line}")
        print("the audit found something" if made.wrong else "it all adds up")
        return 1 if made.wrong else 0


def main() -> None:
    """Reads the options."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--workers", type=int, default=3)
    given = arguments.parse_args()
    sys.exit(soak(given.minutes, given.seed, given.workers))


if __name__ == "__main__":
    main()
