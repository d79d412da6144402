// The state of the single engine: one grid, a vector for each box.
//
// A box is four by four lanes of 16 bits, of which the last row and the last column stay empty:
//
//     lane   0   1   2   -       To look at the next column is to turn each group of four lanes, to look at the
//            4   5   6   -       next row is to turn the four groups: both are cheap on any CPU.
//            8   9  10   -
//            -   -   -   -
//
// Rejected: the 27 cells of a band in 32 lanes, which needs instructions that only AVX-512 has; and this engine's
// work in one lane of the batch engine, which takes four times as long.
#pragma once

#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// A box's nine cells, or what is known of their rows or columns, the same in all cells of one.
typedef std::uint16_t Box __attribute__((vector_size(32)));

/// The candidates of a grid.
struct Grid {
    Box boxes[9];
};

/// The lane of a cell of a box.
constexpr int lane_of(int cell) { return 4 * (cell / 3) + cell % 3; }

constexpr Box kCellLanes = {1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0};

SUDOKUMILL_INLINE Box ones_where_zero(Box a) { return (Box)(a == Box{}); }

SUDOKUMILL_INLINE Box union_of_rows(Box a) {
    a |= __builtin_shufflevector(a, a, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12);
    return a | __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}

SUDOKUMILL_INLINE Box union_of_columns(Box a) {
    a |= __builtin_shufflevector(a, a, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
    return a | __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Directions in which a box is looked at: its rows in a band, its columns in a stack.
struct InBand {
    /// In each row what stands in the next of the three.
    static SUDOKUMILL_INLINE Box next(Box a) {
        return __builtin_shufflevector(a, a, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15);
    }
    static SUDOKUMILL_INLINE Box last(Box a) {
        return __builtin_shufflevector(a, a, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15);
    }
};
struct InStack {
    static SUDOKUMILL_INLINE Box next(Box a) {
        return __builtin_shufflevector(a, a, 1, 2, 0, 3, 5, 6, 4, 7, 9, 10, 8, 11, 13, 14, 12, 15);
    }
    static SUDOKUMILL_INLINE Box last(Box a) {
        return __builtin_shufflevector(a, a, 2, 0, 1, 3, 6, 4, 5, 7, 10, 8, 9, 11, 14, 12, 13, 15);
    }
};

SUDOKUMILL_INLINE bool is_all_zero(Box a) {
    typedef std::uint64_t Groups __attribute__((vector_size(32)));
    const Groups groups = (Groups)a;
    return (groups[0] | groups[1] | groups[2] | groups[3]) == 0;
}

} // namespace sudokumill::SUDOKUMILL_BUILD
