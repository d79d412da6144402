// What every build of the batch engine can do. Plain types only: both sides are compiled for different CPUs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sudokumill {

/// What is called now and then by what takes long; it may throw to end it.
struct Pause {
    void (*call)(void* context) = nullptr;
    void* context = nullptr;
};

/// A batch of grids to solve: rows of 81 digits, 0 for a blank; what is found is written to the other arrays.
struct SolveBatch {
    const std::uint8_t* puzzles;
    std::size_t rows;
    std::int64_t limit;
    std::int64_t max_nodes;
    std::int64_t* counts;
    std::uint8_t* solutions; // may be null
    std::int64_t* nodes;
    Pause pause;
};

/// One build.
struct Engine {
    const char* name;
    int lanes;

    /// Counts up to `limit` solutions of each row.
    ///
    /// A row is finished if its count is below the limit and its nodes are not above max_nodes: both are exact
    /// then, and a single solution is written. Otherwise it was left when one of the two was reached, and what is
    /// written says no more than that.
    void (*solve)(const SolveBatch&);
};

extern const Engine kPortableEngine;
#ifdef SUDOKUMILL_X86
extern const Engine kAvx2Engine;
extern const Engine kAvx512Engine;
#endif

} // namespace sudokumill
