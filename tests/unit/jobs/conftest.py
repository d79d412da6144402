"""A registry with the project's own plugins and the one that does wrong what it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.jobs import JobKind, JobSpec, Part
from sudokumill.orders import Order, specify
from sudokumill.registry import Registry, load_registry

NAMES = {Part.GENERATOR: "native", Part.DIGGER: "native", Part.SOLVER: "native", Part.CHECKER: "exact-cover"}


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_registry(plugin_dir=Path(__file__).parents[2] / "faults" / "plugins")


@pytest.fixture(scope="session")
def ordered(registry: Registry) -> Callable[..., JobSpec]:
    """Specifies an order; ``names`` replaces the default implementations."""

    def order(kind: JobKind = JobKind.LEVELS, *options: str, **fields: Any) -> JobSpec:
        names = {**NAMES, **fields.pop("names", {})}
        return specify(
            Order(**{"kind": kind, "count": 10, "names": names, "options": options, **fields}), registry
        )

    return order
