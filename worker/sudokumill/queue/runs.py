"""Runs of positions: many positions in little memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Runs = NDArray[np.int64]
"""Shape (r, 2), rising: positions ``runs[i, 0]`` .. ``runs[i, 1] - 1`` are meant, and none between two runs."""


def runs_of(positions: NDArray[np.int64]) -> Runs:
    """Rising positions as runs without a gap."""
    cuts = np.flatnonzero(np.diff(positions) != 1)
    ends = [*cuts.tolist(), len(positions) - 1] if len(positions) else []
    starts = [0, *(cuts + 1).tolist()] if len(positions) else []
    return np.stack([positions[starts], positions[ends] + 1], axis=1)


def positions_in(runs: Runs) -> NDArray[np.int64]:
    """The positions one by one, rising."""
    return np.concatenate([np.empty(0, np.int64), *(np.arange(low, high) for low, high in runs.tolist())])


def length_of(runs: Runs) -> int:
    """How many positions they are."""
    return int((runs[:, 1] - runs[:, 0]).sum())
