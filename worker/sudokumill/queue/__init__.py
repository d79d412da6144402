"""Who runs chunks: the chunk function, the local runner of ``run``, and the one that stores nothing."""

from __future__ import annotations
