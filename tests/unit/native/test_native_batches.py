"""What crosses the border to C++: arrays of the wrong kind, threads, forks, memory."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

from sudokumill.contracts import Solver, SolveStatus
from sudokumill.errors import BatchShapeError
from sudokumill.grids.batch import Grids
from sudokumill_native import _kernel
from sudokumill_native.digger import NativeDigger
from sudokumill_native.generator import NativeGenerator
from sudokumill_native.options import NativeDiggerOptions, NativeGeneratorOptions, SearchOptions
from sudokumill_native.solvers import ExactCoverSolver, NativeSolver

SEEDS = np.arange(4, dtype=np.uint64)
DIG_TO_THE_END = NativeDiggerOptions.model_validate({})

NO_GRIDS = {
    "a list": [[0] * 81],
    "None": None,
    "another dtype": np.zeros((4, 81), dtype=np.int64),
    "signed": np.zeros((4, 81), dtype=np.int8),
    "one dimension": np.zeros(81, dtype=np.uint8),
    "80 cells": np.zeros((4, 80), dtype=np.uint8),
    "three dimensions": np.zeros((4, 9, 9), dtype=np.uint8),
    "columns first": np.zeros((4, 81), dtype=np.uint8, order="F"),
    "every other row": np.zeros((8, 81), dtype=np.uint8)[::2],
}
NO_SEEDS = {
    "a list": [1, 2, 3, 4],
    "signed": np.arange(4),
    "two dimensions": np.zeros((4, 1), dtype=np.uint64),
    "every other one": np.arange(8, dtype=np.uint64)[::2],
}


def solve(grids: Any) -> None:
    NativeSolver(SearchOptions()).solve(grids)


def solve_in_kernel(grids: Any, limit: int) -> None:
    _kernel.solve(grids, limit, None, "portable")


def solve_by_cover(grids: Any) -> None:
    ExactCoverSolver(SearchOptions()).solve(grids)


def dig(grids: Any) -> None:
    NativeDigger(DIG_TO_THE_END).dig(grids, SEEDS)


@pytest.mark.parametrize("grids", NO_GRIDS.values(), ids=NO_GRIDS)
@pytest.mark.parametrize("call", [solve, solve_by_cover, dig])
def test_what_is_no_batch_is_refused(call: Callable[[Any], None], grids: Any) -> None:
    with pytest.raises(BatchShapeError):
        call(grids)


@pytest.mark.parametrize("grids", NO_GRIDS.values(), ids=NO_GRIDS)
@pytest.mark.parametrize("search", [solve_in_kernel, _kernel.search_cover])
def test_the_kernel_itself_converts_nothing(search: Callable[[Any, int], object], grids: Any) -> None:
    with pytest.raises(TypeError):
        search(grids, 2)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """Views of every kind: dtypes, shapes, strides, orders; most of them close to a batch."""
    dtype = draw(st.sampled_from([*["u1"] * 4, "i1", "u2", ">u2", "i8", "u8", "f8", "?", "S1", "O"]))
    cells = draw(st.sampled_from([81, 81, 81, 0, 1, 80, 82, 162]))
    shape = draw(
        st.sampled_from([(cells,), (5, cells), (5, cells), (5, cells), (1, cells), (0, cells), (5, 9, 9)])
    )
    values = draw(hypothesis_numpy.arrays("u1", shape, elements=st.integers(0, 255), fill=st.just(0)))
    array = values.astype(dtype)
    match draw(st.integers(0, 6)):
        case 1:
            array = np.asfortranarray(array)
        case 2:
            array = array[::2]
        case 3:
            array = array[::-1]
        case 4:
            array = array[..., ::-1]
        case 5:
            array = np.broadcast_to(array[:1], array.shape)
    return array


@settings(max_examples=400)
@given(arrays())
def test_an_array_is_a_batch_or_refused(array: np.ndarray[Any, Any]) -> None:
    is_batch = array.dtype == "u1" and array.ndim == 2 and array.shape[1] == 81 and array.flags.c_contiguous
    for solver in (NativeSolver(SearchOptions(max_nodes=20)), ExactCoverSolver(SearchOptions(max_nodes=20))):
        if not is_batch:
            with pytest.raises(BatchShapeError):
                solver.solve(array)
            continue
        before = array.copy()
        result = solver.solve(array)
        np.testing.assert_array_equal(array, before)
        assert result.counts.shape == result.status.shape == result.nodes.shape == (len(array),)
        assert (result.status[(array > 9).any(axis=1)] == SolveStatus.CLASH).all()
        found = result.counts > 0
        assert ((array == result.solutions) | (array == 0))[found].all()
    if not is_batch:
        with pytest.raises(TypeError):
            _kernel.solve(array, 2, 20, "portable")
        with pytest.raises(BatchShapeError):
            NativeDigger(DIG_TO_THE_END).dig(array, np.zeros(len(array), dtype=np.uint64))


@pytest.mark.parametrize("seeds", NO_SEEDS.values(), ids=NO_SEEDS)
def test_what_are_no_seeds_is_refused(seeds: Any) -> None:
    with pytest.raises(BatchShapeError):
        NativeGenerator(NativeGeneratorOptions()).generate(seeds)
    with pytest.raises(TypeError):
        _kernel.make_finals(seeds, 16, "portable")
    finals = NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals
    with pytest.raises(BatchShapeError):
        NativeDigger(DIG_TO_THE_END).dig(finals, seeds)


def test_the_kernel_checks_its_orders() -> None:
    finals = NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals
    each_cell = np.arange(81, dtype=np.uint8)
    with pytest.raises(ValueError, match="0 to 80"):
        _kernel.dig(finals, SEEDS, each_cell + np.uint8(1), [0], (17, 81), minimal=False, build="portable")
    with pytest.raises(ValueError, match="clue count"):
        _kernel.dig(finals, SEEDS, each_cell, [], (17, 81), minimal=False, build="portable")
    with pytest.raises(ValueError, match="one seed a final"):
        _kernel.dig(finals, SEEDS[:3], each_cell, [0], (17, 81), minimal=False, build="portable")
    with pytest.raises(ValueError, match="max_nodes"):
        _kernel.solve(finals, 2, 0, "portable")


def test_read_only_batches_are_taken(minimal_puzzles: Grids) -> None:
    assert not minimal_puzzles.flags.writeable
    solve(minimal_puzzles)


def test_results_are_new_and_outlive_their_inputs() -> None:
    finals = NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals
    kept = finals.copy()
    solutions = NativeSolver(SearchOptions()).solve(finals).solutions
    assert not np.shares_memory(solutions, finals)
    finals[:] = 0
    assert np.array_equal(solutions, kept)


@pytest.mark.parametrize("kind", [NativeSolver, ExactCoverSolver])
def test_other_threads_run_during_a_batch(kind: type[NativeSolver | ExactCoverSolver]) -> None:
    solver: Solver = kind(SearchOptions())
    hard = np.zeros((1, 81), dtype=np.uint8)
    done = threading.Event()

    def count() -> None:
        solver.solve(hard, limit=2_000_000)
        done.set()

    # while the interpreter does not take the lock from a thread by itself, this one only goes on if it is given
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        with ThreadPoolExecutor(1) as pool:
            ending = pool.submit(count)
            went_on = not done.is_set()
            ending.result()
    finally:
        sys.setswitchinterval(interval)
    assert went_on


def test_threads_get_the_same_results() -> None:
    seeds = np.arange(400, dtype=np.uint64)

    def line(_: int) -> tuple[bytes, ...]:
        finals = NativeGenerator(NativeGeneratorOptions()).generate(seeds).finals
        dug = NativeDigger(DIG_TO_THE_END).dig(finals, seeds)
        solved = NativeSolver(SearchOptions()).solve(dug.puzzles)
        covered = ExactCoverSolver(SearchOptions()).solve(dug.puzzles)
        return tuple(
            part.tobytes() for part in (finals, dug.puzzles, solved.nodes, solved.solutions, covered.nodes)
        )

    with ThreadPoolExecutor(2) as pool:
        results = set(pool.map(line, range(4)))
    assert results == {line(0)}


LONG = {
    "a count that does not end": "registry.solver(name).solve(np.zeros((1, 81), np.uint8), limit=10**18)",
    "many counts": "registry.solver(name).solve(np.zeros((100_000, 81), np.uint8), limit=50_000)",
    "two threads": "NativeSolver(SearchOptions(), threads=2).solve(np.zeros((2, 81), np.uint8), 10**18)",
    "many finals": "registry.generator('native').generate(np.arange(30_000_000, dtype=np.uint64))",
    "many digs": (
        "seeds = np.arange(400, dtype=np.uint64);"
        "finals = np.tile(registry.generator('native').generate(seeds).finals, (2_500, 1));"
        "registry.digger('native').dig(finals, np.arange(1_000_000, dtype=np.uint64))"
    ),
}


def _interrupted(program: str) -> tuple[float, str]:
    """Sends SIGINT to a program that says when it has begun; the seconds until its end, and what it said."""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)  # so that it is in the kernel
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    output, _ = process.communicate(timeout=30)
    return time.monotonic() - sent, output


@pytest.mark.parametrize("name", ["native", "exact-cover"])
@pytest.mark.parametrize("work", LONG.values(), ids=LONG)
def test_ctrl_c_ends_a_batch(name: str, work: str) -> None:
    if "name" not in work and name != "native":
        pytest.skip("no solver takes part")
    program = f"""if True:
        import numpy as np
        from sudokumill.registry import load_registry
        from sudokumill_native.options import SearchOptions
        from sudokumill_native.solvers import NativeSolver
        registry, name = load_registry(), {name!r}
        registry.generator("native"), registry.solver(name)
        print("begun", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted")
    """
    seconds, output = _interrupted(program)
    assert output == "interrupted\n"
    assert seconds < 6  # each of these takes far longer, and a loaded machine may be late


FRAME = "111111111110000011101000101100101001100010001100101001101000101110000011111111111"


class AlarmError(Exception):
    """Raised by a handler."""


def test_a_signal_ends_counts_that_are_over_before_each_would_ask() -> None:
    def ring(*_: object) -> None:
        raise AlarmError

    finals = np.tile(
        NativeGenerator(NativeGeneratorOptions()).generate(np.arange(500, dtype=np.uint64)).finals, (2_000, 1)
    )
    seeds = np.arange(len(finals), dtype=np.uint64)
    digger = NativeDigger(NativeDiggerOptions(pattern=FRAME), "portable")
    before = signal.signal(signal.SIGVTALRM, ring)
    begun = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
        with pytest.raises(AlarmError):
            digger.dig(finals, seeds)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert time.process_time() - begun < 0.5  # the whole takes more than a second


IN_A_THREAD = """if True:
    import threading
    import numpy as np
    from sudokumill.registry import load_registry
    solver, counts, done = load_registry().solver("native"), [], threading.Event()

    def count(limit):
        counts.append(int(solver.solve(np.zeros((1, 81), np.uint8), limit=limit).counts[0]))
        done.set()
"""


def test_a_signal_is_left_to_the_main_thread() -> None:
    # it takes the signal, and the count in the other thread goes on to its end
    program = f"""{IN_A_THREAD}
    threading.Thread(target=count, args=[4_000_000]).start()
    print("begun", flush=True)
    try:
        done.wait()
    except KeyboardInterrupt:
        print("interrupted", done.is_set())
        done.wait()
        print(counts)
    """
    _, output = _interrupted(program)
    assert output.splitlines() == ["interrupted False", "[4000000]"]


def test_a_process_ends_while_a_thread_still_counts() -> None:
    program = f"""{IN_A_THREAD}
    import time
    threading.Thread(target=count, args=[10**18], daemon=True).start()
    time.sleep(0.5)
    print("left", counts)
    """
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "left []\n", "")


def test_threads_that_the_system_does_not_give_are_said() -> None:
    program = """if True:
        import resource
        import numpy as np
        from sudokumill_native import _kernel
        seeds = np.arange(2_000, dtype=np.uint64)
        expected = _kernel.make_finals(seeds, 13, "portable")
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20), limits[1]))
        try:
            _kernel.make_finals(seeds, 13, "portable", 1_000)
        except (RuntimeError, MemoryError):
            print("refused")
        resource.setrlimit(resource.RLIMIT_AS, limits)
        print((_kernel.make_finals(seeds, 13, "portable", 20) == expected).all())
    """
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (0, ["refused", "True"], "")


def _first_final(pipe: Any) -> None:
    pipe.send(NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals.tobytes())


def test_a_forked_process_goes_on() -> None:
    here = NativeGenerator(NativeGeneratorOptions()).generate(SEEDS).finals.tobytes()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_first_final, args=(sender,))
    child.start()
    assert receiver.poll(30)
    assert receiver.recv() == here
    child.join(30)
    assert child.exitcode == 0
