#include "grid.hpp"

#include <algorithm>

namespace sudokumill {

bool has_clash(GridView grid) {
    std::array<std::uint16_t, 9> rows{};
    std::array<std::uint16_t, 9> columns{};
    std::array<std::uint16_t, 9> boxes{};
    for (int cell = 0; cell < kCells; ++cell) {
        const int digit = grid[cell];
        if (digit == 0) {
            continue;
        }
        if (digit > kDigits) {
            return true;
        }
        const auto bit = static_cast<std::uint16_t>(1U << digit);
        std::uint16_t& row = rows[row_of(cell)];
        std::uint16_t& column = columns[column_of(cell)];
        std::uint16_t& box = boxes[box_of(cell)];
        if (((row | column | box) & bit) != 0) {
            return true;
        }
        row |= bit;
        column |= bit;
        box |= bit;
    }
    return false;
}

bool is_final(GridView grid) { return clue_count(grid) == kCells && !has_clash(grid); }

int clue_count(GridView grid) {
    return static_cast<int>(std::ranges::count_if(grid, [](std::uint8_t digit) { return digit != 0; }));
}

} // namespace sudokumill
