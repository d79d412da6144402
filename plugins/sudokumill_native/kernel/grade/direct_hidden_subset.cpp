// Direct hidden pair and triplet: a hidden subset that leaves another digit of the region one place.
//
//     pair of 1 and 2:    124 | 125 | 45 | 567       4 goes into the third cell, its only place outside the pair
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_direct(const CandidateGrid& grid, Search& search, int size, Technique technique) {
    for_each_hidden_subset(grid, size, size + 1, [&](const RegionSubset& subset) {
        for_each_bit(static_cast<NineBits>(kNineBits & ~subset.digits), [&](int digit) {
            const NineBits before = grid.positions(digit, subset.region);
            const auto left = static_cast<NineBits>(before & ~subset.places);
            if (left == before || !is_one(left)) {
                return;
            }
            Hint hint = subset.hint(technique);
            hint.placed_cell = cell_at(subset.region, first_of(left));
            hint.placed_digit = digit;
            search.hints.add(hint);
        });
    });
}

} // namespace

void find_direct_hidden_pair(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, 2, Technique::direct_hidden_pair);
}

void find_direct_hidden_triplet(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, 3, Technique::direct_hidden_triplet);
}

} // namespace sudokumill::explainer
