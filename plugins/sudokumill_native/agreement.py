"""How far grader ``explainer`` agrees with ratings of the classic program, by ranges of these.

``python -m sudokumill_native.agreement FILE.csv`` reads a table with the columns ``puzzle``, ``se_er``, ``se_ep``
and ``se_ed``, and if it is there ``se_hardest``, the name that the classic program gives the hardest technique. It
prints shares by ranges, and what differs by kind, with an example of each.

All kinds have one reason: the classic program takes the first hint that it meets, and which that is depends on how
the grid is turned; here nothing does. ``worker/README.md`` tells what is done instead.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeResult, GradeStatus
from sudokumill.grids.batch import Grids, from_lines, to_lines
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import ExplainerOptions

RATINGS: Final = ("se_er", "se_ep", "se_ed")

RANGES: Final = (
    (1.0, 1.5),
    (1.7, 2.8),
    (3.0, 4.4),
    (4.5, 6.2),
    (6.5, 7.0),
    (7.1, 7.5),
    (7.6, 8.1),
    (8.2, 8.9),
    (9.0, 20.0),
    (1.0, 5.0),
    (1.0, 7.5),
    (7.6, 20.0),
    (1.0, 20.0),
)
"""Both ends belong to a range; the last four sum up those before."""

_HIDDEN_SINGLES: Final = {1.0: "hidden-single-last", 1.2: "hidden-single-box", 1.5: "hidden-single-line"}

_CODES: Final = {
    "turbot fish": "forcing-x-chain",
    "bidirectional x-cycle": "x-cycle",
    "bidirectional y-cycle": "y-cycle",
    "bidirectional cycle": "xy-cycle",
    "nishio forcing chains": "nishio",
}


class Kind(StrEnum):
    """Why a grade differs, as far as the techniques tell that need the most."""

    NOT_GRADED = "not graded to the end"
    START = "another EP or ED only"
    NAME = "same ER, hardest technique named otherwise"
    LOOPS = "unique loops: no branch leaves digits to the next"
    PATH = "to 7.5: all hints of a step at once"
    NISHIO = "nishio: which of equal parents counts"
    REGIONS = "8.0 and more: which regions have chains"
    DYNAMIC = "dynamic: which of equal parents counts"


class UnreadableTableError(Exception):
    """A table that is none, or lacks something."""


@dataclass(frozen=True)
class Table:
    """Puzzles, and what the classic program says of them."""

    puzzles: Grids
    """Shape (n, 81)."""

    ratings: Mapping[str, NDArray[np.float64]]
    """By the names of the columns; each of shape (n,)."""

    hardest: Sequence[str] | None
    """Codes of techniques."""


@dataclass(frozen=True)
class Agreement:
    """How many of the puzzles in a range of ratings got what the classic program gives them."""

    low: float
    high: float
    puzzles: int
    er: int
    er_within_3: int
    """Those whose ER differs by 0.3 or less."""
    ep: int
    ed: int
    hardest: int | None


def code_of(name: str, rating: float) -> str:
    """The code of a technique by the name that the classic program has for it; a code stays one.

    Args:
        name: for example ``Unique Loop 10 type 2``.
        rating: of the step, which tells one hidden single from another.
    """
    lowered = name.strip().lower()
    if lowered == "hidden single":
        return _HIDDEN_SINGLES.get(round(rating, 1), "hidden-single")
    lowered = lowered.replace("unique loop 10", "unique loop").replace(" type ", "-")
    return _CODES.get(lowered, lowered.replace(" ", "-"))


def read_table(path: Path) -> Table:
    """Reads a CSV file.

    Raises:
        OSError: the file cannot be read.
        UnreadableTableError: a column is missing, or a line holds no puzzle or no number.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames or ()
        missing = [name for name in ("puzzle", *RATINGS) if name not in columns]
        if missing:
            raise UnreadableTableError(f"{path} has no column {missing[0]}")
        lines: list[str] = []
        ratings: dict[str, list[float]] = {name: [] for name in RATINGS}
        names: list[str] = []
        for row in reader:
            try:
                from_lines([row["puzzle"]])
                for name in RATINGS:
                    ratings[name].append(float(row[name]))
            except (TypeError, ValueError) as error:
                raise UnreadableTableError(f"{path}, line {reader.line_num}: {error}") from None
            lines.append(row["puzzle"])
            names.append(row.get("se_hardest") or "")
    hardest = [code_of(name, er) for name, er in zip(names, ratings["se_er"], strict=True)]
    return Table(
        puzzles=from_lines(lines),
        ratings={name: np.array(values) for name, values in ratings.items()},
        hardest=hardest if "se_hardest" in columns else None,
    )


def equal_hardest(ours: Sequence[str | None], theirs: Sequence[str]) -> NDArray[np.bool_]:
    """Which codes are equal. The classic program does not say which dynamic chains are (+), so that is open."""
    return np.array(
        [(code or "").removesuffix("-plus") == other for code, other in zip(ours, theirs, strict=True)],
        dtype=np.bool_,
    )


def compare(table: Table, result: GradeResult) -> tuple[list[Agreement], NDArray[np.bool_]]:
    """Agreement by ranges, empty ones left out; and which puzzles have another ER, EP or ED."""
    graded = result.status == GradeStatus.GRADED
    er, ep, ed = (
        graded & (np.abs(result.extras[name] - table.ratings[f"se_{name}"]) < 0.05) for name in ("er", "ep", "ed")
    )
    within = graded & (np.abs(result.extras["er"] - table.ratings["se_er"]) < 0.35)
    hardest = None if table.hardest is None else equal_hardest(result.hardest, table.hardest)
    rows = []
    for low, high in RANGES:
        here = (table.ratings["se_er"] > low - 0.05) & (table.ratings["se_er"] < high + 0.05)
        if here.any():
            rows.append(
                Agreement(
                    low,
                    high,
                    int(here.sum()),
                    int(er[here].sum()),
                    int(within[here].sum()),
                    int(ep[here].sum()),
                    int(ed[here].sum()),
                    None if hardest is None else int(hardest[here].sum()),
                )
            )
    return rows, ~(er & ep & ed)


def kind_of(theirs: str | None, ours: str | None, rating: float) -> Kind:
    """The kind of a grade with another ER.

    Args:
        theirs: the classic program's hardest technique; None: it is not known.
        ours: that of this grader; None: there is no grade.
        rating: the classic program's ER.
    """
    if ours is None:
        return Kind.NOT_GRADED
    both = (theirs or "", ours)
    if any(code.startswith(("unique-", "bug-")) for code in both):
        return Kind.LOOPS
    if "nishio" in both:
        return Kind.NISHIO
    if any(code.startswith(("cell-", "region-")) for code in both):
        return Kind.REGIONS
    return Kind.DYNAMIC if rating > 7.55 else Kind.PATH


@dataclass(frozen=True)
class Difference:
    """The grades that differ for one reason."""

    kind: Kind
    puzzles: int
    lower: int
    """Those with an ER below the classic program's."""

    higher: int
    most: float
    """By how much the ER differs at the most."""

    example: str
    """81 characters: the first puzzle."""

    theirs: str
    """Its ER, EP, ED and hardest technique."""

    ours: str


def differences(table: Table, result: GradeResult) -> list[Difference]:
    """What differs, by kind, the most frequent first."""
    by_kind: dict[Kind, list[int]] = {}
    apart = result.extras["er"] - table.ratings["se_er"]
    _, differing = compare(table, result)
    equal_names = None if table.hardest is None else equal_hardest(result.hardest, table.hardest)
    for row in range(len(table.puzzles)):
        theirs = None if table.hardest is None else table.hardest[row]
        if not abs(apart[row]) < 0.05:  # also where there is none
            kind = kind_of(theirs, result.hardest[row], table.ratings["se_er"][row])
        elif differing[row]:
            kind = Kind.START if result.hardest[row] is not None else Kind.NOT_GRADED
        elif equal_names is not None and not equal_names[row]:
            kind = Kind.NAME
        else:
            continue
        by_kind.setdefault(kind, []).append(row)
    found = [
        Difference(
            kind=kind,
            puzzles=len(rows),
            lower=int((apart[rows] < -0.05).sum()),
            higher=int((apart[rows] > 0.05).sum()),
            most=round(float(np.nan_to_num(np.abs(apart[rows])).max()), 1),
            example=to_lines(table.puzzles[rows[:1]])[0],
            theirs=_theirs(table, rows[0]),
            ours=_ours(result, rows[0]),
        )
        for kind, rows in by_kind.items()
    ]
    return sorted(found, key=lambda one: -one.puzzles)


def _theirs(table: Table, row: int) -> str:
    ratings = "/".join(f"{table.ratings[name][row]:.1f}" for name in RATINGS)
    return ratings if table.hardest is None else f"{ratings} {table.hardest[row]}"


def _ours(result: GradeResult, row: int) -> str:
    ratings = "/".join(f"{result.extras[name][row]:.1f}" for name in ("er", "ep", "ed"))
    return f"{ratings} {result.hardest[row] or GradeStatus(int(result.status[row])).name}"


def _line(row: Agreement) -> str:
    named = f"{row.low:.1f} to {row.high:.1f}" if row.high < RANGES[-1][1] else f"{row.low:.1f} and more"
    counts = (row.er, row.er_within_3, row.ep, row.ed, row.hardest)
    shares = ["" if count is None else f"{100 * count / row.puzzles:.2f}" for count in counts]
    return f"{named:14} {row.puzzles:8,}" + "".join(f" {share:>8}" for share in shares).rstrip()


def _print_table(rows: Sequence[Agreement]) -> None:
    print("per cent of puzzles with an equal ER, one within 0.3, an equal EP, ED, hardest technique")
    print(f"{'ER':14} {'puzzles':>8}" + "".join(f" {name:>8}" for name in ("ER", "+-0.3", "EP", "ED", "hardest")))
    for row in rows:
        print(_line(row))


def _print_differences(found: Sequence[Difference]) -> None:
    if found:
        print("\nwhat differs, by kind; how many, of these with a lower and a higher ER, by how much at the most")
    for one in found:
        print(f"{one.kind:50} {one.puzzles:5,} {one.lower:5,} {one.higher:5,}   {one.most:.1f}")
        print(f"    {one.example}\n    there {one.theirs}, here {one.ours}")


def _print_differing(table: Table, result: GradeResult, differing: NDArray[np.bool_]) -> None:
    for row in np.flatnonzero(differing).tolist():
        print(f"{to_lines(table.puzzles[row : row + 1])[0]} {_theirs(table, row)} here {_ours(result, row)}")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sudokumill_native.agreement",
        description="How far grader explainer agrees with ratings of the classic Sudoku Explainer. "
        "What is given up counts as differing.",
    )
    parser.add_argument(
        "tables", type=Path, nargs="+", metavar="CSV", help="columns puzzle, se_er, se_ep, se_ed, se_hardest"
    )
    parser.add_argument(
        "--effort", type=int, default=ExplainerOptions().effort, metavar="N", help="see the grader"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--list", action="store_true", help="also print each puzzle that differs in ER, EP or ED")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args(words)


def _joined(tables: Sequence[Table]) -> Table:
    hardest = [table.hardest for table in tables]
    return Table(
        puzzles=np.concatenate([table.puzzles for table in tables]),
        ratings={name: np.concatenate([table.ratings[name] for table in tables]) for name in RATINGS},
        hardest=None if None in hardest else [code for codes in hardest for code in codes or ()],
    )


def main(words: Sequence[str] | None = None) -> int:
    """Reads, grades, prints; the exit code."""
    asked = _arguments(words)
    try:
        table = _joined([read_table(path) for path in asked.tables])
        grader = ExplainerGrader(ExplainerOptions(effort=asked.effort), threads=asked.threads)
    except OSError as error:
        print(f"sudokumill_native.agreement: cannot read {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except (UnreadableTableError, ValueError) as error:
        print(f"sudokumill_native.agreement: {error}", file=sys.stderr)
        return 2
    result = grader.grade(table.puzzles)
    rows, differing = compare(table, result)
    if asked.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        _print_table(rows)
        _print_differences(differences(table, result))
    if asked.list:
        _print_differing(table, result, differing)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
