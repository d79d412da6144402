// Takes clues out of finals so that puzzles remain.
#pragma once

#include <cstdint>
#include <vector>

#include "grid.hpp"

namespace sudokumill {

/// The values of sudokumill.contracts.DigStatus.
enum class DigStatus : std::uint8_t {
    dug = 0,
    missed = 1,
    not_a_final = 2,
    gave_up = 3, // never here: a dig has no budget
};

/// What puzzles are wanted.
struct DigOrder {
    std::vector<std::vector<std::uint8_t>> orbits; // cells that are dug together or not at all
    std::vector<int> aims;                         // each row stops at one of these clue counts, drawn by its seed
    int least = 0;                                 // clue counts that count as dug
    int most = kCells;
    bool minimal = false; // dig on to the end, and count as dug only where no single clue can go
};

/// Digs one final; the puzzle is written in any case, zeros where the row is no final.
///
/// Orbits are tried in an order drawn by the seed, each once: what cannot go now cannot go from fewer clues.
DigStatus dig(GridView final, std::uint64_t seed, const DigOrder& order, GridSpan puzzle);

} // namespace sudokumill
