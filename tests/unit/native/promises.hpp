// What the tests of the kernel without Python share: promises that are counted when they are broken, and grids.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "batch/engine.hpp"
#include "digger.hpp"

namespace sudokumill {

inline int broken_promises = 0;

/// Prints a promise that was not kept; the seed says of what.
inline void expect(bool kept, const char* promise, std::uint64_t seed = 0) {
    if (!kept) {
        std::printf("broken: %s (seed %llu)\n", promise, static_cast<unsigned long long>(seed));
        ++broken_promises;
    }
}

inline const std::uint8_t* bytes_of(const std::vector<Grid>& grids) {
    return grids.empty() ? nullptr : grids[0].data();
}
inline std::uint8_t* bytes_of(std::vector<Grid>& grids) { return grids.empty() ? nullptr : grids[0].data(); }

inline std::vector<Grid> make_finals(const Engine& engine, const std::vector<std::uint64_t>& seeds) {
    std::vector<Grid> finals(seeds.size());
    engine.make_finals(
        {.seeds = seeds.data(), .rows = seeds.size(), .uniformity = 13, .finals = bytes_of(finals), .pause = {}});
    return finals;
}

inline DigOrder single_cells(bool minimal) {
    DigOrder order{.orbits = {}, .aims = {0}, .minimal = minimal};
    for (std::uint8_t cell = 0; cell < kCells; ++cell) {
        order.orbits.push_back({cell});
    }
    return order;
}

/// A final with 648 automorphisms, as many as there can be.
inline Grid most_alike_final() {
    Grid final;
    for (int cell = 0; cell < kCells; ++cell) {
        const int row = row_of(cell);
        final[cell] = static_cast<std::uint8_t>((3 * (row % 3) + row / 3 + column_of(cell)) % 9 + 1);
    }
    return final;
}

/// Transposed, the first two rows and the first two stacks exchanged, the digits moved on by one.
inline Grid turned_and_relabelled(const Grid& grid) {
    constexpr int kRows[9] = {1, 0, 2, 3, 4, 5, 6, 7, 8};
    constexpr int kColumns[9] = {3, 4, 5, 0, 1, 2, 6, 7, 8};
    Grid image;
    for (int cell = 0; cell < kCells; ++cell) {
        const std::uint8_t digit = grid[9 * kColumns[column_of(cell)] + kRows[row_of(cell)]];
        image[cell] = static_cast<std::uint8_t>(digit == 0 ? 0 : digit % 9 + 1);
    }
    return image;
}

} // namespace sudokumill
