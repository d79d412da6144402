"""One test body over all implementations of a role.

A test that has an argument ``generator``, ``digger``, ``solver`` or ``grader`` of type ``Implementation`` runs
once for each one that the registry finds, built-in or not. So a plugin that is installed beside these tests is
held to the same promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from sudokumill.contracts import Role
from sudokumill.registry import Implementation, Registry, load_registry


@cache
def _registry() -> Registry:
    return load_registry()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test once for each implementation of the role that it names."""
    for role in Role:
        if role.value in metafunc.fixturenames:
            found = _registry().implementations(role)
            metafunc.parametrize(role.value, found, ids=[implementation.name for implementation in found])


@pytest.fixture(scope="session")
def registry() -> Registry:
    """What is installed."""
    return _registry()


@pytest.fixture
def budget(solver: Implementation) -> Mapping[str, int]:
    """Options under which a solver gives up early; none for a solver without a node budget."""
    return {"max_nodes": 1_000} if "max_nodes" in solver.descriptor.options.model_fields else {}


@pytest.fixture
def unbounded(solver: Implementation) -> bool:
    """Whether the solver, as it comes, is to be done with anything: it has no node budget by default."""
    field = solver.descriptor.options.model_fields.get("max_nodes")
    return field is None or field.default is None
