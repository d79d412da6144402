// The passes of pass.hpp on the state of the single engine: step by step the same, so that both engines come to
// the same fixpoints.
#pragma once

#include "single_state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// What two passes leave behind.
struct SinglePass {
    Box minirows[9];    // [box]: the same number in the lanes of a row
    Box minicolumns[9]; // [box]: the same number in the lanes of a column
    bool changed;
    bool dead;
    bool solved;
};

namespace detail {

SUDOKUMILL_INLINE Box without_two_bits(Box a) {
    const Box one = all_of_box(1);
    const Box b = a & (a - one);
    return b & (b - one);
}

template <class Direction> SUDOKUMILL_INLINE Box only_here(Box a) {
    return neither(a, Direction::next(a), Direction::last(a));
}

template <bool full, class Direction> SUDOKUMILL_INLINE void settle_boxes(Box& a, Box& b, Box& c, Box& possible) {
    Box* const boxes[3] = {&a, &b, &c};
    Box next[3];
    Box last[3];
    for (int i = 0; i < 3; ++i) {
        next[i] = Direction::next(*boxes[i]);
        last[i] = Direction::last(*boxes[i]);
    }
    Box open[3];
    for (int i = 0; i < 3; ++i) {
        const int one_on = (i + 1) % 3;
        const int two_on = (i + 2) % 3;
        open[i] = *boxes[i] & or_both(next[one_on] & last[two_on], last[one_on], next[two_on]);
    }
    possible &= union_of<Direction>(open[0]);
    if constexpr (full) {
        Box few[3]; // digits of minirows that have no more than three
        for (int i = 0; i < 3; ++i) {
            const Box rest = without_two_bits(open[i]);
            few[i] = open[i] & ones_where_zero(rest & (rest - all_of_box(1)));
        }
        const Box in_row = any(few[0], few[1], few[2]);
        for (int i = 0; i < 3; ++i) {
            const Box own = few[i];
            open[i] = unless(open[i], in_row | union_of<Direction>(own), own);
            const Box only = only_here<Direction>(open[i]);
            open[i] = or_both(only, open[i], ones_where_zero(without_two_bits(only)));
        }
    }
    for (int i = 0; i < 3; ++i) {
        *boxes[i] = open[i];
    }
}

template <bool full> SUDOKUMILL_INLINE void single_pass(Grid& grid, SinglePass& pass) {
    Box reduced[9];
    Box empty = {};
    Box settled = all_of_box(kAnyDigit);
    for (int box = 0; box < 9; ++box) {
        const Box cells = grid.boxes[box];
        const Box single_digit = cells & ones_where_zero(cells & (cells - all_of_box(1)));
        const Box taken = union_of<InBand>(union_of<InStack>(single_digit));
        reduced[box] = unless(cells, taken, single_digit);
        if constexpr (full) {
            empty |= ones_where_zero(cells) & cell_lanes();
            settled &= taken;
        }
        pass.minirows[box] = union_of<InStack>(reduced[box]); // of the columns, in each row
        pass.minicolumns[box] = union_of<InBand>(reduced[box]);
    }
    Box possible_rows = all_of_box(kAnyDigit);
    Box possible_columns = all_of_box(kAnyDigit);
    Box* const rows = pass.minirows;
    Box* const columns = pass.minicolumns;
    for (int i = 0; i < 3; ++i) {
        settle_boxes<full, InBand>(rows[3 * i], rows[3 * i + 1], rows[3 * i + 2], possible_rows);
        settle_boxes<full, InStack>(columns[i], columns[3 + i], columns[6 + i], possible_columns);
    }
    Box changed = {};
    for (int box = 0; box < 9; ++box) {
        const Box hidden = all(reduced[box], only_here<InBand>(rows[box]), only_here<InStack>(columns[box]));
        const Box shared = all(reduced[box], rows[box], columns[box]);
        const Box left = or_both(hidden, shared, ones_where_zero(hidden));
        changed = or_differ(changed, left, grid.boxes[box]);
        grid.boxes[box] = left;
    }
    if constexpr (full) {
        pass.changed = !is_all_zero(changed);
        pass.dead = !is_all_zero(empty) || (possible_rows[0] & possible_columns[0]) != kAnyDigit;
        pass.solved = settled[0] == kAnyDigit;
    }
}

} // namespace detail

__attribute__((noinline)) inline void two_passes(Grid& grid, SinglePass& pass) {
    detail::single_pass<false>(grid, pass);
    detail::single_pass<true>(grid, pass);
}

} // namespace sudokumill::SUDOKUMILL_BUILD
