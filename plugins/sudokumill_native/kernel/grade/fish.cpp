// X-wing, swordfish, jellyfish: a digit has k places between them in k parallel lines; it is nowhere else in the
// lines that cross these there.
//
//     . d . | . d . | . . .        d in columns 2 and 5 only, in this row and in another:
//     . x . | . x . | . . .        gone wherever else these columns have it
//     . d . | . d . | . . .
#include "hint.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

void find_fish(const CandidateGrid& grid, Search& search, int size, Technique technique) {
    for (int digit = 0; digit < kDigits; ++digit) {
        for (const int base : {kFirstColumn, kFirstRow}) {
            const int cover = base == kFirstRow ? kFirstColumn : kFirstRow;
            NineSets sets;
            for (int line = 0; line < 9; ++line) {
                sets[static_cast<std::size_t>(line)] = grid.positions(digit, base + line);
            }
            for_each_subset(sets, size, [&](NineBits lines, NineBits places) {
                CellSet bases;
                CellSet covers;
                for_each_bit(lines, [&](int line) { bases |= region_cells(base + line); });
                for_each_bit(places, [&](int line) { covers |= region_cells(cover + line); });
                const CellSet cells = grid.cells_with(digit);
                Hint hint{.technique = technique,
                          .rating = least_rating_of(technique),
                          .cells = cells & bases,
                          .digits = bit_of(digit),
                          .regions = static_cast<std::uint32_t>(lines) << base};
                hint.eliminations[digit] = (cells & covers).without(bases);
                search.hints.add(hint);
            });
        }
    }
}

} // namespace

void find_x_wing(const CandidateGrid& grid, Search& search) { find_fish(grid, search, 2, Technique::x_wing); }

void find_swordfish(const CandidateGrid& grid, Search& search) {
    find_fish(grid, search, 3, Technique::swordfish);
}

void find_jellyfish(const CandidateGrid& grid, Search& search) {
    find_fish(grid, search, 4, Technique::jellyfish);
}

} // namespace sudokumill::explainer
