// Locked candidates: all places of a digit in one region lie in another one too, which then has it nowhere else.
//
//     pointing: from a box to a line          claiming: from a line to a box
//
//     d . d | x . x | . . x                   . . . | d d . | . . .
//     . . . | . . . | . . .                   . . . | . x x | . . .
//     . . . | . . . | . . .                   . . . | x . . | . . .
#include "locked_candidates.hpp"

#include "hint.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_locked(const CandidateGrid& grid, Search& search, LockedKind kind, Technique technique) {
    for_each_locked(grid, kind, [&](int digit, int region, int other) {
        const CellSet cells = grid.cells_with(digit) & region_cells(region);
        const CellSet gone = (grid.cells_with(digit) & region_cells(other)).without(cells);
        if (gone.empty()) {
            return;
        }
        Hint hint{.technique = technique,
                  .rating = least_rating_of(technique),
                  .cells = cells,
                  .digits = bit_of(digit),
                  .regions = 1U << region};
        hint.eliminations[digit] = gone;
        search.hints.add(hint);
    });
}

} // namespace

void find_pointing(const CandidateGrid& grid, Search& search) {
    find_locked(grid, search, LockedKind::pointing, Technique::pointing);
}

void find_claiming(const CandidateGrid& grid, Search& search) {
    find_locked(grid, search, LockedKind::claiming, Technique::claiming);
}

} // namespace sudokumill::explainer
