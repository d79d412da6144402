// The branches of branch.hpp for one grid: the same choice.
#pragma once

#include "single_pass.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// One digit, and a minirow (or minicolumn) that gets it or loses it.
struct SingleBranch {
    int band;       // 0 .. 2 are bands, 3 .. 5 stacks; -1 if there is nothing to choose
    int box;        // 0 .. 2 in the band
    int line;       // 0 .. 2
    unsigned digit; // one bit
};

SUDOKUMILL_INLINE int box_in_band(int band, int box) { return band < 3 ? 3 * band + box : 3 * box + band - 3; }

SUDOKUMILL_INLINE SingleBranch choose_branch(const SinglePass& pass) {
    SingleBranch best = {-1, 0, 0, 0};
    unsigned fewest = 0;
    unsigned best_digits = 0;
    unsigned best_lines[3][3] = {};
    for (int band = 0; band < 6; ++band) {
        unsigned m[3][3]; // [box][line]
        for (int box = 0; box < 3; ++box) {
            for (int line = 0; line < 3; ++line) {
                m[box][line] = band < 3 ? pass.minirows[box_in_band(band, box)][4 * line]
                                        : pass.minicolumns[box_in_band(band, box)][line];
            }
        }
        const unsigned a = m[0][0] & m[1][1] & m[2][2];
        const unsigned b = m[0][0] & m[1][2] & m[2][1];
        const unsigned c = m[0][1] & m[1][0] & m[2][2];
        const unsigned d = m[0][1] & m[1][2] & m[2][0];
        const unsigned e = m[0][2] & m[1][0] & m[2][1];
        const unsigned f = m[0][2] & m[1][1] & m[2][0];
        const unsigned low_twos = (a & b) | (c & (a ^ b));
        const unsigned high_twos = (d & e) | (f & (d ^ e));
        const unsigned low_ones = a ^ b ^ c;
        const unsigned high_ones = d ^ e ^ f;
        const unsigned carry = low_ones & high_ones;
        const unsigned ones = low_ones ^ high_ones;
        const unsigned twos = low_twos ^ high_twos ^ carry;
        const unsigned fours = (low_twos & high_twos) | (carry & (low_twos ^ high_twos));
        const unsigned sum = static_cast<unsigned>(__builtin_popcount(ones) + 2 * __builtin_popcount(twos) +
                                                   4 * __builtin_popcount(fours));
        if (sum > 9 && (best.band < 0 || sum < fewest)) {
            const unsigned exactly_two = twos & ~(ones | fours);
            const unsigned exactly_three = ones & twos & ~fours;
            best.band = band;
            fewest = sum;
            best_digits = exactly_two != 0 ? exactly_two : exactly_three != 0 ? exactly_three : fours;
            __builtin_memcpy(best_lines, m, sizeof m);
        }
    }
    best.digit = best_digits & (0U - best_digits);
    // two placements that agree in row 0 do not in row 1
    const unsigned several =
        (best_lines[0][0] & best_lines[1][0]) | (best_lines[2][0] & (best_lines[0][0] | best_lines[1][0]));
    best.line = (several & best.digit) != 0 ? 0 : 1;
    while (best.box < 2 && (best_lines[best.box][best.line] & best.digit) == 0) {
        ++best.box;
    }
    return best;
}

/// Takes the digit from a minirow or minicolumn of the band.
SUDOKUMILL_INLINE void take(const SingleBranch& branch, int box, Grid& grid) {
    const bool is_row = branch.band < 3;
    std::uint16_t lanes[16] = {};
    for (int i = 0; i < 3; ++i) {
        lanes[is_row ? 4 * branch.line + i : 4 * i + branch.line] = static_cast<std::uint16_t>(branch.digit);
    }
    Box gone;
    __builtin_memcpy(&gone, lanes, sizeof gone);
    grid.boxes[box_in_band(branch.band, box)] &= ~gone;
}

} // namespace sudokumill::SUDOKUMILL_BUILD
