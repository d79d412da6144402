"""What a result must look like, and what inputs must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import DigResult, GenerateResult, GradeResult, SolveResult
from sudokumill.grids.batch import Grids
from sudokumill.isolation import take_dug, take_generated, take_graded, take_solved
from sudokumill.streams import Seeds


def shape_fault(result: object, rows: int) -> str | None:
    """What the contract forbids in the form of a result, in the words that follow "it"; None if nothing."""
    try:
        match result:
            case GenerateResult():
                take_generated(result, rows)
                arrays = {"finals": result.finals}
            case DigResult():
                take_dug(result, rows)
                arrays = {"puzzles": result.puzzles}
            case SolveResult():
                take_solved(result, rows)
                arrays = {"solutions": result.solutions}
            case GradeResult():
                take_graded(result, rows)
                arrays = {}
            case _:
                return f"returned a {type(result).__name__}"
    except Exception as error:
        return f"gave a result of a wrong form: {error}"
    for name, array in arrays.items():
        if not array.flags.c_contiguous:
            return f"gave {name} that are not C-contiguous"
    return None


def wrong_grids(grids: Grids) -> dict[str, NDArray[Any]]:
    """Batches that every digger, solver and grader must refuse by raising, by what is wrong with them."""
    return {
        "dtype int64": grids.astype(np.int64),
        "shape (n, 80)": np.ascontiguousarray(grids[:, :80]),
        "one dimension": grids[0].copy(),
        "shape (n, 9, 9)": grids.reshape(-1, 9, 9).copy(),
    }


def wrong_seeds(seeds: Seeds, one_a_grid: bool) -> dict[str, NDArray[Any]]:
    """Seeds that every generator and digger must refuse by raising, by what is wrong with them."""
    wrong: dict[str, NDArray[Any]] = {
        "dtype int64": np.arange(len(seeds), dtype=np.int64),
        "dtype float64": seeds.astype(np.float64),
        "shape (n, 1)": seeds[:, None].copy(),
    }
    if one_a_grid:
        wrong["one row less than there are grids"] = seeds[:-1].copy()
    return wrong
