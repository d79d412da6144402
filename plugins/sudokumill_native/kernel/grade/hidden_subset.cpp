// Hidden pair, triplet, quad: k digits have k places between them in a region, so these cells have no others.
//
//     pair of 1 and 2:    124 | 1 2 5 | 45 | 456     gone: 4 of the first cell, 5 of the second
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_hidden(const CandidateGrid& grid, Search& search, int size, Technique technique, Tenths rating) {
    for (int region = 0; region < kRegions; ++region) {
        if (grid.blanks_in(region) <= 2 * size) {
            continue; // the same hint is a naked subset, not larger
        }
        for_each_subset(grid.positions_in(region), size, [&](NineBits digits, NineBits places) {
            Hint hint{.technique = technique,
                      .rating = rating,
                      .cells = cells_at(region, places),
                      .digits = digits,
                      .regions = 1U << region};
            for_each_cell(hint.cells, [&](int cell) {
                for_each_bit(static_cast<NineBits>(grid.candidates(cell) & ~digits),
                             [&](int digit) { hint.eliminations.add(cell, digit); });
            });
            search.hints.add(hint);
        });
    }
}

} // namespace

void find_hidden_pair(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 2, Technique::hidden_pair, 34);
}

void find_hidden_triplet(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 3, Technique::hidden_triplet, 40);
}

void find_hidden_quad(const CandidateGrid& grid, Search& search) {
    find_hidden(grid, search, 4, Technique::hidden_quad, 54);
}

} // namespace sudokumill::explainer
