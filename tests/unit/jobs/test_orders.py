from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sudokumill.errors import (
    AmbiguousOptionError,
    BadOptionError,
    BadOrderError,
    BrokenImplementationError,
    CountBeyondSizeError,
    RefusedOptionsError,
    SameCheckerError,
    UnknownImplementationError,
    UnknownOptionError,
    UnknownVersionError,
    UsageError,
)
from sudokumill.jobs import GREATEST_COUNT, JobKind, JobSpec, Part, Source
from sudokumill.orders import Order, specify
from sudokumill.registry import load_registry

Ordered = Callable[..., JobSpec]
TEMPLATE = {Part.GENERATOR: "template-permutation"}


def test_what_an_order_becomes(ordered: Ordered) -> None:
    spec = ordered(JobKind.LEVELS, "clues_max=30", seed=5, max_attempts=100)
    assert (spec.kind, spec.count, spec.seed, spec.max_attempts) == (JobKind.LEVELS, 10, 5, 100)
    assert list(spec.parts) == [Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER]
    # only what was set is kept: defaults belong to the version
    assert spec.parts[Part.DIGGER].options == {"clues_max": 30}
    assert spec.parts[Part.GENERATOR].options == {}
    assert spec.parts[Part.DIGGER].version == "1"
    assert not spec.enumerated
    assert spec.size is None


def test_a_spec_survives_json(ordered: Ordered) -> None:
    spec = ordered(JobKind.LEVELS, "symmetry=rot180", "digger.minimal=true", max_seconds=2.5, chunk_rows=7)
    assert JobSpec.model_validate(spec.model_dump(mode="json")) == spec
    assert JobSpec.model_validate_json(spec.model_dump_json()) == spec


def test_each_kind_has_its_parts(ordered: Ordered) -> None:
    assert list(ordered(JobKind.GENERATE).parts) == [Part.GENERATOR]
    assert list(ordered(JobKind.SOLVE, source=Source.FILE, inputs=20).parts) == [Part.SOLVER]
    dig = ordered(JobKind.DIG, source=Source.UNDUG, inputs=20)
    assert list(dig.parts) == [Part.DIGGER, Part.SOLVER, Part.CHECKER]
    assert dig.size == 20
    assert Part.GENERATOR in ordered(JobKind.DIG).parts


def test_a_drawn_seed_is_another_each_time(ordered: Ordered) -> None:
    seeds = {ordered().seed for _ in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**63 for seed in seeds)


@pytest.mark.parametrize(
    ("part", "name", "near"),
    [
        (Part.GENERATOR, "las-vega", "las-vegas"),
        (Part.DIGGER, "hole", "holes"),
        (Part.SOLVER, "exact-kover", "exact-cover"),
        (Part.CHECKER, "nativ", "native"),
    ],
)
def test_an_unknown_name_gets_the_near_ones(ordered: Ordered, part: Part, name: str, near: str) -> None:
    with pytest.raises(UnknownImplementationError, match=near) as caught:
        ordered(names={part: name})
    assert name in str(caught.value)
    assert caught.value.exit_code == 2


def test_pinned_versions(ordered: Ordered) -> None:
    spec = ordered(names={Part.GENERATOR: "native==2"})
    assert spec.parts[Part.GENERATOR].pinned
    assert not spec.parts[Part.DIGGER].pinned
    with pytest.raises(UnknownVersionError, match=r"generator 'native' is here in version 2, .* names 7\.2"):
        ordered(names={Part.GENERATOR: "native==7.2"})


# --- options -----------------------------------------------------------------------------------------------


@pytest.mark.cases("generate", ids=["C037"])
def test_an_unknown_option_is_refused(ordered: Ordered, case: dict[str, Any]) -> None:
    with pytest.raises(UnknownOptionError) as caught:
        ordered(JobKind.LEVELS, f"dificulty={case['input']['dificulty']}")
    assert all(word in str(caught.value) for word in case["expect"]["error_mentions"])


def test_an_unknown_option_gets_the_near_ones(ordered: Ordered) -> None:
    with pytest.raises(UnknownOptionError, match="did you mean symmetry"):
        ordered(JobKind.LEVELS, "simmetry=rot180")
    with pytest.raises(UnknownOptionError, match="did you mean clues_max"):
        ordered(JobKind.LEVELS, "digger.clues_mx=30")


def test_an_option_of_two_parts_needs_its_part(ordered: Ordered) -> None:
    with pytest.raises(AmbiguousOptionError, match=r"solver native and checker exact-cover.*solver\.max_nodes=9"):
        ordered(JobKind.LEVELS, "max_nodes=9")
    spec = ordered(JobKind.LEVELS, "solver.max_nodes=9", "checker.max_nodes=8")
    assert spec.parts[Part.SOLVER].options == {"max_nodes": 9}
    assert spec.parts[Part.CHECKER].options == {"max_nodes": 8}


@pytest.mark.parametrize("text", ["clues_max", "=30", "", "digger.clues_max"])
def test_a_malformed_option_is_refused(ordered: Ordered, text: str) -> None:
    with pytest.raises(BadOrderError, match="NAME=VALUE"):
        ordered(JobKind.LEVELS, text)


def test_a_part_that_the_job_has_not(ordered: Ordered) -> None:
    with pytest.raises(BadOrderError, match="this job has no 'diger'; did you mean digger"):
        ordered(JobKind.LEVELS, "diger.clues_max=30")
    with pytest.raises(BadOrderError, match="this job has no 'digger'"):
        ordered(JobKind.GENERATE, "digger.clues_max=30")


@pytest.mark.parametrize("second", ["clues_max=30", "digger.clues_max=30", "clues_max=31"])
def test_an_option_given_twice_is_refused(ordered: Ordered, second: str) -> None:
    with pytest.raises(BadOrderError, match="clues_max is given twice"):
        ordered(JobKind.LEVELS, "clues_max=30", second)


def test_a_value_may_hold_an_equals_sign(ordered: Ordered) -> None:
    spec = ordered(JobKind.GENERATE, "letters=a=b", names={Part.GENERATOR: "lab"})
    assert spec.parts[Part.GENERATOR].options == {"letters": "a=b"}


@pytest.mark.parametrize(
    ("names", "option", "message"),
    [
        (TEMPLATE, "first_digit=x", "generator template-permutation: option first_digit: x is not a whole number"),
        (TEMPLATE, "first_digit=10", "from 1 to 9"),
        (TEMPLATE, "first_digit=", "first_digit"),
        (TEMPLATE, "first_digit=1.5", "whole number"),
        ({}, "minimal=perhaps", "true or false"),
        ({}, "symmetry=round", "rot180"),
    ],
)
def test_wrong_type_and_range(ordered: Ordered, names: Mapping[Part, str], option: str, message: str) -> None:
    with pytest.raises(BadOptionError) as caught:
        ordered(JobKind.LEVELS, option, names=names)
    assert message in str(caught.value)


@pytest.mark.parametrize("digger", ["native", "holes"])
@pytest.mark.cases("generate", ids=["C028", "C029", "C030", "C032"])
def test_clue_counts_that_cannot_be(ordered: Ordered, case: dict[str, Any], digger: str) -> None:
    wishes = [f"{name}={value}" for name, value in case["input"].items() if name not in {"count", "seed"}]
    with pytest.raises(UsageError) as caught:
        ordered(JobKind.LEVELS, *wishes, names={Part.DIGGER: digger})
    assert all(word in str(caught.value) for word in case["expect"]["error_mentions"])


def test_contradictory_options(ordered: Ordered) -> None:
    with pytest.raises(RefusedOptionsError, match=r"level=5 and order=jump contradict"):
        ordered(JobKind.LEVELS, "level=5", "order=jump", names={Part.DIGGER: "holes"})


# --- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("count", 0, "--count 0: order one or more"),
        ("count", -5, "--count -5: order one or more"),
        ("count", GREATEST_COUNT + 1, "10,000,000,000"),
        ("count", None, "--count"),
        ("seed", -1, "--seed -1"),
        ("seed", 2**63, "2**63 - 1"),
        ("chunk_rows", 0, "--chunk 0"),
        ("limit", 0, "--limit 0"),
        ("max_attempts", 0, "--max-attempts 0"),
        ("max_seconds", 0.0, "--max-seconds 0"),
        ("max_seconds", -1.0, "--max-seconds -1"),
        ("max_seconds", float("nan"), "--max-seconds nan"),
        ("max_seconds", float("inf"), "--max-seconds inf"),
        ("inputs", 0, "no grid"),
    ],
)
def test_numbers_out_of_range(ordered: Ordered, field: str, value: float | None, message: str) -> None:
    fields = {field: value, **({"source": Source.FILE, "count": None} if field == "inputs" else {})}
    with pytest.raises(BadOrderError) as caught:
        ordered(JobKind.SOLVE if field == "inputs" else JobKind.LEVELS, **fields)
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_the_first_and_the_last_seed(ordered: Ordered, seed: int) -> None:
    assert ordered(seed=seed).seed == seed


def test_an_enumerating_generator_bounds_the_count(ordered: Ordered) -> None:
    spec = ordered(JobKind.GENERATE, count=2_903_040, names=TEMPLATE)
    assert (spec.size, spec.enumerated) == (2_903_040, True)
    with pytest.raises(CountBeyondSizeError, match=r"makes 2,903,040 distinct finals.*2,903,041 were ordered"):
        ordered(JobKind.GENERATE, count=2_903_041, names=TEMPLATE)
    with pytest.raises(CountBeyondSizeError):
        ordered(JobKind.LEVELS, count=3_000_000, names=TEMPLATE)


def test_a_size_that_depends_on_options(ordered: Ordered) -> None:
    with pytest.raises(CountBeyondSizeError, match="order 9 or fewer"):
        ordered(JobKind.GENERATE, "size=9", names={Part.GENERATOR: "lab"})


def test_no_more_than_the_source_has(ordered: Ordered) -> None:
    with pytest.raises(BadOrderError, match="--count 30: the source has 20 grids"):
        ordered(JobKind.SOLVE, source=Source.FILE, inputs=20, count=30)
    assert ordered(JobKind.SOLVE, source=Source.FILE, inputs=20, count=None).count == 20


# --- the checker -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        {Part.CHECKER: "native"},  # the digger has the code of this solver inside
        {Part.DIGGER: "holes", Part.CHECKER: "native"},  # the digger is given this solver
        {Part.DIGGER: "holes", Part.SOLVER: "exact-cover"},
        {Part.DIGGER: "holes", Part.SOLVER: "exact-cover==1", Part.CHECKER: "exact-cover"},
        {Part.DIGGER: "holes", Part.SOLVER: "dfs", Part.CHECKER: "random-blank"},  # two names, one search
    ],
)
def test_the_checker_is_not_the_diggers_solver(ordered: Ordered, names: Mapping[Part, str]) -> None:
    with pytest.raises(SameCheckerError, match="choose another --checker"):
        ordered(names=names)


def test_the_jobs_solver_may_check_what_did_not_use_it(ordered: Ordered) -> None:
    names = {Part.SOLVER: "exact-cover", Part.CHECKER: "exact-cover"}
    assert ordered(names=names).parts[Part.CHECKER].name == "exact-cover"


# --- what only building shows -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["generator", "digger"])
def test_what_cannot_be_built_is_refused_when_ordered(tmp_path: Path, role: str) -> None:
    kind = {"generator": "GeneratorDescriptor", "digger": "DiggerDescriptor"}[role]
    (tmp_path / "broken.py").write_text(f"""
from sudokumill.contracts import *
from sudokumill.hookspecs import hookimpl

def build(options):
    raise OSError("no licence file")

@hookimpl
def sudokumill_register_{role}s():
    yield {kind}(name="broken", version="1", summary="cannot be built", factory=build, rate=1.0)
""")
    names = {Part.GENERATOR: "native", Part.DIGGER: "native", Part.SOLVER: "native", Part.CHECKER: "exact-cover"}
    names[Part(role)] = "broken"
    with pytest.raises(BrokenImplementationError, match="no licence file"):
        specify(Order(JobKind.LEVELS, 10, names), load_registry(plugin_dir=tmp_path))
