"""What an order asks of a grade: a range of ratings, techniques that are used, techniques that are not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sudokumill.contracts import GraderDescriptor, GradeStatus
from sudokumill.errors import BadOrderError, near

if TYPE_CHECKING:
    from sudokumill.rows import Grades

_NUMBER: Final = r"\d{1,9}(?:\.\d{1,6})?"
_RANGE: Final = re.compile(rf"(?P<low>{_NUMBER})?(?P<dots>\.\.)?(?P<high>{_NUMBER})?")


def parse_range(text: str) -> tuple[float, float]:
    """The ends of a range of ratings as a person types it; both belong to it.

    Args:
        text: ``4.2..5.0``, ``4.2..`` (0 to 5.0 without the first), or ``4.2`` for this rating alone.

    Returns:
        The least and the greatest rating, which may be infinite.

    Raises:
        BadOrderError: it is none.
    """
    found = _RANGE.fullmatch(text.strip())
    if (
        found is None
        or not (found["low"] or found["high"])
        or (found["low"] and found["high"] and not found["dots"])
    ):
        raise BadOrderError(reason=f"{text!r} is no range of ratings; write FROM..TO, for example 4.2..5.0")
    low = float(found["low"] or 0)
    high = float(found["high"]) if found["high"] else (inf if found["dots"] else low)
    if low > high:
        raise BadOrderError(reason=f"{text}: from {shown_rating(low)} is above to {shown_rating(high)}")
    return low, high


def shown_rating(rating: float) -> str:
    """A rating as the field quotes it: with one decimal, or more where it has them."""
    return f"{rating:.1f}" if round(rating, 1) == rating else f"{rating:.6f}".rstrip("0")


def shown_range(low: float, high: float) -> str:
    """A range of ratings for people: ``4.2..5.0``, ``4.2``, ``7.6 or more``, ``1.2 or less``."""
    if high == inf:
        return f"{shown_rating(low)} or more"
    if low == high:
        return shown_rating(low)
    return f"{shown_rating(low)}..{shown_rating(high)}" if low > 0 else f"{shown_rating(high)} or less"


class Difficulty(BaseModel):
    """What is asked of a grade. Frozen into the job, so that a change of bands changes no order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rating_from: float | None = None
    """The least rating; None: none is asked for."""
    rating_to: float | None = None
    """The greatest rating; None: there is no end."""
    band: str | None = None
    """The band that the range was taken from."""
    techniques: tuple[str, ...] = ()
    """Each of these is used at least once."""
    without: tuple[str, ...] = ()
    """None of these is used."""

    @property
    def low(self) -> float:
        """The least rating."""
        return 0.0 if self.rating_from is None else self.rating_from

    @property
    def high(self) -> float:
        """The greatest rating, infinite for no end."""
        return inf if self.rating_to is None else self.rating_to

    @property
    def asks(self) -> bool:
        """Whether anything is asked for."""
        return self != Difficulty()

    def met_by(self, grades: Grades) -> NDArray[np.bool_]:
        """Which grades are what is asked for; shape (n,).

        One that did not come to an end is not: its rating is only a lower bound, and its techniques not all.
        """
        met: NDArray[np.bool_] = (
            (grades.status == GradeStatus.GRADED) & (grades.rating >= self.low) & (grades.rating <= self.high)
        )
        if self.techniques or self.without:
            for row in np.flatnonzero(met):
                used = grades.techniques[row]
                met[row] = all(map(used.__contains__, self.techniques)) and not any(
                    map(used.__contains__, self.without)
                )
        return met

    def __str__(self) -> str:
        """In a few words."""
        words: list[str] = []
        if self.band is not None:
            words.append(f"band {self.band}")
        if self.rating_from is not None or self.rating_to is not None:
            words.append(f"rating {shown_range(self.low, self.high)}")
        words += [f"with {code}" for code in self.techniques] + [f"without {code}" for code in self.without]
        return ", ".join(words)


def check_difficulty(asked: Difficulty, grader: GraderDescriptor, fewest_clues: int) -> None:
    """Refuses what this grader never says of a puzzle with so many clues, as far as is known without a search.

    Args:
        asked: what is asked for.
        grader: who is to judge.
        fewest_clues: that are to remain.

    Raises:
        BadOrderError: why.
    """
    for code in (*asked.techniques, *asked.without):
        if code not in grader.codes:
            raise BadOrderError(
                reason=f"grader {grader.name} knows no technique {code!r}; "
                + near(code, grader.codes, f"sudokumill plugins show grader {grader.name}")
            )
    both = sorted({*asked.techniques} & {*asked.without})
    if both:
        raise BadOrderError(reason=f"technique {both[0]} is asked for and excluded; leave out one")
    _check_range(asked, grader)
    needed = {one.code: one.rating for one in grader.techniques if one.code in asked.techniques}
    for code, rating in needed.items():
        if rating > asked.high:
            raise BadOrderError(
                reason=f"technique {code} is rated {rating:g} or more by grader {grader.name}, and the rating is "
                f"to be {asked.high:g} or less"
            )
    allowed = [one.rating for one in grader.techniques if one.code not in asked.without]
    if asked.without and not any(rating <= asked.high for rating in allowed):
        raise BadOrderError(reason=f"without {', '.join(asked.without)} no puzzle is rated {asked.high:g} or less")
    least = max(asked.low, *needed.values(), 0.0)
    _check_clues(least, grader, fewest_clues)


def _check_range(asked: Difficulty, grader: GraderDescriptor) -> None:
    if asked.rating_from is None and asked.rating_to is None:
        return
    if grader.scale is None:
        raise BadOrderError(
            reason=f"grader {grader.name} does not say which ratings it gives; choose another --grader"
        )
    least, greatest = grader.scale
    scale = f"the ratings of grader {grader.name} go from {least:g} to {greatest:g}"
    if asked.low > greatest or asked.high < least:
        raise BadOrderError(reason=f"{asked}: {scale}")
    if asked.band is None and (
        (asked.rating_from is not None and 0 < asked.low < least) or (asked.high != inf and asked.high > greatest)
    ):
        raise BadOrderError(reason=f"{asked}: {scale}; leave out an end to have none")


def _check_clues(least: float, grader: GraderDescriptor, fewest_clues: int) -> None:
    for rating, clues in _falling(grader.clue_limits):
        if least >= rating and fewest_clues > clues:
            raise BadOrderError(
                reason=f"no puzzle with more than {clues} clues is known that grader {grader.name} rates "
                f"{rating:g} or more, but at least {fewest_clues} are to remain"
            )


def _falling(limits: Iterable[tuple[float, int]]) -> list[tuple[float, int]]:
    """The tightest first, which is the one to name."""
    return sorted(limits, key=lambda one: one[1])
