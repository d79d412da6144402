// Where a lane that has come to a fixpoint goes on: one digit is put into a minirow, or kept out of it.
//
// Of the bands and stacks that are not settled, the one is taken in which all digits together have the fewest
// placements (the six ways of a pass); there the digit with the fewest, two if there is one, the lowest of equal
// ones; there the first row in which it has two minirows or three to go to, and the first of these.
//
//     a digit with two placements          first branch: inside          second branch: outside
//
//     x . x     first row with a choice    x . .   what is in other      . . x    the minirow
//     . x .                                . x .   boxes of the row      . x .    loses the digit
//     x . x                                x . x   loses the digit       x . x
//
// Rejected: the cell with the fewest candidates, which takes 2 to 2.5 times the nodes.
#pragma once

#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// For every lane what both branches take away: from cells by their minirow, and by their minicolumn.
struct Branches {
    Lanes inside[54]; // [3 * box + row], [27 + 3 * box + column]
    Lanes outside[54];
    LaneMask hopeless; // lanes that had no digit to choose: they are dead
};

SUDOKUMILL_INLINE Lanes without(const Lanes (&taken)[54], int cell, Lanes candidates) {
    return neither(candidates, taken[cell / 3], taken[27 + cell / 9 * 3 + cell % 3]);
}

namespace detail {

/// How many placements each digit has in a band, as three numbers of one bit a digit.
struct Placements {
    Lanes ones;
    Lanes twos;
    Lanes fours;

    SUDOKUMILL_INLINE explicit Placements(const BandView& band) {
        const Lanes a = all(band(0, 0), band(1, 1), band(2, 2));
        const Lanes b = all(band(0, 0), band(1, 2), band(2, 1));
        const Lanes c = all(band(0, 1), band(1, 0), band(2, 2));
        const Lanes d = all(band(0, 1), band(1, 2), band(2, 0));
        const Lanes e = all(band(0, 2), band(1, 0), band(2, 1));
        const Lanes f = all(band(0, 2), band(1, 1), band(2, 0));
        const Lanes low_ones = odd_of(a, b, c);
        const Lanes low_twos = two_of(a, b, c);
        const Lanes high_ones = odd_of(d, e, f);
        const Lanes high_twos = two_of(d, e, f);
        const Lanes carry = low_ones & high_ones;
        ones = low_ones ^ high_ones;
        twos = odd_of(low_twos, high_twos, carry);
        fours = two_of(low_twos, high_twos, carry);
    }

    SUDOKUMILL_INLINE Lanes sum() const {
        const Lanes by_two = popcount(twos);
        const Lanes by_four = popcount(fours);
        return popcount(ones) + by_two + by_two + (by_four << 2);
    }

    /// The digits with two placements; if there are none, those with three; if there are none, those with more.
    SUDOKUMILL_INLINE Lanes fewest() const {
        const Lanes exactly_two = neither(twos, ones, fours);
        const Lanes exactly_three = (ones & twos) & ~fours;
        return first_nonzero(exactly_two, first_nonzero(exactly_three, fours));
    }
};

} // namespace detail

/// Chooses for the lanes `stalled`, whose minirows and minicolumns a full pass has left. Other lanes lose nothing.
__attribute__((noinline)) inline void choose_branches(State& state, LaneMask stalled, Branches& branches) {
    Lanes best = all_lanes(0xFFFF); // sum of placements above the nine of a settled band, and the band's number
    Lanes digits[6];
    for (int band = 0; band < 6; ++band) {
        const detail::Placements placements(band_of(state, band));
        digits[band] = placements.fewest();
        // a settled band gives a negative number, which is a great one without sign
        best = least(best, ((placements.sum() - all_lanes(10)) << 8) | all_lanes(static_cast<unsigned>(band)));
    }
    branches.hopeless = stalled & top_bit(best);

    const Lanes number = best & all_lanes(7);
    Lanes chosen = digits[0];
    Lanes minirow[3][3]; // [box][row] of the band that was chosen
    for (int box = 0; box < 3; ++box) {
        for (int row = 0; row < 3; ++row) {
            minirow[box][row] = band_of(state, 0)(box, row);
        }
    }
    for (int band = 1; band < 6; ++band) {
        const Where here = where_equal(number, all_lanes(static_cast<unsigned>(band)));
        const BandView view = band_of(state, band);
        chosen = pick(here, digits[band], chosen);
        for (int box = 0; box < 3; ++box) {
            for (int row = 0; row < 3; ++row) {
                minirow[box][row] = pick(here, view(box, row), minirow[box][row]);
            }
        }
    }
    const Lanes digit = pick(where(stalled & ~branches.hopeless), lowest(chosen), Lanes{});

    for (auto& box : minirow) {
        for (Lanes& line : box) {
            line &= digit;
        }
    }
    const Lanes in_row_0 = two_of(minirow[0][0], minirow[1][0], minirow[2][0]); // two minirows of it, or three
    const Lanes is_row[2] = {in_row_0, digit & ~in_row_0}; // two placements that agree in row 0 do not in row 1
    Lanes inside[3][3] = {};
    Lanes outside[3][3] = {};
    for (int row = 0; row < 2; ++row) {
        const Lanes is_first[3] = {minirow[0][row], minirow[1][row] & ~minirow[0][row],
                                   neither(minirow[2][row], minirow[0][row], minirow[1][row])};
        for (int box = 0; box < 3; ++box) {
            inside[box][row] = is_row[row] & ~is_first[box];
            outside[box][row] = is_row[row] & is_first[box];
        }
    }
    for (int band = 0; band < 6; ++band) {
        const Where here = where_equal(number, all_lanes(static_cast<unsigned>(band)));
        for (int box = 0; box < 3; ++box) {
            for (int row = 0; row < 3; ++row) {
                const int line = band < 3 ? 9 * band + 3 * box + row : 27 + 9 * box + 3 * (band - 3) + row;
                branches.inside[line] = pick(here, inside[box][row], Lanes{});
                branches.outside[line] = pick(here, outside[box][row], Lanes{});
            }
        }
    }
}

} // namespace sudokumill::SUDOKUMILL_BUILD
