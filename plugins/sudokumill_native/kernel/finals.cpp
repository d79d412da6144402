#include "finals.hpp"

#include <algorithm>
#include <numeric>

#include "board.hpp"
#include "splitmix.hpp"

namespace sudokumill {
namespace {

using Permutation = std::array<std::uint8_t, 9>;

/// 0 .. 8 in random order.
Permutation random_permutation(SplitMix64& random) {
    Permutation order;
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    random.shuffle(std::span(order));
    return order;
}

/// 0 .. 8 so that threes stay together: the order of rows within bands and of bands (or columns and stacks).
Permutation random_line_order(SplitMix64& random) {
    std::array<std::uint8_t, 3> groups = {0, 1, 2};
    random.shuffle(std::span(groups));
    Permutation order;
    for (int place = 0; place < 3; ++place) {
        std::array<std::uint8_t, 3> lines = {0, 1, 2};
        random.shuffle(std::span(lines));
        for (int line = 0; line < 3; ++line) {
            order[3 * place + line] = static_cast<std::uint8_t>(3 * groups[place] + lines[line]);
        }
    }
    return order;
}

/// Boxes 1, 5 and 9 in random order. They share no unit, so nothing can clash.
///
///     # # #  . . .  . . .
///     . . .  # # #  . . .
///     . . .  . . .  # # #
Grid random_diagonal(SplitMix64& random) {
    Grid grid{};
    for (int box = 0; box < 3; ++box) {
        const Permutation digits = random_permutation(random);
        for (int place = 0; place < 9; ++place) {
            const int row = 3 * box + place / 3;
            const int column = 3 * box + place % 3;
            grid[9 * row + column] = static_cast<std::uint8_t>(digits[place] + 1);
        }
    }
    return grid;
}

/// Completes a board that has been deduced, trying digits in random order; false if it has no solution.
bool complete(Board& board, SplitMix64& random) {
    if (board.is_complete()) {
        return true;
    }
    const int cell = board.narrowest_cell();
    for (const std::uint8_t digit : random_permutation(random)) {
        if (!board.allows(cell, digit + 1)) {
            continue;
        }
        Board next = board;
        next.place(cell, digit + 1);
        if (next.deduce() && complete(next, random)) {
            board = next;
            return true;
        }
    }
    return false;
}

/// One of the 9! * 2 * 6^8 operations that keep a final valid, each equally likely.
Grid random_isomorphism(const Grid& final, SplitMix64& random) {
    const Permutation digits = random_permutation(random);
    const Permutation rows = random_line_order(random);
    const Permutation columns = random_line_order(random);
    const bool transposed = random.below(2) == 1;
    Grid moved;
    for (int cell = 0; cell < kCells; ++cell) {
        const int row = rows[row_of(cell)];
        const int column = columns[column_of(cell)];
        const int from = transposed ? 9 * column + row : 9 * row + column;
        moved[cell] = static_cast<std::uint8_t>(digits[final[from] - 1] + 1);
    }
    return moved;
}

} // namespace

Grid make_final(std::uint64_t seed) {
    SplitMix64 random(seed);
    Board board(random_diagonal(random));
    while (!board.deduce() || !complete(board, random)) {
        board = Board(random_diagonal(random)); // no start without a solution is known, nor needs to be excluded
    }
    return random_isomorphism(board.placed_digits(), random);
}

} // namespace sudokumill
