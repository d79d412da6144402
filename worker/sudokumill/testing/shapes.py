"""What a result must look like, and what inputs must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokumill.contracts import DigResult, GenerateResult, GradeResult, GradeStatus, SolveResult
from sudokumill.grids.batch import Grids
from sudokumill.isolation import take_dug, take_generated, take_solved
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
                return _grade_fault(result, rows)
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


def _grade_fault(result: GradeResult, rows: int) -> str | None:
    columns: dict[str, tuple[Any, type]] = {  # nothing that the result declares is to be believed
        "rating": (result.rating, np.float64),
        "steps": (result.steps, np.int64),
        "status": (result.status, np.uint8),
        **{f"extra {name!r}": (figures, np.float64) for name, figures in result.extras.items()},
    }
    for name, (array, dtype) in columns.items():
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (rows,):
            return f"must give {name} as an array of {np.dtype(dtype)}, shape ({rows},)"
    lists: dict[str, Any] = {"hardest": result.hardest, "techniques": result.techniques}
    for name, given in lists.items():
        if not isinstance(given, list) or len(given) != rows:
            return f"must give {name} as a list of {rows}"
    if rows and int(result.status.max()) >= len(GradeStatus):
        return f"gave status {int(result.status.max())}, which GradeStatus does not have"
    return None
