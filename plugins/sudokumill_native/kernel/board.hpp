// Candidates of all nine digits, and what follows from them without a guess.
#pragma once

#include <array>
#include <cstdint>

#include "grid.hpp"

namespace sudokumill {

/// The candidates of a grid, digit by digit.
///
/// Each digit has a board that says in which cells it can still stand: three bands of 27 bits, in reading order.
///
///     band 0   bits  0 ..  8   row 1        a band of one digit:   x..|.x.|...   a row has three minirows,
///              bits  9 .. 17   row 2                               ...|.x.|..x   one in each box
///              bits 18 .. 26   row 3                               x..|...|..x
///     band 1   rows 4 .. 6
///     band 2   rows 7 .. 9
///
/// One board for each digit was preferred to one mask of digits for each cell, because one expression then looks
/// at 27 cells. All of it is 124 bytes: a search works on a copy, and goes back by dropping it.
class Board {
  public:
    /// The candidates that the clues leave. The grid must have no clash.
    explicit Board(GridView clues);

    /// Puts the digit into the cell. What follows for other cells is found by deduce().
    void place(int cell, int digit);

    /// Takes the digit from the cell's candidates.
    void ban(int cell, int digit);

    /// Draws all conclusions from locked candidates, hidden singles and naked singles.
    ///
    /// Returns: false if the candidates contradict each other; the board is of no use then.
    [[nodiscard]] bool deduce();

    /// Whether every cell has its digit. Only after deduce(); the board then is a solution.
    bool is_complete() const;

    /// The unplaced cell with the fewest candidates; of equal ones the first. Only after deduce(), if not
    /// complete.
    int narrowest_cell() const;

    /// Whether the digit is a candidate of the cell.
    bool allows(int cell, int digit) const;

    /// The digits placed; 0 where there is none yet.
    Grid placed_digits() const;

  private:
    using Bands = std::array<std::uint32_t, 3>;

    [[nodiscard]] bool settle(int digit);
    [[nodiscard]] bool take_naked_singles();

    Bands& bands_of(int digit) { return candidates_[digit - 1]; }

    std::array<Bands, kDigits> candidates_; // [digit - 1][band]
    Bands placed_{};                        // cells whose digit is known and gone from all other digits' boards
    std::uint32_t unsettled_;               // digits whose board has changed: bit 1 .. 9
};

} // namespace sudokumill
