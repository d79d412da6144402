// Solver "native": a batch of puzzles through both engines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch/engine.hpp"
#include "outcome.hpp"

namespace sudokumill {

/// A batch, and where its answers go; row by row.
struct SolveRows {
    const std::uint8_t* puzzles; // 81 digits a row
    std::size_t rows;
    std::int64_t* counts;
    std::uint8_t* solutions; // 81 digits a row: the first one found, zeros when there is none
    std::int64_t* nodes;
    std::uint8_t* status; // SolveStatus
};

/// Counts up to `bounds.limit` solutions of each row.
///
/// The batch engine finishes the rows that have fewer, and the single engine does the others, and tells which of
/// several solutions is the first. It also does small batches, which leave most lanes idle. Both search the same
/// tree, so no answer depends on which one found it.
void solve_batch(const Engine& engine, const SolveRows& batch, const SearchBounds& bounds);

} // namespace sudokumill
