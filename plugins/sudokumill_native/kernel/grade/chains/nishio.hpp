// Nishio: chains of one digit that end in a contradiction.
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer {

/// Nishio (7.5, and what its length adds): a candidate is taken to be right, or to be wrong, and what follows for
/// its own digit in all regions contradicts itself.
void find_nishio(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
