// Cell and region forcing chains.
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer {

/// Cell and region forcing chains (8.0, and what their lengths add): whichever candidate of a cell is right, or
/// whichever place of a digit in a region, the same follows.
void find_multiple_chains(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
