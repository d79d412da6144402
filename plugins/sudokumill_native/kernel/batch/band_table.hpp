// The ways to fill a band whose first box is given.
//
// Its rows hold digits A, B and C. Box 2 takes for row 0 three digits of B and C, for row 1 three of A and C, for
// row 2 three of A and B; box 3 takes the rest:
//
//     A A A | . . . | . . .      56 ways to tell which digits stand in which minirow,
//     B B B | . . . | . . .      and 6 orders of each of six minirows:
//     C C C | . . . | . . .      56 * 6^6 bands in all
#pragma once

#include "lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

constexpr int kBandWays = 56;

/// For each way and for boxes 2 and 3: the digits of row 0, row 1, row 2; digit 3 * r + c is the one that box 1
/// has in row r and column c.
struct BandTable {
    std::uint8_t digits[kBandWays][2][9] = {};

    constexpr BandTable() {
        int way = 0;
        for (unsigned row_0 = 0; row_0 < 512; row_0 += 8) {
            for (unsigned row_1 = 0; row_1 < 512; ++row_1) {
                const unsigned row_2 = 511 & ~(row_0 | row_1);
                const bool fits = (row_0 & row_1) == 0 && (row_0 & 07) == 0 && (row_1 & 070) == 0 &&
                                  (row_2 & 0700) == 0 && __builtin_popcount(row_0) == 3 &&
                                  __builtin_popcount(row_1) == 3;
                if (fits) {
                    const unsigned rows[3] = {row_0, row_1, row_2};
                    int place = 0;
                    int other_place = 0;
                    for (int row = 0; row < 3; ++row) {
                        for (int digit = 0; digit < 9; ++digit) {
                            if ((rows[row] >> digit & 1) != 0) {
                                digits[way][0][place++] = static_cast<std::uint8_t>(digit);
                            } else if (digit / 3 != row) {
                                digits[way][1][other_place++] = static_cast<std::uint8_t>(digit);
                            }
                        }
                    }
                    ++way;
                }
            }
        }
    }
};
constexpr BandTable kBandTable;

constexpr std::uint8_t kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

} // namespace sudokumill::SUDOKUMILL_BUILD
