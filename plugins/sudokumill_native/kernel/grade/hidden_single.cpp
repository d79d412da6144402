// Hidden single: a digit has one place left in a region. Easiest in a region with one blank, then in a box.
#include "hint.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

constexpr std::uint32_t kBoxes = (1U << kFirstRow) - 1;
constexpr std::uint32_t kLines = ((1U << kRegions) - 1) & ~kBoxes;

void find_in(const CandidateGrid& grid, Search& search, std::uint32_t among, Technique technique) {
    for (int digit = 0; digit < kDigits; ++digit) {
        for (std::uint32_t regions = grid.regions_with_one_place(digit) & among; regions != 0;
             regions &= regions - 1) {
            const int region = std::countr_zero(regions);
            const int cell = cell_at(region, first_of(grid.positions(digit, region)));
            search.hints.add({.technique = technique,
                              .rating = least_rating_of(technique),
                              .cells = CellSet::of(cell),
                              .digits = bit_of(digit),
                              .regions = 1U << region,
                              .placed_cell = cell,
                              .placed_digit = digit});
        }
    }
}

} // namespace

void find_hidden_single_last(const CandidateGrid& grid, Search& search) {
    if (grid.regions_with_one_blank() != 0) {
        find_in(grid, search, grid.regions_with_one_blank(), Technique::hidden_single_last);
    }
}

void find_hidden_single_box(const CandidateGrid& grid, Search& search) {
    find_in(grid, search, kBoxes, Technique::hidden_single_box);
}

void find_hidden_single_line(const CandidateGrid& grid, Search& search) {
    find_in(grid, search, kLines, Technique::hidden_single_line);
}

} // namespace sudokumill::explainer
