// Naked pair, triplet, quad: k cells of a region have k candidates between them, so no other cell there has these.
//
//     pair of 1 and 2:    12 | 12 | 123 | 4 1 5      gone: 1 and 2 of the third cell, 1 of the fourth
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_naked(const CandidateGrid& grid, Search& search, int size, Technique technique) {
    const int least_blanks = 2 * size; // of fewer the same hint is a smaller hidden subset
    for_each_naked_subset(grid, size, least_blanks, [&](const RegionSubset& subset) {
        Hint hint = subset.hint(technique);
        const CellSet others = region_cells(subset.region).without(hint.cells);
        for_each_bit(subset.digits,
                     [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & others; });
        search.hints.add(hint);
    });
}

} // namespace

void find_naked_pair(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 2, Technique::naked_pair);
}

void find_naked_triplet(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 3, Technique::naked_triplet);
}

void find_naked_quad(const CandidateGrid& grid, Search& search) {
    find_naked(grid, search, 4, Technique::naked_quad);
}

} // namespace sudokumill::explainer
