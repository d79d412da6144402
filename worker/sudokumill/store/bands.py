"""Bands: names for ranges of a grader's ratings, which a person may change.

A level's band is found when it is read. So a change of bands needs no level to be written again, and holds for all
that were graded before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from sudokumill.difficulty import shown_range
from sudokumill.errors import BadBandError, UnknownBandError, near
from sudokumill.store.database import Database
from sudokumill.store.models import Band, Identity

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 60
_GREATEST_RATING: Final = 1e6


@dataclass(frozen=True, order=True)
class BandRange:
    """A band of one grader."""

    low: float
    """The least rating that is in it."""
    high: float
    """The greatest that is in it; infinite: there is no end."""
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({shown_range(self.low, self.high)})"


LEAST_STEP: Final = 1e-6
"""Ratings are kept with six decimals."""

DEFAULT_GRADER: Final = "explainer"
"""The grader that a new database shows, and has bands of."""

DEFAULT_BANDS: Final = tuple(
    BandRange(low, high, name)
    for low, high, name in (
        (1.0, 1.2, "gentle"),
        (1.3, 1.5, "easy"),
        (1.6, 2.8, "medium"),
        (2.9, 4.4, "hard"),
        (4.5, 6.2, "expert"),
        (6.3, 7.0, "master"),
        (7.1, 7.5, "diabolical"),
        (7.6, inf, "extreme"),
    )
)
"""What a new database has (the migration writes them), for orders given before there is one."""


def bands(database: Database, grader: str | None = None) -> dict[str, list[BandRange]]:
    """The bands of each grader that has any, the easiest first.

    Args:
        database: where.
        grader: only this one's.
    """
    with database.read() as connection:
        return read_bands(connection, grader)


def read_bands(connection: Connection, grader: str | None = None) -> dict[str, list[BandRange]]:
    """``bands`` within a transaction."""
    query = select(Band).order_by(Band.grader, Band.rating_from)
    if grader is not None:
        query = query.where(Band.grader == grader)
    found: dict[str, list[BandRange]] = {}
    for row in connection.execute(query):
        high = inf if row.rating_to is None else row.rating_to
        found.setdefault(row.grader, []).append(BandRange(row.rating_from, high, row.name))
    return found


def band_named(known: dict[str, list[BandRange]], grader: str, name: str) -> BandRange:
    """The band of a grader that an order names.

    Args:
        known: what ``bands`` gave.
        grader: whose.
        name: which.

    Raises:
        UnknownBandError: it has none of this name; says who has.
    """
    for one in known.get(grader, ()):
        if one.name == name:
            return one
    others = sorted(other for other, its in known.items() if any(one.name == name for one in its))
    hint = near(name, (one.name for one in known.get(grader, ())))
    if others:
        hint = f"grader {' and '.join(others)} has one; name it with --grader"
    raise UnknownBandError(grader=grader, name=name, hint=hint)


def set_bands(database: Database, grader: str, wanted: Sequence[BandRange]) -> list[BandRange]:
    """Adds bands, or gives those of these names other ranges; all at once, so that a border between two can move.

    Where a range ends at which another one begins, the rating at the border belongs to the harder band: the other
    one ends just below.

    Args:
        database: where.
        grader: whose ratings are meant.
        wanted: names (lower case, digits and hyphens; codes, not words to be translated) and ranges.

    Returns:
        All bands of the grader by now, the easiest first.

    Raises:
        BadBandError: a name or a range cannot be, or one overlaps with another band of this grader.
    """
    for number, one in enumerate(wanted):
        _check(one)
        if any(one.name == other.name for other in wanted[:number]):
            raise BadBandError(name=one.name, reason="it is named twice")
    with database.write() as connection:
        # one person at a time: two bands that do not overlap with what is there may with each other
        connection.execute(select(Identity.id).with_for_update())
        names = [one.name for one in wanted]
        kept = [one for one in read_bands(connection, grader).get(grader, []) if one.name not in names]
        wanted = _without_touching(wanted, kept)
        for number, one in enumerate(wanted):
            _check_overlap(one, [*kept, *wanted[:number]])
        connection.execute(delete(Band).where(Band.grader == grader, Band.name.in_(names)))
        if wanted:
            connection.execute(
                insert(Band),
                [
                    {
                        "grader": grader,
                        "name": one.name,
                        "rating_from": one.low,
                        "rating_to": None if one.high == inf else one.high,
                    }
                    for one in wanted
                ],
            )
    return sorted([*kept, *wanted])


def _without_touching(wanted: Sequence[BandRange], kept: Sequence[BandRange]) -> list[BandRange]:
    """What is wanted, each with its end just below where another band begins, if it ended there.

    Ratings have six decimals at the most, so no rating lies between. Rejected: ranges without their greatest
    rating, which would say ``easy 1.3 to 1.6`` of what everybody calls 1.3 to 1.5.
    """
    begins = {one.low for one in (*wanted, *kept)}
    return [
        BandRange(one.low, round(one.high - LEAST_STEP, 6), one.name)
        if one.high in begins and one.low < one.high
        else one
        for one in wanted
    ]


def gaps(every: Sequence[BandRange]) -> list[tuple[BandRange, BandRange]]:
    """Neighbours between which there are ratings that are in no band; of bands, the easiest first."""
    return [(low, high) for low, high in pairwise(every) if round(high.low - low.high, 6) > LEAST_STEP]


def remove_band(database: Database, grader: str, name: str) -> None:
    """Takes a band away; levels that were in it are in none.

    Raises:
        UnknownBandError: there is none.
    """
    with database.write() as connection:
        known = read_bands(connection)
        band_named(known, grader, name)
        connection.execute(delete(Band).where(Band.grader == grader, Band.name == name))


def shown_grader(database: Database) -> str:
    """The grader whose grades the view ``level`` shows."""
    with database.read() as connection:
        return connection.execute(select(Identity.grader)).scalar_one()


def show_grader(database: Database, grader: str) -> None:
    """Lets the view ``level`` show this grader's grades."""
    with database.write() as connection:
        connection.execute(update(Identity).values(grader=grader))


def _check(one: BandRange) -> None:
    if not _NAME.fullmatch(one.name) or len(one.name) > _LONGEST_NAME:
        reason = f"a band's name is lower-case letters, digits and single hyphens, {_LONGEST_NAME} at the most"
        raise BadBandError(name=one.name, reason=reason)
    if not 0 <= one.low <= _GREATEST_RATING or not (one.high == inf or 0 <= one.high <= _GREATEST_RATING):
        raise BadBandError(name=one.name, reason=f"ratings go from 0 to {_GREATEST_RATING:,.0f}")
    if one.low > one.high:
        raise BadBandError(name=one.name, reason=f"from {one.low:g} is above to {one.high:g}")


def _check_overlap(one: BandRange, others: Sequence[BandRange]) -> None:
    for other in others:
        if one.low <= other.high and other.low <= one.high:
            reason = f"{shown_range(one.low, one.high)} overlaps with {other}; both ends of a range belong to it"
            raise BadBandError(name=one.name, reason=reason)
