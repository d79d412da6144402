// What aligned pair and triplet exclusion share: two or three cells cannot have digits that leave a cell that sees
// them all none.
//
// A combination of digits is impossible if two of the cells see each other and have the same, or if an excluder, a
// cell that sees them all, has no other candidates. A digit that is in no possible combination is not in its cell.
//
//     123 .  12 | 12 .  .        The outer 12 and the 23 see both bases, and these each other. With 1 or 2 in
//     .   23 .  | .  .  .        the first the second has nothing left, with 3 it has 1. So the first is not 1
//     .   .  .  | .  .  .        or 2, and the second not 2.
#pragma once

#include <array>

#include "hint.hpp"

namespace sudokumill::explainer {

/// A cell of a pair or triplet.
struct Base {
    static Base of(const CandidateGrid& grid, int cell) { return {cell, grid.candidates(cell)}; }

    int cell;
    NineBits candidates;
};

/// What a cell that sees another cannot have, if that has this digit; nothing, if it does not see it.
inline NineBits same_digit(bool sees, int digit) { return sees ? bit_of(digit) : NineBits{0}; }

inline bool see_each_other(const Base& one, const Base& other) { return peers_of(one.cell).contains(other.cell); }

/// What excluders of two candidates forbid to stand together in the cells that they see.
class ForbiddenPairs {
  public:
    void add(NineBits digits) {
        const int low = first_of(digits);
        const int high = first_of(static_cast<NineBits>(digits & (digits - 1)));
        with_[static_cast<std::size_t>(low)] |= bit_of(high);
        with_[static_cast<std::size_t>(high)] |= bit_of(low);
    }

    /// What cannot be with a digit, whatever else there is.
    NineBits with(int digit) const { return with_[static_cast<std::size_t>(digit)]; }

  private:
    std::array<NineBits, kDigits> with_{};
};

inline void exclude(Hint& hint, const Base& base, NineBits impossible) {
    hint.cells.add(base.cell);
    hint.digits |= impossible;
    for_each_bit(impossible, [&](int digit) { hint.eliminations.add(base.cell, digit); });
}

/// The cells that see several of some others.
struct Seeing {
    explicit Seeing(CellSet others) {
        CellSet once;
        for_each_cell(others, [&](int cell) {
            const CellSet peers = peers_of(cell);
            thrice |= twice & peers;
            twice |= once & peers;
            once |= peers;
        });
    }

    CellSet twice;  // two or more
    CellSet thrice; // three or more
};

/// Blank cells that see no naked single.
inline CellSet possible_bases(const CandidateGrid& grid, CellSet naked_singles) {
    CellSet bases = grid.blanks().without(naked_singles);
    for_each_cell(naked_singles, [&](int cell) { bases = bases.without(peers_of(cell)); });
    return bases;
}

} // namespace sudokumill::explainer
