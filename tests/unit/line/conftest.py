"""Lines with the plugin that does wrong what it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokumill.difficulty import Difficulty
from sudokumill.jobs import Choice, JobKind, JobSpec, Part
from sudokumill.line import Line
from sudokumill.registry import Registry, load_registry

DIGGING = (Part.GENERATOR, Part.DIGGER, Part.SOLVER, Part.CHECKER)
PARTS = {
    JobKind.GENERATE: (Part.GENERATOR,),
    JobKind.SOLVE: (Part.SOLVER,),
    JobKind.GRADE: (Part.GRADER,),
    JobKind.LEVELS: DIGGING,
    JobKind.DIG: DIGGING,
}


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_registry(plugin_dir=Path(__file__).parents[2] / "faults" / "plugins")


@pytest.fixture(scope="session")
def line_of(registry: Registry) -> Callable[..., Line]:
    """``line_of(kind, generator="lab raise@3", digger="native")``: name and faults of each part, then options.

    A line that digs has a grader where one is named.
    """

    def build(
        kind: JobKind,
        *,
        options: dict[str, dict[str, Any]] | None = None,
        difficulty: Difficulty | None = None,
        **choices: str,
    ) -> Line:
        names = {"generator": "lab", "digger": "lab", "solver": "native", "checker": "exact-cover", **choices}
        parts = {}
        for part in [*PARTS[kind], *([Part.GRADER] if "grader" in choices and kind is not JobKind.GRADE else [])]:
            name, _, faults = names[part.value].partition(" ")
            values = dict((options or {}).get(part.value, {}))
            if faults:
                values["faults"] = faults
            version = registry.find(part.role, name).descriptor.version
            parts[part] = Choice(name=name, version=version, options=values)
        generator = names["generator"].split()[0]
        enumerated = generator == "lab"
        spec = JobSpec(
            kind=kind, count=1, seed=11, parts=parts, enumerated=enumerated, rate=1.0, difficulty=difficulty
        )
        return Line(spec, registry)

    return build
