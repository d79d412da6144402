"""How far grader ``explainer`` agrees with ratings of the classic program, by ranges of these.

``python -m sudokumill_native.agreement FILE.csv`` reads a table with the columns ``puzzle``, ``se_er``, ``se_ep``
and ``se_ed``, and if it is there ``se_hardest``, the name that the classic program gives the hardest technique.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import GradeResult, GradeStatus
from sudokumill.grids.batch import Grids, from_lines
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


def _print_differing(table: Table, result: GradeResult, differing: NDArray[np.bool_]) -> None:
    for row in np.flatnonzero(differing):
        theirs = "/".join(f"{table.ratings[name][row]:.1f}" for name in RATINGS)
        ours = "/".join(f"{result.extras[name][row]:.1f}" for name in ("er", "ep", "ed"))
        puzzle = "".join(map(str, table.puzzles[row].tolist()))
        print(f"{puzzle} {theirs} here {ours} {GradeStatus(int(result.status[row])).name}")


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
    if asked.list:
        _print_differing(table, result, differing)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
