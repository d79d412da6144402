#include "links.hpp"

namespace sudokumill::explainer::chains {
namespace {

/// The number of each candidate of a grid, by digit and cell.
using Numbers = std::array<std::array<std::int16_t, kCells>, kDigits>;

int number_of(const Numbers& numbers, int digit, int cell) {
    return numbers[static_cast<std::size_t>(digit)][static_cast<std::size_t>(cell)];
}

/// Weak links of a digit between some cells. Numbers of a digit rise with the cells.
template <int Words> void link_seen(CellSet cells, int digit, const Numbers& numbers, Links<Words>& links) {
    for_each_cell(cells, [&](int cell) {
        auto& weak = links.weak[static_cast<std::size_t>(number_of(numbers, digit, cell))];
        for_each_cell(kLayout.peers[static_cast<std::size_t>(cell)] & cells,
                      [&](int seen) { weak.set(number_of(numbers, digit, seen)); });
    });
}

/// Strong links of a digit in the regions where it has two places.
template <int Words>
void link_bilocal(const CandidateGrid& grid, int digit, const Numbers& numbers, Links<Words>& links) {
    for (int region = 0; region < kRegions; ++region) {
        const NineBits places = grid.positions(digit, region);
        if (count_of(places) == 2) {
            const auto& cells = kLayout.cell_at[static_cast<std::size_t>(region)];
            const auto other = static_cast<NineBits>(places & (places - 1));
            links.add_strong(number_of(numbers, digit, cells[static_cast<std::size_t>(first_of(places))]),
                             number_of(numbers, digit, cells[static_cast<std::size_t>(first_of(other))]));
        }
    }
}

template <int Words> void number_cells(CellSet cells, int digit, Numbers& numbers, Links<Words>& links) {
    for_each_cell(cells, [&](int cell) {
        numbers[static_cast<std::size_t>(digit)][static_cast<std::size_t>(cell)] =
            static_cast<std::int16_t>(links.add(cell, digit));
    });
}

/// Weak links between the candidates of a cell, and the strong one if there are two.
template <int Words> void link_inside(int cell, NineBits candidates, const Numbers& numbers, Links<Words>& links) {
    for_each_bit(candidates, [&](int digit) {
        const int number = number_of(numbers, digit, cell);
        for_each_bit(static_cast<NineBits>(candidates & (bit_of(digit) - 1)), [&](int lower) {
            links.add_weak(number, number_of(numbers, lower, cell));
            if (count_of(candidates) == 2) {
                links.add_strong(number, number_of(numbers, lower, cell));
            }
        });
    });
}

} // namespace

void link_digit(const CandidateGrid& grid, int digit, DigitLinks& links) {
    Numbers numbers;
    links.clear();
    number_cells(grid.cells_with(digit), digit, numbers, links);
    link_bilocal(grid, digit, numbers, links);
    if (links.linked.size() <= 2) {
        links.clear(); // with one strong link there is no chain
        return;
    }
    link_seen(grid.cells_with(digit), digit, numbers, links);
    links.join();
}

void link_bivalue_cells(const CandidateGrid& grid, BivalueLinks& links) {
    Numbers numbers;
    links.clear();
    const CellSet cells = few_candidates(grid).two;
    for (int digit = 0; digit < kDigits; ++digit) {
        number_cells(cells & grid.cells_with(digit), digit, numbers, links);
        link_seen(cells & grid.cells_with(digit), digit, numbers, links);
    }
    for_each_cell(cells, [&](int cell) { link_inside(cell, grid.candidates(cell), numbers, links); });
    links.join();
}

template <int Words> void link_all(const CandidateGrid& grid, Links<Words>& links) {
    Numbers numbers;
    links.clear();
    for (int digit = 0; digit < kDigits; ++digit) {
        number_cells(grid.cells_with(digit), digit, numbers, links);
        link_seen(grid.cells_with(digit), digit, numbers, links);
        link_bilocal(grid, digit, numbers, links);
    }
    for_each_cell(grid.blanks(), [&](int cell) { link_inside(cell, grid.candidates(cell), numbers, links); });
    links.join();
}

template void link_all<4>(const CandidateGrid& grid, Links<4>& links);
template void link_all<9>(const CandidateGrid& grid, Links<9>& links);

} // namespace sudokumill::explainer::chains
