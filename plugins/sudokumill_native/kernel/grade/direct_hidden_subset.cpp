// Direct hidden pair and triplet: a hidden subset that leaves another digit of the region one place.
//
//     pair of 1 and 2:    124 | 125 | 45 | 567       4 goes into the third cell, its only place outside the pair
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_direct(const CandidateGrid& grid, Search& search, int size, Technique technique, Tenths rating) {
    for (int region = 0; region < kRegions; ++region) {
        if (grid.blanks_in(region) <= size) {
            continue;
        }
        const NineSets& sets = grid.positions_in(region);
        for_each_subset(sets, size, [&](NineBits digits, NineBits places) {
            for_each_bit(static_cast<NineBits>(kNineBits & ~digits), [&](int digit) {
                const NineBits before = sets[static_cast<std::size_t>(digit)];
                const auto left = static_cast<NineBits>(before & ~places);
                if (left == before || count_of(left) != 1) {
                    return;
                }
                search.hints.add({.technique = technique,
                                  .rating = rating,
                                  .cells = cells_at(region, places),
                                  .digits = digits,
                                  .regions = 1U << region,
                                  .placed_cell = cell_at(region, first_of(left)),
                                  .placed_digit = digit});
            });
        });
    }
}

} // namespace

void find_direct_hidden_pair(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, 2, Technique::direct_hidden_pair, 20);
}

void find_direct_hidden_triplet(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, 3, Technique::direct_hidden_triplet, 25);
}

} // namespace sudokumill::explainer
