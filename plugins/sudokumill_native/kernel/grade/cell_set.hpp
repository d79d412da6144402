// Sets of cells in 81 bits.
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

/// Calls act(cell, digit) for each candidate, digit by digit.
template <typename Do> constexpr void for_each_candidate(const CandidateSet& candidates, Do&& act) {
    for (int digit = 0; digit < kDigits; ++digit) {
        for_each_cell(candidates[digit], [&](int cell) { act(cell, digit); });
    }
}

} // namespace sudokumill::explainer
