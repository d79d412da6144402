"""Fuzzes the kernel with libFuzzer, under the sanitizers of addresses and undefined behaviour. Needs clang.

``python tests/fuzz/fuzz_kernel.py --seconds 600`` builds it (half a minute) and goes on until the time is over or
a promise is broken. Then the exit code is another than 0, and the folder that is named has the input that did it,
in a file ``crash-...``; ``--again FILE`` runs that one alone.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = HERE.parents[1] / "plugins" / "sudokumill_native" / "kernel"
SANITIZERS = "-fsanitize=fuzzer,address,undefined"


def find_clang() -> str | None:
    """A clang with libFuzzer, or None."""
    for name in ("clang++", *(f"clang++-{version}" for version in range(22, 12, -1))):
        found = shutil.which(name)
        if found is not None and _can_fuzz(found):
            return found
    return None


def _can_fuzz(compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "empty.cpp"
        source.write_text(
            'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }', encoding="ascii"
        )
        built = subprocess.run(
            [compiler, SANITIZERS, source, "-o", source.with_suffix("")], capture_output=True, check=False
        )
    return built.returncode == 0


def build(compiler: str, folder: Path) -> Path:
    """The fuzzer, made in a folder.

    Raises:
        subprocess.CalledProcessError: the compiler refused it.
    """
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    options = [
        "-std=c++20",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        SANITIZERS,
        "-fno-sanitize-recover=all",
        f"-I{KERNEL}",
    ]
    options += ["-DSUDOKUMILL_X86"] if is_x86 else []
    objects: list[Path] = []
    for source in [HERE / "kernel_target.cpp", *sorted(KERNEL.rglob("*.cpp"))]:
        flags = source.with_name(source.stem.removeprefix("engine_") + ".flags")
        if flags.exists() and not is_x86:
            continue
        objects.append(folder / f"{source.stem}.o")
        own = flags.read_text(encoding="ascii").split() if flags.exists() else []
        subprocess.run([compiler, *options, *own, "-c", source, "-o", objects[-1]], check=True)
    program = folder / "fuzz_kernel"
    subprocess.run([compiler, SANITIZERS, *objects, "-ldl", "-lpthread", "-o", program], check=True)
    return program


def main() -> int:
    """Builds and runs; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="how long (default 60)")
    parser.add_argument("--runs", type=int, help="so many inputs at most")
    parser.add_argument("--seed", type=int, default=1, help="another seed tries other inputs (default 1)")
    parser.add_argument(
        "--folder", type=Path, help="keeps program, inputs and findings (default: a temporary one)"
    )
    parser.add_argument("--again", type=Path, metavar="FILE", help="run this input only")
    asked = parser.parse_args()
    compiler = find_clang()
    if compiler is None:
        print("there is no clang++ with libFuzzer (on Debian: apt-get install clang)", file=sys.stderr)
        return 2
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="fuzz_kernel_"))
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    program = build(compiler, folder)
    if asked.again is not None:
        return subprocess.run([program, asked.again], check=False).returncode
    bounds = [f"-max_total_time={asked.seconds}", *([f"-runs={asked.runs}"] if asked.runs is not None else [])]
    command = [program, *bounds, f"-seed={asked.seed}", "-max_len=4096", "-len_control=0", "-timeout=60"]
    ran = subprocess.run([*map(str, command), f"-artifact_prefix={folder}/", str(inputs)], check=False)
    if ran.returncode == 0 and asked.folder is None:
        shutil.rmtree(folder)
    elif ran.returncode != 0:
        print(f"what was found is in {folder}", file=sys.stderr)
    return ran.returncode


if __name__ == "__main__":
    raise SystemExit(main())
