"""A million finals straight to a text file, against a C++ program that writes them digit by digit.

    python tests/benchmarks/finals_to_text.py [--count N] [--rounds N] [--folder DIR]

Both make the same finals of the same template and write them in the same form to a RAM disk (/dev/shm). The C++
program (``finals_to_text.cpp``, compiled here with -O2) writes each digit through a stream, as the project's
source did; the source's own figure, on its machine, was 5.137 s. Prints wall times and their ratio (median over
rounds), and compares the two files byte by byte.
"""

from __future__ import annotations

import argparse
import filecmp
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(command: list[str | Path], folder: Path) -> float:
    """Wall seconds of a command that must succeed."""
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Compiles, runs the rounds and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default="/dev/shm")  # noqa: S108 - a RAM disk is what is asked for
    asked = parser.parse_args()
    ratios: list[float] = []
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        source = Path(__file__).with_suffix(".cpp")
        subprocess.run(["c++", "-O2", "-std=c++20", source, "-o", folder / "writer"], check=True)
        for number in range(asked.rounds):
            theirs = timed([folder / "writer", str(asked.count), "theirs.txt"], folder)
            ours = timed(
                [
                    Path(sys.executable).with_name("sudokumill"), "run", "generate", "--count", str(asked.count),
                    "--generator", "template-permutation", "--output", "ours.txt", "--no-store",
                ],
                folder,
            )  # fmt: skip
            if not filecmp.cmp(folder / "theirs.txt", folder / "ours.txt", shallow=False):
                raise SystemExit("the two files differ")
            ratios.append(ours / theirs)
            print(f"round {number + 1}: C++ {theirs:.2f} s, sudokumill {ours:.2f} s, ratio {ours / theirs:.2f}")
    print(f"{asked.count:,} finals to a text file: {statistics.median(ratios):.2f} times the C++ program (median)")


if __name__ == "__main__":
    main()
