"""Two minutes of random faults against a fleet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_minutes_of_random_faults() -> None:
    script = Path(__file__).with_name("soak.py")
    done = subprocess.run(
        [sys.executable, script, "--minutes", "2", "--seed", "6"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    assert done.stdout.endswith("it all adds up\n")
