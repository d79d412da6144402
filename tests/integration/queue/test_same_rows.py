"""The same order gives the same rows, on however many processes, in whatever chunks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from sudokumill.difficulty import Difficulty
from sudokumill.jobs import Distinct, JobKind
from sudokumill.store.audit import audit
from sudokumill.store.models import JobState, Puzzle

KINDS = pytest.mark.parametrize("kind", [JobKind.GENERATE, JobKind.LEVELS])
WISHES = {JobKind.GENERATE: (), JobKind.LEVELS: ("clues_min=24", "clues_max=27")}


@KINDS
def test_processes_and_chunks_decide_nothing(
    works: Any, new_works: Callable[[Path], Any], tmp_path: Path, kind: JobKind
) -> None:
    first = works.make(kind, *WISHES[kind], count=300, processes=1, chunk_rows=1_000)
    assert (first.state, first.delivered) == (JobState.DONE, 300)
    rows = works.delivered(first.id)
    assert len({row[1] for row in rows}) == 300
    for processes, chunk_rows in ((1, 7), (4, 7), (4, 1_000), (4, None)):
        other = new_works(tmp_path / f"{processes}-{chunk_rows}")
        found = other.make(kind, *WISHES[kind], count=300, processes=processes, chunk_rows=chunk_rows)
        assert found.state is JobState.DONE
        assert other.delivered(found.id) == rows
        other.database.dispose()


def test_with_a_difficulty_too(works: Any, new_works: Callable[[Path], Any], tmp_path: Path) -> None:
    asked = {"grader": "judge", "difficulty": Difficulty(rating_from=3.0, rating_to=5.0, techniques=("x-wing",))}
    first = works.make(JobKind.LEVELS, count=40, processes=1, chunk_rows=1_000, **asked)
    assert (first.state, first.delivered) == (JobState.DONE, 40)
    rows = works.delivered(first.id)
    for processes, chunk_rows in ((1, 9), (3, 5), (2, None)):
        other = new_works(tmp_path / f"{processes}-{chunk_rows}")
        found = other.make(JobKind.LEVELS, count=40, processes=processes, chunk_rows=chunk_rows, **asked)
        assert found.state is JobState.DONE
        assert other.delivered(found.id) == rows
        other.database.dispose()


@pytest.mark.cases("generate", ids=["C038"])
def test_the_case_of_the_global_generator(
    works: Any, new_works: Callable[[Path], Any], tmp_path: Path, case: dict[str, Any]
) -> None:
    runs = case["input"]["runs"]
    seed, count = runs[0]["seed"], runs[0]["count"]
    first = works.make(JobKind.LEVELS, count=count, seed=seed)
    rows = works.delivered(first.id)
    short = new_works(tmp_path / "short")
    found = short.make(JobKind.LEVELS, count=50, seed=seed, processes=1, chunk_rows=7)
    assert short.delivered(found.id) == rows[:50]
    short.database.dispose()
    np.random.random(5)
    again = new_works(tmp_path / "again")
    found = again.make(JobKind.LEVELS, count=count, seed=seed, processes=1)
    assert again.delivered(found.id) == rows
    again.database.dispose()


@pytest.mark.parametrize("repeat", [1, 2])
def test_a_shorter_job_is_the_beginning_of_a_longer_one(
    works: Any, new_works: Callable[[Path], Any], tmp_path: Path, repeat: int
) -> None:
    wishes = [f"generator.repeat={repeat}", "generator.faults=invalid/5", "digger.faults=missed/3"]
    parts = {"generator": "lab", "digger": "lab"}
    long = works.make(JobKind.LEVELS, *wishes, count=200, processes=3, chunk_rows=13, **parts)
    other = new_works(tmp_path / "short")
    short = other.make(JobKind.LEVELS, *wishes, count=50, processes=1, chunk_rows=1_000, **parts)
    assert (long.state, short.state) == (JobState.DONE, JobState.DONE)
    assert other.delivered(short.id) == works.delivered(long.id)[:50]
    other.database.dispose()


def test_the_hash_seed_decides_nothing(works: Any, tmp_path: Path) -> None:
    found = works.make(JobKind.LEVELS, "symmetry=rot180", count=100, digger="holes")
    wanted = works.lines(found.id)
    code = """
import sys
from pathlib import Path
from sudokumill.formats import FORMATS
from sudokumill.jobs import JobSpec
from sudokumill.queue.direct import run_direct
from sudokumill.settings import Settings
spec = JobSpec.model_validate_json(sys.argv[1])
run_direct(spec, Settings(processes=1), Path(sys.argv[2]), FORMATS["line"], lambda made, tried: False)
"""
    for hash_seed in ("1", "2"):
        path = tmp_path / f"{hash_seed}.line"
        words = [sys.executable, "-c", code, works.progress(found.id).spec.model_dump_json(), str(path)]
        subprocess.run(words, check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed}, timeout=60)
        assert path.read_text().split() == wanted


@KINDS
def test_the_direct_runner_makes_the_same(works: Any, tmp_path: Path, kind: JobKind) -> None:
    found = works.make(kind, *WISHES[kind], count=300)
    for processes in (1, 3):
        path = tmp_path / f"{processes}.line"
        works.direct(kind, *WISHES[kind], count=300, path=path, processes=processes)
        assert path.read_text().split() == works.lines(found.id)


def test_another_seed_makes_other_rows(works: Any) -> None:
    one = works.make(JobKind.LEVELS, count=20, seed=1)
    other = works.make(JobKind.LEVELS, count=20, seed=2)
    assert not set(works.lines(one.id)) & set(works.lines(other.id))


def test_two_orders_at_the_same_time_without_a_seed_have_nothing_in_common(works: Any) -> None:
    seen = [works.make(JobKind.LEVELS, count=20, seed=None) for _ in range(2)]
    assert seen[0].seed != seen[1].seed
    assert not set(works.lines(seen[0].id)) & set(works.lines(seen[1].id))
    again = works.make(JobKind.LEVELS, count=20, seed=seen[0].seed)
    assert works.lines(again.id) == works.lines(seen[0].id)
    assert again.already == 20


def test_without_isomorphs_too(works: Any, new_works: Callable[[Path], Any], tmp_path: Path) -> None:
    asked = {"generator": "matrix-transform", "distinct": Distinct.ISOMORPH}
    first = works.make(JobKind.GENERATE, count=8, processes=1, chunk_rows=1_000, **asked)
    # it turns and relabels eight finals
    assert (first.state, first.delivered) == (JobState.DONE, 8)
    rows = works.delivered(first.id)
    for processes, chunk_rows in ((1, 3), (4, 2), (2, None)):
        other = new_works(tmp_path / f"{processes}-{chunk_rows}")
        found = other.make(JobKind.GENERATE, count=8, processes=processes, chunk_rows=chunk_rows, **asked)
        assert found.state is JobState.DONE
        assert other.delivered(found.id) == rows
        assert audit(other.database, found.id, 0.0).broken == ()
        other.database.dispose()
    short = works.make(JobKind.GENERATE, count=9, seed=5, processes=2, **asked)
    assert (short.state, short.delivered) == (JobState.INCOMPLETE, 8)
    assert "positions delivered nothing" in short.reason
    assert f"{short.repeated:,} repeated" in short.reason
    assert audit(works.database, short.id, 0.0).broken == ()
    none = works.make(JobKind.GENERATE, count=1, seed=6, new=True, max_attempts=50, **asked)
    assert (none.delivered, none.not_new) == (0, 50)
    assert audit(works.database, none.id, 0.0).broken == ()


def test_levels_have_their_class_and_none_comes_twice(works: Any) -> None:
    asked = {"generator": "matrix-transform", "digger": "holes", "distinct": Distinct.ISOMORPH}
    # of the eight finals, all but a few cells are left: many puzzles of few classes
    found = works.make(JobKind.LEVELS, "clues=80", count=20, max_attempts=400, chunk_rows=50, **asked)
    assert found.repeated > 0
    assert found.delivered + found.surplus + found.repeated + found.missed == found.tried
    with works.database.read() as connection:
        rows = connection.execute(select(Puzzle.on_target, Puzzle.class_id)).all()
    classes = [row.class_id for row in rows if row.on_target]
    assert None not in {row.class_id for row in rows}
    assert len(set(classes)) == len(classes) == found.qualified
    assert audit(works.database, found.id, 0.0).broken == ()
