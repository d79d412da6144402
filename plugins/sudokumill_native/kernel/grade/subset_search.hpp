// Subsets: k of nine sets that have k elements between them, and where regions have such.
//
// Cells of a region and their candidates make naked subsets; digits and their places in it hidden ones.
#pragma once

#include <array>

#include "candidate_grid.hpp"
#include "hint.hpp"

namespace sudokumill::explainer {

namespace detail {

template <typename Act> struct SubsetSearch {
    std::array<NineBits, 9> sets;    // those of two to `size` elements
    std::array<NineBits, 9> numbers; // the bit of each among the nine
    int count;
    int size;
    Act& act;

    void extend(int from, int missing, NineBits members, NineBits all) {
        for (int index = from; index + missing <= count; ++index) {
            const auto at = static_cast<std::size_t>(index);
            const auto more = static_cast<NineBits>(all | sets[at]);
            if (count_of(more) > size) {
                continue;
            }
            const auto with = static_cast<NineBits>(members | numbers[at]);
            if (missing > 1) {
                extend(index + 1, missing - 1, with, more);
            } else if (count_of(more) == size) {
                act(with, more);
            }
        }
    }
};

} // namespace detail

/// Calls act(members, elements) for each choice of `size` sets, of two elements or more each, that have exactly
/// `size` elements between them.
template <typename Act> void for_each_subset(const NineSets& sets, int size, Act&& act) {
    detail::SubsetSearch<Act> search{.sets = {}, .numbers = {}, .count = 0, .size = size, .act = act};
    for (int number = 0; number < 9; ++number) {
        const NineBits set = sets[static_cast<std::size_t>(number)];
        if (const int elements = count_of(set); elements >= 2 && elements <= size) {
            search.sets[static_cast<std::size_t>(search.count)] = set;
            search.numbers[static_cast<std::size_t>(search.count)] = bit_of(number);
            ++search.count;
        }
    }
    if (search.count >= size) {
        search.extend(0, size, 0, 0);
    }
}

/// Calls act(members, elements) for each choice of `count` sets, none of them empty, that have exactly `size`
/// elements together with those given.
template <typename Act>
void for_each_choice(const NineSets& sets, int count, NineBits given, int size, Act&& act, int from = 0,
                     NineBits members = 0) {
    if (count_of(given) > size) {
        return;
    }
    if (count == 0) {
        if (count_of(given) == size) {
            act(members, given);
        }
        return;
    }
    for (int number = from; number + count <= 9; ++number) {
        if (const NineBits set = sets[static_cast<std::size_t>(number)]; set != 0) {
            for_each_choice(sets, count - 1, static_cast<NineBits>(given | set), size, act, number + 1,
                            static_cast<NineBits>(members | bit_of(number)));
        }
    }
}

/// The candidates of the cells of a region.
inline NineSets candidates_in(const CandidateGrid& grid, int region) {
    NineSets sets;
    for (int place = 0; place < 9; ++place) {
        sets[static_cast<std::size_t>(place)] = grid.candidates(cell_at(region, place));
    }
    return sets;
}

/// The cells at some places of a region.
inline CellSet cells_at(int region, NineBits places) {
    CellSet cells;
    for_each_bit(places, [&](int place) { cells.add(cell_at(region, place)); });
    return cells;
}

/// A subset of a region.
struct RegionSubset {
    int region;
    NineBits places; // of its cells
    NineBits digits;

    CellSet cells() const { return cells_at(region, places); }

    /// A hint of it, without effect.
    Hint hint(Technique technique) const {
        return {.technique = technique,
                .rating = least_rating_of(technique),
                .cells = cells(),
                .digits = digits,
                .regions = 1U << region};
    }
};

/// Calls act(subset) for each naked subset of so many cells.
///
/// Args:
///     least_blanks: regions with fewer blank cells are left out
template <typename Act>
void for_each_naked_subset(const CandidateGrid& grid, int size, int least_blanks, Act&& act) {
    for (int region = 0; region < kRegions; ++region) {
        if (grid.blanks_in(region) >= least_blanks) {
            for_each_subset(candidates_in(grid, region), size,
                            [&](NineBits places, NineBits digits) { act(RegionSubset{region, places, digits}); });
        }
    }
}

/// The same for hidden subsets.
template <typename Act>
void for_each_hidden_subset(const CandidateGrid& grid, int size, int least_blanks, Act&& act) {
    for (int region = 0; region < kRegions; ++region) {
        if (grid.blanks_in(region) >= least_blanks) {
            for_each_subset(grid.positions_in(region), size,
                            [&](NineBits digits, NineBits places) { act(RegionSubset{region, places, digits}); });
        }
    }
}

/// Calls act(others, digits, size) for each naked subset, the smaller first, of one cell that stands for several
/// of a region and has their extra digits, and of others of the region.
///
/// One of the several has one of the extra digits: of all the cells of the subset as many have its digits as there
/// are of these, whichever of the several it is.
template <typename Act>
void for_each_subset_with(const CandidateGrid& grid, int region, CellSet several, NineBits extra, int most,
                          Act&& act) {
    NineSets sets = candidates_in(grid, region);
    NineBits standing_in = 0;
    for (int place = 0; place < 9; ++place) {
        if (several.contains(cell_at(region, place))) {
            sets[static_cast<std::size_t>(place)] = standing_in == 0 ? extra : NineBits{0};
            standing_in = standing_in == 0 ? bit_of(place) : standing_in;
        }
    }
    for (int size = 2; size <= most; ++size) {
        for_each_subset(sets, size, [&](NineBits places, NineBits digits) {
            if ((places & standing_in) != 0) {
                act(cells_at(region, static_cast<NineBits>(places & ~standing_in)), digits, size);
            }
        });
    }
}

} // namespace sudokumill::explainer
