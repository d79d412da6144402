"""The chaining techniques of grader ``explainer``: right, rated as quoted, and the same for isomorphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sudokumill.contracts import GradeStatus, Step
from sudokumill.grids.batch import Grids, from_lines
from sudokumill.grids.isomorphisms import draw
from sudokumill.path_checking import check_path
from sudokumill.streams import Streams, position_seeds
from sudokumill_native import _kernel
from sudokumill_native.grader import ExplainerGrader
from sudokumill_native.options import ExplainerOptions, SearchOptions
from sudokumill_native.solvers import NativeSolver

GRADER = ExplainerGrader(ExplainerOptions())
SOLVER = NativeSolver(SearchOptions())
LEAST = {code: tenths / 10 for code, tenths in _kernel.techniques}


class Rated(NamedTuple):
    """A puzzle and its rating by the classic program (ER, EP, ED), and the technique that gives it."""

    puzzle: str
    er: float
    ep: float
    ed: float
    hardest: str


EASY_START = [
    Rated(puzzle, er, 1.2, 1.2, hardest)
    for puzzle, er, hardest in [
        ("009010000007309065010058000000900437000000000931007000000570090340106500000080300", 6.5, "x-cycle"),
        ("090058004003060020000004060032000900040901030006000540060500000080020400500410080", 6.5, "x-cycle"),
        (
            "941080006006000000700000040074000100500046002000002800859100000100800600000290000",
            6.6,
            "forcing-x-chain",
        ),
        (
            "940057002005016007000008030679000000480000056000000479050700000300680700100490028",
            6.7,
            "forcing-x-chain",
        ),
        ("100090005058000020000000009009010374000000082007050000204100000030870000000003000", 6.8, "y-cycle"),
        ("000000000000123000970080031402000805000208000009405100100000002053000640208050703", 6.9, "y-cycle"),
        ("100805000003900001400600390035000040004000000600000000009080706006709500007004930", 7.2, "xy-cycle"),
        ("854000000009010800000003000706030000590040027000060509000900000008050700000000486", 7.3, "xy-cycle"),
        (
            "076000408000800000024170950701200000098740200000000600002000045419008000000000800",
            7.1,
            "forcing-chain",
        ),
        (
            "480060500001003000039407800000600000090300706008104309040008000003000908070000010",
            7.2,
            "forcing-chain",
        ),
        ("100007000000000003905000200050020700004000080700014009500091400000050002000800170", 7.6, "nishio"),
        ("034000070100060004960000801000706000200040000040090137000070000000200009001030006", 7.7, "nishio"),
        (
            "001084000800507200007091080010009456000100970000000002260000000000000069058000700",
            8.3,
            "region-forcing-chains",
        ),
        (
            "000820000100003000052004900014200705008000400205007610001700260000900007000052000",
            8.3,
            "cell-forcing-chains",
        ),
        (
            "070940000000012000000560908410008007900070400002400800000750104500200000001080000",
            8.4,
            "cell-forcing-chains",
        ),
        (
            "740000009005003001000410070060040300003602100004080090050076000400800900600000025",
            8.9,
            "dynamic-region-forcing-chains",
        ),
    ]
]
PLUS = Rated(
    "100200003040000050003006700002000008030070040900000100008400600050000020600003009",
    9.7,
    9.7,
    9.4,
    "dynamic-double-forcing-chains-plus",
)
ESCARGOT = Rated(
    "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
    10.5,
    1.2,
    1.2,
    "nested-forcing-contradiction-chains",
)
EVEREST = Rated(
    "800000000003600000070090200050007000000045700000100030001000068008500010090000400",
    10.7,
    10.7,
    9.7,
    "nested-forcing-contradiction-chains",
)
DEEP = [PLUS, ESCARGOT, EVEREST]
GOLDEN_NUGGET = Rated(
    "000000039000001005003050800008090006070002000100400000009080050020000600400700000",
    11.9,
    11.9,
    11.3,
    "nested-dynamic-contradiction-chains",
)

SELF_SIMILAR = "890005060000002000200680509500000080603109704020000005105024008000800000040500012"


def isomorphs_of(puzzles: Grids, seed: int) -> Grids:
    return draw(Streams(position_seeds(seed, np.arange(len(puzzles))))).apply(puzzles)


def grids_of(rated: list[Rated]) -> Grids:
    return from_lines([row.puzzle for row in rated])


def check_ratings(rated: list[Rated]) -> None:
    result = GRADER.grade(grids_of(rated))
    assert result.extras["er"].tolist() == [row.er for row in rated]
    assert result.extras["ep"].tolist() == [row.ep for row in rated]
    assert result.extras["ed"].tolist() == [row.ed for row in rated]


def test_ratings_are_those_that_are_quoted() -> None:
    check_ratings([*EASY_START, *DEEP])


@pytest.mark.slow
def test_the_hardest_are_rated_to_their_end() -> None:
    check_ratings([GOLDEN_NUGGET])


def test_each_kind_of_chain_is_the_hardest_of_its_example() -> None:
    result = GRADER.grade(grids_of(EASY_START))
    assert result.hardest == [row.hardest for row in EASY_START]


@pytest.mark.parametrize("seed", range(2))
def test_nothing_changes_under_isomorphism(seed: int) -> None:
    puzzles = grids_of([*EASY_START, *DEEP])
    one, other = GRADER.grade(puzzles), GRADER.grade(isomorphs_of(puzzles, seed))
    assert other.hardest == one.hardest
    assert other.techniques == one.techniques
    np.testing.assert_array_equal(other.steps, one.steps)
    for name, values in one.extras.items():
        np.testing.assert_array_equal(other.extras[name], values, err_msg=name)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_changes_under_isomorphism_where_the_puzzle_has_automorphisms(seed: int) -> None:
    # Turned by half, and 1 with 9, 2 with 8, 3 with 7, 4 with 6: the same puzzle. It needs chains.
    puzzle = from_lines([SELF_SIMILAR])
    turned = puzzle[:, ::-1]
    assert np.array_equal(np.where(turned > 0, 10 - turned, 0), puzzle)
    one, other = GRADER.grade(puzzle), GRADER.grade(isomorphs_of(puzzle, seed))
    assert one.rating[0] >= LEAST["nishio"]
    assert (other.rating[0], other.hardest, other.techniques) == (one.rating[0], one.hardest, one.techniques)


@pytest.mark.parametrize("rated", [*EASY_START, *DEEP], ids=lambda rated: f"{rated.er}-{rated.puzzle[:9]}")
def test_no_step_loses_the_solution_and_the_path_ends_there(rated: Rated) -> None:
    puzzle = from_lines([rated.puzzle])
    solution = SOLVER.solve(puzzle).solutions[0]
    grid = puzzle[0].copy()
    for step in GRADER.path(puzzle[0]):
        assert all(solution[cell] == digit for cell, digit in step.placements), step
        assert all(solution[cell] != digit for cell, digit in step.eliminations), step
        assert step.rating >= LEAST[step.technique], step
        for cell, digit in step.placements:
            grid[cell] = digit
    np.testing.assert_array_equal(grid, solution)


def test_a_chain_places_a_digit_or_eliminates_one_with_cells_and_digits_named() -> None:
    chains = {row.hardest for row in [*EASY_START, *DEEP]}
    for rated in EASY_START:
        for step in GRADER.path(from_lines([rated.puzzle])[0]):
            if step.technique in chains:
                assert bool(step.placements) != bool(step.eliminations), step
                assert step.cells, step
                assert step.digits, step


def added_by_length(complexity: int) -> int:
    """Tenths, as the scale has them: one for each of these that complexity - 2 exceeds."""
    return sum(complexity - 2 > limit for limit in (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384))


def links_of(step: Step) -> int:
    """Links of all chains; of a cycle, which is gone both ways, those of one without what is eliminated."""
    if step.technique.endswith("cycle"):
        return len(step.chains[0]) - len(step.eliminations)
    return sum(map(len, step.chains))


@pytest.mark.parametrize("rated", [*EASY_START, *DEEP], ids=lambda rated: f"{rated.er}-{rated.puzzle[:9]}")
@pytest.mark.parametrize("seed", [None, 1])
def test_every_link_of_a_chain_follows_and_their_number_gives_the_rating(rated: Rated, seed: int | None) -> None:
    puzzle = from_lines([rated.puzzle]) if seed is None else isomorphs_of(from_lines([rated.puzzle]), seed)
    (used,) = GRADER.grade(puzzle).techniques
    path = GRADER.path(puzzle[0])
    check_path(path, puzzle[0], SOLVER.solve(puzzle).solutions[0], counted=used, codes=LEAST)
    shown = 0
    for step in path:
        is_chain = step.rating >= LEAST["x-cycle"] and step.technique != "aligned-triplet-exclusion"
        assert bool(step.chains) == is_chain, step
        # of a contradiction, what both of its ends rest on counts twice; chains inside are not written out
        if is_chain and "contradiction" not in step.technique and step.technique != "nishio" and step.rating < 9:
            assert round(10 * step.rating) == round(10 * LEAST[step.technique]) + added_by_length(links_of(step))
            shown += 1
    assert shown or rated in DEEP or rated.hardest == "nishio"


def test_a_chain_says_which_technique_it_has_inside() -> None:
    inside = {
        link.why
        for step in GRADER.path(from_lines([ESCARGOT.puzzle])[0])
        for chain in step.chains
        for link in chain
        if link.why in LEAST
    }
    assert {"pointing", "claiming", "naked-pair", "hidden-pair", "forcing-chain"} <= inside


def test_a_chain_stays_right_whatever_was_graded_before_it() -> None:
    puzzles = grids_of([*EASY_START, PLUS])
    together = GRADER.grade(np.concatenate([puzzles, puzzles[::-1]]))
    assert together.techniques[: len(puzzles)] == together.techniques[len(puzzles) :][::-1]
    for row, puzzle in enumerate(puzzles):
        assert GRADER.grade(puzzle[np.newaxis]).techniques == [together.techniques[row]]


@pytest.mark.parametrize("effort", [500, 20_000])
def test_beyond_the_budget_there_is_a_lower_bound(effort: int) -> None:
    grader = ExplainerGrader(ExplainerOptions(effort=effort))
    puzzles = grids_of(DEEP)
    results = [grader.grade(puzzles), grader.grade(isomorphs_of(puzzles, 5))]
    np.testing.assert_array_equal(results[0].rating, results[1].rating)
    np.testing.assert_array_equal(results[0].status, results[1].status)
    for rated, rating, status in zip(DEEP, results[0].rating, results[0].status, strict=True):
        gave_up = status == GradeStatus.GAVE_UP
        assert gave_up or status == GradeStatus.GRADED
        assert rating <= rated.er if gave_up else rating == rated.er
    assert (results[0].status == GradeStatus.GAVE_UP).any()
