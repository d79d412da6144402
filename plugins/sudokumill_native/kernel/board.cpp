#include "board.hpp"

#include <bit>

namespace sudokumill {
namespace {

constexpr std::uint32_t kBand = 0777777777;    // 27 cells; an octal digit is a minirow
constexpr std::uint32_t kRow = 0777;           // nine cells
constexpr std::uint32_t kThreeRows = 01001001; // times a row: the same cells in all three rows of a band

constexpr std::uint32_t bit_in_band(int cell) { return 1U << (cell % 27); }
constexpr std::uint32_t row_in_band(int cell) { return kRow << (cell % 27 / 9 * 9); }

/// Everything but the other eight cells of the row.
constexpr std::uint32_t only_in_row(int cell) { return ~row_in_band(cell) | bit_in_band(cell); }

// --- rows and boxes of one band ---------------------------------------------------------------------------

/// For the nine cells of a row, which of its three minirows hold a candidate.
constexpr auto kMinirows = [] {
    std::array<std::uint8_t, 512> table{};
    for (unsigned row = 0; row < 512; ++row) {
        for (int box = 0; box < 3; ++box) {
            if ((row >> (3 * box) & 7) != 0) {
                table[row] |= static_cast<std::uint8_t>(1U << box);
            }
        }
    }
    return table;
}();

/// For the nine minirows of a band (bit 3 * row + box), the cells of those that the digit can be in.
///
/// A digit is in every row once and in every box once, so it takes three minirows of a band, in one of six ways:
///
///     A . .   A . .   . A .   . A .   . . A   . . A      A minirow stays if one of the ways that use it has
///     . A .   . . A   A . .   . . A   A . .   . A .      candidates in all three. These are the locked
///     . . A   . A .   . . A   A . .   . A .   A . .      candidates of rows and boxes, all at once.
///
/// No way at all gives no cells: a contradiction.
constexpr auto kOpenMinirows = [] {
    constexpr int ways[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    std::array<std::uint32_t, 512> table{};
    for (unsigned minirows = 0; minirows < 512; ++minirows) {
        for (const auto& boxes : ways) {
            unsigned way = 0;
            std::uint32_t cells = 0;
            for (int row = 0; row < 3; ++row) {
                way |= 1U << (3 * row + boxes[row]);
                cells |= 7U << (9 * row + 3 * boxes[row]);
            }
            if ((minirows & way) == way) {
                table[minirows] |= cells;
            }
        }
    }
    return table;
}();

std::uint32_t open_in_rows(std::uint32_t band) {
    const unsigned minirows =
        kMinirows[band & kRow] | kMinirows[band >> 9 & kRow] << 3 | kMinirows[band >> 18] << 6;
    return band & kOpenMinirows[minirows];
}

/// A row's only candidate, or nothing if it has several.
constexpr auto kLoneInRow = [] {
    std::array<std::uint16_t, 512> table{};
    for (int column = 0; column < 9; ++column) {
        table[1U << column] = static_cast<std::uint16_t>(1U << column);
    }
    return table;
}();

std::uint32_t lone_in_rows(std::uint32_t band) {
    return kLoneInRow[band & kRow] | std::uint32_t{kLoneInRow[band >> 9 & kRow]} << 9 |
           std::uint32_t{kLoneInRow[band >> 18]} << 18;
}

// --- columns ----------------------------------------------------------------------------------------------

/// For three bands of nine columns (bit 9 * band + column), those that the digit can be in.
///
/// The same six ways, turned: in each stack, the digit takes another column in each band. Written with shifts,
/// which treat the three stacks together:
///
///     band 0   A . . | . . B | . C .      Column k of band b stays if bands b+1 and b+2 have columns k+1 and
///     band 1   . A . | B . . | C . .      k+2, or k+2 and k+1; bands are counted round within the grid,
///     band 2   . . A | . B . | . . C      columns within their stack.
std::uint32_t open_columns(std::uint32_t columns) {
    constexpr std::uint32_t first = 0111111111; // the first column of each stack
    constexpr std::uint32_t last = 0444444444;
    const auto next_band = [](std::uint32_t word) { return (word >> 9 | word << 18) & kBand; };

    const std::uint32_t one_on = (columns >> 1 & ~last) | (columns << 2 & last);
    const std::uint32_t two_on = (columns >> 2 & first) | (columns << 1 & kBand & ~first);
    const std::uint32_t one_on_below = next_band(one_on);
    const std::uint32_t two_on_below = next_band(two_on);
    return columns & ((one_on_below & next_band(two_on_below)) | (two_on_below & next_band(one_on_below)));
}

std::uint32_t columns_of(std::uint32_t band) { return (band | band >> 9 | band >> 18) & kRow; }

// --- cells by their number of candidates ------------------------------------------------------------------

/// Cells of a band with at least 1, 2, .. `most` candidates.
template <std::size_t most> struct AtLeast {
    std::array<std::uint32_t, most> cells{};

    void add(std::uint32_t candidates) {
        for (std::size_t k = most - 1; k > 0; --k) {
            cells[k] |= cells[k - 1] & candidates;
        }
        cells[0] |= candidates;
    }
};

} // namespace

Board::Board(GridView clues) : unsettled_(0b11'1111'1110) {
    Bands given{};
    std::array<Bands, kDigits> own{};
    for (int cell = 0; cell < kCells; ++cell) {
        if (clues[cell] != 0) {
            given[cell / 27] |= bit_in_band(cell);
            own[clues[cell] - 1][cell / 27] |= bit_in_band(cell);
        }
    }
    for (int index = 0; index < kDigits; ++index) {
        for (int band = 0; band < 3; ++band) {
            candidates_[index][band] = (kBand & ~given[band]) | own[index][band];
        }
    }
    for (int cell = 0; cell < kCells; ++cell) {
        if (clues[cell] != 0) {
            bands_of(clues[cell])[cell / 27] &= only_in_row(cell);
        }
    }
}

void Board::place(int cell, int digit) {
    // A lone candidate of its row is a hidden single: settle() then takes the cell from the other digits.
    bands_of(digit)[cell / 27] &= only_in_row(cell);
    unsettled_ |= 1U << digit;
}

void Board::ban(int cell, int digit) {
    bands_of(digit)[cell / 27] &= ~bit_in_band(cell);
    unsettled_ |= 1U << digit;
}

bool Board::deduce() {
    do {
        while (unsettled_ != 0) {
            const int digit = std::countr_zero(unsettled_);
            unsettled_ &= unsettled_ - 1;
            if (!settle(digit)) {
                return false;
            }
        }
        if (!take_naked_singles()) {
            return false;
        }
    } while (unsettled_ != 0);
    return true;
}

/// Narrows one digit's board until rows, boxes and columns agree, and gives it the cells that only it can fill.
bool Board::settle(int digit) {
    Bands& bands = bands_of(digit);
    std::uint32_t columns;
    std::uint32_t open;
    do {
        for (std::uint32_t& band : bands) {
            band = open_in_rows(band);
        }
        columns = columns_of(bands[0]) | columns_of(bands[1]) << 9 | columns_of(bands[2]) << 18;
        open = open_columns(columns);
        for (int band = 0; band < 3; ++band) {
            bands[band] &= (open >> (9 * band) & kRow) * kThreeRows;
        }
    } while (open != columns);
    if (open == 0) {
        return false;
    }

    // Where rows, boxes and columns agree, a digit with one cell left in a box or a column has one cell left in
    // that cell's row too: looking at rows finds all hidden singles.
    for (int band = 0; band < 3; ++band) {
        const std::uint32_t found = lone_in_rows(bands[band]) & ~placed_[band];
        if (found == 0) {
            continue;
        }
        placed_[band] |= found;
        for (int other = 1; other <= kDigits; ++other) {
            if (other != digit && (bands_of(other)[band] & found) != 0) {
                bands_of(other)[band] &= ~found;
                unsettled_ |= 1U << other;
            }
        }
    }
    return true;
}

/// Gives cells with one candidate their digit; false if a cell has none.
bool Board::take_naked_singles() {
    for (int band = 0; band < 3; ++band) {
        AtLeast<2> at_least;
        for (const Bands& bands : candidates_) {
            at_least.add(bands[band]);
        }
        if (at_least.cells[0] != kBand) {
            return false;
        }
        const std::uint32_t naked = at_least.cells[0] & ~at_least.cells[1] & ~placed_[band];
        if (naked == 0) {
            continue;
        }
        for (int digit = 1; digit <= kDigits; ++digit) {
            for (std::uint32_t left = bands_of(digit)[band] & naked; left != 0; left &= left - 1) {
                place(27 * band + std::countr_zero(left), digit);
            }
        }
    }
    return true;
}

bool Board::is_complete() const { return (placed_[0] & placed_[1] & placed_[2]) == kBand; }

int Board::narrowest_cell() const {
    // Two is what is nearly always found, and nothing beats it.
    for (int band = 0; band < 3; ++band) {
        AtLeast<3> at_least;
        for (const Bands& bands : candidates_) {
            at_least.add(bands[band]);
        }
        const std::uint32_t pairs = at_least.cells[1] & ~at_least.cells[2];
        if (pairs != 0) {
            return 27 * band + std::countr_zero(pairs);
        }
    }
    std::array<AtLeast<kDigits>, 3> at_least{};
    for (const Bands& bands : candidates_) {
        for (int band = 0; band < 3; ++band) {
            at_least[band].add(bands[band]);
        }
    }
    for (int count = 3; count < kDigits; ++count) {
        for (int band = 0; band < 3; ++band) {
            const std::uint32_t cells = at_least[band].cells[count - 1] & ~at_least[band].cells[count];
            if (cells != 0) {
                return 27 * band + std::countr_zero(cells);
            }
        }
    }
    return 0; // every cell is open to every digit
}

bool Board::allows(int cell, int digit) const {
    return (candidates_[digit - 1][cell / 27] & bit_in_band(cell)) != 0;
}

Grid Board::placed_digits() const {
    Grid grid{};
    for (int index = 0; index < kDigits; ++index) {
        for (int band = 0; band < 3; ++band) {
            for (std::uint32_t left = candidates_[index][band] & placed_[band]; left != 0; left &= left - 1) {
                grid[27 * band + std::countr_zero(left)] = static_cast<std::uint8_t>(index + 1);
            }
        }
    }
    return grid;
}

} // namespace sudokumill
