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

/// So many that the lanes that are idle at the end of them do not count; and that numbers of rows are no more than
/// an int in the engine.
constexpr std::size_t kRowsTogether = 1 << 16;

/// Counts up to `bounds.limit` solutions of each row.
///
/// The search in any order finishes the rows that have fewer. The ordered search does the others, and tells which
/// of several solutions is the first; it does many rows in lanes, and few in the single engine, as lanes would be
/// idle. All search the same tree, so no answer depends on which one found it.
///
/// Args:
///     together: how many rows are searched at a time, at most kRowsTogether. With 1 each row is a call of its
///     own.
void solve_batch(const Engine& engine, const SolveRows& batch, const SearchBounds& bounds,
                 std::size_t together = kRowsTogether);

} // namespace sudokumill
