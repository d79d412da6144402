// Solver "exact-cover": a search over constraints, which shares no code with the search over cells.
#pragma once

#include "outcome.hpp"

namespace sudokumill {

/// Counts up to `bounds.limit` solutions.
///
/// A solution is a choice of 81 of the 729 placements (digit d in cell c) that meets each of 324 constraints by
/// exactly one: each cell has a digit, and each row, column and box has each digit. Constraints with one option
/// left are met at once; then the options of the constraint with the fewest are tried, in order.
SolveOutcome search_cover(GridView puzzle, const SearchBounds& bounds);

} // namespace sudokumill
