"""Random streams: every row draws from its own, and nothing else.

A row's 64-bit seed is the only source of chance that its result may use. A stream is SplitMix64 (Steele, Lea,
Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): word ``k`` of seed ``s`` is

    mix(s + (k + 1) * GAMMA)      arithmetic modulo 2**64

so a whole column of words for a whole batch is one numpy expression, and the same row gives the same words in a
batch of one and in a batch of a million. numpy's own generators were rejected: they would need one generator
object a row (4 us each, against 2 ns a word here).
"""

from __future__ import annotations

from enum import IntEnum
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sudokumill.errors import BatchShapeError

Seeds = NDArray[np.uint64]
"""C-contiguous uint64, shape (n,): the seed of each row."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finalizer (variant 13 of Stafford's mixers): a bijection that scatters its input.

    Args:
        words: any shape, uint64.

    Returns:
        The same shape, uint64.
    """
    words = (words ^ (words >> np.uint64(30))) * _MIX_1
    words = (words ^ (words >> np.uint64(27))) * _MIX_2
    return words ^ (words >> np.uint64(31))


def position_seeds(job_seed: int, positions: NDArray[np.int64]) -> Seeds:
    """The seed of each position of a job: a 64-bit hash of (job seed, position).

    Both halves pass the mixer, so that neighbouring positions, and the same position of neighbouring job seeds,
    have nothing in common.

    Args:
        job_seed: any integer; its lowest 64 bits count.
        positions: shape (n,), int64, running numbers of attempts within the job.

    Returns:
        Shape (n,), uint64.
    """
    base = mix(np.asarray([job_seed & (2**64 - 1)], dtype=np.uint64) + _GAMMA)
    return mix(base + positions.astype(np.uint64) * _GAMMA)


class SeedRole(IntEnum):
    """Who draws from a row's seed beside the generator, which draws from the seed itself."""

    DIGGER = 2


def role_seeds(seeds: Seeds, role: int) -> Seeds:
    """Seeds for another role of the same rows, so that a digger does not repeat the generator's draws.

    Only the host calls this. What an implementation needs beyond its seeds it draws from their streams:
    numbers of its own choice could be those of another role.

    Args:
        seeds: shape (n,), uint64.
        role: a ``SeedRole``.

    Returns:
        Shape (n,), uint64.
    """
    step = role * int(_MIX_2) & (2**64 - 1)  # numpy would warn of the overflow of a scalar
    return mix(seeds + np.uint64(step))


def check_seeds(seeds: object, rows: int | None = None) -> Seeds:
    """The array itself, if it holds the seeds of a batch.

    Args:
        seeds: what is to be checked.
        rows: how many there must be; None is any number.

    Raises:
        BatchShapeError: wrong type, dtype, shape, number, memory order or alignment.
    """
    wanted = f"uint64 array of shape ({'n' if rows is None else rows},)"
    if not isinstance(seeds, np.ndarray):
        raise BatchShapeError(what="seeds", wanted=wanted, got=f"a {type(seeds).__name__}")
    if seeds.dtype != np.uint64 or seeds.ndim != 1 or (rows is not None and len(seeds) != rows):
        raise BatchShapeError(what="seeds", wanted=wanted, got=f"dtype {seeds.dtype}, shape {seeds.shape}")
    if not seeds.flags.c_contiguous:
        raise BatchShapeError(what="seeds", wanted=wanted, got="one that is not contiguous")
    if not seeds.flags.aligned:
        # native code reads whole words
        raise BatchShapeError(what="seeds", wanted=wanted, got="one that is not aligned in memory")
    return cast("Seeds", seeds)


class Streams:
    """The streams of a batch of rows, advanced together.

    Each row may also be advanced alone (``rows``), which keeps the streams of rows that reject and draw again
    independent of all others.

    Args:
        seeds: shape (n,), uint64.

    Raises:
        BatchShapeError: they are no seeds.
    """

    def __init__(self, seeds: Seeds) -> None:
        self._state = check_seeds(seeds).copy()

    def words(self, rows: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.uint64]:
        """The next word of each row, or of the rows named; shape (rows,), uint64."""
        self._state[rows] += _GAMMA
        return mix(self._state[rows])

    def below(self, bound: int, rows: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.int64]:
        """A number in 0 .. bound-1 for each row, or for the rows named; shape (rows,), int64.

        The top 32 bits are scaled, not reduced by a remainder; the bias is below bound / 2**32, which for the
        bounds of this game (at most 9! = 362,880) no test can see.
        """
        high = self.words(rows) >> np.uint64(32)
        return ((high * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def permutations(self, length: int) -> NDArray[np.int64]:
        """A uniform permutation of 0 .. length-1 for each row: Fisher-Yates over the whole batch.

        Returns:
            Shape (n, length), int64.
        """
        n = len(self._state)
        order = np.tile(np.arange(length), (n, 1))
        each = np.arange(n)
        for place in range(length - 1, 0, -1):
            other = self.below(place + 1)
            order[each, place], order[each, other] = order[each, other], order[each, place]
        return order
