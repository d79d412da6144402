// Bivalue universal grave: had every blank cell two candidates, each in two cells of every region, then there
// would be two solutions or none. As there is one, some of the candidates beyond that are right.
//
//     13  .  23          Without the 3 of the middle cell each digit would be in two cells of this box. If it were
//     .   123 .          so in all regions, that would be a grave: so the middle cell is 3 (type 1).
//     .   .  .
//
// Types, by the cells that have candidates beyond:
//     1  one cell: it has one of those beyond, and no other
//     2  all have the same one: it is nowhere where all of them are seen
//     3  cells of one region: what they have beyond and k other cells there are a naked subset
//     4  two cells of one region where a digit not beyond is in these two only: they have it, or what is beyond
#include "grave.hpp"
#include "subset_search.hpp"
#include "techniques.hpp"

namespace sudokumill::explainer {
namespace {

Hint hint_of(const Grave& grave, Technique technique, int more = 0) {
    return {.technique = technique,
            .rating = static_cast<Tenths>(least_rating_of(technique) + more),
            .cells = grave.cells,
            .digits = grave.all_beyond};
}

void find_type_1(const Grave& grave, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(grave, Technique::bug_1);
    const int cell = grave.cells.first();
    for_each_bit(static_cast<NineBits>(grid.candidates(cell) & ~grave.all_beyond),
                 [&](int digit) { hint.eliminations.add(cell, digit); });
    search.hints.add(hint);
}

void find_type_2(const Grave& grave, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(grave, Technique::bug_2);
    const int digit = first_of(grave.all_beyond);
    hint.eliminations[digit] = grid.cells_with(digit) & seen_by_all(grave.cells);
    search.hints.add(hint);
}

void find_type_3(const Grave& grave, const CandidateGrid& grid, Search& search, int region) {
    constexpr int kMost = 7; // of nine cells two or more stand for one
    for_each_subset_with(
        grid, region, grave.cells, grave.all_beyond, kMost, [&](CellSet others, NineBits digits, int size) {
            Hint hint = hint_of(grave, Technique::bug_3, size - 2);
            hint.cells |= others;
            hint.digits |= digits;
            const CellSet seen = region_cells(region).without(hint.cells);
            for_each_bit(digits, [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & seen; });
            search.hints.add(hint);
        });
}

void find_type_4(const Grave& grave, const CandidateGrid& grid, Search& search, int region) {
    CellSet cells = grave.cells;
    const int one = cells.take_first();
    const int other = cells.take_first();
    if (cells.any()) {
        return;
    }
    const auto rest = [&](int cell) {
        return static_cast<NineBits>(grid.candidates(cell) & ~grave.beyond[static_cast<std::size_t>(cell)]);
    };
    for_each_bit(static_cast<NineBits>(rest(one) & rest(other)), [&](int locked) {
        if (count_of(grid.positions(locked, region)) != 2) {
            return;
        }
        Hint hint = hint_of(grave, Technique::bug_4);
        for (const int cell : {one, other}) {
            for_each_bit(static_cast<NineBits>(rest(cell) & ~bit_of(locked)),
                         [&](int digit) { hint.eliminations.add(cell, digit); });
        }
        search.hints.add(hint);
    });
}

} // namespace

void find_bivalue_universal_grave(const CandidateGrid& grid, Search& search) {
    Grave grave;
    if (!find_grave(grid, grave)) {
        return;
    }
    if (!grave.cells.several()) {
        find_type_1(grave, grid, search);
    } else if (count_of(grave.all_beyond) == 1) {
        find_type_2(grave, grid, search);
    } else {
        for (std::uint32_t regions = common_regions(grave.cells); regions != 0; regions &= regions - 1) {
            find_type_4(grave, grid, search, std::countr_zero(regions));
            find_type_3(grave, grid, search, std::countr_zero(regions));
        }
    }
}

} // namespace sudokumill::explainer
