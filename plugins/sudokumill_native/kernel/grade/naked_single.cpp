// Naked single: a cell has one candidate left.
#include "hint.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {

void find_naked_single(const CandidateGrid& grid, Search& search) {
    for_each_cell(few_candidates(grid).one, [&](int cell) {
        search.hints.add({.technique = Technique::naked_single,
                          .rating = least_rating_of(Technique::naked_single),
                          .cells = CellSet::of(cell),
                          .digits = grid.candidates(cell),
                          .placed_cell = cell,
                          .placed_digit = first_of(grid.candidates(cell))});
    });
}

} // namespace sudokumill::explainer
