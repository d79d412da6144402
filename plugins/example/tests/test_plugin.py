"""The whole proof that a plugin needs: sudokumill's kit, on the default options and on others."""

from __future__ import annotations

import pytest

from sudokumill.testing import check_generator


@pytest.mark.parametrize("options", [{}, {"mix": False, "shift": 6}])
def test_shifted_rows(options: dict[str, object]) -> None:
    check_generator("sudokumill_example.plugin:shifted-rows", options)
