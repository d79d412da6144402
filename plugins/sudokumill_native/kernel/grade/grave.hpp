// The grave that a grid would be without some of its candidates.
#pragma once

#include <array>

#include "candidate_grid.hpp"

namespace sudokumill::explainer {

/// The cells with candidates beyond two, and which these are.
struct Grave {
    CellSet cells;
    std::array<NineBits, kCells> beyond{};
    NineBits all_beyond = 0;
};

/// Finds which candidates must go for a bivalue universal grave to be left. False if there is no such grave, or if
/// nothing sees all its cells with more than two candidates, as then none of the types applies.
bool find_grave(const CandidateGrid& grid, Grave& grave);

} // namespace sudokumill::explainer
