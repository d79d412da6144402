// A pass: what follows at once for every cell of every lane.
//
// In four steps, each over all 81 cells:
//
//     1  naked singles, within each box       a cell with one candidate takes it from the other eight
//     2  minirows and minicolumns             the union of the candidates of three cells
//     3  each band and stack                  a digit may be in a minirow only if it can be in the other two boxes
//                                             as well: these are locked candidates and hidden singles of rows
//     4  back to the cells                    a cell keeps what both its minirow and its minicolumn may have
//
// Step 3 is the heart. A digit takes three minirows of a band, one in each row and box, in one of six ways:
//
//     A . .   A . .   . A .   . A .   . . A   . . A
//     . A .   . . A   A . .   . . A   A . .   . A .
//     . . A   . A .   . . A   A . .   . A .   A . .
//
// so it may be in minirow (box b, row r) if (b+1, r+1) and (b+2, r+2) may have it, or (b+1, r+2) and (b+2, r+1).
//
// A full pass adds two rules on minirows to step 3: three cells with three candidates have no others, and others
// have not theirs; where three digits can only be in one minirow of a box, it has no others. They save guesses,
// and cost as much as a third of a pass, so they are worth it in every second pass only.
//
// Rejected: looking at what changed only. Among 32 puzzles, something did in every box.
#pragma once

#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// What a full pass found, lane by lane.
struct Verdict {
    LaneMask changed; // something was removed
    LaneMask dead;    // a contradiction was seen; not all are
    LaneMask solved;  // each box has nine different digits, so it is a solution if not dead
};

enum class PassKind { quick, full };

namespace detail {

/// What step 1 sees of the cells.
struct Seen {
    Lanes empty = {};                     // the top bit where a cell has no candidate
    Lanes settled = all_lanes(kAnyDigit); // digits that have a cell of their own in every box
};

template <PassKind kind> SUDOKUMILL_INLINE void reduce_box(State& state, int box, Seen& seen) {
    const Lanes* cells = state.cells.at + 9 * box;
    Lanes single_digit[9];
    Lanes less_one[9];
    for (int i = 0; i < 9; ++i) {
        less_one[i] = cells[i] - all_lanes(1);
        single_digit[i] = single(cells[i], less_one[i]);
    }
    const auto of_nine = [](const Lanes* v) {
        return any(any(v[0], v[1], v[2]), any(v[3], v[4], v[5]), any(v[6], v[7], v[8]));
    };
    const Lanes taken = of_nine(single_digit);
    if constexpr (kind == PassKind::full) {
        seen.empty |= of_nine(less_one); // 0 - 1 has the top bit, nothing else has
        seen.settled &= taken;
    }
    Lanes* reduced = state.reduced.at + 9 * box;
    for (int i = 0; i < 9; ++i) {
        single_digit[i] = unless(cells[i], taken, single_digit[i]);
        reduced[i] = single_digit[i];
    }
    for (int line = 0; line < 3; ++line) {
        const Lanes* row = single_digit + 3 * line;
        state.minirows[3 * box + line] = any(row[0], row[1], row[2]);
        const Lanes* column = single_digit + line;
        state.minicolumns[3 * box + line] = any(column[0], column[3], column[6]);
    }
}

/// Step 3 of one band; `possible` loses the digits that have no way in it.
template <PassKind kind> SUDOKUMILL_INLINE void settle_band(const BandView& band, Lanes& possible) {
    Lanes open[3][3]; // [box][row]
    for (int box = 0; box < 3; ++box) {
        const int next = (box + 1) % 3;
        const int last = (box + 2) % 3;
        for (int row = 0; row < 3; ++row) {
            const int below = (row + 1) % 3;
            const int above = (row + 2) % 3;
            const Lanes falling = band(next, below) & band(last, above);
            open[box][row] = band(box, row) & or_both(falling, band(next, above), band(last, below));
        }
    }
    possible &= any(open[0][0], open[0][1], open[0][2]); // a digit is in box 0 if it is in any
    if constexpr (kind == PassKind::full) {
        Lanes few[3][3]; // the digits of minirows that have no more than three
        Lanes in_row[3];
        Lanes in_box[3];
        for (int box = 0; box < 3; ++box) {
            for (int row = 0; row < 3; ++row) {
                few[box][row] = at_most_three(open[box][row]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            in_row[i] = any(few[0][i], few[1][i], few[2][i]);
            in_box[i] = any(few[i][0], few[i][1], few[i][2]);
        }
        for (int box = 0; box < 3; ++box) {
            for (int row = 0; row < 3; ++row) {
                open[box][row] = unless(open[box][row], in_row[row] | in_box[box], few[box][row]);
            }
        }
        for (auto& minirow : open) {
            Lanes held[3];
            for (int row = 0; row < 3; ++row) {
                const Lanes only_here = neither(minirow[row], minirow[(row + 1) % 3], minirow[(row + 2) % 3]);
                held[row] = three_or_else(only_here, minirow[row]);
            }
            for (int row = 0; row < 3; ++row) {
                minirow[row] = held[row];
            }
        }
    }
    for (int box = 0; box < 3; ++box) {
        for (int row = 0; row < 3; ++row) {
            band(box, row) = open[box][row];
        }
    }
}

/// Step 4 of one box; `changed` gets the candidates that are gone.
///
/// What can only be in one minirow and only in one minicolumn of the box is a hidden single of their common cell.
template <PassKind kind> SUDOKUMILL_INLINE void narrow_box(State& state, int box, Lanes& changed) {
    const Lanes* minirow = state.minirows + 3 * box;
    const Lanes* minicolumn = state.minicolumns + 3 * box;
    Lanes row[3];
    Lanes column[3];
    Lanes only_row[3];
    Lanes only_column[3];
    for (int i = 0; i < 3; ++i) {
        row[i] = minirow[i];
        column[i] = minicolumn[i];
    }
    for (int i = 0; i < 3; ++i) {
        only_row[i] = neither(row[i], row[(i + 1) % 3], row[(i + 2) % 3]);
        only_column[i] = neither(column[i], column[(i + 1) % 3], column[(i + 2) % 3]);
    }
    for (int i = 0; i < 9; ++i) {
        const Lanes reduced = state.reduced.at[9 * box + i];
        const Lanes hidden = all(reduced, only_row[i / 3], only_column[i % 3]);
        const Lanes left = first_nonzero(hidden, all(reduced, row[i / 3], column[i % 3]));
        Lanes& cell = state.cells.at[9 * box + i];
        if constexpr (kind == PassKind::full) {
            changed = or_differ(changed, left, cell);
        }
        cell = left;
    }
}

template <PassKind kind> SUDOKUMILL_INLINE Verdict pass(State& state) {
    Seen seen;
    for (int box = 0; box < 9; ++box) {
        reduce_box<kind>(state, box, seen);
    }
    Lanes possible = all_lanes(kAnyDigit);
    for (int band = 0; band < 6; ++band) {
        settle_band<kind>(band_of(state, band), possible);
    }
    Lanes changed = {};
    for (int box = 0; box < 9; ++box) {
        narrow_box<kind>(state, box, changed);
    }
    return {nonzero(changed), top_bit(seen.empty) | (kAllLanes & ~equal(possible, all_lanes(kAnyDigit))),
            equal(seen.settled, all_lanes(kAnyDigit))};
}

} // namespace detail

/// Searches look at their lanes when no more than so many still change, as to serve one costs as much as to serve
/// all. (Measured; it is the same for solving, digging and making finals.)
constexpr int kFewRunning = kLanes * 5 / 8;

/// Two passes, a quick one and a full one; the verdict is that of the second.
///
/// A full pass that changes nothing would not do so again, and a quick one finds nothing that a full one does not.
/// So lanes that did not change are at a fixpoint, and stay there however many passes follow: what becomes of a
/// lane does not depend on how long it waits for the others. That makes the search tree of a puzzle, and with it
/// the number of its nodes, the same in every batch.
__attribute__((noinline)) inline Verdict two_passes(State& state) {
    detail::pass<PassKind::quick>(state);
    return detail::pass<PassKind::full>(state);
}

} // namespace sudokumill::SUDOKUMILL_BUILD
