// Whether puzzles are minimal: from none of them a single clue can be taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch/engine.hpp"
#include "outcome.hpp"

namespace sudokumill {

/// Puzzles with their solutions, and where the answers go; row by row.
struct MinimalityRows {
    const std::uint8_t* puzzles;   // 81 digits a row
    const std::uint8_t* solutions; // the only solution of each
    std::size_t rows;
    std::uint8_t* minimal; // 1 or 0; 0 too where the solution is no final that keeps the clues
};

/// Says of each puzzle whether every single clue is needed. The answers are those of a search, not of whoever dug the
/// puzzles, and the same for every engine.
void find_minimal(const Engine& engine, const MinimalityRows& batch, const StopCheck* stop_check);

} // namespace sudokumill
