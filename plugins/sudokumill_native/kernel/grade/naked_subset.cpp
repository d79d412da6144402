// Naked pair, triplet, quad: k cells of a region have k candidates between them, so no other cell there has these.
//
//     pair of 1 and 2:    12 | 12 | 123 | 4 1 5      gone: 1 and 2 of the third cell, 1 of the fourth
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_naked(const CandidateGrid& grid, Search& search, int size, Technique technique, Tenths rating) {
    for (int region = 0; region < kRegions; ++region) {
        if (grid.blanks_in(region) < 2 * size) {
            continue; // the same hint is a smaller hidden subset
        }
        for_each_subset(candidates_in(grid, region), size, [&](NineBits places, NineBits digits) {
            Hint hint{.technique = technique,
                      .rating = rating,
                      .cells = cells_at(region, places),
                      .digits = digits,
                      .regions = 1U << region};
            const CellSet others = region_cells(region).without(hint.cells);
            for_each_bit(digits, [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & others; });
            search.hints.add(hint);
        });
    }
}

} // namespace

void find_naked_pair(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 2, Technique::naked_pair, 30);
}

void find_naked_triplet(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 3, Technique::naked_triplet, 36);
}

void find_naked_quad(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 4, Technique::naked_quad, 50);
}

} // namespace sudokumill::explainer
