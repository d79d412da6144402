// The regions, and the cells in each of them and around each cell.
#pragma once

#include <array>
#include <cstdint>

#include "cell_set.hpp"

namespace sudokumill::explainer {

/// The 27 regions: boxes 0 .. 8, rows 9 .. 17, columns 18 .. 26.
constexpr int kRegions = 27;
constexpr int kFirstRow = 9;
constexpr int kFirstColumn = 18;

constexpr int box_region(int cell) { return box_of(cell); }
constexpr int row_region(int cell) { return kFirstRow + row_of(cell); }
constexpr int column_region(int cell) { return kFirstColumn + column_of(cell); }

/// Tables of the regions; `kLayout` has the only one.
struct Layout {
    std::array<std::array<std::uint8_t, 9>, kRegions> cell_at{};  // region, place -> cell
    std::array<std::array<std::uint8_t, 3>, kCells> regions_of{}; // cell -> its box, row, column
    std::array<std::array<std::uint8_t, 3>, kCells> places_of{};  // cell -> its place in each of these
    std::array<CellSet, kRegions> region{};                       // region -> its nine cells
    std::array<CellSet, kCells> peers{};                          // cell -> the twenty that it sees

    constexpr Layout() {
        for (int cell = 0; cell < kCells; ++cell) {
            const int row = row_of(cell);
            const int column = column_of(cell);
            const std::array<int, 3> regions = {box_region(cell), row_region(cell), column_region(cell)};
            const std::array<int, 3> places = {row % 3 * 3 + column % 3, column, row};
            for (std::size_t kind = 0; kind < 3; ++kind) {
                const auto number = static_cast<std::size_t>(regions[kind]);
                const auto place = static_cast<std::size_t>(places[kind]);
                regions_of[static_cast<std::size_t>(cell)][kind] = static_cast<std::uint8_t>(number);
                places_of[static_cast<std::size_t>(cell)][kind] = static_cast<std::uint8_t>(place);
                cell_at[number][place] = static_cast<std::uint8_t>(cell);
                region[number].add(cell);
            }
        }
        for (std::size_t cell = 0; cell < kCells; ++cell) {
            for (const std::uint8_t number : regions_of[cell]) {
                peers[cell] |= region[number];
            }
            peers[cell].remove(static_cast<int>(cell));
        }
    }
};

inline constexpr Layout kLayout;

constexpr int cell_at(int region, int place) {
    return kLayout.cell_at[static_cast<std::size_t>(region)][static_cast<std::size_t>(place)];
}
constexpr CellSet region_cells(int region) { return kLayout.region[static_cast<std::size_t>(region)]; }
constexpr CellSet peers_of(int cell) { return kLayout.peers[static_cast<std::size_t>(cell)]; }

/// 0 for boxes, 1 for rows, 2 for columns.
constexpr int kind_of_region(int region) { return region / 9; }

/// The box, row or column of a cell.
constexpr int region_of_kind(int cell, int kind) {
    return kLayout.regions_of[static_cast<std::size_t>(cell)][static_cast<std::size_t>(kind)];
}

/// The regions that hold all of these cells, which must be one or more; bit r for region r.
constexpr std::uint32_t common_regions(CellSet cells) {
    std::uint32_t common = (1U << kRegions) - 1;
    for_each_cell(cells, [&](int cell) {
        std::uint32_t of_cell = 0;
        for (int kind = 0; kind < 3; ++kind) {
            of_cell |= 1U << region_of_kind(cell, kind);
        }
        common &= of_cell;
    });
    return common;
}

/// The cells that see every one of these.
constexpr CellSet seen_by_all(CellSet cells) {
    CellSet common = CellSet::all();
    while (cells.any() && common.any()) {
        common &= peers_of(cells.take_first());
    }
    return common;
}

} // namespace sudokumill::explainer
