// The state of the single engine: one grid, a vector for each box.
//
// A box is four by four lanes of 16 bits, of which the last row and the last column stay empty:
//
//     lane   0   1   2   -       To look at the next column is to turn each group of four lanes, to look at the
//            4   5   6   -       next row is to turn the four groups: both are cheap on any CPU.
//            8   9  10   -
//            -   -   -   -
//
// Rejected: the 27 cells of a band in 32 lanes, which needs instructions that only AVX-512 has; and a single lane
// of the batch engine, which takes twice as long.
#pragma once

#include "state.hpp"
#if defined(SUDOKUMILL_BUILD_AVX512) || defined(SUDOKUMILL_BUILD_AVX2)
#include "box_vector.hpp"
#else
#include "box_halves.hpp"
#endif

namespace sudokumill::SUDOKUMILL_BUILD {

/// The candidates of a grid. (The Grid of grid.hpp, 81 digits, is unknown here.)
struct Grid {
    Box boxes[9];
};

/// The lane of a cell of a box.
constexpr int lane_of(int cell) { return 4 * (cell / 3) + cell % 3; }

/// How a box is looked at in its band: row by row.
struct InBand {
    static SUDOKUMILL_INLINE Box next(Box a) { return of_groups<1, 2, 0, 3>(a); } // each row gets the next one
    static SUDOKUMILL_INLINE Box last(Box a) { return of_groups<2, 0, 1, 3>(a); } // ... and the one after that
};

/// How a box is looked at in its stack: column by column.
struct InStack {
    static SUDOKUMILL_INLINE Box next(Box a) { return in_groups<1, 2, 0, 3>(a); }
    static SUDOKUMILL_INLINE Box last(Box a) { return in_groups<2, 0, 1, 3>(a); }
};

/// In each cell what any of the three cells in a direction has: of its column for InBand, of its row for InStack.
template <class Direction> SUDOKUMILL_INLINE Box union_of(Box a) {
    return any(a, Direction::next(a), Direction::last(a));
}

} // namespace sudokumill::SUDOKUMILL_BUILD
