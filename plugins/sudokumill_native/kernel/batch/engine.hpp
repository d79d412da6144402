// What every build of the engine can do. Plain types only: both sides are compiled for different CPUs.
//
// One source is built for several CPUs; each build is a table of functions. In it are two engines that search the
// same tree: the batch engine, many grids in lanes, and the single engine, one grid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sudokumill {

/// What is called now and then by what takes long; it may throw to end it.
struct Pause {
    void (*call)(void* context) = nullptr;
    void* context = nullptr;
};

/// Where the search of a row ends.
struct SolveOrder {
    std::int64_t limit;     // solutions, 1 or more
    std::int64_t max_nodes; // branches tried
    Pause pause;
};

/// A batch of grids to solve: rows of 81 digits, 0 for a blank; what is found is written to the other arrays.
struct SolveBatch {
    const std::uint8_t* puzzles;
    std::size_t rows;
    std::int64_t* counts;
    std::uint8_t* solutions;
    std::int64_t* nodes;
};

/// What a search in a fixed order finds of one grid.
struct SingleOutcome {
    std::int64_t count;
    std::int64_t nodes;
    bool ran_out;              // of nodes
    std::uint8_t solution[81]; // the first one, if there is any
};

/// Some rows of a batch to solve in a fixed order.
struct OrderedBatch {
    const std::uint8_t* puzzles;
    const std::size_t* rows; // which of them
    std::size_t count;       // of these
    SingleOutcome* outcomes; // for each of these
};

/// Cells that are dug together or not at all.
struct Orbit {
    const std::uint8_t* cells; // 0 .. 80, in reading order
    int size;
};

/// How one final is to be dug.
struct DigPlan {
    const Orbit* orbits;
    std::uint8_t turns[81]; // numbers of orbits, in the order in which they are tried
    int turn_count;         // 0: the row is not dug
    int fewest;             // an orbit that would leave fewer clues stays
    int deciding;           // the turn at which an orbit stays if an even number of clues is still to go; -1: none
};

/// A batch of finals to dig.
struct DigBatch {
    const std::uint8_t* finals; // 81 digits a row; those that are dug must be valid
    std::size_t rows;
    std::uint8_t* puzzles;
    void (*plan)(void* context, std::size_t row, DigPlan&); // called once for each row
    void* context;
    int row_min;    // an orbit stays that would leave fewer clues in a row
    int column_min; // ... or in a column
    Pause pause;
};

/// Puzzles with one solution each, of which it is asked whether a clue can go.
struct MinimalBatch {
    const std::uint8_t* puzzles;   // 81 digits a row
    const std::uint8_t* solutions; // the only one of each: a valid final that keeps its clues
    std::size_t rows;
    std::uint8_t* minimal; // 1 where no clue can go, else 0
    Pause pause;
};

/// Bounds of K in finals.hpp: its coins alone; and where a row would take hours.
constexpr int kLeastUniformity = 11;
constexpr int kMostUniformity = 40;

/// A batch of finals to make.
struct FinalsBatch {
    const std::uint64_t* seeds;
    std::size_t rows;
    int uniformity; // K
    std::uint8_t* finals;
    Pause pause;
};

/// One build.
struct Engine {
    const char* name;
    int lanes;

    /// Counts up to `limit` solutions of each row.
    ///
    /// A row is finished if its count is below the limit and its nodes are not above max_nodes: both are exact
    /// then, and a single solution is written. Any other row was left when one of the two was reached, and what is
    /// written says no more than that.
    void (*solve)(const SolveBatch&, const SolveOrder&);

    /// Counts up to `limit` solutions of one grid, in a fixed order.
    void (*solve_single)(const std::uint8_t* puzzle, const SolveOrder&, SingleOutcome&);

    /// The same for several grids: the outcome of each is that of solve_single.
    void (*solve_in_order)(const OrderedBatch&, const SolveOrder&);

    /// Takes orbits out of each final one after the other, each if one solution is left without it.
    void (*dig)(const DigBatch&);

    /// Says of each puzzle whether it is minimal.
    void (*find_minimal)(const MinimalBatch&);

    /// One final a seed.
    void (*make_finals)(const FinalsBatch&);
};

/// Throws std::bad_alloc (in dispatch.cpp). The builds do not, as that would give each a copy of a function of the
/// standard library.
[[noreturn]] void stack_is_full();

extern const Engine kPortableEngine;
#ifdef SUDOKUMILL_X86
extern const Engine kAvx2Engine;
extern const Engine kAvx512Engine;
#endif

} // namespace sudokumill
