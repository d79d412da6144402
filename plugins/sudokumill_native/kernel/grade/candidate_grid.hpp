// The candidate grid: what stands in each cell, and what still can.
#pragma once

#include <array>
#include <cstdint>

#include "cell_set.hpp"
#include "layout.hpp"

namespace sudokumill::explainer {

/// Bits 0 .. 8 for the digits 1 .. 9, or for the places of a region.
using NineBits = std::uint16_t;

constexpr NineBits kNineBits = 0x1FF;

constexpr NineBits bit_of(int index) { return static_cast<NineBits>(1U << index); }

/// How many bits are set, without the instruction that the oldest machines lack.
struct NineBitCounts {
    std::array<std::uint8_t, 512> of{};

    constexpr NineBitCounts() {
        for (std::size_t bits = 1; bits < of.size(); ++bits) {
            of[bits] = static_cast<std::uint8_t>(of[bits >> 1] + (bits & 1));
        }
    }
};

inline constexpr NineBitCounts kNineBitCounts;

constexpr int count_of(NineBits bits) { return kNineBitCounts.of[bits]; }
constexpr bool is_one(NineBits bits) { return bits != 0 && (bits & (bits - 1)) == 0; }
constexpr int first_of(NineBits bits) { return std::countr_zero(bits); }

/// Does something for each bit, the lowest first.
template <typename Do> constexpr void for_each_bit(NineBits bits, Do&& act) {
    for (; bits != 0; bits = static_cast<NineBits>(bits & (bits - 1))) {
        act(first_of(bits));
    }
}

/// Nine sets of nine elements: candidates of the cells of a region, places of the digits in it, or places of a
/// digit in nine lines.
using NineSets = std::array<NineBits, 9>;

/// A grid with its candidates, kept in three views that always agree:
///
///     candidates(cell)           digits that can still go into a blank cell; none where a digit stands
///     positions(digit, region)   places of a region where a digit can still go; none once it stands there
///     cells_with(digit)          cells where a digit can still go
///
/// Digits are 0 .. 8 throughout, for 1 .. 9. A grid need not be sound: a cell or a digit may have no candidate
/// left.
class CandidateGrid {
  public:
    /// Nothing placed, every candidate in every cell.
    CandidateGrid() : CandidateGrid(GridView(Grid{})) {}

    /// The givens placed. They must not clash.
    explicit CandidateGrid(GridView puzzle);

    /// 0 .. 8, or kBlank.
    int value(int cell) const { return values_[static_cast<std::size_t>(cell)]; }
    NineBits candidates(int cell) const { return candidates_[static_cast<std::size_t>(cell)]; }
    NineBits positions(int digit, int region) const {
        return positions_in(region)[static_cast<std::size_t>(digit)];
    }
    const NineSets& positions_in(int region) const { return positions_[static_cast<std::size_t>(region)]; }
    CellSet cells_with(int digit) const { return cells_with_[digit]; }
    const CandidateSet& all_candidates() const { return cells_with_; }
    CellSet blanks() const { return blanks_; }
    int blanks_in(int region) const { return blanks_in_[static_cast<std::size_t>(region)]; }
    bool has(int cell, int digit) const { return (candidates(cell) >> digit & 1) != 0; }
    bool complete() const { return blanks_.empty(); }

    /// The regions where a digit has one place; bit r for region r.
    std::uint32_t regions_with_one_place(int digit) const { return one_place_[static_cast<std::size_t>(digit)]; }

    /// The regions with one blank cell.
    std::uint32_t regions_with_one_blank() const { return one_blank_; }

    /// Puts a digit into a blank cell, and takes it from all that see the cell. It need not be a candidate.
    void place(int cell, int digit);

    /// Takes a candidate away; nothing happens if it is not there.
    void eliminate(int cell, int digit);

    /// Takes one digit from many cells.
    void eliminate(CellSet cells, int digit);

    static constexpr int kBlank = 9;

  private:
    void drop(int cell, int digit);

    CandidateSet cells_with_;
    CellSet blanks_;
    std::array<NineSets, kRegions> positions_;
    std::array<NineBits, kCells> candidates_;
    std::array<std::uint32_t, kDigits> one_place_;
    std::uint32_t one_blank_;
    std::array<std::uint8_t, kCells> values_;
    std::array<std::uint8_t, kRegions> blanks_in_;
};

/// The cells with one candidate, with two, and with three.
struct FewCandidates {
    CellSet one;
    CellSet two;
    CellSet three;
};

FewCandidates few_candidates(const CandidateGrid& grid);

} // namespace sudokumill::explainer
