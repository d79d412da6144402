// A unique rectangle or loop, and what follows from it.
#pragma once

#include "candidate_grid.hpp"
#include "technique.hpp"

namespace sudokumill::explainer {

/// Cells that could hold the same two digits in two ways, if nothing else stood in them.
struct Loop {
    CellSet cells;
    CellSet richer; // those with more than the two digits
    NineBits pair;
    NineBits extra; // all that the richer cells have beside the pair
    int length;
};

/// Gives the hints of a loop, of whichever type; none if all its cells have the two digits only.
void find_in_loop(const Loop& loop, const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
