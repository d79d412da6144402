// What the length of a chain adds to its rating.
#pragma once

#include "../technique.hpp"

namespace sudokumill::explainer::chains {

/// Tenths that a chain of this complexity adds.
///
/// Complexity is the number of assumptions and conclusions that a chain is made of, each counted once. One tenth
/// for each of 4, 6, 8, 12, 16, 24, 32, ... (by turns half as much again, and a third) that complexity - 2
/// exceeds.
constexpr Tenths length_tenths(int complexity) {
    Tenths tenths = 0;
    bool by_half = true;
    for (int limit = 4; complexity - 2 > limit; ++tenths) {
        limit = by_half ? limit * 3 / 2 : limit * 4 / 3;
        by_half = !by_half;
    }
    return tenths;
}

static_assert(length_tenths(6) == 0 && length_tenths(7) == 1 && length_tenths(8) == 1 && length_tenths(9) == 2);
static_assert(length_tenths(14) == 3 && length_tenths(15) == 4 && length_tenths(18) == 4 &&
              length_tenths(26) == 5);
static_assert(length_tenths(34) == 6 && length_tenths(35) == 7 && length_tenths(386) == 13);

} // namespace sudokumill::explainer::chains
