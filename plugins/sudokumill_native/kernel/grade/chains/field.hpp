// The candidates of a grid, numbered for chains.
#pragma once

#include <array>
#include <cstdint>

#include "../candidate_grid.hpp"

namespace sudokumill::explainer::chains {

/// The candidates of a grid (or of one digit), numbered, with the candidates that each sees.
template <int Words> struct Field {
    static constexpr int kMost = 64 * Words;
    static constexpr int kMostSeen = 8 + 20;

    CandidateGrid grid;
    int count = 0;
    bool inside_cells = true; // false: no links between the candidates of a cell
    std::array<std::uint8_t, kMost> cell;
    std::array<std::uint8_t, kMost> digit;
    std::array<std::array<std::int16_t, kCells>, kDigits> number;
    std::array<std::array<std::int16_t, kMostSeen>, kMost> seen;
    std::array<std::uint8_t, kMost> seen_count;

    /// All candidates.
    void take(const CandidateGrid& of) { take(of, kNineBits, true); }

    /// The candidates of one digit, without links inside cells.
    void take_digit(const CandidateGrid& of, int which) { take(of, bit_of(which), false); }

    int number_of(int at, int which) const {
        return number[static_cast<std::size_t>(which)][static_cast<std::size_t>(at)];
    }

  private:
    void take(const CandidateGrid& of, NineBits digits, bool with_cells) {
        grid = of;
        inside_cells = with_cells;
        count = 0;
        for_each_cell(of.blanks(), [&](int at) {
            for_each_bit(static_cast<NineBits>(of.candidates(at) & digits), [&](int which) {
                cell[static_cast<std::size_t>(count)] = static_cast<std::uint8_t>(at);
                digit[static_cast<std::size_t>(count)] = static_cast<std::uint8_t>(which);
                number[static_cast<std::size_t>(which)][static_cast<std::size_t>(at)] =
                    static_cast<std::int16_t>(count++);
            });
        });
        for (int candidate = 0; candidate < count; ++candidate) {
            list_seen(static_cast<std::size_t>(candidate));
        }
    }

    void list_seen(std::size_t candidate) {
        std::size_t listed = 0;
        const int at = cell[candidate];
        const int which = digit[candidate];
        if (inside_cells) {
            for_each_bit(static_cast<NineBits>(grid.candidates(at) & ~bit_of(which)), [&](int other) {
                seen[candidate][listed++] = static_cast<std::int16_t>(number_of(at, other));
            });
        }
        CellSet rest = kLayout.peers[static_cast<std::size_t>(at)] & grid.cells_with(which);
        for (const std::uint8_t region : kLayout.regions_of[static_cast<std::size_t>(at)]) {
            for_each_cell(rest & kLayout.region[region], [&](int other) {
                seen[candidate][listed++] = static_cast<std::int16_t>(number_of(other, which));
            });
            rest = rest.without(kLayout.region[region]);
        }
        seen_count[candidate] = static_cast<std::uint8_t>(listed);
    }
};

} // namespace sudokumill::explainer::chains
