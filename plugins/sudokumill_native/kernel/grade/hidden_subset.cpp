// Hidden pair, triplet, quad: k digits have k places between them in a region, so these cells have no others.
//
//     pair of 1 and 2:    124 | 1 2 5 | 45 | 456     gone: 4 of the first cell, 5 of the second
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_hidden(const CandidateGrid& grid, Search& search, int size, Technique technique) {
    const int least_blanks = 2 * size + 1; // of fewer the same hint is a naked subset, not larger
    for_each_hidden_subset(grid, size, least_blanks, [&](const RegionSubset& subset) {
        Hint hint = subset.hint(technique);
        for_each_cell(hint.cells, [&](int cell) {
            for_each_bit(static_cast<NineBits>(grid.candidates(cell) & ~subset.digits),
                         [&](int digit) { hint.eliminations.add(cell, digit); });
        });
        search.hints.add(hint);
    });
}

} // namespace

void find_hidden_pair(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 2, Technique::hidden_pair);
}

void find_hidden_triplet(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 3, Technique::hidden_triplet);
}

void find_hidden_quad(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 4, Technique::hidden_quad);
}

} // namespace sudokumill::explainer
