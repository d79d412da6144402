// The canonical form of grids that have one solution: one grid that stands for all the 9! * 2 * 6^8 that are
// essentially the same. What it is, is said in the host's module sudokumill.grids.canonical.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grid.hpp"

namespace sudokumill {

/// Writes a grid's canonical form, that of a final being the least of its images read as 81 digits.
///
/// False, and all zeros, where `solution` is not a final that keeps the grid's clues. That it is the grid's only
/// solution is the caller's word: with another one of several the form would be another.
bool canonical_form(GridView grid, GridView solution, GridSpan form);

/// A way to turn a grid into another that is essentially the same.
struct Isomorphism {
    std::array<std::uint8_t, kCells> cells;       // cell of the image -> the cell of the grid that comes there
    std::array<std::uint8_t, kDigits + 1> labels; // digit of the grid -> digit of the image; 0 stays 0
};

/// Those that turn a final into its canonical form: as many as it has automorphisms.
std::vector<Isomorphism> canonical_isomorphisms(GridView final);

} // namespace sudokumill
