"""The rules that all four roles share: a row depends on its own inputs and its seed, and on nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sudokumill.testing.replay import as_slice, reseed
from sudokumill.testing.rows import Result, row_texts
from sudokumill.testing.trial import Trial

_HASH_SEEDS = ("0", "1", "2")
_LONGEST_ERROR = 400


def check_invariance(trial: Trial) -> Result:
    """Runs every rule of row invariance that one process can show.

    Returns:
        The result for the whole sample.

    Raises:
        ConformanceError: of the first rule that is broken.
    """
    with _kept_global_generators():
        result = _check_global_generators(trial)
        texts = row_texts(result)
        _check_repeated_call(trial, texts)
        _check_order_and_size(trial, texts)
    return result


def _check_global_generators(trial: Trial) -> Result:
    """Same rows whatever the global generators were seeded with, and these are left where they were."""
    first = _seeded_run(trial, 1)
    again = _seeded_run(trial, 1)
    other = _seeded_run(trial, 2)
    row = _differing_row(row_texts(first), row_texts(again))
    if row is not None:
        raise trial.broke("same inputs, same row", f"row {row} differs between two calls of new objects")
    row = _differing_row(row_texts(first), row_texts(other))
    if row is not None:
        raise trial.subject.broke(
            "no global random generator",
            f"a global generator is used: row {row} changes with random.seed and numpy.random.seed",
            f"{trial.replay.command(reseed=1)} (and with --reseed 2)",
        )
    return first


def _seeded_run(trial: Trial, seed: int) -> Result:
    reseed(seed)
    before = _states()
    result = trial.run()
    for name, old, new in zip(("random", "numpy.random"), before, _states(), strict=True):
        if old != new:
            raise trial.broke(
                "no global random generator", f"a global generator is used: {name} was advanced or seeded"
            )
    return result


def _check_repeated_call(trial: Trial, texts: list[str]) -> None:
    """A second call of the same object gives the same, and does not write over what the first one gave."""
    built = trial.subject.build()
    first = trial.run(built=built)
    before = row_texts(first)
    trial.run("::-1", built=built)
    row = _differing_row(before, row_texts(first))
    if row is not None:
        raise trial.broke("a result is the caller's", f"the next call changed row {row} of the result before it")
    row = _differing_row(texts, row_texts(trial.run(built=built)))
    if row is not None:
        raise trial.broke("same inputs, same row", f"row {row} differs when the same object is called again")


def _check_order_and_size(trial: Trial, texts: list[str]) -> None:
    n = len(texts)
    row = _differing_row(texts, row_texts(trial.run("::-1"))[::-1])
    if row is not None:
        raise trial.broke("no dependence on the order", f"row {row} differs when the batch is reversed", "::-1")
    half = n // 2
    for rows in ("0:0", "0:1", f"1:{half}", f"{half}:{n - 1}", f"{n - 1}:{n}"):
        here = as_slice(rows)
        row = _differing_row(texts[here], row_texts(trial.run(rows)))
        if row is not None:
            at = here.start + row
            reason = f"row {at} differs between the whole batch of {n} and its rows {rows}"
            raise trial.broke("no dependence on the batch's size", reason, rows)


def check_processes(trial: Trial, result: Result) -> None:
    """Other processes with other hash seeds make the same rows; they run side by side.

    Raises:
        ConformanceError: they do not, or the implementation does not work there.
    """
    texts = row_texts(result)
    running = [(seed, trial.replay.start(seed)) for seed in _HASH_SEEDS]
    outputs = [(seed, process, *process.communicate()) for seed, process in running]
    made: dict[str, list[str]] = {}
    for seed, process, output, errors in outputs:
        if process.returncode:
            lines = errors.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
            raise trial.broke("works in another process", lines[0][:_LONGEST_ERROR])
        made[seed] = output.splitlines()
    for seed in _HASH_SEEDS:
        row = _differing_row(made[_HASH_SEEDS[0]], made[seed])
        if row is not None:
            raise trial.subject.broke(
                "no dependence on PYTHONHASHSEED",
                f"the result depends on PYTHONHASHSEED: row {row} differs between {_HASH_SEEDS[0]} and {seed}",
                f"PYTHONHASHSEED={seed} {trial.replay.command(f'{row}:{row + 1}')} (and with {_HASH_SEEDS[0]})",
            )
    row = _differing_row(texts, made[_HASH_SEEDS[0]])
    if row is not None:
        raise trial.broke("same row in every process", f"row {row} differs in another process", f"{row}:{row + 1}")


def _differing_row(expected: list[str], got: list[str]) -> int | None:
    """The first row that differs; rows that are missing differ."""
    pairs = zip(expected, got, strict=False)
    row = next((row for row, (one, other) in enumerate(pairs) if one != other), None)
    return row if row is not None or len(expected) == len(got) else min(len(expected), len(got))


def _states() -> tuple[Any, Any]:
    kind, words, *rest = np.random.get_state()
    return random.getstate(), (kind, np.asarray(words).tolist(), rest)


@contextmanager
def _kept_global_generators() -> Iterator[None]:
    state, numpy_state = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)
