"""A one-file plugin with a grader that needs no thought: a rating from the sum of the givens.

It refuses what is no puzzle as a grader must, has a ceiling and a path, and does wrong what it is told to. Ratings
go from 1.0 to 9.9, about evenly; so it shows what the host makes of grades, whoever gives them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sudokumill.contracts import (
    GraderDescriptor,
    GradeResult,
    GradeStatus,
    Options,
    Step,
    Technique,
)
from sudokumill.grids.batch import Grids, check_batch
from sudokumill.hookspecs import hookimpl
from sudokumill_native.options import SearchOptions
from sudokumill_native.solvers import NativeSolver

TECHNIQUES = (Technique("naked-single", 1.0), Technique("x-wing", 3.2), Technique("nishio", 7.5))

_STATUS = np.array(
    [
        GradeStatus.GRADED,
        GradeStatus.NOT_UNIQUE,
        GradeStatus.NO_SOLUTION,
        GradeStatus.CLASH,
        GradeStatus.GAVE_UP,
        GradeStatus.GAVE_UP,
    ],
    dtype=np.uint8,
)


class JudgeOptions(Options):
    ceiling: float | None = Field(None, ge=1, le=99, description="stop as soon as the rating is surely above")
    fault: str = Field("", description="what goes wrong with ratings of 5.0 to 5.4")
    give_up: bool = Field(False, description="give up on ratings of 9.0 and more")


class Judge:
    """Rates by the sum of (cell + 1) * digit over the givens, modulo 90."""

    def __init__(self, options: JudgeOptions) -> None:
        self._options = options
        self._solver = NativeSolver(SearchOptions())

    def grade(self, puzzles: Grids) -> GradeResult:
        given = check_batch(puzzles)
        status = _STATUS[self._solver.solve(given, limit=2).status]
        status[(given > 0).all(axis=1) & (status == GradeStatus.GRADED)] = GradeStatus.COMPLETE
        tenths = 10 + (given.astype(np.int64) * np.arange(1, 82)).sum(axis=1) % 90
        rating = np.where(status == GradeStatus.GRADED, tenths / 10, np.nan)
        if self._options.ceiling is not None:
            above = rating > self._options.ceiling
            status[above], rating[above] = GradeStatus.ABOVE, self._options.ceiling + 0.1
        if self._options.give_up:
            hard = rating >= 9.0
            status[hard], rating[hard] = GradeStatus.GAVE_UP, 9.0
        self._fault(rating)
        known = ~np.isnan(rating)
        steps = np.where(known, (given == 0).sum(axis=1) + (rating >= 3.2) + (rating >= 7.5), 0).astype(np.int64)
        techniques: list[Mapping[str, int]] = [
            _used(one, int((row == 0).sum())) for one, row in zip(rating, given, strict=True)
        ]
        hardest = [list(used)[-1] if used else None for used in techniques]
        extras = {
            "er": rating,
            "ep": np.where(known, np.minimum(rating, 1.2), np.nan),
            "ed": np.where(known, 1.0, np.nan),
            "rating_sum": rating + steps,
            "bottleneck": np.where(known, 2.0, np.nan),
            "blanks": (given == 0).sum(axis=1).astype(np.float64),
        }
        return self._spoilt(GradeResult(rating, hardest, techniques, steps, status.astype(np.uint8), extras))

    def path(self, puzzle: NDArray[np.uint8]) -> tuple[Step, ...]:
        batch = np.ascontiguousarray(puzzle[None, :])
        graded, solution = self.grade(batch), self._solver.solve(batch).solutions[0]
        if graded.status[0] != GradeStatus.GRADED:
            return ()
        blanks = np.flatnonzero(puzzle == 0).tolist()
        steps = [
            Step("naked-single", 1.0, (cell,), (int(solution[cell]),), placements=((cell, int(solution[cell])),))
            for cell in blanks
        ]
        for code, rating in (("x-wing", 3.2), ("nishio", float(graded.rating[0]))):
            if code in graded.techniques[0]:
                wrong = int(solution[blanks[0]]) % 9 + 1
                steps.insert(0, Step(code, rating, (0, 1, 9, 10), (wrong,), eliminations=((blanks[0], wrong),)))
        shown: tuple[Step, ...] = self._spoilt_path(steps, float(graded.rating[0]))
        return shown

    def _spoilt_path(self, steps: list[Step], rating: float) -> Any:
        fault = self._options.fault if 5.0 <= rating < 5.5 else ""
        if fault == "path raise":
            raise ZeroDivisionError("no way")
        if fault == "path cell":
            steps[0] = dataclasses.replace(steps[0], cells=(99,))
        if fault == "path loss":
            steps[0] = dataclasses.replace(steps[0], eliminations=steps[1].placements)
        if fault == "path short":
            steps.pop()
        return None if fault == "path none" else tuple(steps)

    def _fault(self, rating: NDArray[np.float64]) -> None:
        if self._options.fault == "raise" and ((rating >= 5.0) & (rating < 5.5)).any():
            raise ZeroDivisionError("the grader failed")

    def _spoilt(self, result: GradeResult) -> GradeResult:
        bad = (result.rating >= 5.0) & (result.rating < 5.5)
        rows = np.flatnonzero(bad).tolist()
        faults: dict[str, dict[str, Any]] = {
            "nan": {"rating": np.where(bad, np.nan, result.rating)},
            "dream": {
                "hardest": ["swordfish" if row in rows else code for row, code in enumerate(result.hardest)]
            },
            "status": {"status": np.where(bad, GradeStatus.NOT_UNIQUE, result.status).astype(np.uint8)},
            "list": {"hardest": tuple(result.hardest)},
            "count": {"techniques": [{"x-wing": 0} for _ in result.hardest]},
            "code": {"hardest": ["X Wing" for _ in result.hardest]},
            "extra": {"extras": {**result.extras, "er": np.zeros(1, dtype=np.float32)}},
            "extras": {"extras": {"er": result.rating}},
            "figure": {"extras": {**result.extras, "ep": np.where(bad, np.inf, result.rating)}},
            "off": {"extras": {**result.extras, "ed": np.where(bad, 0.5, result.rating)}},
            "half": {"extras": {**result.extras, "bottleneck": np.where(bad, 1.5, 2.0)}},
            "scale": {"rating": np.where(bad, 10.5, result.rating)},
            "easy": {"rating": np.where(bad, 2.0, result.rating)},
            "above": {"status": np.where(bad, GradeStatus.ABOVE, result.status).astype(np.uint8)},
            "below": {"steps": np.where(bad, -1, result.steps)},
            "still": {"steps": np.where(bad, 0, result.steps)},
            "silent": {
                "status": np.where(bad, GradeStatus.NOT_UNIQUE, result.status).astype(np.uint8),
                "rating": np.where(bad, np.nan, result.rating),
            },
            "strange": {
                "techniques": [
                    {**used, "swordfish": 1} if row in rows else used for row, used in enumerate(result.techniques)
                ]
            },
            "fraction": {"techniques": [{"x-wing": 1.5} for _ in result.hardest]},
            "not a number": {"techniques": [{"x-wing": np.nan} for _ in result.hardest]},
            "short": {"rating": result.rating[:-1]},
            "float": {"steps": result.steps.astype(np.float64)},
        }
        return dataclasses.replace(result, **faults.get(self._options.fault, {})) if rows else result


class Counts(Judge):
    """Rates by the number of givens: 2.4 for 24."""

    def __init__(self, options: Options) -> None:
        super().__init__(JudgeOptions())

    def grade(self, puzzles: Grids) -> GradeResult:
        graded = super().grade(puzzles)
        known = ~np.isnan(graded.rating)
        rating = np.where(known, (puzzles > 0).sum(axis=1) / 10, np.nan)
        techniques: list[Mapping[str, int]] = [{"naked-single": 1} if one else {} for one in known]
        hardest: list[str | None] = ["naked-single" if one else None for one in known]
        return dataclasses.replace(graded, rating=rating, techniques=techniques, hardest=hardest, extras={})


def _used(rating: float, blanks: int) -> dict[str, int]:
    if np.isnan(rating):
        return {}
    return {
        "naked-single": blanks,
        **({"x-wing": 1} if rating >= 3.2 else {}),
        **({"nishio": 1} if rating >= 7.5 else {}),
    }


@hookimpl
def sudokumill_register_graders() -> Iterable[GraderDescriptor]:
    yield GraderDescriptor(
        name="judge",
        version="1",
        summary="a rating from the sum of the givens",
        factory=Judge,
        options=JudgeOptions,
        rate=100_000,
        techniques=TECHNIQUES,
        scale=(1.0, 9.9),
        extras=("er", "ep", "ed", "rating_sum", "bottleneck", "blanks"),
        clue_limits=((3.2, 60), (7.5, 50)),
    )
    yield GraderDescriptor(
        name="counts",
        version="1",
        summary="a rating from the number of givens",
        factory=Counts,
        rate=100_000,
        techniques=TECHNIQUES[:1],
        scale=(1.0, 9.9),
    )
    yield GraderDescriptor(
        name="slow",
        version="1",
        summary="the same, and says that it takes its time",
        factory=Counts,
        rate=20,
        techniques=TECHNIQUES[:1],
        scale=(1.0, 9.9),
    )
