from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sudokumill.errors import (
    FileUnwritableError,
    LostProcessError,
    OutputRowError,
    UnknownImplementationError,
)
from sudokumill.formats import FORMATS, read_grids
from sudokumill.jobs import JobKind
from sudokumill.queue.direct import run_direct

RAISED = "raised ZeroDivisionError: the plugin failed"
LAB = {"generator": "lab"}
BOTH = {"generator": "lab", "digger": "lab"}
FEW = {"generator": "few", "digger": "lab"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "grids.line"


def _files(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


@pytest.mark.parametrize("count", [1, 2, 3, 99, 1_001])
@pytest.mark.parametrize("processes", [1, 3])
def test_odd_sizes(works: Any, path: Path, count: int, processes: int) -> None:
    result = works.direct(JobKind.GENERATE, path=path, count=count, processes=processes)
    assert (result.written, result.repeated, result.missed, result.failures) == (count, 0, 0, ())
    assert len(set(path.read_text().splitlines())) == count
    assert _files(path) == ["grids.line"]
    assert result.versions == {"generator": "native==2"}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format(works: Any, path: Path, name: str) -> None:
    spec = works.spec(JobKind.GENERATE, count=50)
    run_direct(spec, works.settings, path, FORMATS[name], lambda made, tried: None)
    assert path.stat().st_size == 50 * FORMATS[name].size
    reading = read_grids(path, name)
    assert (len(reading.grids), reading.faults) == (50, ())


@pytest.mark.parametrize("chunk_rows", [None, 7])
@pytest.mark.parametrize(
    ("kind", "parts", "wishes", "reasons"),
    [
        (JobKind.GENERATE, LAB, ("faults=invalid/5 raise@0,33",), {"invalid final", RAISED}),
        (JobKind.GENERATE, FEW, ("distinct=150", "faults=invalid/5"), {"invalid final"}),
        (
            JobKind.LEVELS,
            BOTH,
            ("generator.faults=invalid/5", "digger.faults=missed/3 foreign@8"),
            {"invalid final", "not a subset of its final"},
        ),
        (
            JobKind.LEVELS,
            BOTH,
            ("generator.faults=invalid/5", "digger.faults=barren/3 missed@6 foreign@7"),
            {"invalid final", "not a subset of its final"},
        ),
    ],
)
def test_gaps_are_closed(
    works: Any, path: Path, chunk_rows: int | None, kind: JobKind, parts: dict[str, str], wishes: tuple[str, ...],
    reasons: set[str],
) -> None:  # fmt: skip
    found = works.make(kind, *wishes, count=80, **parts)
    result = works.direct(kind, *wishes, path=path, count=80, chunk_rows=chunk_rows, **parts)
    assert path.read_text().split() == works.lines(found.id)
    assert (result.repeated > 0) == (parts is FEW)
    assert (result.missed > 0) == (kind is JobKind.LEVELS)
    assert {one.reason.partition(" (")[0] for one in result.failures} == reasons
    failed = sum(one.times for one in result.failures)
    assert result.written + result.repeated + result.missed + failed <= result.tried


def test_no_fingerprints_of_an_enumerating_generator(
    works: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(grids: object) -> None:
        raise AssertionError("its finals are distinct by contract")

    monkeypatch.setattr("sudokumill.queue.direct._fingerprints", refuse)
    assert works.direct(JobKind.GENERATE, path=path, count=50, **LAB).written == 50
    with pytest.raises(AssertionError, match="by contract"):
        works.direct(JobKind.GENERATE, path=path, count=50)


def test_reports_are_added_up(works: Any, path: Path) -> None:
    result = works.direct(JobKind.GENERATE, path=path, count=100, **LAB)
    report = result.reports["generator position"]
    assert (report.weight, report.least, report.greatest) == (100, 0, 99)


def test_a_file_that_was_there_is_replaced_when_the_new_one_is_whole(works: Any, path: Path) -> None:
    path.write_text("old")
    with pytest.raises(OutputRowError):
        works.direct(JobKind.GENERATE, "faults=raise/1", path=path, count=10, **LAB)
    assert path.read_text() == "old"
    assert _files(path) == ["grids.line"]
    works.direct(JobKind.GENERATE, path=path, count=10)
    assert len(path.read_text().splitlines()) == 10


# --- too few -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        (("generator.faults=raise/1",), {}, "failed (lab==1.0 of plugin lab"),
        (("generator.distinct=1",), FEW, "repeated"),
        (("generator.distinct=7",), {"count": 20, **FEW}, "7 of 20 were made"),
        (
            ("generator.size=20", "generator.faults=invalid/2"),
            {"count": 15},
            "10 of 15 were made: 20 tried, 10 failed",
        ),
        (("digger.faults=missed/1",), {"kind": JobKind.LEVELS}, "off target"),
        (("digger.faults=missed/1",), {"kind": JobKind.LEVELS, "max_attempts": 30}, "30 tried, 30 off target"),
        (("generator.distinct=6",), {"max_attempts": 60, **FEW}, "6 of 10 were made: 60 tried, 54 repeated"),
    ],
)
def test_too_few_rows_are_an_error_and_leave_no_file(
    works: Any, path: Path, options: tuple[str, ...], fields: dict[str, Any], reason: str
) -> None:
    order = {"kind": JobKind.GENERATE, **BOTH, **fields}
    with pytest.raises(OutputRowError) as caught:
        works.direct(order.pop("kind"), *options, path=path, **order)
    assert reason in str(caught.value)
    assert f"{path} was not written" in str(caught.value)
    assert _files(path) == []


def test_a_small_yield_is_no_reason_to_give_up(works: Any, path: Path) -> None:
    # one in a hundred and fifty is on target: none of the first hundred is
    finals = [str(each) for each in range(1_500) if each % 150 != 149]
    result = works.direct(JobKind.LEVELS, f"digger.faults=missed@{','.join(finals)}", path=path, count=5, **BOTH)
    assert result.written == 5
    assert result.missed >= 149 * 5


def test_a_plugin_that_kills_its_process(works: Any, path: Path) -> None:
    with pytest.raises(LostProcessError, match="nothing was written"):
        works.direct(JobKind.GENERATE, "faults=kill@5", path=path, count=20, **LAB)
    assert _files(path) == []


def test_only_errors_of_writing_name_the_file(works: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fork(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", fork)
    with pytest.raises(BlockingIOError):
        works.direct(JobKind.GENERATE, path=path, count=20)
    assert _files(path) == []


def test_what_another_process_finds_wrong_comes_out_as_it_is(
    works: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = works.spec(JobKind.GENERATE, count=20, **LAB)
    settings = works.settings.model_copy(update={"plugin_dir": None, "processes": 1})
    with pytest.raises(UnknownImplementationError, match="lab"):
        run_direct(spec, settings, path, FORMATS["line"], lambda made, tried: None)
    assert _files(path) == []


# --- where it cannot be written, and what is no file -------------------------------------------------------


def test_no_folder(works: Any, tmp_path: Path) -> None:
    with pytest.raises(FileUnwritableError, match="No such file or directory"):
        works.direct(JobKind.GENERATE, path=tmp_path / "none" / "grids.line")


def test_a_folder_is_refused_before_anything_is_made(works: Any, tmp_path: Path) -> None:
    with pytest.raises(FileUnwritableError, match="Is a directory"):
        works.direct(JobKind.GENERATE, "faults=kill/1", path=tmp_path, **LAB)


def test_a_file_in_place_of_a_folder(works: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileUnwritableError, match="Not a directory"):
        works.direct(JobKind.GENERATE, path=tmp_path / "file" / "grids.line")


def test_the_null_device_stays_a_device(works: Any) -> None:
    works.direct(JobKind.GENERATE, path=Path("/dev/null"), count=20)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_full_device_is_an_error(works: Any) -> None:
    with pytest.raises(FileUnwritableError, match="cannot write /dev/full: No space left on device"):
        works.direct(JobKind.GENERATE, path=Path("/dev/full"), count=20)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_pipe_gets_the_rows_in_order(works: Any, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.extend(pipe.read_text().split()))
    reader.start()
    works.direct(JobKind.GENERATE, path=pipe, count=40, chunk_rows=7)
    reader.join(30)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read == works.lines(works.make(JobKind.GENERATE, count=40).id)


CODE = """
import sys
from pathlib import Path
from sudokumill.formats import FORMATS
from sudokumill.jobs import JobSpec
from sudokumill.queue.direct import run_direct
from sudokumill.settings import Settings
spec = JobSpec.model_validate_json(sys.argv[1])
run_direct(spec, Settings(processes=2), Path("-"), FORMATS["line"], lambda made, tried: None)
print("and then this", flush=True)
"""


def test_standard_output(works: Any) -> None:
    spec = works.spec(JobKind.GENERATE, count=40)
    words = [sys.executable, "-c", CODE, spec.model_dump_json()]
    ran = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    *lines, last = ran.stdout.splitlines()
    assert lines == works.lines(works.make(JobKind.GENERATE, count=40).id)
    assert last == "and then this"


def test_who_reads_standard_output_may_have_seen_enough(works: Any) -> None:
    spec = works.spec(JobKind.GENERATE, count=20_000)
    words = [sys.executable, "-c", CODE, spec.model_dump_json()]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) != 0
    # told apart from a file that cannot be written: a command ends quietly
    assert "BrokenPipeError" in said
    assert "FileUnwritableError" not in said
