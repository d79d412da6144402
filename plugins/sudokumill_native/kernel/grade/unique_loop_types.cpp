// What a unique rectangle or loop says, by its cells that have more than the two digits:
//
//     1  one cell: neither of the two digits is in it
//     2  they have one further digit, all the same: it is nowhere where all of them are seen
//     3  two cells of one region: one of them has one of their further digits. As if they were one cell that has
//        these, it is in a naked subset of that region; or the two digits of the loop are in a hidden one
//     4  two cells of one region where one of the two digits is nowhere else: the other is in neither of them
//
//     12  .  . | 123 .  .        In two boxes; the right cells have 3 and 4 beside the pair.
//     .   .  . | .   34 .        Type 3, with the 34 in their box: 3 and 4 are nowhere else in it.
//     12  .  . | 124 .  .        Type 4, if 1 is nowhere else in their column: they have it, so none of them is 2.
#include "subset_search.hpp"
#include "unique_loop.hpp"

namespace sudokumill::explainer {
namespace {

Tenths rating_of(int length) { return static_cast<Tenths>(length >= 10 ? 50 : 45 + (length - 4) / 2); }

Technique type_of(int length, int number) {
    const Technique first = length == 4 ? Technique::unique_rectangle_1 : Technique::unique_loop_1;
    return static_cast<Technique>(static_cast<int>(first) + number - 1);
}

Hint hint_of(const Loop& loop, int type, int more = 0) {
    return {.technique = type_of(loop.length, type),
            .rating = static_cast<Tenths>(rating_of(loop.length) + more),
            .cells = loop.cells,
            .digits = loop.pair,
            .complexity = static_cast<std::uint32_t>(type)};
}

void find_type_1(const Loop& loop, const CandidateGrid&, Search& search) {
    Hint hint = hint_of(loop, 1);
    for_each_bit(loop.pair, [&](int digit) { hint.eliminations[digit] = loop.richer; });
    search.hints.add(hint);
}

void find_type_2(const Loop& loop, const CandidateGrid& grid, Search& search) {
    Hint hint = hint_of(loop, 2);
    const int digit = first_of(loop.extra);
    hint.eliminations[digit] = grid.cells_with(digit) & seen_by_all(loop.richer);
    search.hints.add(hint);
}

/// Naked: the two cells stand for one that has what they have beside the pair, and k - 1 others make it a subset.
void find_type_3_naked(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    const int most = grid.blanks_in(region) / 2;
    for_each_subset_with(
        grid, region, loop.richer, loop.extra, most, [&](CellSet others, NineBits digits, int size) {
            Hint hint = hint_of(loop, 3, size - 1);
            hint.cells |= others;
            hint.digits |= digits;
            const CellSet seen = region_cells(region).without(hint.cells);
            for_each_bit(digits, [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & seen; });
            search.hints.add(hint);
        });
}

/// Hidden: the pair and k - 2 other digits, none of them one of those beside the pair, are in the two cells and k
/// - 1 others. One of the two has another digit, so the k - 1 have none but these.
void find_type_3_hidden(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    NineBits of_loop = 0;
    for (int place = 0; place < 9; ++place) {
        of_loop |= loop.richer.contains(cell_at(region, place)) ? bit_of(place) : NineBits{0};
    }
    NineBits of_pair = 0;
    for_each_bit(loop.pair, [&](int digit) { of_pair |= grid.positions(digit, region); });
    const auto others_of_pair = static_cast<NineBits>(of_pair & ~of_loop);
    // The pair stands for one digit, whose places are those beside the two cells.
    NineSets sets{};
    for (int digit = 0; digit < kDigits; ++digit) {
        const auto index = static_cast<std::size_t>(digit);
        if (((loop.pair | loop.extra) >> digit & 1) == 0) {
            sets[index] = grid.positions(digit, region);
        }
    }
    for (int size = 2; 2 * size < grid.blanks_in(region); ++size) {
        for_each_choice(sets, size - 2, others_of_pair, size - 1, [&](NineBits digits, NineBits places) {
            Hint hint = hint_of(loop, 3, size - 2);
            const auto all = static_cast<NineBits>(digits | loop.pair);
            const CellSet others = cells_at(region, places);
            hint.cells |= others;
            hint.digits = all;
            for_each_bit(static_cast<NineBits>(kNineBits & ~all),
                         [&](int digit) { hint.eliminations[digit] = grid.cells_with(digit) & others; });
            search.hints.add(hint);
        });
    }
}

void find_type_4(const Loop& loop, const CandidateGrid& grid, Search& search, int region) {
    for_each_bit(loop.pair, [&](int locked) {
        if (count_of(grid.positions(locked, region)) != 2) {
            return;
        }
        Hint hint = hint_of(loop, 4);
        hint.eliminations[first_of(static_cast<NineBits>(loop.pair & ~bit_of(locked)))] = loop.richer;
        search.hints.add(hint);
    });
}

} // namespace

void find_in_loop(const Loop& loop, const CandidateGrid& grid, Search& search) {
    if (loop.richer.empty()) {
        return; // two solutions
    }
    if (!loop.richer.several()) {
        find_type_1(loop, grid, search);
    } else if (count_of(loop.extra) == 1) {
        find_type_2(loop, grid, search);
    } else {
        for (std::uint32_t regions = common_regions(loop.richer); regions != 0; regions &= regions - 1) {
            find_type_3_naked(loop, grid, search, std::countr_zero(regions));
            find_type_3_hidden(loop, grid, search, std::countr_zero(regions));
            find_type_4(loop, grid, search, std::countr_zero(regions));
        }
    }
}

} // namespace sudokumill::explainer
