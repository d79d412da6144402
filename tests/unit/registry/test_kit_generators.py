"""The kit of generators passes what is right, and names the rule that something breaks and how to repeat it."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sudokumill.contracts import Generator, GeneratorDescriptor, Role
from sudokumill.errors import ConformanceError, SudokumillError, UnfindableError, UnknownImplementationError
from sudokumill.registry import load_registry
from sudokumill.testing import check_generator

Write = Callable[[str, str], Path]

GENERATORS = """
import random, os

class FromGlobal(Images):
    def generate(self, seeds):
        drawn = np.array([random.getrandbits(63) for _ in seeds], dtype=np.uint64)
        return super().generate(drawn)

class FromNumpyGlobal(Images):
    def generate(self, seeds):
        return super().generate(np.random.randint(0, 2**62, len(seeds)).astype(np.uint64))

class Reseeds(Images):
    def generate(self, seeds):
        np.random.seed(int(seeds[0]) % 2**32 if len(seeds) else 0)
        return super().generate(seeds)

class Peeks(Images):
    "Uses the global generator and puts it back."
    def generate(self, seeds):
        state = random.getstate()
        salt = random.getrandbits(60)
        random.setstate(state)
        return super().generate(seeds ^ np.uint64(salt))

class OverSet(Images):
    def generate(self, seeds):
        order = list({"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"})
        salt = np.uint64(sum(len(word) * 31**place for place, word in enumerate(order)))
        return super().generate(seeds + salt)

class FromSystem(Images):
    def generate(self, seeds):
        return super().generate(seeds ^ np.uint64(int.from_bytes(os.urandom(7), "big")))

class Counts(Images):
    "Every call goes on where the last one stopped."
    calls = 0
    def generate(self, seeds):
        self.calls += 1
        return super().generate(seeds + np.uint64(self.calls))

class Reuses(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        if not hasattr(self, "buffer"):
            self.buffer = made.finals.copy()
        view = self.buffer[:len(seeds)]
        view[:] = made.finals
        return GenerateResult(view, made.status)

class ByPlace(Images):
    def generate(self, seeds):
        return super().generate(seeds + np.arange(len(seeds), dtype=np.uint64))

class BySize(Images):
    def generate(self, seeds):
        return super().generate(seeds + np.uint64(len(seeds)))

class NoEmpty(Images):
    def generate(self, seeds):
        assert seeds[0] >= 0
        return super().generate(seeds)

class Same(Images):
    def generate(self, seeds):
        return super().generate(seeds & np.uint64(7))

class Invalid(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        made.finals[:, 0] = made.finals[:, 1]
        return made

class Leftover(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        return GenerateResult(made.finals, np.where(seeds % 2, 1, 0).astype(np.uint8))

class Lazy(Images):
    def generate(self, seeds):
        return GenerateResult(np.zeros((len(seeds), 81), np.uint8), np.ones(len(seeds), np.uint8))

class WideRows(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        return GenerateResult(made.finals.astype(np.int64), made.status)

class ColumnMajor(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        return GenerateResult(np.asfortranarray(made.finals), made.status)

class Tuple(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        return made.finals, made.status

class NotANumber(Images):
    def generate(self, seeds):
        made = super().generate(seeds)
        return GenerateResult(made.finals, made.status, {"tries": Report(np.full(len(seeds), np.nan))})

class Beyond(Images):
    "Writes numbers that are no digits."
    def generate(self, seeds):
        made = super().generate(seeds)
        made.finals[seeds % np.uint64(2) == 0, :5] = [10, 79, 80, 200, 255]
        return made

class Tolerant(Images):
    "Takes whatever numbers it is given for seeds."
    def generate(self, seeds):
        return super().generate(seeds.astype(np.uint64).reshape(-1))

class Enumerates:
    "Relabels by position; with too large a size it comes round."
    def __init__(self, options):
        pass
    def generate(self, seeds):
        import itertools
        check_seeds(seeds)
        orders = list(itertools.permutations(range(1, 5)))
        finals = []
        for seed in seeds:
            digits = np.array([0, *orders[int(seed) % 24], 5, 6, 7, 8, 9], dtype=np.uint8)
            finals.append(digits[FINAL[0]])
        finals = np.array(finals, dtype=np.uint8).reshape(-1, 81)
        return GenerateResult(finals, np.zeros(len(seeds), np.uint8))

@hookimpl
def sudokumill_register_generators():
    for name, value in list(globals().items()):
        if isinstance(value, type) and issubclass(value, Images):
            yield generator("".join("-" * c.isupper() + c.lower() for c in name).strip("-"), factory=value)
    yield generator("enumerates", factory=Enumerates, size=lambda options: 24)
    yield generator("comes-round", factory=Enumerates, size=lambda options: 25)
    yield generator("sizeless", factory=Enumerates, size=lambda options: 1 // 0)
    yield generator("half-size", factory=Enumerates, size=lambda options: 2.5)
    yield generator("no-size", factory=Enumerates, size=lambda options: 0)
"""


@pytest.fixture(scope="module")
def generators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prelude = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8").split("'''")[1]
    path = tmp_path_factory.mktemp("kit") / "generators.py"
    path.write_text(prelude + GENERATORS, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["images", "enumerates"])
def test_good_generators_pass(generators: Path, name: str) -> None:
    check_generator(f"{generators}:{name}", count=12)


@pytest.mark.parametrize(
    ("name", "rule", "reason"),
    [
        ("from-global", "no global random generator", "a global generator is used: random was advanced"),
        ("from-numpy-global", "no global random generator", "a global generator is used: numpy.random was"),
        ("reseeds", "no global random generator", "numpy.random was advanced or seeded"),
        ("peeks", "no global random generator", "a global generator is used: row 0 changes with random.seed"),
        ("over-set", "no dependence on PYTHONHASHSEED", "the result depends on PYTHONHASHSEED: row 0 differs"),
        ("from-system", "same inputs, same row", "row 0 differs between two calls of new objects"),
        ("counts", "same inputs, same row", "row 0 differs when the same object is called again"),
        ("reuses", "a result is the caller's", "the next call changed row 0"),
        ("by-place", "no dependence on the order", "differs when the batch is reversed"),
        ("by-size", "no dependence on the batch's size", "row 0 differs between the whole batch of 12"),
        ("no-empty", "good rows do not raise", "IndexError"),
        ("same", "distinct finals", "have distinct seeds and the same final"),
        ("comes-round", "distinct finals", "rows 0 and 11 have distinct positions and the same final"),
        ("invalid", "finals are valid", "row 0 is no final"),
        ("leftover", "zeros where nothing was made", "is not all zeros"),
        ("lazy", "finals are made", "it made none of 12"),
        ("wide-rows", "shapes and dtypes", "wrong dtype"),
        ("column-major", "shapes and dtypes", "not C-contiguous"),
        ("tuple", "shapes and dtypes", "returned a tuple"),
        ("not-a-number", "shapes and dtypes", "report 'tries'"),
        ("beyond", "finals are valid", "row 0 is no final"),
    ],
)
def test_a_bad_generator_is_told_its_rule(generators: Path, name: str, rule: str, reason: str) -> None:
    """Cases C108 (from-global and over-set) and one for each other rule."""
    with pytest.raises(ConformanceError) as caught:
        check_generator(f"{generators}:{name}", count=12)
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, SudokumillError)
    assert caught.value.fields["rule"] == rule
    assert reason in str(caught.value)
    assert f"python -m sudokumill.testing generator {generators} {name}" in str(caught.value)


def test_a_generator_that_takes_anything_for_seeds_is_told(generators: Path) -> None:
    with pytest.raises(
        ConformanceError, match=r"it took seeds of dtype int64; call sudokumill\.streams\.check_seeds"
    ):
        check_generator(f"{generators}:tolerant", count=12)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sizeless", "its size raised ZeroDivisionError: "),
        ("half-size", "its size must give a whole number above 0, not 2.5"),
        ("no-size", "its size must give a whole number above 0, not 0"),
    ],
)
def test_a_size_that_is_none_is_told(generators: Path, name: str, reason: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_generator(f"{generators}:{name}", count=12)
    assert caught.value.fields["rule"] == "size"
    assert reason in str(caught.value)


def test_the_command_in_the_message_shows_the_difference(generators: Path) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_generator(f"{generators}:over-set", count=12)
    first, command = str(caught.value.fields["repeat"]).removesuffix(" (and with 0)").split(" ", 1)
    outputs = []
    for seed in (first.removeprefix("PYTHONHASHSEED="), "0", "0"):
        words = [sys.executable, *shlex.split(command)[1:]]
        ran = subprocess.run(words, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        outputs.append(ran.stdout)
    assert outputs[0] != outputs[1] == outputs[2]
    assert outputs[0].endswith(" MADE\n")


def test_global_generators_are_left_as_they_were(generators: Path) -> None:
    random.seed(5)
    np.random.seed(5)
    expected = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    check_generator(f"{generators}:images", count=8)
    with pytest.raises(ConformanceError):
        check_generator(f"{generators}:from-global", count=8)
    now = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    assert now == expected


def test_targets(generators: Path, write_plugin: Write) -> None:
    registry = load_registry("generators", generators.parent)
    found = registry.find(Role.GENERATOR, "images")
    check_generator(found, count=8)
    check_generator(found.descriptor, count=8)
    with pytest.raises(UnknownImplementationError):
        check_generator("no-such-generator")
    with pytest.raises(UnfindableError, match="it registers no such name"):
        check_generator(f"{generators}:absent")
    with pytest.raises(UnfindableError, match="ModuleNotFoundError"):
        check_generator("no_such_module_at_all:images")


def test_a_descriptor_that_no_process_could_find(generators: Path) -> None:
    def build(options: object) -> Generator:
        raise NotImplementedError

    hidden = GeneratorDescriptor(name="hidden", version="1", summary="s", factory=build, rate=1)
    with pytest.raises(UnfindableError, match="no imported module has its descriptor"):
        check_generator(hidden)


def test_a_descriptor_that_would_be_refused_is_told_why(write_plugin: Write) -> None:
    hook = "@hookimpl\ndef sudokumill_register_generators():\n"
    folder = write_plugin("refused", hook + "    yield generator('later', api_version=9)\n")
    with pytest.raises(ConformanceError, match=r'breaks the rule "descriptor".*API version 9'):
        check_generator(f"{folder / 'refused.py'}:later")
