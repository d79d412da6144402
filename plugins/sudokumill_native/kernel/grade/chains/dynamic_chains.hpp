// Dynamic forcing chains, and those with (+).
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer {

/// Dynamic forcing chains (8.5, and what their lengths add): what an assumption eliminates is gone for all that
/// follows from it.
void find_dynamic_chains(const CandidateGrid& grid, Search& search);

/// The same (9.0), and where links lead no further, locked candidates, pairs and X-wings are looked for.
void find_dynamic_plus_chains(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
