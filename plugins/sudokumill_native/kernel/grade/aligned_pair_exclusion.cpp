// Aligned pair exclusion: two cells cannot have digits that leave a cell that sees both none.
#include "aligned_exclusion.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

/// The candidates of a base with which the other can have none.
NineBits impossible_in(const Base& base, const Base& other, const ForbiddenPairs& forbidden) {
    const bool sees = see_each_other(base, other);
    NineBits impossible = 0;
    for_each_bit(base.candidates, [&](int digit) {
        if ((other.candidates & ~(forbidden.with(digit) | same_digit(sees, digit))) == 0) {
            impossible |= bit_of(digit);
        }
    });
    return impossible;
}

void look_at_pair(const CandidateGrid& grid, Search& search, const Base& one, const Base& other,
                  CellSet excluders) {
    ForbiddenPairs forbidden;
    for_each_cell(excluders, [&](int cell) { forbidden.add(grid.candidates(cell)); });
    const NineBits in_one = impossible_in(one, other, forbidden);
    const NineBits in_other = impossible_in(other, one, forbidden);
    if ((in_one | in_other) != 0) {
        Hint hint{.technique = Technique::aligned_pair_exclusion,
                  .rating = least_rating_of(Technique::aligned_pair_exclusion)};
        exclude(hint, one, in_one);
        exclude(hint, other, in_other);
        search.hints.add(hint);
    }
}

} // namespace

void find_aligned_pair_exclusion(const CandidateGrid& grid, Search& search) {
    const FewCandidates few = few_candidates(grid);
    const CellSet small = few.two | few.three;
    CellSet bases = possible_bases(grid, few.one) & Seeing(few.two).twice;
    while (bases.any()) {
        const Base first = Base::of(grid, bases.take_first());
        const CellSet excluders = few.two & peers_of(first.cell);
        const Seeing seeing(excluders);
        // To take a digit from one cell, all of the other's but one must be forbidden with it, each by an
        // excluder.
        const CellSet seconds =
            bases & (small.contains(first.cell) ? seeing.twice : (seeing.twice & small) | seeing.thrice);
        for_each_cell(seconds, [&](int second) {
            look_at_pair(grid, search, first, Base::of(grid, second), excluders & peers_of(second));
        });
    }
}

} // namespace sudokumill::explainer
