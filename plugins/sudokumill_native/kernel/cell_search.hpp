// Solver "native": a search over cells.
#pragma once

#include "outcome.hpp"

namespace sudokumill {

/// Counts up to `bounds.limit` solutions.
///
/// Deduces, then tries the digits of the cell with the fewest candidates, the lowest first, each on a copy of
/// the board. The order of solutions is fixed by the puzzle.
SolveOutcome search_cells(GridView puzzle, const SearchBounds& bounds);

/// Whether the clues have a solution in which the cell does not hold the digit. They must have no clash.
bool has_solution_without(GridView clues, int cell, int digit);

} // namespace sudokumill
