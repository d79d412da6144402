// Digger "native": takes clues out of finals so that puzzles remain.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch/engine.hpp"
#include "grid.hpp"
#include "outcome.hpp"

namespace sudokumill {

/// The values of sudokumill.contracts.DigStatus.
enum class DigStatus : std::uint8_t {
    dug = 0,
    missed = 1,
    not_a_final = 2,
    gave_up = 3, // never here: a dig has no budget
};

using CellSet = std::bitset<kCells>;

/// What puzzles are wanted.
struct DigOrder {
    std::vector<std::vector<std::uint8_t>> orbits; // cells that are dug together or not at all
    std::vector<int> aims;                         // each row stops at one of these clue counts, drawn by its seed
    int least = 0;                                 // clue counts that count as dug
    int most = kCells;
    bool minimal = false; // dig on to the end, and count as dug only where no single clue can go
    bool shuffled = true; // orbits are tried in an order drawn by the row's seed, else as they stand
    int row_min = 0;      // least clues in every row
    int column_min = 0;   // ... and in every column
    CellSet blank{};      // cells that are to be blank: their orbits go first, and only what has none is dug
    bool pattern = false; // all other cells are to be clues: nothing else is tried
    int added = 0;        // clues that are put back after a dig to the end
};

/// A batch, and where its puzzles go; row by row.
struct DigRows {
    const std::uint8_t* finals; // 81 digits a row
    const std::uint64_t* seeds;
    std::size_t rows;
    std::uint8_t* puzzles; // 81 digits a row: zeros where the row is no final
    std::uint8_t* status;  // DigStatus
};

/// Digs each final of a batch.
///
/// Orbits are tried in the row's order, each once: what cannot go now cannot go from fewer clues. A row is the
/// same whatever the engine and the other rows are. With `added`, so many clues are put back at the end, or a few
/// more where cells go together. One that is missed is a puzzle all the same; but of a pattern
/// that has several solutions nothing is left, only zeros.
void dig_batch(const Engine& engine, const DigRows& batch, const DigOrder& order, const StopCheck* stop_check);

} // namespace sudokumill
