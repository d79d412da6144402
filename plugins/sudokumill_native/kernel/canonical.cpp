// The least form of a final begins with 123456789, so the row that comes first and the order of the columns say
// how the digits are numbered. What can stand in its second row depends on how that row lies to the first one, and
// of a band's two rows there are only two kinds:
//
//     a b c | d e f | g h i        plain: the second row has the same three minirows, moved on by one stack.
//     d f e | g i h | b c a        It can be made 456 789 and some order of 123.
//
//     a b c | d e f | g h i        mixed: each of its minirows has two digits of one minirow and one of the other.
//     d g e | a h i | b f c        It can be made 457 and no less.
//
// So whatever pair of rows comes first, there are at most 18 orders of the columns to look at, of the 1296 that
// there are: 648 for the 36 ordered pairs of both orientations if all were plain. A mixed pair has 6, and drops
// out as soon as one is plain. The second and the third row, in one number, leave one or two of them as a rule.
//
// As many arrangements reach the least form as the final has automorphisms. A puzzle of that final may look
// different under each of these, so it takes the least of what it looks like.
#include "canonical.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace sudokumill {
namespace {

constexpr int kMostArrangements = 648;

using Nine = std::array<std::uint8_t, 9>;

constexpr std::array<std::array<std::uint8_t, 3>, 6> kOrders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

/// A final as it is, or transposed.
struct Square {
    std::array<Nine, 9> rows;
    std::array<std::array<std::uint8_t, 10>, 9> where; // in each row, the column of each digit
};

/// A way to place the cells of a square, and how the digits are numbered then.
struct Arrangement {
    bool transposed;
    Nine rows;
    Nine columns;
    std::array<std::uint8_t, 10> labels;
};

/// Eight digits of a row that make the ninth sure, four bits each: rows compare as these do.
std::uint32_t number_of_row(const Nine& row, const Arrangement& arrangement) {
    std::uint32_t number = 0;
    for (int place = 0; place < 8; ++place) {
        number = number << 4 | arrangement.labels[row[arrangement.columns[place]]];
    }
    return number;
}

/// Puts the last six rows in order: in the least form the first column rises in each band, and from band to band.
void order_last_rows(const Square& square, Arrangement& arrangement) {
    const auto first_digit = [&](std::uint8_t row) {
        return arrangement.labels[square.rows[row][arrangement.columns[0]]];
    };
    const auto by_first_digit = [&](std::uint8_t one, std::uint8_t other) {
        return first_digit(one) < first_digit(other);
    };
    const int first_band = arrangement.rows[0] / 3;
    auto next = arrangement.rows.begin() + 3;
    for (int band = 0; band < 3; ++band) {
        if (band != first_band) {
            const auto start = next;
            for (int line = 0; line < 3; ++line) {
                *next++ = static_cast<std::uint8_t>(3 * band + line);
            }
            std::sort(start, next, by_first_digit);
        }
    }
    if (by_first_digit(arrangement.rows[6], arrangement.rows[3])) {
        std::swap_ranges(arrangement.rows.begin() + 3, arrangement.rows.begin() + 6, arrangement.rows.begin() + 6);
    }
}

/// The arrangements that reach the least form of a final.
class Search {
  public:
    explicit Search(GridView final) {
        for (int cell = 0; cell < kCells; ++cell) {
            place(squares_[0], row_of(cell), column_of(cell), final[cell]);
            place(squares_[1], column_of(cell), row_of(cell), final[cell]);
        }
        // half of the finals have a plain pair, and then the many mixed ones need not be looked at
        any_plain_ = has_plain(squares_[0]) || has_plain(squares_[1]);
        for (const bool transposed : {false, true}) {
            for (std::uint8_t first = 0; first < 9; ++first) {
                const std::uint8_t band = first / 3 * 3;
                try_pair(transposed, first, band + (first + 1) % 3, band + (first + 2) % 3);
                try_pair(transposed, first, band + (first + 2) % 3, band + (first + 1) % 3);
            }
        }
        keep_least();
    }

    std::span<const Arrangement> arrangements() const { return {kept_.data(), count_}; }

  private:
    static void place(Square& square, int row, int column, std::uint8_t digit) {
        square.rows[row][column] = digit;
        square.where[row][digit] = static_cast<std::uint8_t>(column);
    }

    /// Whether two rows of a band have the same three minirows.
    static bool is_plain(const Square& square, std::uint8_t first, std::uint8_t second) {
        const Nine& below = square.rows[second];
        const auto& where = square.where[first];
        const int stack = where[below[0]] / 3;
        return where[below[1]] / 3 == stack && where[below[2]] / 3 == stack;
    }

    static bool has_plain(const Square& square) {
        for (std::uint8_t band = 0; band < 9; band += 3) {
            if (is_plain(square, band, band + 1) || is_plain(square, band, band + 2) ||
                is_plain(square, band + 1, band + 2)) {
                return true;
            }
        }
        return false;
    }

    /// Tries all orders of the columns that can be the least when these rows come first.
    void try_pair(bool transposed, std::uint8_t first, std::uint8_t second, std::uint8_t third) {
        const Square& square = squares_[transposed];
        const bool plain = any_plain_;
        if (is_plain(square, first, second) != plain) {
            return;
        }
        Nine over; // by the column of a digit in the second row, its column in the first one
        for (int column = 0; column < 9; ++column) {
            over[column] = square.where[first][square.rows[second][column]];
        }
        Arrangement tried{.transposed = transposed, .rows = {first, second, third}, .columns = {}, .labels = {}};
        for (std::uint8_t stack = 0; stack < 9; stack += 3) {
            const std::array<int, 3> to{over[stack] / 3, over[stack + 1] / 3, over[stack + 2] / 3};
            // of a mixed pair, the column that goes to another stack than the two others; it comes last
            const int odd = to[0] == to[1] ? 2 : to[0] == to[2] ? 1 : 0;
            for (const auto& order : kOrders) {
                if (!plain && order[2] != odd) {
                    continue;
                }
                for (int place = 0; place < 3; ++place) {
                    tried.columns[place] = static_cast<std::uint8_t>(stack + order[place]);
                }
                if (plain) {
                    for (int place = 3; place < 9; ++place) {
                        tried.columns[place] = over[tried.columns[place - 3]];
                    }
                } else if (may_be_least(over, tried.columns)) {
                    finish_mixed(over, tried.columns);
                } else {
                    continue;
                }
                try_columns(square, over, tried);
            }
        }
    }

    /// Whether a mixed pair can still be the least, by the first five numbers of its second row: 457, and two that
    /// are below 4 where they come from the first stack. Most cannot.
    bool may_be_least(const Nine& over, const Nine& columns) const {
        const auto least_label = [&](int place) {
            const std::uint8_t column = over[over[columns[place]]];
            return column == columns[0] ? 1U : column == columns[1] ? 2U : column == columns[2] ? 3U : 6U;
        };
        return (0x457U << 8 | least_label(0) << 4 | least_label(1)) <= least_ >> 44;
    }

    /// The other two stacks, from the first one, such that the second row begins with 457 and then has 8 before 9.
    static void finish_mixed(const Nine& over, Nine& columns) {
        columns[3] = over[columns[0]];
        columns[4] = over[columns[1]];
        const int stack = columns[3] / 3 * 3;
        columns[5] = static_cast<std::uint8_t>(3 * stack + 3 - columns[3] - columns[4]);
        columns[6] = over[columns[2]];
        int next = 7;
        for (int place = 3; place < 6; ++place) {
            const std::uint8_t column = over[columns[place]];
            if (column / 3 == columns[6] / 3) {
                columns[next++] = column;
            }
        }
    }

    /// Keeps an arrangement whose first three rows are the least so far.
    void try_columns(const Square& square, const Nine& over, Arrangement& tried) {
        Nine labels; // of the digits of the first row, by their columns
        for (std::uint8_t place = 0; place < 9; ++place) {
            labels[tried.columns[place]] = place + 1;
        }
        const auto least_second = static_cast<std::uint32_t>(least_ >> 32);
        std::uint32_t second = 0;
        for (int place = 0; place < 8; ++place) {
            second = second << 4 | labels[over[tried.columns[place]]];
            // the first three are the same for all; most drop out within the three after these
            if (place >= 3 && second > least_second >> 4 * (7 - place)) {
                return;
            }
        }
        for (std::uint8_t place = 0; place < 9; ++place) {
            tried.labels[square.rows[tried.rows[0]][tried.columns[place]]] = place + 1;
        }
        const std::uint64_t number =
            std::uint64_t{second} << 32 | number_of_row(square.rows[tried.rows[2]], tried);
        if (number > least_) {
            return;
        }
        if (number < least_) {
            least_ = number;
            count_ = 0;
        }
        kept_[count_++] = tried;
    }

    /// Of those that are equal in their first three rows, keeps those that are the least in the others.
    void keep_least() {
        std::array<std::uint32_t, 6> least{};
        std::size_t kept = 0;
        for (std::size_t index = 0; index < count_; ++index) {
            Arrangement& tried = kept_[index];
            const Square& square = squares_[tried.transposed];
            order_last_rows(square, tried);
            auto comparison = kept == 0 ? std::strong_ordering::less : std::strong_ordering::equal;
            for (std::size_t place = 0; place < 6 && comparison <= 0; ++place) {
                const std::uint32_t number = number_of_row(square.rows[tried.rows[3 + place]], tried);
                if (comparison == 0) {
                    comparison = number <=> least[place];
                }
                if (comparison < 0) {
                    least[place] = number;
                }
            }
            if (comparison > 0) {
                continue;
            }
            if (comparison < 0) {
                kept = 0;
            }
            kept_[kept++] = tried;
        }
        count_ = kept;
    }

    std::array<Square, 2> squares_;
    bool any_plain_ = false;
    std::uint64_t least_ = ~std::uint64_t{0};
    std::size_t count_ = 0;
    std::array<Arrangement, kMostArrangements> kept_;
};

/// The cell that comes to a row and column of the image.
int source_cell(const Arrangement& arrangement, int row, int column) {
    const int down = arrangement.rows[row];
    const int across = arrangement.columns[column];
    return arrangement.transposed ? 9 * across + down : 9 * down + across;
}

Grid image_of(GridView grid, const Arrangement& arrangement) {
    Grid image;
    for (int row = 0; row < 9; ++row) {
        for (int column = 0; column < 9; ++column) {
            image[9 * row + column] = arrangement.labels[grid[source_cell(arrangement, row, column)]];
        }
    }
    return image;
}

bool keeps_clues(GridView solution, GridView grid) {
    for (int cell = 0; cell < kCells; ++cell) {
        if (grid[cell] != 0 && grid[cell] != solution[cell]) {
            return false;
        }
    }
    return true;
}

} // namespace

bool canonical_form(GridView grid, GridView solution, GridSpan form) {
    if (!is_final(solution) || !keeps_clues(solution, grid)) {
        std::ranges::fill(form, std::uint8_t{0});
        return false;
    }
    const Search search(solution);
    const auto arrangements = search.arrangements();
    Grid least = image_of(grid, arrangements[0]);
    for (const Arrangement& arrangement : arrangements.subspan(1)) {
        least = std::min(least, image_of(grid, arrangement));
    }
    std::ranges::copy(least, form.begin());
    return true;
}

std::vector<Isomorphism> canonical_isomorphisms(GridView final) {
    std::vector<Isomorphism> all;
    const Search search(final);
    for (const Arrangement& arrangement : search.arrangements()) {
        Isomorphism& isomorphism = all.emplace_back();
        isomorphism.labels = arrangement.labels;
        for (int row = 0; row < 9; ++row) {
            for (int column = 0; column < 9; ++column) {
                isomorphism.cells[9 * row + column] =
                    static_cast<std::uint8_t>(source_cell(arrangement, row, column));
            }
        }
    }
    return all;
}

} // namespace sudokumill
