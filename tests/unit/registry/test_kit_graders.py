"""The kit of graders passes what is right, and names the rule that something breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sudokumill.contracts import Role
from sudokumill.errors import ConformanceError
from sudokumill.registry import Implementation, load_registry
from sudokumill.testing import check_grader

Find = Callable[[str], Implementation]

PLUGIN = """
import dataclasses
from sudokumill.testing import ReferenceSolver

class Nodes:
    "Rates by search nodes."
    def __init__(self, options):
        pass
    def grade(self, puzzles):
        result = ReferenceSolver().solve(check_batch(puzzles))
        status = np.array([GradeStatus.GRADED, GradeStatus.NOT_UNIQUE, GradeStatus.NO_SOLUTION, GradeStatus.CLASH],
                          dtype=np.uint8)[result.status]
        complete = (puzzles > 0).all(axis=1) & (status == GradeStatus.GRADED)
        status[complete] = GradeStatus.COMPLETE
        graded = status == GradeStatus.GRADED
        rating = np.where(graded, result.nodes + 1.0, np.nan)
        steps = np.where(graded, (puzzles == 0).sum(axis=1), 0)
        used = [{"guess": int(n)} if g else {} for g, n in zip(graded, steps)]
        hardest = ["guess" if g else None for g in graded]
        return self.changed(GradeResult(rating, hardest, used, steps, status, {"er": rating.copy()}))
    def changed(self, result):
        return result
    def steps(self, puzzle):
        (solved,) = ReferenceSolver().solve(puzzle[None]).solutions
        return [Step("guess", 1.0, (cell,), (int(solved[cell]),), placements=((cell, int(solved[cell])),))
                for cell in np.flatnonzero(puzzle == 0).tolist()]

class Rates(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, rating=np.nan_to_num(result.rating))

class Dreams(Nodes):
    def changed(self, result):
        result.hardest[:] = ["fish" if code else None for code in result.hardest]
        return result

class Blurs(Nodes):
    def changed(self, result):
        result.status[result.status == GradeStatus.COMPLETE] = GradeStatus.GRADED
        return result

class Short(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, hardest=result.hardest[:-1])

class Talks(Nodes):
    def changed(self, result):
        result.extras["er"][result.status == GradeStatus.CLASH] = 0
        return result

class Strays(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, rating=result.rating + 100)

class Invents(Nodes):
    def changed(self, result):
        result.hardest[:] = [code and "fish" for code in result.hardest]
        return dataclasses.replace(result, techniques=[{"fish": 1} if used else {} for used in result.techniques])

class Hides(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, extras={})

class Flatters(Nodes):
    "Rates below what its technique is declared to be rated."
    def changed(self, result):
        result.extras["er"][:] = result.rating[:] = np.where(np.isnan(result.rating), np.nan, 0.75)
        return result

class Counts(Nodes):
    def changed(self, result):
        used = [{"guess": -1} if used else {} for used in result.techniques]
        return dataclasses.replace(result, techniques=used)

class Halves(Nodes):
    def changed(self, result):
        used = [{"guess": 1.5} if used else {} for used in result.techniques]
        return dataclasses.replace(result, techniques=used)

class Stands(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, steps=np.zeros(len(result.steps), dtype=np.int64))

class Nans(Nodes):
    def changed(self, result):
        result.rating[result.status == GradeStatus.GRADED] = np.nan
        return result

class Wide(Nodes):
    def changed(self, result):
        result.extras["er"][result.status == GradeStatus.GRADED] = 500.0
        return result

class Floats(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, steps=result.steps.astype(np.float64))

class Unknown(Nodes):
    def changed(self, result):
        return dataclasses.replace(result, status=result.status + np.uint8(90))

class Tall(Nodes):
    "Is above a ceiling that it has not."
    def changed(self, result):
        result.status[result.status == GradeStatus.GRADED] = GradeStatus.ABOVE
        return result

class GivesUp(Nodes):
    "A lower bound off the scale."
    def changed(self, result):
        graded = result.status == GradeStatus.GRADED
        result.status[graded] = GradeStatus.GAVE_UP
        result.extras["er"][graded] = result.rating[graded] = 0.1
        return result

class Ceiling(Options):
    ceiling: float | None = None

class Stops(Nodes):
    "Ends at the ceiling, and says so; the others do not do so well."
    def __init__(self, options):
        self.ceiling = options.ceiling
    def changed(self, result):
        above = np.zeros(len(result.rating), dtype=bool) if self.ceiling is None else result.rating > self.ceiling
        result.status[above] = GradeStatus.ABOVE
        result.extras["er"][above] = result.rating[above] = 1.0 if self.ceiling is None else self.ceiling + 0.5
        return result

class StopsLate(Stops):
    def changed(self, result):
        result = super().changed(result)
        if self.ceiling is not None:
            result.rating[result.status == GradeStatus.GRADED] += 1
        return result

class StopsLow(Stops):
    "Its lower bound is the ceiling itself."
    def changed(self, result):
        result = super().changed(result)
        if self.ceiling is not None:
            result.rating[result.status == GradeStatus.ABOVE] = self.ceiling
        return result

class StopsEarly(Stops):
    def changed(self, result):
        if self.ceiling is not None:
            result.status[result.status == GradeStatus.GRADED] = GradeStatus.ABOVE
        return result

class Shows(Nodes):
    def path(self, puzzle):
        fine = self.grade(puzzle[None]).status[0] == GradeStatus.GRADED
        return tuple(self.shown(self.steps(puzzle), puzzle)) if fine else ()
    def shown(self, steps, puzzle):
        return steps

class ShowsLess(Shows):
    def shown(self, steps, puzzle):
        return steps[1:]

class ShowsWrong(Shows):
    def shown(self, steps, puzzle):
        ((cell, digit),) = steps[-1].placements
        return [*steps[:-1], dataclasses.replace(steps[-1], placements=((cell, digit % 9 + 1),))]

class ShowsGap(Shows):
    def shown(self, steps, puzzle):
        ((cell, digit),) = steps[-1].placements
        return [*steps[:-1], dataclasses.replace(steps[-1], placements=(), eliminations=((cell, digit % 9 + 1),))]

class ShowsLoss(Shows):
    def shown(self, steps, puzzle):
        return [*steps[:-1], dataclasses.replace(steps[-1], placements=(), eliminations=steps[-1].placements)]

class ShowsAll(Shows):
    def path(self, puzzle):
        return tuple(self.steps(puzzle))

class ShowsNothing(Shows):
    def path(self, puzzle):
        return None

class ShowsFault(Shows):
    def shown(self, steps, puzzle):
        raise ZeroDivisionError("no way")

class ShowsOther(Shows):
    def shown(self, steps, puzzle):
        return [dataclasses.replace(step, technique="fish") for step in steps]

class ShowsArrays(Shows):
    def shown(self, steps, puzzle):
        return [dataclasses.replace(step, cells=tuple(np.array(step.cells))) for step in steps]

class ShowsLeap(Shows):
    "A chain of which one link does not follow."
    def shown(self, steps, puzzle):
        ((cell, digit),) = steps[0].placements
        chain = (Link(cell, digit, False, "assumed"), Link(cell, digit, True, "cell", (0,)))
        return [dataclasses.replace(steps[0], chains=(chain,)), *steps[1:]]

@hookimpl
def sudokumill_register_graders():
    shows = (Shows, ShowsLess, ShowsWrong, ShowsGap, ShowsLoss, ShowsAll, ShowsNothing,
             ShowsFault, ShowsOther, ShowsArrays, ShowsLeap)
    stops = (Stops, StopsLate, StopsLow, StopsEarly)
    more = (Flatters, Counts, Halves, Stands, Nans, Wide, Floats, Unknown, Tall, GivesUp)
    for kind in (Nodes, Rates, Dreams, Blurs, Short, Talks, Strays, Invents, Hides, *more, *shows, *stops):
        yield GraderDescriptor(name=kind.__name__.lower(), version="1", summary="s", factory=kind, rate=9,
                               techniques=(Technique("guess", 1.0),), scale=(0.5, 99.0), extras=("er",),
                               options=Ceiling if kind in stops else Options)
"""


@pytest.fixture
def find(write_plugin: Callable[[str, str], Path]) -> Find:
    registry = load_registry("others", write_plugin("others", PLUGIN))
    return lambda name: registry.find(Role.GRADER, name)


def test_a_good_grader_passes(find: Find) -> None:
    check_grader(find("nodes"), hard=True)
    check_grader(find("shows"))
    check_grader(find("stops"))
    check_grader(find("stops"), {"ceiling": 1.0})


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("rates", "no grade, no rating"),
        ("dreams", "the hardest technique was used"),
        ("blurs", "statuses are right"),
        ("short", "shapes and dtypes"),
        ("talks", "no grade, no figures"),
        ("strays", "ratings lie on the scale"),
        ("invents", "techniques are declared"),
        ("hides", "extras are declared"),
        ("flatters", "the host takes every grade"),
        ("counts", "shapes and dtypes"),
        ("halves", "shapes and dtypes"),
        ("stands", "the host takes every grade"),
        ("nans", "what is graded has a rating"),
        ("wide", "the host takes every grade"),
        ("floats", "shapes and dtypes"),
        ("unknown", "shapes and dtypes"),
        ("tall", "statuses are right"),
        ("givesup", "the host takes every grade"),
        ("stopslate", "a ceiling keeps what is not above"),
        ("stopslow", "a ceiling keeps what is not above"),
        ("stopsearly", "a ceiling keeps what is not above"),
        ("showsless", "the path is right"),
        ("showswrong", "the path is right"),
        ("showsgap", "the path is right"),
        ("showsloss", "the path is right"),
        ("showsall", "no grade, no path"),
        ("showsnothing", "the path is right"),
        ("showsfault", "the path is right"),
        ("showsother", "the path is right"),
        ("showsarrays", "the path is right"),
        ("showsleap", "the path is right"),
    ],
)
def test_a_bad_grader_is_told_its_rule(find: Find, name: str, rule: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_grader(find(name))
    assert caught.value.fields["rule"] == rule, str(caught.value)
