"""Whether the way that a grader shows is right: what it names is there, is true, and leads to the solution.

Every step is held against the puzzle's only solution, so none can place a wrong digit or rule out a right one. A
step of a technique that is seen in the grid is then shown as the grader names it. A step that has chains is
followed link by link, on the candidates that the steps before it have left:

    assumed   r1c1 is 3
    row       so r1c7 is not 3       another 3 of its row is on
    column    so r5c7 is 3           all others of its column are off
    ...
    box       so r1c1 is not 3       which contradicts what was assumed
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import LINK_REASONS, Explainer, Link, Step
from sudokumill.errors import WrongPathError
from sudokumill.grids.batch import CELLS, cell_name, read_only
from sudokumill.grids.candidates import Candidates, sees
from sudokumill.isolation import ctrl_c_raises, describe_failure
from sudokumill.registry.registration import CODE

_MOST_STEPS: Final = 10_000
_MOST_LINKS: Final = 100_000


def verified_path(
    explainer: Explainer,
    puzzle: NDArray[np.uint8],
    solution: NDArray[np.uint8],
    *,
    counted: Mapping[str, int],
    codes: Collection[str] = (),
    whole: bool = True,
) -> tuple[Step, ...]:
    """Asks a grader for its path, and checks it as ``check_path`` does.

    Raises:
        WrongPathError: it raised, or what it returned is wrong.
    """
    try:
        path = explainer.path(read_only(np.ascontiguousarray(puzzle)))
        return check_path(path, puzzle, solution, counted=counted, codes=codes, whole=whole)
    except WrongPathError:
        raise
    except BaseException as error:
        # what it returned may raise as well, once it is looked at
        if isinstance(error, KeyboardInterrupt) and ctrl_c_raises():
            raise
        raise WrongPathError(fault=f"its path {describe_failure(error)}") from error


def check_path(
    path: object,
    puzzle: NDArray[np.uint8],
    solution: NDArray[np.uint8],
    *,
    counted: Mapping[str, int],
    codes: Collection[str] = (),
    whole: bool = True,
) -> tuple[Step, ...]:
    """Checks what ``Explainer.path`` has returned.

    Args:
        path: whatever it is.
        puzzle: shape (81,).
        solution: shape (81,), the only one of the puzzle.
        counted: how often the grade says that each technique was used.
        codes: of the techniques that the grader declares; none: it may name any.
        whole: whether the path must fill the grid.

    Returns:
        The path.

    Raises:
        WrongPathError: of the first thing that is wrong.
    """
    steps = _steps(path)
    candidates = Candidates(puzzle)
    for number, step in enumerate(steps, 1):
        for fault in _step_faults(step, puzzle, solution, candidates, codes):
            raise WrongPathError(fault=f"step {number} of its path{_named(step)}: {fault}")
        for cell, digit in step.eliminations:
            candidates.rule_out(cell, digit)
        for cell, digit in step.placements:
            candidates.place(cell, digit)
    found = Counter(step.technique for step in steps)
    if found != Counter(counted):
        raise WrongPathError(fault=f"its path has {_counts(found)}, and its grade counts {_counts(counted)}")
    blank = [cell for cell in range(CELLS) if not candidates.digits[cell]]
    if whole and blank:
        raise WrongPathError(
            fault=f"its path does not fill {cell_name(blank[0])}, so it does not solve the puzzle"
        )
    return steps


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{times} {code}" for code, times in sorted(counted.items())) or "no step"


def _steps(path: Any) -> tuple[Step, ...]:
    if not isinstance(path, tuple | list):
        raise WrongPathError(fault=f"its path is a {type(path).__name__}, not a tuple of Step")
    if len(path) > _MOST_STEPS:
        raise WrongPathError(fault=f"its path has {len(path):,} steps, more than {_MOST_STEPS:,}")
    for number, step in enumerate(path, 1):
        if not isinstance(step, Step):
            raise WrongPathError(fault=f"step {number} of its path is a {type(step).__name__}, not a Step")
    return tuple(path)


def _named(step: Any) -> str:
    return f" ({step.technique})" if isinstance(step.technique, str) and CODE.fullmatch(step.technique) else ""


# --- one step --------------------------------------------------------------------------------------------


def _step_faults(
    step: Step,
    puzzle: NDArray[np.uint8],
    solution: NDArray[np.uint8],
    candidates: Candidates,
    codes: Collection[str],
) -> Iterator[str]:
    yield from _form_faults(step, codes)
    if not step.placements and not step.eliminations:
        yield "it changes nothing"
    for cell, digit in step.placements:
        if puzzle[cell]:
            yield f"it places {digit} in {cell_name(cell)}, which is a clue"
        if solution[cell] != digit:
            yield f"it places {digit} in {cell_name(cell)}, where the solution has {solution[cell]}"
    for cell, digit in step.eliminations:
        if puzzle[cell]:
            yield f"it rules {digit} out of {cell_name(cell)}, which is a clue"
        if solution[cell] == digit:
            yield f"it rules {digit} out of {cell_name(cell)}, where the solution has it"
    yield from _chain_faults(step, candidates)


def _form_faults(step: Any, codes: Collection[str]) -> Iterator[str]:  # nothing that it declares is to be believed
    """What is wrong with the types and ranges of a step; after it, everything in the step can be used."""
    if not isinstance(step.technique, str):
        yield f"its technique is a {type(step.technique).__name__}, not a code"
    if codes and step.technique not in codes:
        yield f"its grader declares no technique {_shown(step.technique)}"
    if not isinstance(step.rating, int | float) or isinstance(step.rating, bool) or not math.isfinite(step.rating):
        yield f"its rating is {_shown(step.rating)}, which is no number"
    for name, numbers, fits in (("cells", step.cells, _is_cell), ("digits", step.digits, _is_digit)):
        yield from _tuple_faults(name, numbers, fits, _WHOLE[name])
        if list(numbers) != sorted(set(numbers)):
            yield f"its {name} do not rise"
    for name, pairs in (("placements", step.placements), ("eliminations", step.eliminations)):
        yield from _tuple_faults(name, pairs, _is_pair, "(cell, digit) with a cell 0 to 80 and a digit 1 to 9")
    yield from _tuple_faults("chains", step.chains, lambda chain: isinstance(chain, tuple), "tuple of Link")
    if sum(map(len, step.chains)) > _MOST_LINKS:
        yield f"its chains have more than {_MOST_LINKS:,} links"
    for chain in step.chains:
        for number, link in enumerate(chain, 1):
            if fault := _link_form_fault(link, number, codes):
                yield f"link {number} of a chain {fault}"


def _tuple_faults(name: str, given: object, fits: Callable[[Any], bool], wanted: str) -> Iterator[str]:
    if not isinstance(given, tuple):
        yield f"its {name} are a {type(given).__name__}, not a tuple"
        return
    for one in given:
        if not fits(one):
            yield f"its {name} have {_shown(one)}, which is no {wanted}"


_WHOLE: Final = {"cells": "int from 0 to 80", "digits": "int from 1 to 9"}


def _shown(given: object) -> str:
    return repr(given)[:60]


def _is_cell(given: object) -> bool:
    return type(given) is int and 0 <= given < CELLS  # neither True nor numpy's, which JSON does not know


def _is_digit(given: object) -> bool:
    return type(given) is int and 1 <= given <= 9


def _is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and _is_cell(given[0]) and _is_digit(given[1])


def _link_form_fault(link: Any, number: int, codes: Collection[str]) -> str | None:
    if not isinstance(link, Link):
        return f"is a {type(link).__name__}, not a Link"
    given: Any = link
    if not _is_pair((given.cell, given.digit)) or not isinstance(given.on, bool):
        return "is no cell 0 to 80, digit 1 to 9, and True or False"
    if not isinstance(given.why, str) or (given.why not in LINK_REASONS and codes and given.why not in codes):
        return f"has the reason {_shown(given.why)}, which is none"
    if not isinstance(given.since, tuple) or not all(
        type(at) is int and 0 <= at < number - 1 for at in given.since
    ):
        return "does not follow from links before it"
    if (number == 1) != (given.why == "assumed"):
        return "is assumed, as only the first is" if given.why == "assumed" else "is the first, and not assumed"
    return None


# --- chains ----------------------------------------------------------------------------------------------


def _chain_faults(step: Step, candidates: Candidates) -> Iterator[str]:
    if not step.chains:
        return
    for chain in step.chains:
        if not chain:
            yield "a chain has no link"
        for number, link in enumerate(chain, 1):
            if not _follows(link, [chain[at] for at in link.since], candidates):
                yield f"link {number} of a chain, {said_link(link)}, does not follow"
    for cell, digit, on in _conclusions(step):
        if not _is_shown(cell, digit, on, step.chains, candidates):
            yield f"its chains do not show that {claim(cell, digit, on)}"


def _conclusions(step: Step) -> Iterator[tuple[int, int, bool]]:
    for cell, digit in step.placements:
        yield cell, digit, True
    for cell, digit in step.eliminations:
        yield cell, digit, False


def said_link(link: Link) -> str:
    """What a link claims: ``r1c2 is not 3``."""
    return claim(link.cell, link.digit, link.on)


def claim(cell: int, digit: int, on: bool) -> str:
    """The same of a candidate."""
    return f"{cell_name(cell)} is {'' if on else 'not '}{digit}"


def _follows(link: Link, since: Sequence[Link], candidates: Candidates) -> bool:
    """Whether a link follows from others, by the reason that it gives.

    What a technique sees in the middle of a chain is only asked for candidates that had to go first.
    """
    if link.why == "assumed":
        return not since
    if link.why not in LINK_REASONS:
        return not link.on and bool(since) and not any(other.on for other in since)
    if not link.on:
        return any(
            other.on and link.why in sees((link.cell, link.digit), (other.cell, other.digit)) for other in since
        )
    gone = {(other.cell, other.digit) for other in since if not other.on}
    return candidates.others(link.cell, link.digit, link.why) <= gone


def _is_shown(cell: int, digit: int, on: bool, chains: Sequence[Sequence[Link]], candidates: Candidates) -> bool:
    """Whether the opposite is contradicted, or all cases agree."""
    cases: set[tuple[int, int, bool]] = set()
    for chain in chains:
        first = chain[0]
        ends = {(link.cell, link.digit, link.on) for link in chain}
        contradicts = any((one[0], one[1], not one[2]) in ends for one in ends)
        if contradicts and (first.cell, first.digit, first.on) == (cell, digit, not on):
            return True
        # a case that cannot be leaves only the others
        if contradicts or (cell, digit, on) in ends:
            cases.add((first.cell, first.digit, first.on))
    return any(
        (one_cell, one_digit, not one_on) in cases or (one_on and _are_all(one_cell, one_digit, cases, candidates))
        for one_cell, one_digit, one_on in cases
    )


def _are_all(cell: int, digit: int, cases: Collection[tuple[int, int, bool]], candidates: Candidates) -> bool:
    """Whether the cases are all candidates of a cell, or all places of a digit in a unit."""
    on = {(other_cell, other_digit) for other_cell, other_digit, is_on in cases if is_on}
    return any(candidates.others(cell, digit, why) <= on for why in LINK_REASONS[1:])
