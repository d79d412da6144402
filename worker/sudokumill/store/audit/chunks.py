"""What must hold of a job's chunks: by themselves, and beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    Row,
)

from sudokumill.store.audit.findings import Findings
from sudokumill.store.models import (
    COUNTERS,
    ChunkState,
)
from sudokumill.store.outcomes import read_outcomes

TRIED: Final = frozenset({ChunkState.DONE, ChunkState.DEAD})
"""States of chunks whose positions were tried."""


def check_chunk(findings: Findings, chunk: Row[Any], patience: float) -> None:
    """A chunk's columns fit its state, and each of its positions was counted once."""
    held = [chunk.owner, chunk.lease_token, chunk.lease_until]
    tried = chunk.state in TRIED
    if chunk.state == ChunkState.RUNNING:
        if None in (*held, chunk.claimed_at):
            findings.note("a chunk runs without a lease", f"chunk {chunk.id}")
        elif chunk.over > patience:
            findings.note(
                "a chunk runs although its lease is over, and nobody takes it back",
                f"chunk {chunk.id} for {chunk.over:.0f} s",
            )
    elif any(each is not None for each in held):
        findings.note("a chunk has a lease and does not run", f"chunk {chunk.id} is {chunk.state}")
    if chunk.state in {ChunkState.SPLIT, ChunkState.DEAD} and not chunk.reason:
        findings.note("a chunk failed at every attempt without a reason", f"chunk {chunk.id}")
    if chunk.state == ChunkState.DONE and chunk.ended_at is None:
        findings.note("a chunk is done and has no end", f"chunk {chunk.id}")
    if chunk.state == ChunkState.DEAD and chunk.stop - chunk.start != 1:
        findings.note("a chunk of several positions is dead, it should be split", f"chunk {chunk.id}")
    if chunk.state in {ChunkState.RUNNING, ChunkState.DONE, ChunkState.DEAD} and chunk.attempt < 1:
        findings.note("a chunk was made without an attempt", f"chunk {chunk.id}")
    counted = sum(getattr(chunk, name) for name in COUNTERS if name != "already")
    if counted != (chunk.stop - chunk.start - chunk.moved if tried else 0):
        findings.note(
            "positions of a chunk are not counted once each",
            f"chunk {chunk.id}, {chunk.state}, has {chunk.stop - chunk.start:,}, {chunk.moved:,} of them moved, "
            f"and counts {counted:,}",
        )
    if chunk.outcome is not None:
        _check_outcome(findings, chunk)
    if not 0 <= chunk.already <= chunk.delivered or min(getattr(chunk, name) for name in COUNTERS) < 0:
        findings.note("a counter of a chunk cannot be", f"chunk {chunk.id}")


def _check_outcome(findings: Findings, chunk: Row[Any]) -> None:
    """What came out of a chunk adds up to what it tried without failing."""
    came = sum(one.positions for one in read_outcomes(chunk.outcome).values())
    sound = chunk.delivered + chunk.repeated + chunk.missed + chunk.not_new
    if came != sound:
        findings.note(
            "what came out of a chunk does not add up to its rows",
            f"chunk {chunk.id} has {sound:,}, and keeps what {came:,} came to",
        )


def check_stock(findings: Findings, stock: list[Row[Any]]) -> None:
    """What was taken from stock stands in one chunk below position 0, which was done from the start."""
    for chunk in stock:
        size = -chunk.start
        if (chunk.stop, chunk.state, chunk.delivered, chunk.already) != (0, ChunkState.DONE, size, size):
            findings.note("the chunk of what came from stock does not count that", f"chunk {chunk.id}")
    if len(stock) > 1:
        findings.note("a job took from stock twice", f"chunks {', '.join(str(chunk.id) for chunk in stock)}")


def check_ranges(findings: Findings, chunks: Iterable[Row[Any]], planned: int) -> None:
    """The chunks lie without gaps; where two lie on each other, the earlier one gave its positions to the later.

    chunk 1   |----------|            2 of its positions failed and were moved:
    chunk 7        |--|               a retry has a chunk of its own for them
    """
    counted = [chunk for chunk in chunks if chunk.state != ChunkState.SPLIT]
    for chunk in counted:
        if not 0 <= chunk.start < chunk.stop:
            findings.note("a chunk has no positions", f"chunk {chunk.id}")
    borders = sorted(
        [(chunk.start, 1, chunk.id) for chunk in counted] + [(chunk.stop, 0, chunk.id) for chunk in counted]
    )
    here: set[int] = set()
    covered: Counter[int] = Counter()
    reached = 0
    for place, begins, chunk_id in borders:
        if place > reached:
            if not here:
                findings.note("positions are in no chunk", f"{reached:,} to {place - 1:,}")
            for earlier in here - {max(here, default=0)}:
                covered[earlier] += place - reached
            reached = place
        (here.add if begins else here.discard)(chunk_id)
    if reached < planned:
        findings.note("positions are in no chunk", f"{reached:,} to {planned - 1:,}")
    elif reached > planned:
        findings.note("a chunk reaches beyond what was planned", f"{reached:,} of {planned:,}")
    for chunk in counted:
        if covered[chunk.id] != chunk.moved:
            findings.note(
                "positions are in two chunks that count them both, or in none",
                f"{covered[chunk.id]:,} of chunk {chunk.id} are in later chunks, {chunk.moved:,} were moved there",
            )
