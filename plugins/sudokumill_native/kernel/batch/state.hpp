// The state of the batch engine: the candidates of as many grids as there are lanes.
//
// One vector a cell, box by box; lane l of every vector belongs to grid l. The lowest nine bits of a lane are the
// cell's candidates, bit d-1 for digit d:
//
//       cells of a grid, in reading order            the vector of a cell
//
//      0  1  2 |  9 10 11 | 18 19 20               lane    0          1               31
//      3  4  5 | 12 13 14 | 21 22 23           at[13]  000010000  111010011  ...  000000100
//      6  7  8 | 15 16 17 | 24 25 26                   987654321  987654321       987654321
//     ---------+----------+---------                   is a 5     many left       is a 3
//     27 28 29 | 36 37 38 | 45 46 47
//     30 31 32 | 39 40 41 | 48 49 50           A step is a loop over cells that does the same to all grids.
//     33 34 35 | 42 43 44 | 51 52 53           Box by box, because what looks at a box then finds its nine
//     ---------+----------+---------           vectors side by side. To look at another row of a band, or
//     54 55 56 | 63 64 65 | 72 73 74           at another box, costs nothing: it is another vector.
//     57 58 59 | 66 67 68 | 75 76 77
//     60 61 62 | 69 70 71 | 78 79 80
//
// A minirow is the three cells of a box in one row, a minicolumn the three in one column. A band of boxes has nine
// minirows, a stack nine minicolumns; the same code does both, since only the distance between vectors differs:
//
//     minirows[3 * box + row]                  minicolumns[3 * box + column]
//
//     row 0     0  |  3  |  6                  column   0 1 2 | 3 4 5 | 6 7 8
//     row 1     1  |  4  |  7                  box 3    9 ...
//     row 2     2  |  5  |  8                  box 6   18 ...
//
// Rejected: a vector for each digit and band (27 cells a lane), since a lane of 32 bits halves their number; and
// one grid a vector, since half of all instructions are then rotations.
#pragma once

#include "lanes.hpp"

namespace sudokumill::SUDOKUMILL_BUILD {

constexpr int kCellCount = 81;
constexpr unsigned kAnyDigit = 0x1FF;

/// One vector for each cell.
struct Cells {
    Lanes at[kCellCount];
};

/// Two numberings of the cells. In what is compiled for lanes a *cell* is numbered box by box, as drawn above, and
/// a *place* in reading order; outside, and in orbits, where all is in reading order, a cell is a place.
struct Places {
    std::uint8_t of[kCellCount] = {};   // of each cell
    std::uint8_t cell[kCellCount] = {}; // at each place

    constexpr Places() {
        for (int place = 0; place < kCellCount; ++place) {
            const int row = place / 9;
            const int column = place % 9;
            const int index = 9 * (row / 3 * 3 + column / 3) + 3 * (row % 3) + column % 3;
            of[index] = static_cast<std::uint8_t>(place);
            cell[place] = static_cast<std::uint8_t>(index);
        }
    }
};
constexpr Places kPlaces;

/// What a pass works on and leaves behind.
struct State {
    Cells cells;
    Cells reduced;         // cells without the digits that a cell of their box has
    Lanes minirows[27];    // candidates of each minirow, those gone that do not fit the band
    Lanes minicolumns[27]; // the same of stacks
};

/// The nine minirows of a band, or minicolumns of a stack, as [box * step + line].
struct BandView {
    Lanes* first;
    int step;

    SUDOKUMILL_INLINE Lanes& operator()(int box, int line) const { return first[box * step + line]; }
};

/// 0 .. 2 are bands, 3 .. 5 stacks.
SUDOKUMILL_INLINE BandView band_of(State& state, int band) {
    return band < 3 ? BandView{state.minirows + 9 * band, 3} : BandView{state.minicolumns + 3 * (band - 3), 9};
}

/// Each lane a puzzle, or a branch of one, that is still to be worked on.
struct Block {
    Cells cells;
    LaneMask waiting; // lanes that hold something
    int task[kLanes]; // whose they are
};

} // namespace sudokumill::SUDOKUMILL_BUILD
