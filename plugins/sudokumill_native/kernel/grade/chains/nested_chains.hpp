// Nested forcing chains: dynamic chains that have chains inside.
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer {

// Each is a dynamic search, and where links lead no further, the techniques of the (+) chains are tried, and then
// those that the name says. What the inner chains cost is added to what the outer one costs.

/// 9.5, and what the lengths add: forcing chains inside.
void find_nested_forcing_chains(const CandidateGrid& grid, Search& search);

/// 10.0: forcing chains, then cell and region chains.
void find_nested_multiple_chains(const CandidateGrid& grid, Search& search);

/// 10.5: dynamic chains.
void find_nested_dynamic_chains(const CandidateGrid& grid, Search& search);

/// 11.0: dynamic chains, then those that have (+) and forcing chains inside themselves.
void find_nested_dynamic_plus_chains(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
