// Unavoidable sets: cells of a final whose digits can be exchanged so that another final comes out.
//
// A puzzle that holds no clue in one of them has two solutions. So where one clue is left in such a set, it is
// locked, and no search is needed to know that it cannot go. Of the 24 clues of a minimal puzzle, these sets
// find 11.
//
// Three families of 54 in all are looked at, each as nine lines with two cells in every one:
//
//     two digits (36)            lines are rows; in each row the cells of both digits
//     two rows of a band (9)     lines are columns; in each column the cells of both rows
//     two columns of a stack (9) lines are rows; in each row the cells of both columns
//
//     . 4 . | . . 7     row 0 has 4 over the 7 of row 1, and row 1 has 4 under the 7 of row 0: exchanged together,
//     . 7 . | . . 4     4 and 7 leave columns and boxes as they are
//
// To exchange the cells of a line forces another line to be exchanged too, if it has the same digit in the same
// column (or, of two digits, in the same box). Lines that force each other make a component, and the cells of a
// component are an unavoidable set. A component has at least two lines, so there are at most four.
#pragma once

#include "state.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

/// What the two cells of a line belong to: 0 .. 8 digits, 9 .. 17 rows, 18 .. 26 columns.
constexpr int kOwners = 27;
constexpr int kFamilies = 54;

struct Families {
    std::uint8_t one[kFamilies] = {};
    std::uint8_t other[kFamilies] = {};

    constexpr Families() {
        int family = 0;
        for (int kind = 0; kind < kOwners; kind += 9) {
            for (int i = 0; i < 9; ++i) {
                for (int j = i + 1; j < 9; ++j) {
                    if (kind == 0 || i / 3 == j / 3) {
                        one[family] = static_cast<std::uint8_t>(kind + i);
                        other[family] = static_cast<std::uint8_t>(kind + j);
                        ++family;
                    }
                }
            }
        }
    }
};
constexpr Families kFamily;

/// The unavoidable sets of as many finals as there are lanes, and the clues that are left in them.
class UnavoidableSets {
  public:
    /// Finds the sets of complete grids, whose cells hold one bit each. All cells are clues.
    __attribute__((noinline)) void find(const Cells& digits) {
        for (Lanes& clues : clues_) {
            clues = all_lanes(0x1FF);
        }
        Lanes columns[9][9]; // [digit][row]: the column's bit, and above these the stack's
        for (int row = 0; row < 9; ++row) {
            for (int digit = 0; digit < 9; ++digit) {
                Lanes found = {};
                for (int column = 0; column < 9; ++column) {
                    const unsigned place = 1U << column | 0x200U << (column / 3);
                    found |= if_meets(at(digits, row, column), all_lanes(1U << digit), all_lanes(place));
                }
                columns[digit][row] = found;
            }
        }
        for (int family = 0; family < kFamilies; ++family) {
            const int one = kFamily.one[family] % 9;
            const int other = kFamily.other[family] % 9;
            const int kind = kFamily.one[family] / 9;
            Lanes first[9];
            Lanes second[9];
            for (int line = 0; line < 9; ++line) {
                first[line] = kind == 0   ? columns[one][line]
                              : kind == 1 ? at(digits, one, line)
                                          : at(digits, line, one);
                second[line] = kind == 0   ? columns[other][line]
                               : kind == 1 ? at(digits, other, line)
                                           : at(digits, line, other);
            }
            find_components(first, second, kind == 0, components_[family]);
        }
    }

    /// Finds the clues that are the last ones of a set.
    __attribute__((noinline)) void lock() {
        for (Lanes& locked : locked_) {
            locked = Lanes{};
        }
        for (int family = 0; family < kFamilies; ++family) {
            const int one = kFamily.one[family];
            const int other = kFamily.other[family];
            for (const Lanes component : components_[family]) {
                const Lanes of_one = clues_[one] & component;
                const Lanes of_other = clues_[other] & component;
                const Lanes lines = of_one | of_other;
                // one line, and in it one clue
                const Lanes last = single(lines, lines - all_lanes(1)) & ~(of_one & of_other);
                locked_[one] |= last & of_one;
                locked_[other] |= last & of_other;
            }
        }
    }

    SUDOKUMILL_INLINE bool is_locked(int lane, int place, int digit) const {
        const int row = place / 9;
        const int column = place % 9;
        return ((locked_[digit][lane] >> row | locked_[9 + row][lane] >> column |
                 locked_[18 + column][lane] >> row) &
                1) != 0;
    }

    /// Takes a clue away, or puts it back; digits are 0 .. 8.
    SUDOKUMILL_INLINE void turn(int lane, int place, int digit) {
        const int row = place / 9;
        const int column = place % 9;
        clues_[digit][lane] = static_cast<std::uint16_t>(clues_[digit][lane] ^ 1 << row);
        clues_[9 + row][lane] = static_cast<std::uint16_t>(clues_[9 + row][lane] ^ 1 << column);
        clues_[18 + column][lane] = static_cast<std::uint16_t>(clues_[18 + column][lane] ^ 1 << row);
    }

  private:
    static SUDOKUMILL_INLINE Lanes at(const Cells& cells, int row, int column) {
        return cells.at[kPlaces.cell[9 * row + column]];
    }

    static SUDOKUMILL_INLINE void find_components(const Lanes (&first)[9], const Lanes (&second)[9], bool in_boxes,
                                                  Lanes (&components)[4]) {
        Lanes linked[9]; // lines that a line is linked to, itself included
        for (int line = 0; line < 9; ++line) {
            linked[line] = all_lanes(1U << line);
        }
        for (int i = 0; i < 9; ++i) {
            for (int j = 0; j < 9; ++j) {
                if (i != j) {
                    const unsigned what = in_boxes && i / 3 == j / 3 ? 0xFFFF : 0x1FF;
                    const Lanes common = first[i] & all_lanes(what);
                    linked[i] |= if_meets(common, second[j], all_lanes(1U << j));
                    linked[j] |= if_meets(common, second[j], all_lanes(1U << i));
                }
            }
        }
        for (int via = 0; via < 9; ++via) {
            for (int line = 0; line < 9; ++line) {
                if (line != via) {
                    linked[line] |= if_meets(linked[line], all_lanes(1U << via), linked[via]);
                }
            }
        }
        Lanes left = all_lanes(0x1FF);
        for (Lanes& component : components) {
            const Lanes line = lowest(left);
            component = Lanes{};
            for (int i = 0; i < 9; ++i) {
                component |= if_meets(line, all_lanes(1U << i), linked[i]);
            }
            left &= ~component;
        }
    }

    Lanes components_[kFamilies][4]; // lines of each, none if there are fewer
    Lanes clues_[kOwners];           // lines in which the owner's cell is a clue
    Lanes locked_[kOwners];          // ... and is locked
};

} // namespace sudokumill::SUDOKUMILL_BUILD
