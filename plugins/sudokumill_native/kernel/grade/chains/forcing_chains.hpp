// Cycles and forcing chains: 6.5 to 7.5, and a little above where they are very long.
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer {

/// X-cycles and Y-cycles (6.5), forcing X-chains (6.6), mixed cycles and forcing chains (7.0), each with what its
/// length adds.
///
/// A forcing chain leads from a candidate that is on to the same candidate off, so that it goes; or from off to
/// on, so that it is placed. X-chains have links of one digit only, Y-cycles have strong links inside cells only.
void find_forcing_chains(const CandidateGrid& grid, Search& search);

} // namespace sudokumill::explainer
