// A grid: 81 cells in reading order, 0 = blank. What can be said of one without any search.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace sudokumill {

constexpr int kCells = 81;
constexpr int kDigits = 9;

using Grid = std::array<std::uint8_t, kCells>;
using GridView = std::span<const std::uint8_t, kCells>;
using GridSpan = std::span<std::uint8_t, kCells>;

constexpr int row_of(int cell) { return cell / 9; }
constexpr int column_of(int cell) { return cell % 9; }
constexpr int box_of(int cell) { return cell / 27 * 3 + cell % 9 / 3; }

/// Whether a digit stands twice in a unit, or a number is above 9.
bool has_clash(GridView grid);

/// Whether the grid is complete and valid.
bool is_final(GridView grid);

/// How many cells are not blank.
int clue_count(GridView grid);

} // namespace sudokumill
