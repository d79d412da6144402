// Direct pointing and claiming: locked candidates that leave the digit one place in a region beside the first.
//
//     d . d | x . x | . . x       The digit is locked into the first box's upper row, so it is none of the x.
//     . . . | . d . | d d .       The second box has one place left, which is where it goes.
//     . . . | . . . | . . d
#include "hint.hpp"
#include "locked_candidates.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_direct(const CandidateGrid& grid, Search& search, LockedKind kind, Technique technique) {
    for_each_locked(grid, kind, [&](int digit, int region, int other) {
        const CellSet places = grid.cells_with(digit);
        const CellSet locked = places & region_cells(region);
        CellSet gone = (places & region_cells(other)).without(locked);
        while (gone.any()) {
            // The region of the first one's kind (box, row or column) that loses this place.
            const int third = region_of_kind(gone.first(), kind_of_region(region));
            gone = gone.without(region_cells(third));
            const CellSet left = (places & region_cells(third)).without(region_cells(other));
            if (left.empty() || left.several()) {
                continue;
            }
            search.hints.add({.technique = technique,
                              .rating = least_rating_of(technique),
                              .cells = locked,
                              .digits = bit_of(digit),
                              .regions = 1U << region,
                              .placed_cell = left.first(),
                              .placed_digit = digit});
        }
    });
}

} // namespace

void find_direct_pointing(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, LockedKind::pointing, Technique::direct_pointing);
}

void find_direct_claiming(const CandidateGrid& grid, Search& search) {
    find_direct(grid, search, LockedKind::claiming, Technique::direct_claiming);
}

} // namespace sudokumill::explainer
