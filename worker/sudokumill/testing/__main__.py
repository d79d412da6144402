"""Runs an implementation on rows of the kit's sample and prints one line a row.

    python -m sudokumill.testing generator sudokumill_example.plugin shifted-rows --rows 5:6

The kit calls it to see what another process makes of the same rows, and names it in what it reports, so that an
author can see the difference.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from sudokumill.contracts import Role
from sudokumill.testing.replay import as_slice, reseed
from sudokumill.testing.rows import call, row_texts, sample
from sudokumill.testing.subject import Subject, load_subject


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the rows."""
    parser = argparse.ArgumentParser(
        prog="python -m sudokumill.testing", description="Runs an implementation on the sample of the kit."
    )
    parser.add_argument("role", type=Role, help="generator, digger, solver or grader")
    parser.add_argument("where", help="module, or path of a file, that registers the implementation")
    parser.add_argument("name", help="name of the implementation")
    parser.add_argument("--rows", default=":", help="rows of the sample, as a slice (default: all)")
    parser.add_argument("--count", type=int, default=64, help="rows of the sample")
    parser.add_argument("--options", type=json.loads, default={}, help="options as a JSON object")
    parser.add_argument("--hard", action="store_true", help="with the hard grids of the table")
    parser.add_argument("--limit", type=int, default=2, help="a solver counts up to this")
    parser.add_argument("--reseed", type=int, help="seed of the global random generators")
    given = parser.parse_args(arguments)
    if given.reseed is not None:
        reseed(given.reseed)
    subject = Subject(load_subject(given.role, given.where, given.name), given.where, given.options)
    inputs = sample(subject, given.count, given.hard).cut(as_slice(given.rows))
    for text in row_texts(call(subject, subject.build(), inputs, given.limit)):
        print(text)


if __name__ == "__main__":
    main()
