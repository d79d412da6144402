"""The lease protocol under load, on one PostgreSQL (fsync on) that is started for this.

    python tests/benchmarks/claims.py claims [--workers 20] [--seconds 20]
    python tests/benchmarks/claims.py pending [--few 1000] [--many 100000]
    python tests/benchmarks/claims.py orders [--orders 1000]
    python tests/benchmarks/claims.py progress
    python tests/benchmarks/claims.py memory
    python tests/benchmarks/claims.py all

``claims``    processes that do what a worker's process does with a message: look, claim, choose the next ids, and
              put the chunk down as done. Prints claims a second, and the processor time of each, which says more
              on a busy machine; no chunk may be claimed twice.
``pending``   the same by one process, while few and while many chunks of many jobs wait, in turns. Prints medians;
              with many it may take 1.5 times as long at the most.
``orders``    jobs ordered one after the other, with their ids sent to a broker; 1,000 in less than a minute.
``progress``  the progress of a job for a million rows, with 1,000 and with 10,000 chunks; less than 50 ms.
``memory``    resident memory of a worker's process when it has made 100 chunks, and 1,000; at most a tenth more.

Ends with 1 if something takes longer, or more, than it may.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the package of test servers

from sqlalchemy import func, insert, select, text, update

from servers.postgresql import PostgreSQL
from servers.processes import descendants
from servers.redis import Redis
from sudokumill.jobs import FIRST_CHUNKS, Choice, JobKind, JobSpec, Part
from sudokumill.queue.dispatcher import dispatcher
from sudokumill.settings import load_settings
from sudokumill.store import schema
from sudokumill.store.database import Database, Now
from sudokumill.store.leases import Claim, Holder, claim, waiting_job
from sudokumill.store.models import Chunk, ChunkState, Job, JobState
from sudokumill.store.placing import place
from sudokumill.store.progress import progress
from sudokumill.store.publishing import Able, next_chunk, take_due
from sudokumill.store.workers import Crew, beat

FORK: Final = multiprocessing.get_context("fork")
KIND: Final = JobKind.GENERATE
ABLE: Final = frozenset({"generator native"})
COMMAND: Final = Path(sys.executable).with_name("sudokumill")


@contextmanager
def store(server: PostgreSQL) -> Iterator[Database]:
    """A new database with the newest schema."""
    name = server.new_database()
    database = Database(server.url(name))
    schema.upgrade(database)
    yield database
    database.dispose()
    server.drop_database(name)


def spec(chunks: int) -> JobSpec:
    """An order of so many chunks of ten rows."""
    parts = {Part.GENERATOR: Choice(name="native", version="2")}
    return JobSpec(kind=KIND, count=10 * chunks, seed=1, parts=parts, rate=1_000.0, chunk_rows=10)


def fill(database: Database, chunks: int) -> None:
    """Orders so many chunks; each job has as many as are cut at a time."""
    for _ in range(chunks // FIRST_CHUNKS):
        place(database, spec(FIRST_CHUNKS))
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


def end(database: Database, held: Claim) -> None:
    """Puts a chunk down as done: what ``finish`` does to its row, without rows of results."""
    with database.write() as connection:
        connection.execute(
            update(Chunk)
            .where(Chunk.id == held.chunk, Chunk.lease_token == held.token)
            .values(
                state=ChunkState.DONE.value,
                owner=None,
                lease_token=None,
                lease_until=None,
                ended_at=Now(),
                delivered=10,
            )
        )


def take(database: Database, holder: Holder, able: Able, chunk: int | None) -> Claim | None:
    """What a process does with a message: the chunk that it names, or another one."""
    for _ in range(10):
        if chunk is not None and waiting_job(database, chunk) is not None:
            held = claim(database, holder, chunk=chunk)
            if held is not None:
                return held
        chunk = next_chunk(database, KIND, able)
        if chunk is None:
            return None
    return None


# --- claims ---------------------------------------------------------------------------------------------------


def _claim_for(url: str, name: str, workers: int, seconds: float, messages: Any, claims: Any) -> None:
    database, able = Database(url), Able((ABLE,))
    holder = Holder(f"elsewhere:{name}:1", name, 600.0)
    beat(database, Crew(name, name, (KIND,), 1, tuple(ABLE), {}), 600.0)
    mine: list[int] = []
    over = time.monotonic() + seconds
    while time.monotonic() < over:
        try:
            message = messages.get_nowait()
        except queue.Empty:
            message = None
        held = take(database, holder, able, message)
        if held is None:
            continue
        mine.append(held.chunk)
        for due in take_due(database, {KIND: workers}, able):
            messages.put(due.chunk)
        end(database, held)
    claims.put(mine)
    database.dispose()


def _processor_seconds(server: PostgreSQL) -> tuple[float, float]:
    """What the processes that were started here have used and ended, and the server's sessions."""
    times = os.times()
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return times.children_user + times.children_system, sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def claims(server: PostgreSQL, workers: int, seconds: float) -> bool:
    """Claims a second of many processes."""
    with store(server) as database:
        fill(database, 20_000)
        database.dispose()
        messages, answers = FORK.Queue(), FORK.Queue()
        before = _processor_seconds(server)
        url = database.url.render_as_string(hide_password=False)
        processes = [
            FORK.Process(target=_claim_for, args=(url, f"w{number}", workers, seconds, messages, answers))
            for number in range(workers)
        ]
        for process in processes:
            process.start()
        found = [answers.get() for _ in processes]
        while not messages.empty():
            messages.get()
        for process in processes:
            process.join()
        every = Counter(chunk for mine in found for chunk in mine)
        time.sleep(0.5)  # until the server has ended the sessions
        used = [late - early for late, early in zip(_processor_seconds(server), before, strict=True)]
        with database.read() as connection:
            attempts = connection.execute(select(func.max(Chunk.attempt))).scalar_one()
    twice = sum(number > 1 for number in every.values())
    share = sorted(len(mine) for mine in found)
    print(
        f"{workers} processes: {len(every) / seconds:,.0f} claims a second, {len(every):,} chunks, "
        f"{share[0]} to {share[-1]} a process; claimed twice: {twice}"
    )
    # a process needs some time before its first claim
    print(
        f"processor time of a claim: {1000 * used[0] / len(every):.1f} ms of the process, "
        f"{1000 * used[1] / len(every):.1f} ms of the server"
    )
    return not twice and attempts == 1


# --- pending --------------------------------------------------------------------------------------------------


def _claim_seconds(database: Database, times: int) -> list[float]:
    able, holder = Able((ABLE,)), Holder("elsewhere:1:1", "w", 600.0)
    seconds: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        due = take_due(database, {KIND: 1}, able)
        held = take(database, holder, able, due[0].chunk if due else None)
        seconds.append(time.perf_counter() - began)
        assert held is not None
        end(database, held)
    return seconds


def pending(server: PostgreSQL, few: int, many: int) -> bool:
    """The time of a claim beside few and beside many chunks that wait."""
    with store(server) as short, store(server) as long:
        fill(short, few)
        fill(long, many)
        _claim_seconds(short, 20), _claim_seconds(long, 20)
        pairs = [(_claim_seconds(short, 20), _claim_seconds(long, 20)) for _ in range(15)]
    beside_few, beside_many = (statistics.median(s for one in pairs for s in one[side]) for side in (0, 1))
    print(
        f"choosing, claiming: {beside_few * 1000:.2f} ms with {few:,} chunks pending, "
        f"{beside_many * 1000:.2f} ms with {many:,}: {beside_many / beside_few:.2f} times"
    )
    return beside_many <= 1.5 * beside_few


# --- orders ---------------------------------------------------------------------------------------------------


def orders(server: PostgreSQL, number: int) -> bool:
    """The time of many orders."""
    with store(server) as database, Redis(Path(tempfile.mkdtemp())) as broker:
        os.environ["SUDOKUMILL_DATABASE_URL"] = database.url.render_as_string(hide_password=False)
        os.environ["SUDOKUMILL_BROKER_URL"] = broker.url
        # somebody lives who has room, so that ids are sent
        beat(database, Crew("w", "w", (KIND,), 4, tuple(ABLE), {}), 600.0)
        sender = dispatcher(database, load_settings())
        began = time.perf_counter()
        for _ in range(number):
            place(database, spec(10))
            sender.dispatch((KIND,))
        seconds = time.perf_counter() - began
    print(f"{number:,} jobs ordered in {seconds:.1f} s, {1000 * seconds / number:.1f} ms each")
    return seconds <= 60 * number / 1_000


# --- progress -------------------------------------------------------------------------------------------------


def progress_of_a_million(server: PostgreSQL) -> bool:
    """The time of reading a large job's progress."""
    good = True
    with store(server) as database:
        for chunks in (1_000, 10_000):
            rows = 1_000_000 // chunks
            job = place(database, spec(FIRST_CHUNKS).model_copy(update={"count": 2_000_000})).id
            first = {
                "job_id": job,
                "kind": KIND.value,
                "priority": 0,
                "state": "done",
                "attempt": 1,
                "ended_at": 1.0,
            }
            with database.write() as connection:
                connection.execute(update(Job).where(Job.id == job).values(state=JobState.RUNNING.value))
                connection.execute(
                    insert(Chunk),
                    [
                        first
                        | {
                            "turn": 100 + n,
                            "start": 640 + n * rows,
                            "stop": 640 + (n + 1) * rows,
                            "delivered": rows,
                        }
                        for n in range(chunks)
                    ],
                )
            seconds = []
            for _ in range(30):
                began = time.perf_counter()
                assert progress(database, job).delivered == 1_000_000
                seconds.append(time.perf_counter() - began)
            median = statistics.median(seconds)
            print(f"progress of a million rows in {chunks:,} chunks: {median * 1000:.1f} ms")
            good = good and median < 0.05
    return good


# --- memory ---------------------------------------------------------------------------------------------------


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def memory(server: PostgreSQL) -> bool:
    """What a worker's processes have in memory, early and late."""
    with store(server) as database, Redis(Path(tempfile.mkdtemp())) as broker:
        environment = os.environ | {
            "SUDOKUMILL_DATABASE_URL": database.url.render_as_string(hide_password=False),
            "SUDOKUMILL_BROKER_URL": broker.url,
        }
        worker = subprocess.Popen(
            [COMMAND, "worker", "--concurrency", "1", "--loglevel", "WARNING"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            order = [str(COMMAND), "enqueue", "levels", "--count", "52500", "--chunk", "50"]
            subprocess.run(order, env=environment, stdout=subprocess.DEVNULL, check=True)
            found: dict[int, dict[str, int]] = {}
            # a process is replaced after 1,000 chunks
            for chunks in (100, 990):
                while progress(database, 1).chunks.get(ChunkState.DONE, 0) < chunks:
                    time.sleep(0.02)
                names = ("celery", "process")
                pids = [
                    pid for pid in descendants(worker.pid) if "celery" in Path(f"/proc/{pid}/cmdline").read_text()
                ]
                reaper = [pid for pid in descendants(worker.pid) if pid not in pids]
                found[chunks] = {
                    name: _resident(pid) for name, pid in zip((*names, "reaper"), pids + reaper, strict=True)
                }
        finally:
            worker.terminate()
            worker.wait()
    good = True
    for name, early in found[100].items():
        late = found[990][name]
        print(f"memory of {name}: {early / 1e6:.1f} MB after 100 chunks, {late / 1e6:.1f} MB after 990")
        good = good and late <= 1.1 * early
    return good


def main() -> None:
    """Runs one of them, or all."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["claims", "pending", "orders", "progress", "memory", "all"])
    arguments.add_argument("--workers", type=int, default=20)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--few", type=int, default=1_000)
    arguments.add_argument("--many", type=int, default=100_000)
    arguments.add_argument("--orders", type=int, default=1_000)
    given = arguments.parse_args()
    good = True
    with PostgreSQL(fsync=True) as server:
        if given.what in {"claims", "all"}:
            good &= claims(server, given.workers, given.seconds)
        if given.what in {"pending", "all"}:
            good &= pending(server, given.few, given.many)
        if given.what in {"orders", "all"}:
            good &= orders(server, given.orders)
        if given.what in {"progress", "all"}:
            good &= progress_of_a_million(server)
        if given.what in {"memory", "all"}:
            good &= memory(server)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
