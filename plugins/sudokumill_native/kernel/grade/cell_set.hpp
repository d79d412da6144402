// Sets of cells in 81 bits, and the cells of each region and around each cell.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "../grid.hpp"

namespace sudokumill::explainer {

/// How many bits are set; without a call where the processor's instruction cannot be relied on.
constexpr int count_bits(std::uint64_t bits) {
#ifdef __POPCNT__
    return std::popcount(bits);
#else
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return static_cast<int>(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
#endif
}

/// A set of cells.
///
/// The first word has the 54 cells of the two upper bands, the second the 27 of the third, so that no row or box
/// lies in both.
struct CellSet {
    std::uint64_t upper = 0;
    std::uint64_t lower = 0;

    static constexpr int kUpperCells = 54;

    static constexpr CellSet of(int cell) {
        return cell < kUpperCells ? CellSet{std::uint64_t{1} << cell, 0}
                                  : CellSet{0, std::uint64_t{1} << (cell - kUpperCells)};
    }

    static constexpr CellSet all() {
        return {(std::uint64_t{1} << kUpperCells) - 1, (std::uint64_t{1} << (kCells - kUpperCells)) - 1};
    }

    constexpr bool empty() const { return (upper | lower) == 0; }
    constexpr bool any() const { return (upper | lower) != 0; }
    constexpr int size() const { return count_bits(upper) + count_bits(lower); }

    /// Whether there are two cells or more.
    constexpr bool several() const {
        return ((upper & (upper - 1)) | (lower & (lower - 1))) != 0 || (upper != 0 && lower != 0);
    }

    constexpr bool contains(int cell) const {
        return cell < kUpperCells ? (upper >> cell & 1) != 0 : (lower >> (cell - kUpperCells) & 1) != 0;
    }

    constexpr bool contains_all(CellSet other) const {
        return ((other.upper & ~upper) | (other.lower & ~lower)) == 0;
    }

    /// The first cell in reading order; there must be one.
    constexpr int first() const {
        return upper != 0 ? std::countr_zero(upper) : kUpperCells + std::countr_zero(lower);
    }

    /// Takes the first cell out; there must be one.
    constexpr int take_first() {
        if (upper != 0) {
            const int cell = std::countr_zero(upper);
            upper &= upper - 1;
            return cell;
        }
        const int cell = kUpperCells + std::countr_zero(lower);
        lower &= lower - 1;
        return cell;
    }

    constexpr void add(int cell) { *this |= of(cell); }
    constexpr void remove(int cell) { *this = without(of(cell)); }
    constexpr CellSet without(CellSet other) const { return {upper & ~other.upper, lower & ~other.lower}; }

    constexpr CellSet operator&(CellSet other) const { return {upper & other.upper, lower & other.lower}; }
    constexpr CellSet operator|(CellSet other) const { return {upper | other.upper, lower | other.lower}; }
    constexpr CellSet operator^(CellSet other) const { return {upper ^ other.upper, lower ^ other.lower}; }
    constexpr CellSet& operator|=(CellSet other) { return *this = *this | other; }
    constexpr CellSet& operator&=(CellSet other) { return *this = *this & other; }
    constexpr bool operator==(const CellSet&) const = default;
};

/// Does something for each cell, in reading order.
template <typename Do> constexpr void for_each_cell(CellSet cells, Do&& act) {
    while (cells.any()) {
        act(cells.take_first());
    }
}

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

/// Candidates: for each digit (0 .. 8 for the digits 1 .. 9) a set of cells.
struct CandidateSet {
    std::array<CellSet, kDigits> cells{};

    constexpr CellSet& operator[](int digit) { return cells[static_cast<std::size_t>(digit)]; }
    constexpr const CellSet& operator[](int digit) const { return cells[static_cast<std::size_t>(digit)]; }

    constexpr bool empty() const {
        CellSet all;
        for (const CellSet& of_digit : cells) {
            all |= of_digit;
        }
        return all.empty();
    }

    constexpr int size() const {
        int count = 0;
        for (const CellSet& of_digit : cells) {
            count += of_digit.size();
        }
        return count;
    }

    constexpr void add(int cell, int digit) { (*this)[digit].add(cell); }
    constexpr bool contains(int cell, int digit) const { return (*this)[digit].contains(cell); }

    constexpr CandidateSet& operator|=(const CandidateSet& other) {
        for (std::size_t digit = 0; digit < kDigits; ++digit) {
            cells[digit] |= other.cells[digit];
        }
        return *this;
    }

    constexpr bool operator==(const CandidateSet&) const = default;
};

} // namespace sudokumill::explainer
